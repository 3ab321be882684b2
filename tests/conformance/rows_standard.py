"""Requirement rows of the Agent Skills standard and its clients, restated."""

from __future__ import annotations

from tests.conformance.row import Row

ROWS: tuple[Row, ...] = (
    Row(
        "P01",
        "standard",
        "disclosure",
        "Our `validate`, `read_properties` and `to_prompt` can replace those of skills-ref. Its 40 tests run green "
        "on them.",
    ),
    Row(
        "P02",
        "standard",
        "disclosure",
        'For no skill and for one, `to_prompt` prints the very bytes of skills-ref, with `& < > "` escaped alike.',
    ),
    Row(
        "P03",
        "client guide G8, Codex, Gemini CLI",
        "catalog",
        "A stray colon, as in `description: Use when: x`, is an error with line and column if strict. Lenient keeps "
        "the value and notes `yaml-repaired`.",
    ),
    Row(
        "P04",
        "Codex tests",
        "catalog",
        "Bare values YAML chokes on, `<d: e.g. 7d>` or `[next,@supabase/ssr]`, are mended. Block scalars come "
        "through as written.",
    ),
    Row(
        "P05",
        "standard bug",
        "catalog",
        "Three dashes inside a value or the body end nothing. `a --- b` is read whole, and a `---` line of the body "
        "stays.",
    ),
    Row(
        "P06",
        "Claude Code 2.1.239, measured",
        "catalog",
        "A BOM, CRLF, blanks after a fence and a lacking last newline do no harm. Each variant parses to the same "
        "skill.",
    ),
    Row(
        "P07",
        "measured",
        "catalog",
        "Bytes that are not UTF-8 spoil one file only. That file gets a diagnostic, and the scan goes on without "
        "raising.",
    ),
    Row(
        "P08",
        "standard",
        "catalog",
        "Limits are 64 for name, 1024 for description, 500 for compatibility. Both sides of each edge are tried: "
        "strict errs, lenient warns.",
    ),
    Row(
        "P09",
        "standard test",
        "catalog",
        "Names are compared after NFKC. A decomposed `café` in the file fits a folder spelled with the composed "
        "letter.",
    ),
    Row(
        "P10",
        "standard ambiguity",
        "catalog",
        "Which letters a name may use depends on the profile. `技能` fails under ASCII and passes under unicode, as "
        "do Hindi and Thai marks.",
    ),
    Row(
        "P11",
        "standard, client guide G9",
        "catalog",
        "Malformed names are `-a`, `a-`, `a--b`, `A` and `a_b`. Strict refuses each; lenient loads it and warns.",
    ),
    Row(
        "P12",
        "standard, client guide G9, measured",
        "catalog",
        'Name and folder should agree: strict errs, lenient warns. `validate(".")` compares with the real folder\'s '
        "name.",
    ),
    Row(
        "P13",
        "Claude Code 2.1.47/51",
        "catalog",
        "Values of the wrong type, such as `name: 3000` or `description: [a]`, become strings. Loading never crashes "
        "on them.",
    ),
    Row(
        "P14",
        "Claude Code, standard",
        "catalog",
        "`allowed-tools` may use blanks, commas, a flow list or a block list. All four give one list, and `Bash(git "
        "add *)` stays in one piece.",
    ),
    Row(
        "P15",
        "measured",
        "catalog",
        'Metadata reads as text: `1.0` is `"1.0"`, the key `on` is not `True`, a nested map has a string form. The '
        "raw values remain available.",
    ),
    Row(
        "P16",
        "measured",
        "catalog",
        "A key given twice is diagnosed. Tags and aliases run nothing, and an alias bomb stays within bounds.",
    ),
    Row(
        "P17",
        "standard, Claude Code",
        "catalog",
        "Strict refuses a field beyond the six and names those allowed. Lenient keeps it and writes it back unchanged.",
    ),
    Row(
        "P18",
        "Claude Code",
        "catalog",
        "Yes/no fields take yes, no, on, off, 1 and 0 in any case. Every spelling gives the right boolean.",
    ),
    Row(
        "P19",
        "client guide G9",
        "catalog",
        "A skill whose description is absent or empty is not listed. An error diagnostic names its file.",
    ),
    Row(
        "P20",
        "standard",
        "catalog",
        "`skill.md` in lowercase is found as well. If a folder has both, `SKILL.md` is the one read.",
    ),
    Row(
        "P21",
        "client guide G19",
        "catalog",
        "The body is what follows the frontmatter, trimmed. The unaltered file can be had too.",
    ),
    Row(
        "D01",
        "client guide G1",
        "catalog",
        "Project and user roots are searched in `.agents/skills` and `.<client>/skills`. Other clients' folders and "
        "`~/.config/agents/skills` only on request.",
    ),
    Row(
        "D02",
        "Codex",
        "catalog",
        "Roots are sought upward from the working folder to the repository's marker. With no marker, only the "
        "working folder counts.",
    ),
    Row(
        "D03",
        "client guide G3, Claude Code",
        "catalog",
        "The scan leaves out `.git`, `node_modules` and hidden folders. Obeying `.gitignore` can be switched on.",
    ),
    Row(
        "D04",
        "client guide G3, Codex",
        "catalog",
        "Depth, folders and entries have limits. On reaching one, what was found is returned with a `truncated` "
        "diagnostic.",
    ),
    Row(
        "D05",
        "Claude Code, OpenClaw",
        "catalog",
        "Linked skill folders count once, however many roots lead there, and loops end. A link leaving an untrusted "
        "root follows the policy.",
    ),
    Row(
        "D06",
        "client guide G2",
        "catalog",
        "`README.md`, loose files and folders lacking `SKILL.md` are no skills. They cause neither an entry nor a "
        "diagnostic.",
    ),
    Row(
        "D07",
        "client guide G4, users",
        "catalog",
        "The project's skill beats the user's of the same name. The loser is reported with both paths and answers to "
        "its qualified id.",
    ),
    Row(
        "D08",
        "oh-my-pi#12151",
        "catalog",
        "Two copies alike to the byte under one name merge in silence. If they differ, there is a warning.",
    ),
    Row(
        "D09",
        "opencode bug",
        "catalog",
        "The order of skills does not follow the disk's order or thread timing. Shuffled and parallel scans give one "
        "result.",
    ),
    Row(
        "D10",
        "Claude Code, Codex",
        "catalog",
        "Sources give namespaces, `ns:name`. A bare name works while it fits a single skill; else the error lists "
        "the candidates.",
    ),
    Row(
        "D11",
        "client guide G5, Gemini CLI, Hermes",
        "store",
        "An untrusted project loads no skills and gives one notice with their number. Trust is remembered and asked "
        "anew once content changes.",
    ),
    Row(
        "D12",
        "Codex",
        "catalog",
        "Rules disable a skill by name or by path, and the last one decides. A rule with both selectors is dropped "
        "with a warning.",
    ),
    Row(
        "D13",
        "Claude Code, users",
        "catalog",
        "Visibility is set per skill: on, name-only, user-only or off. Each level shows what it should to model and "
        "user.",
    ),
    Row(
        "D14",
        "users, crush#3319",
        "catalog",
        "A broken `SKILL.md` harms no other skill. All the rest load, and each failure appears once, with path and "
        "reason.",
    ),
    Row(
        "D15",
        "Claude Code",
        "catalog",
        "Nested roots wake up on use: touching `packages/x/f.py` adds `packages/x/.agents/skills`. On a clash the "
        "name is qualified.",
    ),
    Row(
        "D16",
        "Claude Code, users",
        "catalog",
        "Added, edited and removed skills and new roots are noticed while running. Only the difference is told, with "
        "no repeated full scans.",
    ),
    Row(
        "K01",
        "client guide G16",
        "disclosure",
        "If no skill is visible, the model sees nothing of skills. Listing, instructions and tool are all absent.",
    ),
    Row(
        "K02",
        "client guide G15, client guide G17",
        "disclosure",
        "Skills that are disabled, denied or `disable-model-invocation` stay hidden. Neither listing nor tool enum "
        "has them.",
    ),
    Row(
        "K03",
        "Gemini CLI, opencode bugs",
        "disclosure",
        "A description with `</available_skills>`, control characters or newlines stays in its place. XML, Markdown "
        "and JSON are each attacked.",
    ),
    Row(
        "K04",
        "Codex, Claude Code, users",
        "disclosure",
        "Too long a listing first shortens descriptions evenly, then keeps names, then omits. A report gives total, "
        "listed, truncated, omitted.",
    ),
    Row(
        "K05",
        "Claude Code, codex#46480",
        "disclosure",
        "Pinned and often used skills are the last to lose their description. Equal usage data gives an equal listing.",
    ),
    Row(
        "K06",
        "Claude Code, Codex",
        "disclosure",
        "One entry has a cap of 1024 or 1536, `when_to_use` included. The cut falls between characters and ends in "
        "an ellipsis.",
    ),
    Row(
        "K07",
        "Codex",
        "disclosure",
        "Long roots shared by many paths get an alias when that is shorter. The table appears only if it saves room.",
    ),
    Row(
        "K08",
        "users, Codex shadow",
        "search",
        "A listing beyond its budget comes with a search tool. Known queries find the right skill among the first k, "
        "BM25 as the baseline.",
    ),
    Row(
        "K09",
        "opencode V2, Hermes",
        "disclosure",
        "The listing stays the same from turn to turn so that prompt caches hold. A change arrives as a delta message.",
    ),
    Row(
        "A01",
        "client guide G17, Gemini CLI",
        "disclosure",
        "The tool takes its name from an enum of visible skills. Another name gives an error with the nearest ones.",
    ),
    Row(
        "A02",
        "client guide G20, client guide G21",
        "disclosure",
        "The answer is `<skill_content name>` with body, folder, path rule and a capped file list marked as partial. "
        "No `SKILL.md`, no file contents.",
    ),
    Row(
        "A03",
        "Claude Code, client guide G24",
        "disclosure",
        "Activating the same again gives a brief note that it is loaded. With other arguments the whole text comes.",
    ),
    Row(
        "A04",
        "Codex, Claude Code, OpenClaw",
        "disclosure",
        "`/name args` and `$name` activate, up to a maximum. `$PATH` and `\\$` do nothing; a stack ends at the first "
        "word that is no skill.",
    ),
    Row(
        "A05",
        "Claude Code",
        "disclosure",
        "`$ARGUMENTS`, `$ARGUMENTS[N]`, `$N` from 0 and named ones are filled in. Quotes, gaps, `\\$1.00` and the "
        "appended `ARGUMENTS:` are tried.",
    ),
    Row(
        "A06",
        "Claude Code 2.1.233, opencode bug",
        "disclosure",
        "Filling in happens once. An argument holding `$0`, `${SKILL_DIR}` or a `!` command shows up as typed.",
    ),
    Row(
        "A07",
        "Claude Code, OpenClaw",
        "disclosure",
        "`${CLAUDE_SKILL_DIR}`, `${SKILL_DIR}` and `{baseDir}` become the skill's folder. This holds for the body "
        "and for `allowed-tools`.",
    ),
    Row(
        "A08",
        "Claude Code",
        "execution",
        "Commands in `!` form run only if allowed, never for untrusted or remote skills. Position, fence, timeout, "
        "failure and placeholder are tried.",
    ),
    Row(
        "A09",
        "Claude Code",
        "disclosure",
        "Until work reaches a file that fits its `paths:`, a skill is not shown. Brace bombs stay bounded, and a bad "
        "bracket does no harm.",
    ),
    Row(
        "A10",
        "Goose, FastMCP",
        "disclosure",
        "Reading a resource cannot leave the skill: `..`, absolute, NUL, links and case tricks are tried. A missing "
        "file's error lists those there.",
    ),
    Row(
        "A11",
        "spec scripts, goose#9558, users",
        "execution",
        "`scripts/x.py` runs as written in `SKILL.md`. Timeout, split streams, exit code, closed stdin, paged output "
        "and a clean environment are tried.",
    ),
    Row(
        "A12",
        "client guide G22",
        "disclosure",
        "An active skill's folder may be read without asking. The allow-list has it after activation and not earlier.",
    ),
    Row(
        "A13",
        "Claude Code 2.1.145",
        "agent",
        "`context: fork`, `agent`, `model` and `effort` become a request to delegate. A fork that calls itself is "
        "stopped.",
    ),
    Row(
        "A14",
        "users #17351",
        "agent",
        "When an inner skill is done, the outer one goes on. The conversation is led back to the parent's "
        "instructions.",
    ),
    Row(
        "A15",
        "Claude Code, MCP skills extension",
        "agent",
        "A skill's grants end with the turn. Interactive tools are never covered, the host's deny or ask prevails, "
        "untrusted grants are void.",
    ),
    Row(
        "X01",
        "client guide G23, Claude Code",
        "agent",
        "Skill messages are spared when history is pruned. After compaction the latest return first, 5k each and 25k "
        "in all unless set otherwise.",
    ),
    Row(
        "X02",
        "claude-code#74990",
        "agent",
        "Compaction must not lose the listing. The conversation afterwards still shows every visible skill.",
    ),
    Row(
        "X03",
        "Claude Code 2.1.239",
        "agent",
        "Arguments of a skill that compaction brought back are history. They are marked so and start nothing anew.",
    ),
    Row(
        "X04",
        "Claude Code 2.1.70",
        "agent",
        "Activated skills and their revisions can be saved. A resumed session knows them and injects nothing a "
        "second time.",
    ),
    Row(
        "X05",
        "Claude Code, Codex, users",
        "agent",
        "An activation is always reported. The event has skill, source, trigger (user, model or nested), revision "
        "and tokens.",
    ),
    Row(
        "R01",
        "well-known discovery",
        "store",
        "Archives with or without a top folder, zip or tar.gz, are imported. Traversal, absolute paths, outward "
        "links, bombs and too many files are refused.",
    ),
    Row(
        "R02",
        "well-known discovery",
        "store",
        "An index v0.2 is read, v0.1 as fallback. Digest, cache and relative URLs hold; a strange `$schema` is "
        "refused, a strange type skipped.",
    ),
    Row(
        "R03",
        "well-known discovery, MCP skills extension",
        "store",
        "Scripts from afar do not run unless someone allows it. Running one of an imported remote skill is refused "
        "by default.",
    ),
    Row(
        "R04",
        "MCP skills extension",
        "mcp",
        "Our server meets every `sep-2640-*` check on a folder of skills, nested ones too. A skill beyond 512 files "
        "is declined with a reason.",
    ),
    Row(
        "R05",
        "MCP skills extension",
        "mcp",
        "As host we verify size, digest and frontmatter, fetch late and mark the origin. Any altered file ends "
        "approval; local namesakes stay visible.",
    ),
    Row(
        "R06",
        "FastMCP",
        "mcp",
        "Servers of the FastMCP kind, with `_manifest`, can be read as well. A file whose hash differs is refused.",
    ),
    Row(
        "R07",
        "Agent Plugins",
        "store",
        "An Agent Plugin folder loads: no unknown manifest keys, direct children only. Anything reaching outside the "
        "plugin is refused.",
    ),
    Row(
        "R08",
        "users",
        "store",
        "Installing writes source, ref and tree hash to a lock. Verify notices local edits; an update shows the diff "
        "and does not overwrite them.",
    ),
    Row(
        "R09",
        "OpenClaw, Hermes, users",
        "catalog",
        "What a skill needs (OS, python, bins, env, tools, other skills, MCP servers) yields a readiness report. A "
        "skill not ready is hidden or marked.",
    ),
    Row(
        "R10",
        "standard",
        "search",
        "`evals/evals.json` is read whether it says `assertions` or `expectations`. Trigger rates meet thresholds; "
        "`benchmark.json` fits its schema.",
    ),
)
