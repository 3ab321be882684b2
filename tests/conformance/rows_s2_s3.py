"""Requirement rows of the next two seed designs (desiagent, hn-explorer), restated."""

from __future__ import annotations

from tests.conformance.row import Row

ROWS: tuple[Row, ...] = (
    Row(
        "S2-01",
        "desiagent 4",
        "catalog",
        "Skills made for other coding agents are usable as they are; "
        "files with license, allowed-tools and metadata keys load.",
    ),
    Row(
        "S2-02",
        "desiagent 5,16",
        "catalog",
        "Four locations are ranked; with one name in all of them the first wins, and removing it promotes the next.",
    ),
    Row(
        "S2-03",
        "desiagent 6,28",
        "plan",
        "Detection is small and can be exchanged; a planner given a stub detector that answers x goes by it.",
    ),
    Row(
        "S2-04",
        "desiagent 7,70",
        "plan",
        "Bodies wait until needed; a spy sees no body read before a skill task runs.",
    ),
    Row(
        "S2-05",
        "desiagent 10",
        "catalog",
        "A registry finds skills, reads metadata and loads content late; it has the four methods of S2-22 to S2-25.",
    ),
    Row(
        "S2-06",
        "desiagent 11,62",
        "plan",
        "Every `{{skills}}` in the decomposer prompt is replaced by the list; no placeholder is left over.",
    ),
    Row(
        "S2-07",
        "desiagent 12,69",
        "plan",
        "The executor knows the action type `skill`; such a task takes that branch and an unknown type is an error.",
    ),
    Row(
        "S2-08",
        "desiagent 13,28,36",
        "search",
        "Other detectors fit one typed interface, `detect(goal_text, skills) -> list[str]`; "
        "a type-checked stub is accepted.",
    ),
    Row(
        "S2-09",
        "desiagent 16",
        "catalog",
        "On a name clash the root found first supplies the skill; the other one is recorded as shadowed.",
    ),
    Row(
        "S2-10",
        "desiagent 17",
        "catalog",
        "The workspace's `.agents/skills/` is the first location; a skill there is listed with that source.",
    ),
    Row(
        "S2-11",
        "desiagent 18",
        "catalog",
        "The workspace's `skills/` is the second location; a skill there is listed with that source.",
    ),
    Row(
        "S2-12",
        "desiagent 19",
        "catalog",
        "A lone `SKILL.md` at the workspace root is the third location; "
        "it is listed although its folder is named otherwise.",
    ),
    Row(
        "S2-13",
        "desiagent 20",
        "catalog",
        "The fourth location is `~/.config/agents/skills/`; "
        "a skill under a temporary HOME is listed, the real home is left alone.",
    ),
    Row(
        "S2-14",
        "desiagent 23",
        "catalog",
        "In a root every skill needs a folder of its own with `SKILL.md`; a loose `foo.md` is ignored.",
    ),
    Row(
        "S2-15",
        "desiagent 24",
        "catalog",
        "Profile desiagent drops a skill whose name is not its folder's, with a warning; "
        "the default lists it by name and warns.",
    ),
    Row(
        "S2-16",
        "desiagent 25",
        "catalog",
        "A bad or absent header only warns; the good skill beside it is listed and one warning is kept.",
    ),
    Row(
        "S2-17",
        "desiagent 29,51-53",
        "search",
        "The detector's one public method is `detect`; what it returns is a list of plain names.",
    ),
    Row(
        "S2-18",
        "desiagent 30",
        "search",
        "The first detector matches words of name and description in any case; "
        "a fitting goal selects, a foreign one selects nothing.",
    ),
    Row(
        "S2-19",
        "desiagent 31",
        "search",
        "`use skill <name>` and `--skill <name>` pick a skill directly, with variants; "
        "an unknown name is ignored and traced.",
    ),
    Row("S2-20", "desiagent 34", "search", "Detecting needs no model; a spy on the model counts zero calls."),
    Row(
        "S2-21",
        "desiagent 35",
        "search",
        "Results are not ranked; direct triggers come in text order and the rest in registry order.",
    ),
    Row(
        "S2-22",
        "desiagent 41-42",
        "catalog",
        "`discover()` walks the locations and indexes what it finds; the index is as large as the fixture.",
    ),
    Row("S2-23", "desiagent 43", "catalog", "`getAll()` hands out all metadata; it equals the fixture's."),
    Row("S2-24", "desiagent 44", "catalog", "`getByName(name)` finds a single entry; an absent name gives None."),
    Row(
        "S2-25",
        "desiagent 45",
        "catalog",
        "`loadContent(name)` reads the file when asked, body or whole by setting; "
        "an unknown name gives None or NOT_FOUND.",
    ),
    Row(
        "S2-26",
        "desiagent 48",
        "catalog",
        "An entry has `name`, `description`, `filePath` and `source`; all four are there and source tells the root.",
    ),
    Row(
        "S2-27",
        "desiagent 52",
        "search",
        "`MinimalSkillDetector` is a proper detector; it passes the protocol check.",
    ),
    Row(
        "S2-28",
        "desiagent 56",
        "plan",
        "Detectors are plugged in at one place; the planner takes one as argument and the source has one "
        "construction site.",
    ),
    Row(
        "S2-29",
        "desiagent 60",
        "plan",
        "The planner brings registry and detector along; without either it works and `{{skills}}` becomes "
        "the empty text.",
    ),
    Row(
        "S2-30",
        "desiagent 61",
        "plan",
        "Detection looks at the goal before the prompt is made; a spy sees it ahead of the model call.",
    ),
    Row(
        "S2-31",
        "desiagent 62",
        "plan",
        "`planner.inject` decides what the prompt lists: `detected` only those, `all` every skill with the "
        "detected first and marked.",
    ),
    Row(
        "S2-32",
        "desiagent 65",
        "plan",
        "The shipped decomposer template has `{{skills}}` at the place where skills are described.",
    ),
    Row(
        "S2-33",
        "desiagent 70",
        "plan",
        "A skill task reads its file only when run; if it was deleted meanwhile the task fails clearly and "
        "the executor goes on.",
    ),
    Row(
        "S2-34",
        "desiagent 71",
        "plan",
        "A skill task is a model call under the skill's text; "
        "a fake model gets the body as system and the task as user message.",
    ),
    Row(
        "S2-35",
        "desiagent 74-77",
        "plan",
        "The seed's first four work steps (modules, wiring, placeholder, branch) are held by the rows above.",
    ),
    Row(
        "S2-36",
        "desiagent 78",
        "search",
        "The choice can be followed; a `skills_detected` event tells the names and whether a trigger or a "
        "keyword chose them.",
    ),
    Row(
        "S2-37",
        "desiagent 79",
        "catalog",
        "A documentation page shows every root by rank and the file format; a test parses its example.",
    ),
    Row(
        "S2-38",
        "desiagent 82-83",
        "catalog",
        "The sample skill `cataloging-apis` under `.agents/skills` is discovered and listed.",
    ),
    Row(
        "S2-39",
        "desiagent 84",
        "search",
        "A goal about API documentation makes the detector answer exactly `cataloging-apis`.",
    ),
    Row(
        "S2-40",
        "desiagent 85",
        "plan",
        "The decomposer gets a filled-in list; the captured prompt names `cataloging-apis`.",
    ),
    Row(
        "S2-41",
        "desiagent 86",
        "plan",
        "A task of type `skill` runs from end to end under its `SKILL.md`, with a fake model.",
    ),
    Row(
        "S2-42",
        "desiagent 89-90",
        "search",
        "Matching by embeddings is possible; a detector over an injected embed function passes the interface tests.",
    ),
    Row(
        "S2-43",
        "desiagent 91",
        "search",
        "Matching by a small model is possible; a detector over an injected model function passes the interface tests.",
    ),
    Row(
        "S2-44",
        "desiagent 92",
        "search",
        "Users can overrule detection; a plan with skills x given uses x even if it was not detected.",
    ),
    Row(
        "S2-45",
        "desiagent 93",
        "catalog",
        "Loaded content is cached; loading an unchanged file again reads nothing, a changed file is read anew.",
    ),
    Row(
        "S2-46",
        "desiagent 94",
        "catalog",
        "An agent may be limited to some skills; with only a allowed it sees a alone, and activating b gives "
        "NOT_FOUND.",
    ),
    Row(
        "S3-01",
        "hn-explorer 5",
        "disclosure",
        "Skills come in step by step so that tokens and the prompt cache are spared; S3-46 to S3-48 check it.",
    ),
    Row(
        "S3-02",
        "hn-explorer 13,62",
        "catalog",
        "The loader looks through `.skills/` at start; a skill placed there is found.",
    ),
    Row(
        "S3-03",
        "hn-explorer 14",
        "catalog",
        "Each `SKILL.md` header is read as YAML; the standard fixture gives its name and description.",
    ),
    Row(
        "S3-04",
        "hn-explorer 15",
        "disclosure",
        "A skill costs about 100 tokens in the prompt; the line of a 300-character description stays within "
        "110 by len/4.",
    ),
    Row("S3-05", "hn-explorer 16", "disclosure", "The system prompt includes the skill list; it is found there."),
    Row(
        "S3-06",
        "hn-explorer 19",
        "disclosure",
        "The model may call Skill with `name`, as in the seed's figure; such a call for chinese-writing works.",
    ),
    Row(
        "S3-07",
        "hn-explorer 20,102",
        "disclosure",
        "`run_skill()` handles the call; it can be called with just a name.",
    ),
    Row(
        "S3-08",
        "hn-explorer 21,79",
        "disclosure",
        "Full content is read at the moment of the call; the answer contains the body.",
    ),
    Row(
        "S3-09",
        "hn-explorer 22,107",
        "disclosure",
        'The answer is enclosed in `<skill-loaded name="N">` and its closing tag on lines of their own; '
        "compared exactly.",
    ),
    Row(
        "S3-10",
        "hn-explorer 23",
        "agent",
        "Loaded knowledge remains in the conversation; compaction spares the block that is marked protected.",
    ),
    Row(
        "S3-11",
        "hn-explorer 29-38",
        "catalog",
        "Skill data under `.skills/` is apart from code; a Python package called `skills/` yields no skill.",
    ),
    Row(
        "S3-12",
        "hn-explorer 39-40",
        "process",
        "The origin keeps its loader in `skills/loader.py`; for us this is a module boundary only. No test.",
    ),
    Row(
        "S3-13",
        "hn-explorer 42,90",
        "disclosure",
        "The tool's schema and its handler belong together; both are exported from one place.",
    ),
    Row(
        "S3-14",
        "hn-explorer 43-44",
        "agent",
        "Main agent and subagent retry model calls; timeouts, lost connections, 429 and 5xx back off, an "
        "auth error does not.",
    ),
    Row(
        "S3-15",
        "hn-explorer 45",
        "process",
        "The origin meant to leave `agents/config.py` alone and later had to give the subagent the Skill "
        "tool. No test.",
    ),
    Row(
        "S3-16",
        "hn-explorer 47-48",
        "agent",
        "Main and subagent prompts show the skills; the same list is in both.",
    ),
    Row(
        "S3-17",
        "hn-explorer 49",
        "process",
        "The origin moved prompt templates into skills; no text should be kept in both. No test.",
    ),
    Row(
        "S3-18",
        "hn-explorer 61-67",
        "catalog",
        "A `SkillLoader` loads as it is built from a directory; its dict `skills` is filled afterwards.",
    ),
    Row(
        "S3-19",
        "hn-explorer 69-70",
        "catalog",
        "`parse_skill_md(path)` gives `name`, `description`, `body`, `path` and `dir`; dir is the file's parent.",
    ),
    Row(
        "S3-20",
        "hn-explorer 72-73",
        "catalog",
        "`load_skills()` gathers metadata from the root's direct children; deeper files are not taken.",
    ),
    Row(
        "S3-21",
        "hn-explorer 75-76",
        "disclosure",
        "`get_descriptions()` makes the list text; its lines have the form `- a: desc`.",
    ),
    Row(
        "S3-22",
        "hn-explorer 78-79",
        "catalog",
        "`get_skill_content(name)` gives a skill's whole content; an unknown name gives None.",
    ),
    Row("S3-23", "hn-explorer 81-82", "catalog", "`list_skills()` gives names only, as a list of strings."),
    Row(
        "S3-24",
        "hn-explorer 88",
        "catalog",
        "One `SKILLS` instance is shared by all importers; two imports give one object and a missing "
        "directory is no failure.",
    ),
    Row("S3-25", "hn-explorer 91", "disclosure", "The tool is called `Skill` here too; the name is compared."),
    Row(
        "S3-26",
        "hn-explorer 92",
        "disclosure",
        "The tool description has a Traditional Chinese head and then the list; "
        "zh-Hant gives it exactly, en an English one.",
    ),
    Row(
        "S3-27",
        "hn-explorer 93-99",
        "disclosure",
        "Profile hn-explorer's schema requires one string `skill`; "
        "`name` works as well, and two differing values give INVALID_PARAM.",
    ),
    Row(
        "S3-28",
        "hn-explorer 104-106,177",
        "disclosure",
        "An unknown name gives `Error: Unknown skill 'X'. Available: a, b`; the string is compared exactly.",
    ),
    Row(
        "S3-29",
        "hn-explorer 105",
        "disclosure",
        "If there are no skills, the unknown-skill message ends in `Available: none`.",
    ),
    Row(
        "S3-30",
        "hn-explorer 107",
        "disclosure",
        "The wrapper cannot be broken from within; names with quotes or `<` cannot exist and a closing tag "
        "in a body is defused or flagged.",
    ),
    Row(
        "S3-31",
        "hn-explorer 116-121",
        "disclosure",
        "The prompt heads its list '**Skills available** (invoke with Skill tool when task matches):'; "
        "the heading is found.",
    ),
    Row(
        "S3-32",
        "hn-explorer 118",
        "process",
        "The origin's loop of exploring, analysing and reporting in Chinese is text of its domain. No test.",
    ),
    Row(
        "S3-33",
        "hn-explorer 123-124",
        "disclosure",
        "The host may describe its subagents as well; the prompt builder takes further sections behind the skills.",
    ),
    Row(
        "S3-34",
        "hn-explorer 127,144",
        "agent",
        "A rule orders the Skill tool IMMEDIATELY when a description fits; main and subagent prompts both have it.",
    ),
    Row(
        "S3-35",
        "hn-explorer 128",
        "process",
        'Handing a story to Task("analyze_story") is a rule of the host alone, outside this project. No test.',
    ),
    Row(
        "S3-36",
        "hn-explorer 129",
        "agent",
        "A session is limited in its tool calls; profile hn-explorer sets max_tool_calls to 30.",
    ),
    Row(
        "S3-37",
        "hn-explorer 130",
        "process",
        "Ending with finish_exploration is a sentence in the host's prompt. No test.",
    ),
    Row(
        "S3-38",
        "hn-explorer 137-146",
        "agent",
        "A function of agent type and workdir writes the subagent prompt; "
        "both, the list, the IMMEDIATELY rule and 'summary' are in it.",
    ),
    Row("S3-39", "hn-explorer 140-141", "agent", "A subagent may load skills on its own; its tools include Skill."),
    Row(
        "S3-40",
        "hn-explorer 151-166",
        "catalog",
        "The seed's Chinese sample with headings and lists is readable; "
        "its description keeps the full-width punctuation.",
    ),
    Row(
        "S3-41",
        "hn-explorer 154",
        "catalog",
        "A description should tell when to use the skill; the lint gives advice, not an error, if it does not.",
    ),
    Row(
        "S3-42",
        "hn-explorer 168-173",
        "catalog",
        "The seed ranks its four skills; our list goes alphabetically, and a configured priority overrides that.",
    ),
    Row(
        "S3-43",
        "hn-explorer 178",
        "catalog",
        "A malformed skill is passed over and noted; the good one is listed and there is one diagnostic.",
    ),
    Row(
        "S3-44",
        "hn-explorer 179",
        "catalog",
        "Profile hn-explorer makes a missing `.skills` at start and lists nothing; "
        "the default profile does not make it.",
    ),
    Row(
        "S3-45",
        "hn-explorer 5",
        "disclosure",
        "The adapter follows the reference agent `v4_skills_agent.py`; "
        "its tool, parameter and enclosing tags are compared.",
    ),
    Row(
        "S3-46",
        "hn-explorer 183",
        "disclosure",
        "The system prompt is made once at start; adding a skill during a session changes none of its bytes.",
    ),
    Row(
        "S3-47",
        "hn-explorer 184",
        "agent",
        "Skill text arrives as a tool result only; after an activation the system hash is the same and a "
        "tool_result is there.",
    ),
    Row(
        "S3-48",
        "hn-explorer 185",
        "disclosure",
        "A steady prefix keeps the prompt cache valid; any number of activations leaves its hash alone. The "
        "claimed savings are not tested.",
    ),
)
