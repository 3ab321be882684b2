"""Packages that are installed: found, listed, run, switched off, and told about when they are broken."""

from __future__ import annotations

import importlib
import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import metier
from metier import Catalog, Policy, State, Tools, Toolset
from tests.conftest import codes, open_profile, write, write_skill

CODE = '''
from typing import Annotated

from metier import ProjectSkill, ToolFailed, Workspace

# Words — https://example.org/words
words = ProjectSkill("words", description="Counts words. Use for texts.", library="https://example.org/words")


@words.tool()
def words_count(path: Annotated[str, "A text file. Example: a.txt"], *, workspace: Workspace) -> str:
    """Count the words of a text file of at most 20 MB."""
    with open(workspace.existing(path), encoding="utf-8") as file:
        found = file.read().split()
    if not found:
        raise ToolFailed("there are no words", path, "use another file")
    return f"{len(found)} words"
'''


def install(site: Path, code: str, name: str = "words", *, module: str = "", requires: str = "") -> Path:
    """What pip would put into a folder of packages."""
    module = module or f"{name}_skill"
    write(site / f"{module}.py", code)
    info = site / f"{module}-1.0.dist-info"
    extra = f"Provides-Extra: more\nRequires-Dist: {requires} ; extra == 'more'\n" if requires else ""
    write(info / "METADATA", f"Metadata-Version: 2.1\nName: {module.replace('_', '-')}\nVersion: 1.0\n{extra}\n")
    write(info / "entry_points.txt", f"[metier.skills]\n{name} = {module}:{name}\n")
    return site


def use(monkeypatch: pytest.MonkeyPatch, site: Path) -> None:
    """Make the packages of a folder importable in this process."""
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    importlib.invalidate_caches()


def run(site: Path, *arguments: str, status: int = 0, **environ: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "metier", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PYTHONPATH": str(site), **environ},
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == status, (done.stdout, done.stderr)
    return done


def test_an_installed_package_is_listed_shown_and_run(project: Path, tmp_path: Path) -> None:
    site = install(tmp_path / "site", CODE)
    write(project / "a.txt", "one two three")
    write(project / "empty.txt", "")
    listed = {one["name"]: one for one in json.loads(run(site, "list", "--json").stdout)["skills"]}
    assert (listed["words"]["kind"], listed["words"]["tools"]) == ("builtin", ["words_count"])
    assert listed["words"]["qualified_name"] == "package:words"
    assert listed["csv"]["kind"] == "workspace"
    shown = run(site, "show", "words").stdout
    assert "kind         builtin" in shown
    assert "path         in an installed package" in shown
    entry = json.loads(run(site, "show", "words", "--json").stdout)
    assert entry["kind"] == "builtin"
    assert entry["tools"][0]["runtime"] == "function"
    assert "function" not in entry["tools"][0]
    assert "words_count(path)" in run(site, "load", "words").stdout
    assert run(site, "run", "words_count", "--args", '{"path": "a.txt"}').stdout == "3 words\n"
    answer = json.loads(run(site, "run", "words_count", "--args", '{"path": "a.txt"}', "--json").stdout)
    assert (answer["tier"], answer["output"]) == ("in process", "3 words")
    failed = run(site, "run", "words_count", "--args", '{"path": "empty.txt"}', status=1)
    assert failed.stderr == "Error: there are no words: empty.txt — use another file\n"
    assert "package:words" in run(site, "doctor").stdout


def test_one_that_is_switched_off_is_not_even_imported(project: Path, tmp_path: Path) -> None:
    site = install(tmp_path / "site", f"open({str(tmp_path / 'imported')!r}, 'w').close()\n" + CODE)
    assert "words\t" not in run(site, "list", SKILL_WORDS_ENABLED="false").stdout
    done = run(site, "show", "words", status=2, SKILL_WORDS_ENABLED="false")
    assert "switched off by SKILL_WORDS_ENABLED" in done.stderr
    assert not (tmp_path / "imported").exists()
    assert "words\t" in run(site, "list").stdout
    assert (tmp_path / "imported").exists()


def test_a_repository_cannot_pass_for_an_installed_package(project: Path, tmp_path: Path) -> None:
    install(project, f"open({str(tmp_path / 'imported')!r}, 'w').close()\n" + CODE)
    for site in ("", ".", str(project)):
        done = subprocess.run(
            [sys.executable, "-m", "metier", "doctor"],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
            env={**os.environ, "PYTHONPATH": site},
        )
        assert "words" not in done.stdout + done.stderr
    assert not (tmp_path / "imported").exists()


def test_packages_are_found_from_a_folder_that_is_gone(tmp_path: Path, project: Path) -> None:
    code = (
        "import os; from metier import Catalog; os.rmdir(os.getcwd())\n"
        f"print('excel' in [skill.name for skill in Catalog.open({str(tmp_path)!r}, packages=True).skills])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stdout == "True\n"


def test_a_package_that_is_there_twice_is_one_package(project: Path, tmp_path: Path) -> None:
    first, second = install(tmp_path / "first", CODE), install(tmp_path / "second", CODE.replace("Counts", "Recounts"))
    done = run(first, "list", "--json", PYTHONPATH=f"{first}{os.pathsep}{second}")
    listed = json.loads(done.stdout)
    assert [one["description"] for one in listed["skills"] if one["name"] == "words"] == [
        "Counts words. Use for texts."
    ]
    assert listed["diagnostics"] == []


@pytest.mark.proves("S4-011")
@pytest.mark.parametrize("profile", ["default", "omega"])
def test_the_switch_is_read_as_the_policy_says(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: str
) -> None:
    use(monkeypatch, install(tmp_path / "site", CODE))
    found = {
        value: "words" in by_name(Catalog.open(project, policy=Policy.profile(profile), environ=environ, packages=True))
        for value in (None, "true", "0", "", "FALSE", "no", "false")
        for environ in ({} if value is None else {"SKILL_WORDS_ENABLED": value},)
    }
    off = {"false"} if profile == "omega" else {"0", "FALSE", "no", "false"}
    assert {value for value, is_on in found.items() if not is_on} == off


def by_name(catalog: Catalog) -> dict[str, Any]:
    return {skill.name: skill for skill in catalog.skills}


@pytest.mark.proves("S4-012")
def test_the_log_has_one_line_for_every_package(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    site = install(tmp_path / "site", CODE)
    install(site, CODE.replace("words", "lines"), "lines")
    install(site, "raise ValueError('two\\nlines')", "broken")
    install(
        site, CODE.replace("words", "far") + "\nfar.requires = ('no_such_module',)\n", "far", requires="no-such-module"
    )
    use(monkeypatch, site)
    caplog.set_level(logging.INFO, "metier")
    Catalog.open(project, environ={"SKILL_LINES_ENABLED": "false"}, cache=False, packages=True)
    assert sorted(record.getMessage() for record in caplog.records if record.name == "metier") == [
        "broken skill is off: it cannot be loaded: ValueError: two lines",
        "excel skill enabled: excel_info, excel_read, excel_write",
        "far skill is off: no_such_module is not installed; pip install 'far-skill[more]'",
        "lines skill disabled by SKILL_LINES_ENABLED=false",
        "words skill enabled: words_count",
    ]


def test_the_log_of_a_program_shows_the_lines(project: Path, tmp_path: Path) -> None:
    script = (
        "import logging; logging.basicConfig(level='INFO', format='%(message)s')\n"
        "from metier import Catalog; Catalog.open('.', packages=True)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        env={**os.environ, "PYTHONPATH": str(install(tmp_path / "site", CODE)), "SKILL_EXCEL_ENABLED": "false"},
    )
    assert done.stderr.splitlines() == [
        "excel skill disabled by SKILL_EXCEL_ENABLED=false",
        "words skill enabled: words_count",
    ]


def test_without_its_library_the_excel_skill_is_off_and_says_what_to_install(project: Path, tmp_path: Path) -> None:
    # A finder that knows no openpyxl stands for an environment in which it is not installed.
    script = (
        "import sys\n"
        "class Without:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'openpyxl': raise ModuleNotFoundError(name=name)\n"
        "sys.meta_path.insert(0, Without())\n"
        "import logging; logging.basicConfig(level='INFO', format='%(message)s')\n"
        "from metier import Catalog\n"
        "catalog = Catalog.open('.', packages=True)\n"
        "print([(one.state.value, one.reason) for one in catalog.candidates if one.name == 'excel'])\n"
        "print([(one.code, one.severity.value, one.hint) for one in catalog.diagnostics])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stderr == "excel skill is off: openpyxl is not installed; pip install 'metier[excel]'\n"
    assert done.stdout.splitlines() == [
        "[('unready', 'the installed package is off: openpyxl is not installed')]",
        "[('package-unready', 'note', \"pip install 'metier[excel]'\")]",
    ]


BROKEN = {
    "raises": ("raise RuntimeError('no')", "RuntimeError: no"),
    "exits": ("import sys; sys.exit(3)", "SystemExit: 3"),
    "syntax": ("def", "SyntaxError: invalid syntax"),
    "other": ("other = 3", "other_skill:other is int, not a ProjectSkill"),
    "nothing": ("", "has no attribute 'nothing'"),
    "empty": (
        "from metier import ProjectSkill\nempty = ProjectSkill('empty', description='x', library='y')",
        "it has neither tools nor instructions",
    ),
    "named": (
        (
            "from metier import ProjectSkill\n"
            "named = ProjectSkill('other', description='x', library='y', instructions='z')"
        ),
        "it calls itself 'other', and is registered as 'named'",
    ),
    "invalid": (
        "from metier import ProjectSkill\nProjectSkill('In Valid', description='x', library='y')",
        "name 'In Valid' is not lower case words",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_package_that_cannot_be_loaded_is_a_diagnostic_and_its_neighbours_load(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    code, reason = BROKEN[name]
    site = install(tmp_path / "site", code, name)
    use(monkeypatch, install(site, CODE.replace("words", f"n{name}"), f"n{name}"))
    catalog = Catalog.open(project, cache=False, packages=True)
    (found,) = [one for one in catalog.diagnostics if one.code == "package-broken"]
    assert reason in found.message
    assert (found.path, found.severity.value) == (f"package:{name}", "error")
    assert f"'{name}-skill', or set SKILL_{name.upper()}_ENABLED=false" in (found.hint or "")
    assert [one.state for one in catalog.candidates if one.name == name] == [State.SKIPPED]
    assert f"n{name}" in by_name(catalog)


def test_a_missing_module_is_told_apart_from_a_package_that_is_gone(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = install(tmp_path / "site", "import no_such_library.inner", "needy")
    install(site, "", "gone")
    (site / "gone_skill.py").unlink()
    use(monkeypatch, site)
    catalog = Catalog.open(project, cache=False, packages=True)
    found = {one.path: (one.code, one.message, one.hint) for one in catalog.diagnostics}
    assert found["package:needy"] == (
        "package-unready",
        "the installed package is off: no_such_library is not installed",
        "pip install no_such_library",
    )
    assert found["package:gone"][:2] == (
        "package-broken",
        "the installed package cannot be used: there is no module gone_skill",
    )


def test_two_packages_with_one_name_are_told(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = install(tmp_path / "site", CODE.replace("words", "twin"), "twin", module="a_twin")
    use(monkeypatch, install(site, CODE.replace("words", "twin"), "twin", module="b_twin"))
    catalog = Catalog.open(project, cache=False, packages=True)
    (found,) = [one for one in catalog.diagnostics if one.code == "package-twice"]
    assert found.message == "'b-twin' and 'a-twin' both have a skill 'twin'; the second one is used"
    assert catalog.require("twin").tools[0].entry == "a_twin:twin_count"


@pytest.mark.parametrize("profile", ["default", "omega"])
def test_a_skill_on_disk_takes_the_name_and_the_package_stays_reachable(project: Path, profile: str) -> None:
    if profile == "default":
        write_skill(project / "skills", "excel", "Mine.")
    else:
        manifest = "name: excel_mine\ndescription: Mine.\nruntime: python\nentry: main.py\n"
        write(project / "skills/excel/skill.yaml", manifest)
        write(project / "skills/excel/main.py", "")
    catalog = Catalog.open(project, policy=Policy.profile(profile), cache=False, packages=True)
    assert (catalog.require("excel").kind, catalog.require("excel").scope) == ("workspace", "project")
    assert catalog.require("package:excel").kind == "builtin"
    (found,) = [one for one in catalog.diagnostics if one.code == "name-shadowed"]
    assert found.path == "package:excel"
    assert (found.hint or "").endswith("this one answers to 'package:excel'")
    assert catalog.activate("package:excel").ok


def test_where_all_of_a_name_are_kept_each_has_a_name_of_its_own(project: Path) -> None:
    write_skill(project / "skills", "excel", "Mine.")
    policy = Policy.profile("default").but(duplicates="keep")
    catalog = Catalog.open(project, policy=policy, cache=False, packages=True)
    named = [skill.name for skill in catalog.disclosed if skill.name.endswith("excel")]
    assert named == ["project:excel", "package:excel"]
    assert catalog.activate("package:excel").content.startswith("# Excel workbooks")


@pytest.mark.proves("S4-004")
def test_a_reload_touches_the_skills_of_the_workspace_alone(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = install(tmp_path / "site", CODE.replace("words", "fixed"), "fixed")
    use(monkeypatch, site)
    manifest = "name: own_run\ndescription: Runs.\nruntime: python\nentry: main.py\n"
    write(project / "skills/own/skill.yaml", manifest)
    write(project / "skills/own/main.py", "")
    catalog = Catalog.open(project, policy=Policy.profile("omega"), cache=False, packages=True)
    toolset = Toolset(catalog, tools=Tools(catalog))
    before = catalog.require("fixed")
    kinds = {skill.name: skill.kind for skill in catalog.skills}
    assert (kinds["fixed"], kinds["excel"], kinds["own"]) == ("builtin", "builtin", "workspace")
    write(project / "skills/own/skill.yaml", manifest.replace("Runs.", "Runs twice."))
    write(project / "skills/more/skill.yaml", manifest.replace("own_run", "more_run"))
    write(project / "skills/more/main.py", "")
    write(site / "fixed_skill.py", "raise ValueError")
    (site / "fixed_skill-1.0.dist-info/entry_points.txt").unlink()
    answer = toolset.call("skill_reload", {})
    assert {"added": answer.data["added"], "changed": answer.data["changed"], "removed": answer.data["removed"]} == {
        "added": ["more"],
        "changed": ["own"],
        "removed": [],
    }
    assert catalog.require("fixed") is before
    assert "fixed_count" in [tool.name for tool in toolset.tools]


@pytest.mark.proves("S4-005")
def test_every_skill_in_the_folder_of_built_in_skills_is_found_under_its_name(project: Path) -> None:
    home = Path(metier.__file__ or "").parent / "builtin_skills"
    homes = sorted(folder.name for folder in home.iterdir() if (folder / "__init__.py").is_file())
    catalog = Catalog.open(project, cache=False, packages=True)
    own = {skill.name: skill for skill in catalog.skills if skill.kind == "builtin"}
    assert homes == ["excel"]
    for name in homes:
        assert own[name].tools[0].entry.startswith(f"metier.builtin_skills.{name}:")


@pytest.mark.proves("S4-002")
def test_loading_the_excel_skill_puts_its_tools_into_the_list(project: Path) -> None:
    catalog = Catalog.open(project, cache=False, packages=True)
    toolset = Toolset(catalog, tools=Tools(catalog))
    assert {"excel_info", "excel_read", "excel_write"} <= {tool.name for tool in toolset.tools}
    assert toolset.call("Skill", {"name": "excel"}).content.startswith("# Excel workbooks")


def test_packages_are_imported_only_where_they_are_asked_for_and_there_are_tools(project: Path) -> None:
    assert "excel" not in by_name(Catalog.open(project, cache=False))
    without = Catalog.open(project, policy=Policy.profile("claude-code"), cache=False, packages=True)
    assert "excel" not in by_name(without)
    assert "excel" not in by_name(open_profile(project))
    assert "package-broken" not in codes(without)
    code = (
        "import sys; from metier import Catalog; Catalog.open('.'); print('metier.packages.installed' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stdout == "False\n"
    assert "excel" not in run(project, "--root", str(project), "list").stdout


def test_listing_skills_imports_no_openpyxl(project: Path) -> None:
    code = (
        "import sys; from metier import Catalog; catalog = Catalog.open('.', packages=True); catalog.listing()\n"
        "print('excel' in [skill.name for skill in catalog.skills], 'openpyxl' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stdout == "True False\n"
