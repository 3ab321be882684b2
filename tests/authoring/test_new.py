"""`metier new`: what it makes, and what it refuses to make."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from metier.authoring.kinds import KINDS
from metier.authoring.naming import mended
from metier.authoring.new import Order, make_skill
from metier.authoring.template import FOLDER, filled
from metier.parsing.manifest import interpret_manifest, read_manifest
from tests.conftest import names, open_profile, write

ROOT = Path(__file__).parent.parent.parent
TOOLS = [name for name, kind in KINDS.items() if kind.is_tool]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "metier", *arguments], capture_output=True, text=True, encoding="utf-8", check=False
    )


def everything(folder: Path) -> list[str]:
    """Every file and folder below one, hidden ones too."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_the_first_thing_made_is_a_skill_that_passes_the_check_and_loads(project: Path) -> None:
    done = run("new", "release-notes")
    assert (done.returncode, done.stdout) == (0, ".agents/skills/release-notes/SKILL.md\n")
    assert done.stderr.splitlines() == [
        "made the skill 'release-notes'; try next:",
        "  metier check --rules strict .agents/skills/release-notes",
        "  metier load release-notes",
    ]
    assert everything(project) == [
        ".agents",
        ".agents/skills",
        ".agents/skills/release-notes",
        ".agents/skills/release-notes/SKILL.md",
    ]
    assert run("check", "--rules", "strict", ".agents/skills/release-notes").returncode == 0
    assert "# Release notes" in run("load", "release-notes").stdout
    assert names(open_profile(project)) == ["release-notes"]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("kind", [name for name in KINDS if name != "package"])
def test_every_kind_passes_the_strict_check_and_loads(project: Path, kind: str, lang: str) -> None:
    done = run("new", "my-count", "--kind", kind, "--lang", lang, "--json")
    entry = json.loads(done.stdout)
    assert entry["name"] == "my-count"
    assert entry["kind"] == kind
    assert entry["path"] == str(project / ".agents/skills/my-count")
    assert sorted(entry["files"]) == everything(project / ".agents/skills/my-count")
    check = run("check", "--rules", "strict", entry["path"])
    assert (check.returncode, check.stdout) == (0, "")
    catalog = open_profile(project)
    skill = catalog.require("my-count")
    assert [one for one in catalog.diagnostics if one.path.startswith(str(project))] == []
    assert [tool.name for tool in skill.tools] == (["my_count_count"] if kind in TOOLS else [])
    for file in entry["files"]:
        assert "{{" not in Path(entry["path"], file).read_text(encoding="utf-8")
    assert bool(re.search("[一-鿿]", Path(entry["path"], entry["files"][0]).read_text(encoding="utf-8"))) == (
        lang == "zh"
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_manifest_of_a_tool_keeps_the_rules_for_good_ones(project: Path, lang: str) -> None:
    run("new", "my-count", "--kind", "python", "--lang", lang)
    path = project / ".agents/skills/my-count/skill.yaml"
    fields = read_manifest(path.read_bytes(), str(path)).fields
    assert fields is not None
    manifest = interpret_manifest(fields, "my-count", str(path))
    (tool,) = manifest.tools
    assert 20 <= len(tool.description) <= 80
    assert re.match("Counts|统计", tool.description)
    assert re.search("100,?000", tool.description)
    assert len(tool.when_to_use) == len(tool.when_not_to_use) == len(tool.examples) == 2
    for example in tool.examples:
        assert {"text"} <= set(example.arguments) <= {parameter.name for parameter in tool.parameters}
    for parameter in tool.parameters:
        assert re.search(r"[；;].*\d.*(Example: |示例：).+", parameter.description), parameter.description


@pytest.mark.proves("S0-09")
def test_in_the_profile_mycodeagent_one_file_is_made_where_it_looks(project: Path) -> None:
    done = run("--profile", "mycodeagent", "new", "code-review")
    assert (done.returncode, done.stdout) == (0, "skills/code-review/SKILL.md\n")
    assert everything(project) == ["skills", "skills/code-review", "skills/code-review/SKILL.md"]
    assert open_profile(project, "mycodeagent").require("code-review").path == str(
        project / "skills/code-review/SKILL.md"
    )


def test_each_profile_gets_its_skill_where_it_looks_and_in_its_language(project: Path) -> None:
    for profile, kind, place in (
        ("smallebot", "instructions", ".agents/skills"),
        ("hn-explorer", "instructions", ".skills"),
        ("claude-code", "instructions", ".claude/skills"),
        ("omega", "python", "skills"),
    ):
        done = run("--profile", profile, "new", "abc", "--kind", kind, "--json")
        assert json.loads(done.stdout)["path"] == str(project / place / "abc")
        assert open_profile(project, profile).require("abc")
    assert "统计" in (project / "skills/abc/skill.yaml").read_text(encoding="utf-8")
    for profile, kind, word in (("mycodeagent", "go", "skill.yaml"), ("omega", "instructions", "SKILL.md")):
        refused = run("--profile", profile, "new", "def", "--kind", kind)
        assert refused.returncode == 2
        assert f"reads no {word}" in refused.stderr
        assert "hint: use --kind" in refused.stderr


def test_another_place_is_made_where_it_is_missing_and_the_commands_to_try_work_there(project: Path) -> None:
    done = run("new", "a-b", "--kind", "python", "--in", "deep/er place", "--worker")
    assert done.returncode == 0
    assert "mode: worker" in (project / "deep/er place/a-b/skill.yaml").read_text(encoding="utf-8")
    commands = [line.strip() for line in done.stderr.splitlines()[1:]]
    outputs: list[str] = []
    for line in commands:
        shell = f"metier() {{ '{sys.executable}' -m metier \"$@\"; }}; {line}"
        tried = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, encoding="utf-8", check=False)
        assert tried.returncode == 0, tried.stderr
        outputs.append(tried.stdout)
    assert outputs == ["", "lines 1, words 4, characters 19\n"]


def test_options_before_the_command_are_kept_in_what_to_try(project: Path) -> None:
    write(project / "site/x", "")
    done = run("--project", "site", "--profile", "strict", "new", "abc")
    assert done.stderr.splitlines()[-1] == "  metier --project site --profile strict load abc"
    named = run("--root", "here", "new", "def")
    assert named.stdout == "here/def/SKILL.md\n"
    assert named.stderr.splitlines()[-1] == f"  metier --root {project}/here load def"


def test_instructions_may_have_a_file_for_long_texts(project: Path) -> None:
    for lang in ("en", "zh"):
        done = run("new", f"with-{lang}", "--references", "--lang", lang)
        assert done.stdout.splitlines()[1] == f".agents/skills/with-{lang}/references/details.md"
        assert run("check", "--rules", "strict", f".agents/skills/with-{lang}").returncode == 0


def test_a_description_goes_into_the_file_unharmed_and_gets_advice(project: Path) -> None:
    text = """Says "hi": it's #1 {{name}} \\n $x `y` — 名 👩‍💻. Use when greeted."""
    for kind in ("instructions", "python"):
        done = run("new", f"k-{kind}", "--kind", kind, "--description", f"  {text}\n ")
        assert done.returncode == 0, done.stderr
        assert open_profile(project).require(f"k-{kind}").description == text
    vague = run("new", "vague", "--description", "Does things.")
    assert vague.returncode == 0
    assert "[description-no-trigger]" in vague.stderr


@pytest.mark.parametrize(
    ("name", "options", "problem", "hint"),
    [
        ("WordCount", [], "is not all lower case", "call it 'word-count'"),
        ("word_count", [], "holds '_'", "call it 'word-count'"),
        ("-a--b-", [], "hyphen", "call it 'a-b'"),
        ("", [], "the name is empty", "such as 'word-count'"),
        ("a/b", [], "holds '/'", "call it 'a-b'; --in DIR says where it goes"),
        ("../evil", [], "holds './'", "call it 'evil'; --in DIR says where it goes"),
        (".", [], "holds '.'", "such as 'word-count'"),
        ("x" * 65, [], "65 characters; at most 64", f"call it '{'x' * 64}'"),
        ("ａｂｃ", [], "stand for others", "call it 'abc'"),
        ("2fa", ["--kind", "python"], "does not start with a letter", "call it 'skill-2fa'"),
        ("字数", ["--kind", "go"], "holds '字数'", "such as 'word-count'"),
        ("café", ["--kind", "package"], "holds 'é'", "call it 'cafe'"),
        ("x" * 60, ["--kind", "node"], "more than 58 characters", f"call it '{'x' * 58}'"),
        ("a", ["--worker"], "no program that could stay", "leave --worker out"),
        ("a", ["--kind", "go", "--references"], "has no references", "leave --references out"),
        ("a", ["--description", "x" * 1025], "has 1,025 characters", "at most 1,024"),
        ("a", ["--description", "a\x1b[31m"], "holds the character U+001B", "give plain text"),
    ],
)
def test_what_cannot_be_made_is_refused_with_a_way_out(
    project: Path, name: str, options: list[str], problem: str, hint: str
) -> None:
    done = run("new", *options, "--", name)
    assert (done.returncode, done.stdout) == (2, "")
    first, second = done.stderr.splitlines()
    assert first.startswith("error: ")
    assert problem in first
    assert second.startswith("hint: ")
    assert hint in second
    assert everything(project) == []


def test_a_name_in_another_script_is_fine_for_instructions(project: Path) -> None:
    assert run("new", "字数").returncode == 0
    assert names(open_profile(project)) == ["字数"]
    assert mended("字 数!") == "字-数"
    refused = run("--profile", "mycodeagent", "new", "字数")
    assert "such as 'word-count'" in refused.stderr


def test_nothing_is_ever_overwritten(project: Path) -> None:
    for existing in ("folder", "file", "link"):
        place = project / ".agents/skills" / existing
        place.parent.mkdir(parents=True, exist_ok=True)
        if existing == "folder":
            place.mkdir()
        elif existing == "file":
            place.write_text("mine", encoding="utf-8")
        else:
            place.symlink_to("nowhere")
        before = everything(project)
        done = run("new", existing)
        assert done.returncode == 2
        assert "exists already and was not touched" in done.stderr
        assert "hint: choose another name" in done.stderr
        assert everything(project) == before
    assert (project / ".agents/skills/file").read_text(encoding="utf-8") == "mine"


def test_a_place_that_is_a_file_is_refused(project: Path) -> None:
    write(project / "file", "mine")
    done = run("new", "a", "--in", "file")
    assert (done.returncode, done.stderr.count("is not a folder")) == (2, 1)
    below = run("new", "a", "--in", "file/below")
    assert below.returncode == 1
    assert "it cannot be made" in below.stderr
    write(project / ".agents", "a file where a folder should be")
    assert run("new", "a").stdout == ".metier/skills/a/SKILL.md\n"


def test_where_no_root_can_be_written_the_user_is_asked_for_a_place(project: Path) -> None:
    write(project / "skills", "a file where a folder should be")
    done = run("--profile", "mycodeagent", "new", "a")
    assert done.returncode == 2
    assert "hint: say with --in DIR" in done.stderr


def test_a_failure_in_the_middle_leaves_nothing(project: Path) -> None:
    script = (
        "import resource, sys\nresource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))\n"
        "sys.argv = ['metier', 'new', 'a', '--kind', 'python', '--in', 'place']\n"
        "from metier.cli.main import main\nmain()\n"
    )
    # Not measured: what measures would meet the same limit, and say so on the same stream.
    environ = {key: value for key, value in os.environ.items() if not key.startswith("COVERAGE")}
    done = subprocess.run(
        [sys.executable, "-B", "-c", script],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env=environ,
    )
    assert done.returncode == 1
    assert "it cannot be made: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert everything(project) == ["place"]


def test_files_have_the_rights_that_the_user_gives_new_files(project: Path) -> None:
    before = os.umask(0o027)
    try:
        made = make_skill(Order(name="a", kind="binary", place=str(project)))
    finally:
        os.umask(before)
    modes = {path: stat.S_IMODE(os.stat(os.path.join(made.path, path)).st_mode) for path in (".", *made.files)}
    assert modes == {".": 0o750, "skill.yaml": 0o640, "skill": 0o750}


def test_values_are_never_read_as_templates() -> None:
    assert filled("{{a}} {{a:text}} {{b_2}}", {"a": '{{b_2}} "', "b_2": "x"}) == '{{b_2}} " "{{b_2}} \\"" x'
    with pytest.raises(KeyError):
        filled("{{nonsense}}", {})


def test_every_template_and_every_phrase_is_used_and_exists_in_both_languages() -> None:
    folder = Path(FOLDER)
    words = {lang: json.loads((folder / f"words.{lang}.json").read_text(encoding="utf-8")) for lang in ("en", "zh")}
    assert set(words["en"]) == set(words["zh"])
    templates = {path.relative_to(folder).as_posix() for path in folder.rglob("*.tmpl")}
    text = "".join((folder / path).read_text(encoding="utf-8") for path in templates)
    unused = {key for key in words["en"] if "{{" + key not in text}
    assert unused == {"describe_instructions", "describe_tool", "describe_package"}
    named = {template for kind in KINDS.values() for _, template in kind.files} | {"instructions/details.LANG.md.tmpl"}
    assert {path.replace(".en.", ".LANG.").replace(".zh.", ".LANG.") for path in templates} == named
    for lang in ("en", "zh"):
        # A dollar or an at sign would mean something in a Perl string.
        assert not re.search("[$@]", "".join(words[lang].values()))


def test_the_templates_are_part_of_the_package(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    import zipfile

    (wheel,) = tmp_path.glob("*.whl")
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("metier/authoring/templates/")}
    folder = Path(FOLDER)
    here = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {name.removeprefix("metier/authoring/templates/") for name in inside} == here


def test_a_shell_can_complete_the_kinds(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "metier"],
        env={
            **os.environ,
            "_METIER_COMPLETE": "bash_complete",
            "COMP_WORDS": "metier new a --kind p",
            "COMP_CWORD": "4",
        },
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout.split() == ["plain,python", "plain,package"]
