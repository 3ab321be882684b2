"""Writes the pages of docs/ that follow from the code, or checks that they are up to date."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path

import click

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))

from tests.conformance.coverage import proofs  # noqa: E402
from tests.conformance.requirements import DEFERRED_CAPABILITIES, DEFERRED_ROWS, ROWS  # noqa: E402

from metier.authoring.omega.docs_gates import HEADINGS  # noqa: E402
from metier.authoring.omega.gate import GATES, GROUPS  # noqa: E402
from metier.authoring.omega.suite_gates import ERROR_PATHS  # noqa: E402
from metier.cli.main import COMMANDS, group  # noqa: E402
from metier.diagnostic import TABLE, Severity  # noqa: E402
from metier.places import RootSpec  # noqa: E402, TC001
from metier.policy import PROFILES, Policy  # noqa: E402

NOTE = "<!-- Written by docs/generate.py; `./dev docs` writes it anew. -->\n\n"


def diagnostics() -> str:
    """The reference of all codes."""
    text = [
        "# Diagnostics",
        "",
        "Every problem that metier reports has a code of this table. Codes are stable. Three readings grade a problem:",
        "",
        "- **loading**: what `metier list`, `metier doctor` and `Catalog.diagnostics` say. An *error* keeps a skill, or the tool",
        "  it is about, from being offered; a *warning* does not, and says what was assumed; a *note* informs.",
        "- **std**: `metier check --rules std`, the open standard. The verdict is that of the reference validator, except",
        "  where that one is wrong: it loses text at three dashes, refuses letters with vowel signs and a tab after the fence,",
        "  and accepts a NUL byte in the body.",
        "- **strict**: `metier check --rules strict`, the standard and advice.",
        "",
        "A dash means that this reading does not report it.",
        "",
    ]
    for kind in TABLE.values():
        text += [f"### `{kind.code}`", ""]
        text += [f"{_sentence(kind.message)} *What to do:* {kind.hint.replace('{{', '{').replace('}}', '}')}.", ""]
        text += [f"loading: {_grade(kind.load)} · std: {_grade(kind.std)} · strict: {_grade(kind.strict)}", ""]
    return "\n".join(text)


def _sentence(message: str) -> str:
    text = message.replace("{{", "{").replace("}}", "}")
    return text[0].upper() + text[1:] + "."


def _grade(severity: Severity | None) -> str:
    return severity.value if severity else "–"


def conformance() -> str:
    """What is promised, where the promise comes from, and which test proves it."""
    proved = proofs()
    states = {row.id: _state(row.id, row.capability, proved) for row in ROWS}
    counts = [sum(state.startswith(word) for state in states.values()) for word in ("proved", "deferred")]
    text = [
        "# Conformance",
        "",
        f"{len(ROWS)} promises: {counts[0]} proved by tests, {counts[1]} deferred with a reason. Rows S0 to S4 restate five",
        "published designs of skill systems (mycodeagent, smallebot, desiagent, hn-explorer, omega); the others restate",
        "the open standard and the behaviour of its clients: P parsing, D discovery, K catalogue, A activation, X session,",
        "R packaging and remote. A row that is neither proved nor deferred fails the test suite.",
        "",
        "| row | source | promise | state |",
        "|---|---|---|---|",
    ]
    text += [f"| {row.id} | {_cell(row.source)} | {_cell(row.text)} | {_cell(states[row.id])} |" for row in ROWS]
    return "\n".join([*text, ""])


def _state(row: str, capability: str, proved: dict[str, list[str]]) -> str:
    if row in proved:
        return "proved: " + ", ".join(f"`{test.split('::')[1]}`" for test in proved[row])
    return "deferred: " + (DEFERRED_ROWS.get(row) or DEFERRED_CAPABILITIES[capability])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def profiles() -> str:
    """The table of profiles, one column each."""
    names = list(PROFILES)
    text = [
        "# Profiles",
        "",
        'A policy is a frozen set of rules; a profile is a named policy. `metier --profile NAME …`, `profile = "NAME"` in',
        '`metier.toml`, `METIER_PROFILE`, or `Policy.profile("NAME")` choose one; `Policy.profile("NAME").but(…)` changes',
        "single rules of it.",
        "",
        "- **default** follows the client guide of the open standard, and forgives what authors really get wrong.",
        "- **strict** loads only what `metier check --rules std` finds no error in.",
        "- **claude-code** and **codex** look where those programs look and decide as they do.",
        "- **mycodeagent**, **smallebot**, **desiagent**, **hn-explorer** and **omega** are the five published designs that",
        "  metier implements, each with its own folders and rules.",
        "",
        "## Where each profile looks",
        "",
        "The first root has the highest rank; the roots of a project stand together where the first of them does, those of the",
        "nearest folder before those of the folders above it.",
        "",
    ]
    for name, policy in PROFILES.items():
        text += [f"- **{name}**: " + ", ".join(_root(root) for root in policy.roots)]
    text += ["", "## The rules", "", "| rule | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for field in fields(Policy):
        if field.name in ("name", "roots", "clients", "visibility", "trusted_roots"):
            continue
        nothing = "as `lang`" if field.name == "tool_lang" else "∞"
        cells = [_value(getattr(PROFILES[name], field.name), nothing) for name in names]
        text.append(f"| `{field.name}` | " + " | ".join(cells) + " |")
    text += ["", "What each rule means stands beside it in `metier.policy.Policy`.", ""]
    return "\n".join(text)


def _root(root: RootSpec) -> str:
    if root.base == "package":
        return "the skills that come with metier"
    if root.single:
        return "`SKILL.md` in the project folder"
    path = f"~/{root.path}" if root.base == "home" else root.path
    return f"`{path}`" + (" (and in the folders above, up to the repository's top)" if root.ancestors else "")


def _value(value: object, nothing: str) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, bool):
        return "yes" if value else "no"
    return nothing if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def command_line() -> str:
    """The help of every command, as the program prints it."""
    text = [
        "# The command line",
        "",
        "Data goes to standard output, talk to standard error. Exit status: 0 good, 1 problems found, 2 misuse. Every command",
        "that prints data takes `--json`; the shapes are stable and only ever grow.",
        "",
    ]
    context = click.Context(group, info_name="metier", terminal_width=100, help_option_names=["-h", "--help"])
    for name in COMMANDS:
        command = group.get_command(context, name)
        if command is None:
            raise AssertionError(name)
        inner = click.Context(command, parent=context, info_name=name, terminal_width=100)
        text += [f"## metier {name}", "", "```text", command.get_help(inner), "```", ""]
    return "\n".join(text)


def checklist() -> str:
    """Every gate of the checklist, in both languages."""
    text = [
        "# The checklist",
        "",
        "`metier check PATH --rules omega` holds skills with tools against the checklist of a published design (omega). PATH is a",
        "folder with a `skill.yaml`, a folder with many of them, or a Python project that registers skills.",
        "",
        "```console",
        "$ metier check skills/excel --rules omega --lang zh --trust",
        "$ metier check . --rules omega --trust --json",
        "```",
        "",
        "`✓` is passed, `✗` is failed, `!` is advice, `–` could not be checked; each but the first comes with a reason and what to do.",
        "A skill is complete when every gate is passed; advice does not count. Exit status 1 means that one is not. `--lang zh` asks",
        "for Chinese texts and speaks Chinese; without it, the language is that of the settings. `--json`, `--format sarif` and",
        "`--format github` are for programs; gates keep their ids.",
        "",
        "Nothing of a skill is run, built or imported without `--trust`, or a root among your `trusted_roots`. With it:",
        "",
        "- A folder's tools are tried in the sandbox, each line in a workspace of its own: the examples of `docs`, then what nobody",
        "  should send, such as `not json`, `[]`, `null`, wrong types, missing arguments, and a line of more than 64 KiB. The files",
        "  that examples name come from the folder `examples` of the skill, or else from the project.",
        "- A project's skill is imported, and its tests are run with coverage, in processes of their own. The tests run with the",
        "  Python that metier runs on, which needs pytest, coverage and what the project itself needs.",
        "",
    ]
    kinds = {"workspace": "A folder with a `skill.yaml`", "builtin": "A Python project"}
    for kind, title in kinds.items():
        text += [f"## {title}", ""]
        for (of, group_name), (english, chinese) in GROUPS.items():
            if of != kind:
                continue
            rows = [gate for gate in GATES.values() if (gate.kind, gate.group) == (kind, group_name)]
            text += [
                f"### {english} · {chinese}",
                "",
                "| gate | what has to hold | 内容 | level |",
                "|---|---|---|---|",
            ]
            text += [f"| `{gate.id}` | {_cell(gate.en)} | {_cell(gate.zh)} | {gate.level} |" for gate in rows]
            text.append("")
    return "\n".join([*text, *_how_it_is_judged()])


def _how_it_is_judged() -> list[str]:
    words = {
        "empty": "an empty argument",
        "escape": "an escaping path",
        "absent": "a missing file",
        "excess": "an excess",
    }
    return [
        "## How it is judged",
        "",
        "By word lists and patterns, without a model, so that the same text always gets the same verdict:",
        "",
        "- A **verb** is a word of a list, in its plain form or with an *s*, or one of a list of Chinese verbs. A **limit** is a number",
        "  or a limiting word, such as *up to*, *only*, 上限. The length counts characters, not bytes.",
        "- A **parameter** lacks its *format* when nothing tells what it looks like, its *limits* when neither a default nor a bound",
        "  nor a limiting word is there, its *example* when nothing follows *Example:* or 示例. For a boolean, what `true` does is one.",
        "- An **error** reads `problem: value — next step`. Messages of the system, of an interpreter or of a stack are refused.",
        "- A **path** has to reach `workspace.existing` or `workspace.new` before anything that opens files. The source is read for it.",
        "- A **test** tries an error path when its name or docstring says so: "
        + "; ".join(
            f"{words[key]} (`{pattern.pattern.replace('|', chr(92) + '|')}`)" for key, pattern in ERROR_PATHS.items()
        )
        + ".",
        "- A **page** has these sections, in this order: "
        + ", ".join(f"*{english}* ({chinese})" for _, english, chinese in HEADINGS)
        + ". Comments count as nothing. `metier docs NAME --write` makes a page with all that the skill itself tells.",
        "",
        "Of the design's own list, the name of a Go import has no counterpart here.",
        "",
    ]


PAGES = {
    "skill-checklist.md": checklist,
    "diagnostics.md": diagnostics,
    "conformance.md": conformance,
    "profiles.md": profiles,
    "command-line.md": command_line,
}


def main(arguments: list[str]) -> int:
    """Write the pages; with `--check`, only say which are stale."""
    stale: list[str] = []
    for name, page in PAGES.items():
        path = DOCS / name
        text = NOTE + page()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
            print(f"wrote docs/{name}")
    if stale and "--check" in arguments:
        print(f"stale: {', '.join(stale)}; run ./dev docs")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
