"""Requirement rows of the first two seed designs (mycodeagent, smallebot), restated."""

from __future__ import annotations

from tests.conformance.row import Row

ROWS: tuple[Row, ...] = (
    Row(
        "S0-01",
        "mycodeagent 4,64",
        "disclosure",
        "One tool loads one skill by name and returns its instructions; "
        "before the call the prompt shows the name and none of the body.",
    ),
    Row(
        "S0-02",
        "mycodeagent 7,47",
        "catalog",
        "The project's `skills/` tree is searched at any depth; "
        "a nested skill is found and one in another folder is not.",
    ),
    Row(
        "S0-03",
        "mycodeagent 7",
        "catalog",
        "A `skills/SKILL.md` with no folder of its own counts in profile mycodeagent; "
        "the default profile lists nothing and leaves a diagnostic.",
    ),
    Row(
        "S0-04",
        "mycodeagent 8",
        "catalog",
        "Skills are Markdown headed by YAML frontmatter; a file that does not open with `---` is left out "
        "with one warning.",
    ),
    Row(
        "S0-05",
        "mycodeagent 9",
        "catalog",
        "Both `name` and `description` must be given; leaving one out drops the skill, and the diagnostic "
        "names the absent key.",
    ),
    Row(
        "S0-06",
        "mycodeagent 10,108",
        "disclosure",
        "The tool's description carries one line `- <name>: <description>` per skill; two skills give two lines.",
    ),
    Row(
        "S0-07",
        "mycodeagent 11,90",
        "disclosure",
        "A load answers with the body below the base directory line and with `$ARGUMENTS` filled; "
        "a given path shows up in the content.",
    ),
    Row(
        "S0-08",
        "mycodeagent 12,192-198",
        "catalog",
        "Restrictions such as `allowed-tools` and `model` have no effect in profile mycodeagent; "
        "the keys land in the extra metadata without error.",
    ),
    Row(
        "S0-09",
        "mycodeagent 14-19",
        "authoring",
        "Scaffolding a skill in profile mycodeagent writes `skills/<skill-name>/SKILL.md` and no other path.",
    ),
    Row(
        "S0-10",
        "mycodeagent 21-33",
        "catalog",
        "The sample file of the seed is readable: its name, its description and a body that starts with the "
        "heading come back.",
    ),
    Row(
        "S0-11",
        "mycodeagent 36",
        "disclosure",
        "Each `$ARGUMENTS` in a body gives way to the args text, taken literally; "
        "`$1` and backslashes in the args survive.",
    ),
    Row(
        "S0-12",
        "mycodeagent 37-38",
        "disclosure",
        "Args for a body without the placeholder are added at its end; "
        "the content closes with a blank line and `ARGUMENTS: x`.",
    ),
    Row(
        "S0-13",
        "mycodeagent 39",
        "disclosure",
        "Absent, empty or blank args leave a body without placeholder as it is; no `ARGUMENTS:` text turns up.",
    ),
    Row(
        "S0-14",
        "mycodeagent 36,39",
        "disclosure",
        "A placeholder without args turns into nothing by default and stays literal under `empty_args=keep`; "
        "both are asserted.",
    ),
    Row(
        "S0-15",
        "mycodeagent 44,171",
        "catalog",
        "The loader stands alone; importing it pulls in no tool, model or network module.",
    ),
    Row(
        "S0-16",
        "mycodeagent 48",
        "catalog",
        "Header and body are split at the second fence only; a `---` rule further down remains in the body.",
    ),
    Row(
        "S0-17",
        "mycodeagent 49",
        "catalog",
        "Required fields are checked by the loader itself; the bad names and descriptions of S0-05, S0-21 "
        "and S0-22 are refused.",
    ),
    Row(
        "S0-18",
        "mycodeagent 50",
        "catalog",
        "Parsed skills are cached and renewed by file time; "
        "listing twice parses once, and a touched file is parsed again.",
    ),
    Row(
        "S0-19",
        "mycodeagent 52-61",
        "catalog",
        "A skill record offers `name`, `description`, `path`, `base_dir` and `mtime`; "
        "each value is compared with the file on disk.",
    ),
    Row(
        "S0-20",
        "mycodeagent 63-66",
        "catalog",
        "`scan()`, `list_skills()` and `get_skill(name)` exist; "
        "the list is stable and sorted by name, and an unknown name gives None.",
    ),
    Row(
        "S0-21",
        "mycodeagent 69",
        "catalog",
        "Names are lower-case letters and digits joined by single hyphens; "
        "good samples are accepted, bad ones dropped with a warning.",
    ),
    Row(
        "S0-22",
        "mycodeagent 70",
        "catalog",
        "A description has to say something; an empty, absent or blank value keeps the skill off the list.",
    ),
    Row(
        "S0-23",
        "mycodeagent 71",
        "catalog",
        "The frontmatter name beats the folder name: folder foo with name bar loads as bar, while profile "
        "desiagent skips it.",
    ),
    Row(
        "S0-24",
        "mycodeagent 72",
        "catalog",
        "Of two skills with one name the later one stays, and a single warning gives both paths; "
        "profile desiagent keeps the earlier.",
    ),
    Row(
        "S0-25",
        "mycodeagent 72",
        "catalog",
        "Discovery follows sorted relative POSIX paths, so repeated runs always choose the same duplicate.",
    ),
    Row(
        "S0-26",
        "mycodeagent 75",
        "catalog",
        "Plain `key: value` headers are enough; quoted values, comments and blank lines are all understood.",
    ),
    Row(
        "S0-27",
        "mycodeagent 76,162",
        "catalog",
        "A header that is broken YAML costs only its own skill; "
        "the good neighbour is listed and one diagnostic is kept.",
    ),
    Row(
        "S0-28",
        "mycodeagent 79,172",
        "disclosure",
        "The tool is a unit apart from the loader; it can be constructed around an injected one.",
    ),
    Row(
        "S0-29",
        "mycodeagent 81",
        "disclosure",
        "In profile mycodeagent the tool answers to the exact name `Skill`; looking it up succeeds.",
    ),
    Row(
        "S0-30",
        "mycodeagent 84",
        "disclosure",
        "`name` is a mandatory string in the tool's parameter schema; type and required list are inspected.",
    ),
    Row(
        "S0-31",
        "mycodeagent 85",
        "disclosure",
        "`args` is a string that callers may omit; the schema does not require it and defaults it to an empty string.",
    ),
    Row(
        "S0-32",
        "mycodeagent 88-94",
        "disclosure",
        "A call first looks up the record and then reads the file; "
        "spies see that order, and no read for an unknown name.",
    ),
    Row(
        "S0-33",
        "mycodeagent 91",
        "disclosure",
        "Content opens with the line `Base directory for this skill: <dir>`; the prefix is compared exactly.",
    ),
    Row(
        "S0-34",
        "mycodeagent 94",
        "disclosure",
        "Answers follow the host's response envelope; the validator with rules V001-V012, S001-S006 and T001 "
        "finds no fault.",
    ),
    Row(
        "S0-35",
        "mycodeagent 96-99",
        "disclosure",
        "The `data` of a successful envelope includes at least `name`, `base_dir` and `content`.",
    ),
    Row(
        "S0-36",
        "mycodeagent 102-108",
        "disclosure",
        "The tool prompt has usage, parameters, examples and the skill list; "
        "all four are found and the example JSON is valid.",
    ),
    Row(
        "S0-37",
        "mycodeagent 111",
        "disclosure",
        "`SKILLS_PROMPT_CHAR_BUDGET` sets the list budget, 12000 if unset; "
        "a number is obeyed, nonsense falls back with a warning.",
    ),
    Row(
        "S0-38",
        "mycodeagent 112",
        "disclosure",
        "The list ends where the budget would be passed; 57-character lines and a budget of 120 give two "
        "lines, 10 gives the empty text.",
    ),
    Row(
        "S0-39",
        "mycodeagent 115-118",
        "agent",
        "Skill is registered among the built-in tools before the context is put together; "
        "a spy sees the order, the prompt has the tool.",
    ),
    Row(
        "S0-40",
        "mycodeagent 123-125",
        "disclosure",
        "The skill rules belong to the main system prompt; the builder takes them from one single constant.",
    ),
    Row(
        "S0-41",
        "mycodeagent 128",
        "disclosure",
        "A rule says to load a skill the user names; the trigger parser understands `$code-review` and 'use "
        "code-review skill'.",
    ),
    Row(
        "S0-42",
        "mycodeagent 129",
        "disclosure",
        "A rule tells the model to think of a skill whose description plainly fits the task; "
        "its text is in the prompt.",
    ),
    Row(
        "S0-43",
        "mycodeagent 130",
        "disclosure",
        "A rule forbids loading everything ahead of need; its text is present and starting up reads no body.",
    ),
    Row(
        "S0-44",
        "mycodeagent 133-138",
        "disclosure",
        "The list comes in with the tool's own prompt; it stands exactly once, within the Tools section.",
    ),
    Row(
        "S0-45",
        "mycodeagent 141",
        "disclosure",
        "The ordinary Read tool may open skill files below the project root; "
        "a symlink that leads to /etc gives ACCESS_DENIED.",
    ),
    Row(
        "S0-46",
        "mycodeagent 145",
        "agent",
        "An agent owns one loader and scans once when it starts; a spy counts one scan after construction.",
    ),
    Row(
        "S0-47",
        "mycodeagent 146-148",
        "disclosure",
        "Every Skill call checks for staleness and rescans when needed; a skill added after the start loads at once.",
    ),
    Row(
        "S0-48",
        "mycodeagent 147",
        "catalog",
        "Staleness looks at each file's path, `mtime_ns` and size, not at the root's time; "
        "an edited description shows after a refresh.",
    ),
    Row(
        "S0-49",
        "mycodeagent 152",
        "catalog",
        "`SKILLS_REFRESH_ON_CALL` is on unless told otherwise; with false, 0 or no, a cached hit makes no stat call.",
    ),
    Row(
        "S0-50",
        "mycodeagent 156",
        "disclosure",
        "A call without a usable name is refused; missing, empty, blank and numeric names all give INVALID_PARAM.",
    ),
    Row(
        "S0-51",
        "mycodeagent 157",
        "disclosure",
        "Asking for a skill that does not exist gives an error envelope with code NOT_FOUND and empty data.",
    ),
    Row(
        "S0-52",
        "mycodeagent 159",
        "disclosure",
        "A file the system will not let us read gives PERMISSION_DENIED; "
        "tried with mode 000 or an injected PermissionError.",
    ),
    Row(
        "S0-53",
        "mycodeagent 160",
        "disclosure",
        "Remaining read failures have codes of their own: EXECUTION_ERROR for an OSError such as a deleted "
        "file, else INTERNAL_ERROR.",
    ),
    Row(
        "S0-54",
        "mycodeagent 160",
        "catalog",
        "Bytes that are not UTF-8 must not stop a scan; a GBK file is skipped and an encoding warning recorded.",
    ),
    Row(
        "S0-55",
        "mycodeagent 163",
        "disclosure",
        "A header ruined between scan and load is reported as INTERNAL_ERROR when that skill is called with "
        "refresh off.",
    ),
    Row(
        "S0-56",
        "mycodeagent 166",
        "disclosure",
        "Skills cannot call skills in profile mycodeagent; with the depth limit of 1 a nested activation fails.",
    ),
    Row(
        "S0-57",
        "mycodeagent 167",
        "disclosure",
        "Activations know where they are; inside a then b the context shows stack a, b and depth 2.",
    ),
    Row(
        "S0-58",
        "mycodeagent 168",
        "disclosure",
        "A circle of activations ends in INVALID_PARAM; the message spells out `a -> b -> a`.",
    ),
    Row(
        "S0-59",
        "mycodeagent 170-174",
        "process",
        "The origin limited its change to a few files; here loader, tool, prompt and registration merely "
        "stay separate units. No test.",
    ),
    Row(
        "S0-60",
        "mycodeagent 177-181",
        "catalog",
        "Unit tests exist and pass for header parsing, field validation, scanning with listing, and lookup by name.",
    ),
    Row(
        "S0-61",
        "mycodeagent 182-183",
        "disclosure",
        "Envelope conformity is itself tested; the validator runs over a success and over every error code.",
    ),
    Row(
        "S0-62",
        "mycodeagent 185-190",
        "process",
        "The origin's rollout went from loader through tool and prompt to registration. Nothing to test.",
    ),
    Row(
        "S0-63",
        "mycodeagent 193",
        "catalog",
        "Folders outside the project are not consulted; in profile mycodeagent no outer path is even stat-ed.",
    ),
    Row(
        "S0-64",
        "mycodeagent 194",
        "catalog",
        "There is no marketplace and no plugin download; no path through the loader opens a network connection.",
    ),
    Row(
        "S0-65",
        "mycodeagent 195-196",
        "catalog",
        "No permission layer comes with skills; `allowed-tools` is kept as extra metadata and restricts "
        "nothing, as in S0-08.",
    ),
    Row(
        "S0-66",
        "mycodeagent 197",
        "disclosure",
        "A skill cannot choose its model; the Skill tool pays no attention to `model: x`.",
    ),
    Row(
        "S0-67",
        "mycodeagent 198",
        "disclosure",
        "Inline shell in a body is never run; an exclamation mark with a backticked `touch x` comes back "
        "unchanged, no file appears.",
    ),
    Row(
        "S0-68",
        "mycodeagent 198",
        "disclosure",
        "References such as `@README.md` are not expanded; the body is returned as written.",
    ),
    Row(
        "S1-01",
        "smallebot 5,12,17",
        "disclosure",
        "Only metadata stands in the system prompt; with three skills it has their ids, names and "
        "descriptions and no body text.",
    ),
    Row(
        "S1-02",
        "smallebot 12,15",
        "catalog",
        "A skill is a folder whose `SKILL.md` has a valid header with both keys; "
        "three kinds of bad folder are left out, a good one listed.",
    ),
    Row(
        "S1-03",
        "smallebot 15,35,101",
        "disclosure",
        "Folders that fail the check stay invisible; neither the list nor the prompt text shows them, and "
        "nothing is raised.",
    ),
    Row(
        "S1-04",
        "smallebot 16,36",
        "catalog",
        "Listing looks at headers only; for a 5 MB body no more than 64 KiB is read and no body is kept.",
    ),
    Row(
        "S1-05",
        "smallebot 17,42,115",
        "disclosure",
        "An entry in the prompt consists of id, name and description; all three are found on its line.",
    ),
    Row(
        "S1-06",
        "smallebot 12,48,116",
        "disclosure",
        "Skill content is reached through the general `ReadFile` tool alone; "
        "profile smallebot registers it and no Skill tool.",
    ),
    Row(
        "S1-07",
        "smallebot 20",
        "agent",
        "Vendor-hosted API skills are left aside; a request to the model carries no parameter for them.",
    ),
    Row(
        "S1-08",
        "smallebot 27,67",
        "catalog",
        "Roots hang on the application's base directory; a process started elsewhere still finds X/.agents.",
    ),
    Row(
        "S1-09",
        "smallebot 30,112",
        "catalog",
        "Folders below `.agents/sys.skills/` are system skills; one placed there is listed with is_system true.",
    ),
    Row(
        "S1-10",
        "smallebot 30,68",
        "catalog",
        "The id is the folder's name and may differ from the shown name; both are compared for folder my-dir.",
    ),
    Row(
        "S1-11",
        "smallebot 30,71",
        "store",
        "System skills cannot be changed; delete, edit, overwrite and import give PERMISSION_DENIED and "
        "leave the files alone.",
    ),
    Row(
        "S1-12",
        "smallebot 30",
        "catalog",
        "Bundled system skills travel with the product; an installed wheel contains them.",
    ),
    Row(
        "S1-13",
        "smallebot 31,113",
        "store",
        "Folders below `.agents/skills/` belong to the user; one is listed with is_system false and can be deleted.",
    ),
    Row(
        "S1-14",
        "smallebot 31",
        "store",
        "Users may change their own skills; an added one is listed, an edit shows its new description, a "
        "deleted one vanishes.",
    ),
    Row(
        "S1-15",
        "smallebot 34",
        "disclosure",
        "Keys beyond `name` and `description` are of no interest; "
        "they never reach the prompt and never make a skill invalid.",
    ),
    Row(
        "S1-16",
        "smallebot 39",
        "agent",
        "Each agent build searches both roots for valid folders; a spy counts one scan per build.",
    ),
    Row(
        "S1-17",
        "smallebot 40-41",
        "disclosure",
        "The skill block opens with fixed wording on ReadFile, `SKILL.md`, relative paths and extensions; "
        "two builds agree byte for byte.",
    ),
    Row(
        "S1-18",
        "smallebot 42",
        "disclosure",
        "The introduction is followed by the entries and by no full text, as S1-01 checks.",
    ),
    Row(
        "S1-19",
        "smallebot 51",
        "disclosure",
        "ReadFile needs one string, the path; the schema has just that, and `path` and `relativePath` both work.",
    ),
    Row(
        "S1-20",
        "smallebot 51",
        "disclosure",
        "Relative paths start at the application's directory; "
        "`notes.md` is read from there whatever the working directory.",
    ),
    Row(
        "S1-21",
        "smallebot 54,104",
        "disclosure",
        "Reads cannot leave the root; dot-dot, absolute, symlinked and sibling-prefix paths are all errors "
        "and nothing is read.",
    ),
    Row(
        "S1-22",
        "smallebot 55",
        "disclosure",
        "Readable are `.md .cs .py .txt .json .yml .yaml` in any letter case; "
        "others are refused, and configuration can add `.toml`.",
    ),
    Row(
        "S1-23",
        "smallebot 58",
        "disclosure",
        "A read answers with the file as text; it equals the file including its frontmatter.",
    ),
    Row(
        "S1-24",
        "smallebot 58",
        "disclosure",
        "Failed reads give a brief message, never an exception: `Error:` as text, or NOT_FOUND, "
        "ACCESS_DENIED, INVALID_PARAM in envelopes.",
    ),
    Row(
        "S1-25",
        "smallebot 59",
        "disclosure",
        "Reading a script does not run it; a `.py` file that would leave a trace leaves none.",
    ),
    Row(
        "S1-26",
        "smallebot 60",
        "disclosure",
        "ReadFile also serves files outside the skill folders; "
        "`README.md` of the base is readable in profile smallebot.",
    ),
    Row(
        "S1-27",
        "smallebot 60",
        "disclosure",
        "The sample paths, a system `SKILL.md` and a user's `script.py`, both return their content.",
    ),
    Row(
        "S1-28",
        "smallebot 67",
        "catalog",
        "One service knows where `.agents` is; its path equals the base directory plus that name.",
    ),
    Row(
        "S1-29",
        "smallebot 68",
        "catalog",
        "Listing gives id, name, description and is_system for both roots; "
        "a fixture of two and two is compared as a set.",
    ),
    Row(
        "S1-30",
        "smallebot 69",
        "catalog",
        "The agent's view is the list without is_system and knows no disabled skills; the two are compared.",
    ),
    Row(
        "S1-31",
        "smallebot 70,90",
        "store",
        "Adding writes a folder with a minimal `SKILL.md` for a cleaned id; reading it again gives what was put in.",
    ),
    Row(
        "S1-32",
        "smallebot 70",
        "store",
        "Ids are made safe before writing; slashes, dots, colons, blanks and `CON` give a harmless folder or "
        "a clear error.",
    ),
    Row(
        "S1-33",
        "smallebot 71",
        "store",
        "Only a user's folder can be deleted; a system id and `../skills-evil` are refused and the sibling "
        "folder survives.",
    ),
    Row(
        "S1-34",
        "smallebot 72",
        "store",
        "A folder can be imported; its `SKILL.md` and the files beneath arrive under the new id.",
    ),
    Row(
        "S1-35",
        "smallebot 72,91",
        "store",
        "A zip can be imported with the same result; climbing entries, symlinks and excessive total size are refused.",
    ),
    Row(
        "S1-36",
        "smallebot 72",
        "store",
        "An import is called after its folder unless the user gives an id; both cases are checked.",
    ),
    Row(
        "S1-37",
        "smallebot 72,91",
        "store",
        "A source lacking `SKILL.md` cannot be imported; the call fails and the destination is untouched.",
    ),
    Row(
        "S1-38",
        "smallebot 72",
        "store",
        "An import with a bad header is copied yet stays off the list; its diagnostic is handed back.",
    ),
    Row(
        "S1-39",
        "smallebot 75-78",
        "agent",
        "An agent build collects metadata, adds the prompt block, then registers ReadFile; a spy checks the order.",
    ),
    Row(
        "S1-40",
        "smallebot 78",
        "disclosure",
        "`readfile.scope` settles a contradiction of the seed: `skill_dirs` refuses `README.md`, `run_dir` allows it.",
    ),
    Row(
        "S1-41",
        "smallebot 79,94",
        "store",
        "Every successful change fires the invalidate hook once and a failure never; "
        "the agent built next is up to date.",
    ),
    Row(
        "S1-42",
        "smallebot 86",
        "web",
        "A Skills button opens a dialog titled 'Skills 配置'; "
        "a list command exists and the zh messages hold that title.",
    ),
    Row(
        "S1-43",
        "smallebot 89",
        "web",
        "The dialog shows name with id, description and source of all skills; "
        "three columns, a 500-character text gets an ellipsis.",
    ),
    Row(
        "S1-44",
        "smallebot 89",
        "web",
        "Rows offer what is permitted: no action for a system skill, at least delete for a user's.",
    ),
    Row(
        "S1-45",
        "smallebot 89,117",
        "web",
        "Skills cannot be switched off; profile smallebot has no toggle action and ignores toggles in the environment.",
    ),
    Row(
        "S1-46",
        "smallebot 90",
        "store",
        "Adding asks for id, name and description; lacking any of them is a validation error and writes nothing.",
    ),
    Row(
        "S1-47",
        "smallebot 91",
        "store",
        "An import names a folder or zip and perhaps an id; "
        "`skills import SRC [--id ID]` does this on the command line.",
    ),
    Row(
        "S1-48",
        "smallebot 94",
        "catalog",
        "The files of a skill can be shown; they come back as sorted relative POSIX paths.",
    ),
    Row(
        "S1-49",
        "smallebot 100",
        "catalog",
        "Absent roots mean no skills; the list is empty, nothing is raised and nothing is created.",
    ),
    Row(
        "S1-50",
        "smallebot 100",
        "store",
        "The user root is made by the first add or import; it is absent before and present after.",
    ),
    Row(
        "S1-51",
        "smallebot 101",
        "disclosure",
        "A bad header does not block reading; ReadFile returns that `SKILL.md` all the same.",
    ),
    Row(
        "S1-52",
        "smallebot 102",
        "catalog",
        "An id in both roots yields one entry, the system's, labelled so; a warning names the hidden user skill.",
    ),
    Row(
        "S1-53",
        "smallebot 103",
        "store",
        "Importing onto a taken id needs a confirmation, else CONFLICT; "
        "the swap is atomic and a failure keeps the old skill.",
    ),
    Row(
        "S1-54",
        "smallebot 108-117",
        "process",
        "The closing table of the seed adds nothing new; each of its lines is held by a row above. No test.",
    ),
)
