"""Requirement rows of the fifth seed design (omega), restated."""

from __future__ import annotations

from tests.conformance.row import Row

ROWS: tuple[Row, ...] = (
    Row(
        "S4-001",
        "omega 3-4",
        "authoring",
        "The origin's rules bind whoever writes a skill. `metier check DIR` lists what is still unmet; an empty "
        "list, and nothing else, means accepted.",
    ),
    Row(
        "S4-002",
        "omega 10",
        "catalog",
        "One skill packs a library or ability into related tools. Loading `excel/` puts at least one tool into the "
        "tool list.",
    ),
    Row(
        "S4-003",
        "omega 12,208",
        "catalog",
        "All tools of a skill begin with the same domain. `excel_read` beside `excel_write` loads; `excel_read` "
        "beside `sheet_write` is refused.",
    ),
    Row(
        "S4-004",
        "omega 14-19",
        "catalog",
        "A tool skill is either `builtin` or `workspace`, as its kind says. A reload touches the workspace kind alone.",
    ),
    Row(
        "S4-005",
        "omega 18,28",
        "catalog",
        "Built-in tool skills have a fixed home in the code. Here, one placed in the package's own folder of "
        "built-in skills is found under its name.",
    ),
    Row(
        "S4-006",
        "omega 19,53",
        "catalog",
        "Run-time skills live in `<workspace>/skills/<name>/` in any language. One fixture for each of the four "
        "runtimes loads from there.",
    ),
    Row(
        "S4-007",
        "omega 28",
        "authoring",
        "A built-in skill of the origin carries `tool.go` in package `skill<Name>`. Checklist A reports the item "
        "when the file is gone.",
    ),
    Row(
        "S4-008",
        "omega 29",
        "authoring",
        "A built-in skill of the origin brings its tests along. Checklist A reports a missing `tool_test.go`.",
    ),
    Row(
        "S4-009",
        "omega 30",
        "authoring",
        "A built-in skill of the origin is documented. Checklist A reports a missing `docs/skills/<name>.md`.",
    ),
    Row(
        "S4-010",
        "omega 31",
        "process",
        "The origin wires each built-in skill up in `cmd/omega/main.go`. That is its own build layout; nothing is "
        "run here.",
    ),
    Row(
        "S4-011",
        "omega 38-43,412",
        "catalog",
        "`SKILL_<NAME>_ENABLED` switches a built-in skill off only by the exact value `false`. Unset, `true`, `0`, "
        "empty and `FALSE` leave it on.",
    ),
    Row(
        "S4-012",
        "omega 42,413",
        "catalog",
        "At start the log tells whether each built-in skill is enabled. The captured log holds exactly one such line "
        "per skill.",
    ),
    Row(
        "S4-013",
        "omega 38,360,410",
        "authoring",
        "The place that registers a built-in skill names the wrapped library in a comment. Checklist A looks there "
        "for the library's URL.",
    ),
    Row(
        "S4-014",
        "omega 55,65",
        "catalog",
        "Only `skill.yaml` makes a folder a tool skill. A folder with just `main.py` is passed over: not listed, no "
        "diagnostic.",
    ),
    Row(
        "S4-015",
        "omega 54,66",
        "catalog",
        "The folder gives the prefix of tool names. In `excel/`, `excel_read` loads and `read_excel` is refused by a "
        "message that names the prefix.",
    ),
    Row(
        "S4-016",
        "omega 66",
        "catalog",
        "A tool may be called just like its folder. In `time/`, the name `time` loads without a diagnostic.",
    ),
    Row(
        "S4-017",
        "omega 56",
        "execution",
        "With `runtime: python`, `main.py` does the work. A call starts it and its answer comes back.",
    ),
    Row(
        "S4-018",
        "omega 57",
        "execution",
        "With `runtime: node`, `main.ts` does the work. It runs where Node strips types or tsx exists; elsewhere the "
        "error says what is needed.",
    ),
    Row(
        "S4-019",
        "omega 58",
        "execution",
        "With `runtime: go`, the host compiles `main.go` and `go.mod` by itself. Given a toolchain, the first call "
        "builds and then answers.",
    ),
    Row(
        "S4-020",
        "omega 59",
        "execution",
        "With `runtime: binary`, a ready program such as `skill.exe` is started. It answers; a file lacking the "
        "execute bit gives a plain error.",
    ),
    Row(
        "S4-021",
        "omega 60",
        "catalog",
        "A Python skill may have `requirements.txt`. Without it all is well; with it the skill shows a dependency "
        "and nothing gets installed behind the user's back.",
    ),
    Row(
        "S4-022",
        "omega 61",
        "catalog",
        "A Node skill may have `package.json`. Without it all is well; with it a dependency is shown and no install "
        "happens unasked.",
    ),
    Row(
        "S4-023",
        "omega 67",
        "execution",
        "Go skills are compiled with `go build` into their own folder. After loading, the program lies beside "
        "`main.go`.",
    ),
    Row(
        "S4-024",
        "omega 68",
        "execution",
        "The compiled Go program is called `skill.exe` on Windows, `skill` on other systems. The name chosen is "
        "checked for each `sys.platform`.",
    ),
    Row(
        "S4-025",
        "omega 74",
        "catalog",
        "`skill.yaml` must give `name`, which starts with the folder's name. Leaving it out yields the error `name "
        "is required`.",
    ),
    Row(
        "S4-026",
        "omega 75",
        "catalog",
        "`skill.yaml` must give `description`. Leaving it out is an error and the tool does not load.",
    ),
    Row(
        "S4-027",
        "omega 76",
        "catalog",
        "`skill.yaml` must give `runtime`: python, node, go or binary. `ruby` is refused with all four named; no "
        "value is refused too.",
    ),
    Row(
        "S4-028",
        "omega 77",
        "catalog",
        "`skill.yaml` must give `entry`, the file to start. A missing key is an error, and `../x` is refused for "
        "leaving the folder.",
    ),
    Row(
        "S4-029",
        "omega 79-95",
        "execution",
        "`parameters` lists name, type, required, default, description. It becomes an object schema whose `required` "
        "holds just those marked so.",
    ),
    Row(
        "S4-030",
        "omega 81",
        "catalog",
        "A parameter is a string, integer, number or boolean. The type `array` is refused by a message that lists "
        "these four.",
    ),
    Row(
        "S4-031",
        "omega 86-88",
        "execution",
        "An optional parameter may carry a `default`. If the caller leaves it out, the process receives that value, "
        "and the schema shows it.",
    ),
    Row(
        "S4-032",
        "omega 82",
        "execution",
        "Required parameters have to be present. A call without one ends in INVALID_PARAM, and no process was started.",
    ),
    Row(
        "S4-033",
        "omega 81",
        "execution",
        'Argument types are verified ahead of the start. `"x"` or `true` for an integer both end in INVALID_PARAM.',
    ),
    Row(
        "S4-034",
        "omega 97-98",
        "catalog",
        "The `docs` block may be left out though it is wanted. Without it the tool loads and one piece of advice "
        "appears.",
    ),
    Row(
        "S4-035",
        "omega 99-101",
        "catalog",
        "`docs.when_to_use` holds a list of strings. They are read and appear when the skill is shown.",
    ),
    Row(
        "S4-036",
        "omega 103-105",
        "catalog",
        "`docs.when_not_to_use` holds a list of strings. They are read and appear when the skill is shown.",
    ),
    Row(
        "S4-037",
        "omega 107-111",
        "authoring",
        "`docs.examples` pairs a `scenario` with `arguments`. Arguments that do not fit the declared parameters give "
        "advice; fitting ones give none.",
    ),
    Row(
        "S4-038",
        "omega 116-120",
        "execution",
        'A request is a single JSON line `{"arguments": …}` on stdin. The bytes an echo skill saw are UTF-8 JSON '
        "with one newline, the last byte.",
    ),
    Row(
        "S4-039",
        "omega 122-123",
        "execution",
        "The answer is a single JSON line with `output` and `error` on stdout. It is parsed; further lines are "
        "dropped with a warning.",
    ),
    Row(
        "S4-040",
        "omega 125-126",
        "execution",
        "A failing tool answers with empty `output` and a filled `error`. The call's status is then error and "
        "carries that message.",
    ),
    Row(
        "S4-041",
        "omega 123",
        "execution",
        "Newlines may stand inside the JSON string of `output`. A CSV of two lines in Chinese comes back unchanged.",
    ),
    Row(
        "S4-042",
        "omega 133-142",
        "authoring",
        "The Python template offers `run(arguments)` and prints unescaped JSON. It works under an ASCII locale, as "
        "the host forces UTF-8 on the child.",
    ),
    Row(
        "S4-043",
        "omega 141",
        "authoring",
        "A request without the key `arguments` counts as an empty object. Sent `{}`, the template calls `run({})`.",
    ),
    Row(
        "S4-044",
        "omega 140",
        "authoring",
        "The origin's Python template dies on bad JSON; ours must not. `not json` gives one line with error "
        "`参数解析失败: …` and exit code 0.",
    ),
    Row(
        "S4-045",
        "omega 145-160",
        "authoring",
        "The TypeScript template takes one line, runs, prints JSON and exits 0. Ours does so under node and has no "
        "parameter called `arguments`.",
    ),
    Row(
        "S4-046",
        "omega 163-198",
        "authoring",
        "The Go template answers unreadable input with `参数解析失败: …`. Ours keeps the protocol, with request "
        "lines above 64 KiB too.",
    ),
    Row(
        "S4-047",
        "omega 206,210-214",
        "catalog",
        "Tool names look like `<domain>_<action>` in lowercase. `excel_read` passes; `ResizeImage`, `excel-read` and "
        "`write_Excel` are refused.",
    ),
    Row(
        "S4-048",
        "omega 207",
        "authoring",
        "The domain tells the ability and not the wrapped library. A name starting with `excelize` or `imaging` "
        "draws advice.",
    ),
    Row(
        "S4-049",
        "omega 213",
        "catalog",
        "In a tool's name the domain precedes the action. `write_excel` inside `excel/` fails the prefix rule.",
    ),
    Row(
        "S4-050",
        "omega 221",
        "authoring",
        "A tool's description opens with a verb. A fixed word list decides, with no model asked; another opening "
        "draws advice.",
    ),
    Row(
        "S4-051",
        "omega 222",
        "authoring",
        "A tool's description states its main limit or precondition. Text with neither a number nor a limiting word "
        "draws advice.",
    ),
    Row(
        "S4-052",
        "omega 223",
        "authoring",
        "A tool's description takes 20 to 80 characters. Lengths 20 and 80 pass, 19 and 81 fail, counted in "
        "characters even for Chinese.",
    ),
    Row(
        "S4-053",
        "omega 224",
        "authoring",
        "With `lang=zh` a tool's description is Chinese: text without any CJK character fails. With `lang=en` the "
        "rule is silent.",
    ),
    Row(
        "S4-054",
        "omega 226-235",
        "authoring",
        "The origin's sample descriptions serve as fixtures. Both good ones pass; one bad one fails on length, the "
        "other on verb and limit.",
    ),
    Row(
        "S4-055",
        "omega 237-241",
        "authoring",
        "A description avoids internals and padding. A library's name or `功能强大` in it draws advice.",
    ),
    Row(
        "S4-056",
        "omega 248-261,266-270",
        "authoring",
        "A parameter's description says its meaning, its limits and an example. Good samples pass; each bad one "
        "fails on the part it lacks.",
    ),
    Row(
        "S4-057",
        "omega 263",
        "authoring",
        "For a boolean, telling what `true` does stands in for an example. The origin's third good sample therefore "
        "passes.",
    ),
    Row(
        "S4-058",
        "omega 277-279",
        "authoring",
        "Error texts read `problem: value — next step`. The formatter gives this form, and `problem — next step` "
        "when there is no value.",
    ),
    Row(
        "S4-059",
        "omega 284-287",
        "authoring",
        "All four sample errors of the origin can be made with the formatter. Each is compared character by character.",
    ),
    Row(
        "S4-060",
        "omega 292",
        "execution",
        "Raw system errors stay inside. When a skill meets FileNotFoundError, the text for the model lacks `no such "
        "file`.",
    ),
    Row(
        "S4-061",
        "omega 293-294",
        "authoring",
        "An error that says only `错误` or `操作失败，请重试` helps nobody. The lint flags both strings.",
    ),
    Row(
        "S4-062",
        "omega 295",
        "execution",
        "Stack traces never reach the model. A skill that raises leaves its traceback in the log, and the model gets "
        "a formatted error.",
    ),
    Row(
        "S4-063",
        "omega 303,395",
        "execution",
        "Every path argument stays within the workspace. `..`, outside absolutes, links out, sibling prefixes, new "
        "files below a linked parent: all refused.",
    ),
    Row(
        "S4-064",
        "omega 304,394",
        "execution",
        "Input files have a size limit, 20 MB by default. One byte beyond it gives `文件过大`, the limit and a next "
        "step.",
    ),
    Row(
        "S4-065",
        "omega 305,394",
        "execution",
        "Output has a length limit, 8000 characters by default. Of 9000, the first 8000 come back with status "
        "partial and a note.",
    ),
    Row(
        "S4-066",
        "omega 308",
        "execution",
        "A writing tool never replaces a file unasked. Without `overwrite=true` an existing target gives an error "
        "that names it.",
    ),
    Row(
        "S4-067",
        "omega 309",
        "execution",
        "A writing tool looks at every argument before it touches the disk. With a bad one, a spy sees no file "
        "system call.",
    ),
    Row(
        "S4-068",
        "omega 315-320",
        "authoring",
        "A built-in skill is documented in `docs/skills/<name>.md`, a workspace one in `docs:` of `skill.yaml`. The "
        "checker asks by kind.",
    ),
    Row(
        "S4-069",
        "omega 322",
        "process",
        "The documents of built-in skills address later agents and should be easy to copy from. A matter of style, "
        "with no test.",
    ),
    Row(
        "S4-070",
        "omega 324",
        "authoring",
        "The document keeps to `docs/skills/_template.md`. The checker compares the headings and their order.",
    ),
    Row(
        "S4-071",
        "omega 326-327",
        "authoring",
        "The section 概述 tells in a sentence which library and abilities it is about. Heading and at least a "
        "sentence must be there.",
    ),
    Row(
        "S4-072",
        "omega 328",
        "authoring",
        "The section 概述 gives the dependencies with versions. The checker wants something that looks like a version.",
    ),
    Row(
        "S4-073",
        "omega 329",
        "authoring",
        "The section 概述 names the switch of the skill. Its text must match `SKILL_[A-Z0-9_]+_ENABLED`.",
    ),
    Row(
        "S4-074",
        "omega 331-333",
        "authoring",
        "The section 工具列表 is a table of the tools with use and condition. The checker counts a row for every tool.",
    ),
    Row(
        "S4-075",
        "omega 335-336",
        "authoring",
        "The section on when to use the skill gives typical cases. Fewer than three list items fail.",
    ),
    Row(
        "S4-076",
        "omega 337",
        "authoring",
        "The section on use sets the skill apart from similar tools. A document without such a heading or item fails.",
    ),
    Row(
        "S4-077",
        "omega 338",
        "authoring",
        "The section on use admits what the skill cannot do. A document that leaves this out fails.",
    ),
    Row(
        "S4-078",
        "omega 340-342",
        "authoring",
        "The section 工具详细说明 describes parameters tool by tool. The checker wants a table of five columns for "
        "each.",
    ),
    Row(
        "S4-079",
        "omega 343",
        "authoring",
        "The section 工具详细说明 shows what a tool really prints. An absent or empty code block fails.",
    ),
    Row(
        "S4-080",
        "omega 344",
        "authoring",
        "The section 工具详细说明 lists errors with trigger and remedy. The checker wants a table of three columns.",
    ),
    Row(
        "S4-081",
        "omega 346-348",
        "authoring",
        "The section 使用示例 has two scenarios or more. Their JSON blocks must parse and suit the tool's parameters.",
    ),
    Row(
        "S4-082",
        "omega 350-352",
        "authoring",
        "The section 裁剪决策 explains what was taken from the library and what was not. Missing or empty, it fails.",
    ),
    Row(
        "S4-083",
        "omega 358-370",
        "process",
        "The origin adds built-in skills to main.go by hand. The testable parts are S4-011 and S4-013; the handwork "
        "has no test.",
    ),
    Row(
        "S4-084",
        "omega 372-374",
        "catalog",
        "Workspace skills need no code to be registered. Those present at start are listed; a folder added later is "
        "listed after a reload.",
    ),
    Row(
        "S4-085",
        "omega 375",
        "catalog",
        "Only a valid `skill.yaml` is registered. A broken one leaves a diagnostic and no tool, and its neighbours "
        "still load.",
    ),
    Row(
        "S4-086",
        "omega 376,423",
        "catalog",
        "A tool whose entry file does not exist is left out. The diagnostic contains the path that was looked for.",
    ),
    Row(
        "S4-087",
        "omega 377,430",
        "execution",
        "A Go tool needs `go.mod` and code that compiles. Lacking either it is not registered, and the compiler's "
        "words are in the diagnostic.",
    ),
    Row(
        "S4-088",
        "omega 383",
        "authoring",
        "The checklist passes as a whole or not at all. One failed must-item makes the checker exit with 1.",
    ),
    Row(
        "S4-089",
        "omega 390",
        "authoring",
        "Checklist A, code: the tool is named `<domain>_<action>`. Capitals or a hyphen make the item fail.",
    ),
    Row(
        "S4-090",
        "omega 391",
        "authoring",
        "Checklist A, code: the description begins with a verb, states a limit, has 20 to 80 characters. Each breach "
        "fails the item.",
    ),
    Row(
        "S4-091",
        "omega 392",
        "authoring",
        "Checklist A, code: required parameters tell format, limits and an example. A required one lacking a part "
        "fails the item.",
    ),
    Row(
        "S4-092",
        "omega 393",
        "authoring",
        "Checklist A, code: an error tells the problem and the next action. A message from the skill's tests lacking "
        "either fails the item.",
    ),
    Row(
        "S4-093",
        "omega 394",
        "authoring",
        "Checklist A, code: limits on file size and on output exist. Code without one of them fails the item.",
    ),
    Row(
        "S4-094",
        "omega 395",
        "authoring",
        "Checklist A, code: each path parameter goes through `safeResolvePath`. One that does not fails the item.",
    ),
    Row(
        "S4-095",
        "omega 398",
        "authoring",
        "Checklist A, tests: empty argument, escaping path, absent file and excess size are tried. The item fails "
        "unless all four tests are there.",
    ),
    Row(
        "S4-096",
        "omega 399",
        "authoring",
        "Checklist A, tests: a normal run from end to end works on a real file. Without such a test the item fails.",
    ),
    Row(
        "S4-097",
        "omega 400",
        "process",
        "Checklist A, tests: anything that opens windows is replaced by a stand-in. A rule for the origin's own "
        "tests; none is run here.",
    ),
    Row(
        "S4-098",
        "omega 401",
        "authoring",
        "Checklist A, tests: all succeed and reach 80 % coverage. The gate fails on a red test or on less.",
    ),
    Row(
        "S4-099",
        "omega 404",
        "authoring",
        "Checklist A, docs: the document has the template's shape. A heading left out or out of order fails the item.",
    ),
    Row(
        "S4-100",
        "omega 405",
        "authoring",
        "Checklist A, docs: unsuitable uses and other tools to take are named. Leaving either out fails the item.",
    ),
    Row(
        "S4-101",
        "omega 406",
        "authoring",
        "Checklist A, docs: sample outputs come from real runs. Obvious placeholders draw advice and fail nothing.",
    ),
    Row(
        "S4-102",
        "omega 407",
        "authoring",
        "Checklist A, docs: the choices of what to expose are written down. An empty 裁剪决策 fails the item.",
    ),
    Row(
        "S4-103",
        "omega 410",
        "process",
        "Checklist A, registration: main.go holds the entry, its comment and the library's source. Origin-only; "
        "S4-013 tests the comment.",
    ),
    Row(
        "S4-104",
        "omega 411",
        "process",
        "Checklist A, registration: the Go import is called `skill<Name>` and not `builtin`. This has no counterpart "
        "here and no test.",
    ),
    Row(
        "S4-105",
        "omega 412",
        "authoring",
        "Checklist A, registration: the switch is `SKILL_<NAME>_ENABLED`. Another variable name fails the item.",
    ),
    Row(
        "S4-106",
        "omega 413",
        "authoring",
        "Checklist A, registration: the start log tells the state of the skill. Without that line the item fails.",
    ),
    Row(
        "S4-107",
        "omega 420",
        "authoring",
        "Checklist B, yaml: the name has the right form and begins with the folder's name. A breach of either fails "
        "the item.",
    ),
    Row(
        "S4-108",
        "omega 421",
        "authoring",
        "Checklist B, yaml: the description begins with a verb, states a limit, has 20 to 80 characters. Each breach "
        "fails the item.",
    ),
    Row(
        "S4-109",
        "omega 422",
        "authoring",
        "Checklist B, yaml: optional parameters too must tell meaning, limits and an example. Any parameter lacking "
        "a part fails the item.",
    ),
    Row(
        "S4-110",
        "omega 423",
        "authoring",
        "Checklist B, yaml: `runtime` and `entry` belong together and the entry is on disk. Otherwise the item fails.",
    ),
    Row(
        "S4-111",
        "omega 424",
        "authoring",
        "Checklist B, yaml: `docs.when_to_use` and `docs.when_not_to_use` are filled. Checklist B insists on both; "
        "the loader takes a skill with neither.",
    ),
    Row(
        "S4-112",
        "omega 427",
        "authoring",
        "Checklist B, code: one JSON line in gives one out. The harness sends a line and fails on silence or on a "
        "second line.",
    ),
    Row(
        "S4-113",
        "omega 428",
        "authoring",
        "Checklist B, code: errors follow the form in Chinese. With `lang=zh`, a plain English error fails the item.",
    ),
    Row(
        "S4-114",
        "omega 429",
        "authoring",
        "Checklist B, code: no exception gets out. Fed `[]`, `null` and wrong types, the skill still prints one JSON "
        "line each time.",
    ),
    Row(
        "S4-115",
        "omega 430",
        "authoring",
        "Checklist B, code: a Go skill has `go.mod` and builds. If not, the item fails.",
    ),
    Row(
        "S4-116",
        "omega 433",
        "execution",
        "Checklist B, trial: an author can pipe a request to the entry by hand. `metier run DIR --args JSON` prints "
        "the answer.",
    ),
    Row(
        "S4-117",
        "omega 434",
        "authoring",
        "Checklist B, trial: bad parameters bring an answer with `error` set and `output` empty. The harness fails a "
        "skill that crashes.",
    ),
    Row(
        "S4-118",
        "omega 435",
        "execution",
        "Checklist B, trial: after `mcp_reload` or a restart the new tool can be seen. The reload reports one added, "
        "and the list has it.",
    ),
    Row(
        "S4-119",
        "omega 19,435",
        "execution",
        "New, deleted and edited skills count at once. The summary is `+1 added, -1 removed, 1 reloaded`; one that "
        "no longer builds keeps its old version.",
    ),
)
