#!/bin/bash
# Surveys a folder: one JSON line in, one JSON line out. Needs nothing but bash, find, sort and sed.
set -u
export LC_ALL=C.UTF-8
MOST=100000

quoted() { # a text as a JSON string
  local text
  text=$(tr -d '\000-\010\013-\037' <<<"$1" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/\t/\\t/g' | sed -e ':a' -e 'N' -e '$!ba' -e 's/\n/\\n/g')
  printf '"%s"' "$text"
}

say() { # output, error
  printf '{%s"output": %s, "error": %s}\n' "$id" "$(quoted "$1")" "$(quoted "$2")"
}

argument() { # the text of an argument, its escapes undone; nothing if it is not given
  local pattern="\"$1\"[[:space:]]*:[[:space:]]*\"(([^\"\\\\]|\\\\.)*)\""
  [[ $line =~ $pattern ]] || return 1
  printf '%b' "${BASH_REMATCH[1]//\\\//\/}"
}

survey() {
  local path=. top=10 place
  argument path >/dev/null && path=$(argument path)
  [[ $line =~ \"top\"[[:space:]]*:[[:space:]]*(-?[0-9]+) ]] && top=${BASH_REMATCH[1]}
  if ((${#top} > 4 || top < 1 || top > 100)); then
    say "" "the number is out of range: $top — give 1 to 100"
    return
  fi
  if [[ $path == /* ]]; then
    say "" "the path leads out of the workspace: $path — use one relative to it"
    return
  fi
  if ! place=$(realpath -e -- "$workspace/$path" 2>/dev/null) || [[ ! -d $place ]]; then
    say "" "there is no such folder: $path — check its name, or leave it out"
    return
  fi
  if [[ $place != "$workspace" && $place != "$workspace"/* ]]; then
    say "" "the path leads out of the workspace: $path — use one inside it"
    return
  fi
  report "$place" "$path" "$top"
}

report() { # folder, its name, how many
  local listed count bytes kinds
  # Size, time and name of each file; names with line feeds would look like two files, so these are left out.
  listed=$(cd "$1" && find . \( -name .git -o -name node_modules -o -name .venv -o -name __pycache__ \) -prune -o \
    -type f ! -name $'*\n*' -printf '%s\t%T@\t%P\n' 2>/dev/null | head -n $MOST)
  if [[ -z $listed ]]; then
    say "$2 holds no files." ""
    return
  fi
  read -r count bytes < <(awk -F'\t' '{n++; b += $1} END {printf "%d %d\n", n, b}' <<<"$listed")
  kinds=$(awk -F'\t' '{name = $3; sub(".*/", "", name); kind = "(none)"
    if (match(name, /[^.]\.[^.]+$/)) kind = substr(name, RSTART + 1)
    n[kind]++; b[kind] += $1} END {for (k in n) printf "%d\t%d\t%s\n", n[k], b[k], k}' <<<"$listed" | sort -k1,1nr -k3,3 |
    head -n "$3" | awk -F'\t' '{printf "- %s: %d files, %d bytes\n", $3, $1, $2}')
  local largest newest
  largest=$(sort -t$'\t' -k1,1nr -k3,3 <<<"$listed" | head -n "$3" | awk -F'\t' '{printf "- %s: %d bytes\n", $3, $1}')
  newest=$(sort -t$'\t' -k2,2nr -k3,3 <<<"$listed" | head -n "$3" | while IFS=$'\t' read -r _ when name; do
    printf -- '- %s: %(%Y-%m-%d %H:%M)T\n' "$name" "${when%.*}"
  done)
  local more=""
  ((count == MOST)) && more=" (only the first $MOST were looked at)"
  say "$2 holds $count files, $bytes bytes$more."$'\n'"By kind:"$'\n'"$kinds"$'\n'"Largest:"$'\n'"$largest"$'\n'"Newest:"$'\n'"$newest" ""
}

if ! workspace=$(realpath -e -- "${METIER_WORKSPACE:-.}"); then
  workspace=/nonexistent
fi
while IFS= read -r line || [[ -n $line ]]; do
  id=""
  [[ $line =~ ^\{\"id\":[[:space:]]*([0-9]+) ]] && id="\"id\": ${BASH_REMATCH[1]}, "
  if [[ ! $line =~ ^[[:space:]]*\{.*\}[[:space:]]*$ ]]; then
    say "" "the request cannot be read: ${line:0:40} — send one JSON object in one line"
    continue
  fi
  survey
done
