"""The files that a tool in Python may touch."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from metier import ToolFailed, Workspace
from metier.messages import Lang
from tests.conftest import write

MB = 1024 * 1024


def refusal(workspace: Workspace, path: str, *, is_new: bool = False) -> str:
    with pytest.raises(ToolFailed) as caught:
        workspace.new(path) if is_new else workspace.existing(path)
    return str(caught.value)


@pytest.mark.proves("S4-063")
def test_no_path_leads_out_of_the_workspace(project: Path) -> None:
    outside = project.parent / "outside"
    write(outside / "secret.txt", "secret")
    write(project.parent / "project-evil/secret.txt", "secret")
    (project / "link.txt").symlink_to(outside / "secret.txt")
    (project / "linked").symlink_to(outside)
    workspace = Workspace(str(project))
    paths = (
        "../outside/secret.txt",
        "a/../../outside/secret.txt",
        str(outside / "secret.txt"),
        "../project-evil/secret.txt",
        str(project.parent / "project-evil/secret.txt"),
        "link.txt",
        "linked/secret.txt",
        "nul\0byte",
        "half\ud800",
    )
    for path in paths:
        for is_new in (False, True):
            text = refusal(workspace, path, is_new=is_new)
            assert text.startswith("the path leads out of the folder it must stay in: "), path
            assert text.endswith(" — use a path inside it"), path
    # A new file below a linked parent would be made where the link leads.
    assert refusal(workspace, "linked/new.txt", is_new=True).startswith("the path leads out")
    assert sorted(os.listdir(outside)) == ["secret.txt"]


def test_a_path_inside_is_given_back_absolute(project: Path) -> None:
    file = write(project / "data/a.txt", "x")
    (project / "inner.txt").symlink_to(file)
    workspace = Workspace(str(project))
    assert workspace.existing("data/a.txt") == str(file)
    assert workspace.existing("./data/../data/a.txt") == str(file)
    assert workspace.existing(str(file)) == str(file)
    assert workspace.existing("inner.txt") == str(project / "inner.txt")
    assert workspace.new("data/b.txt") == str(project / "data/b.txt")
    assert workspace.new("data/a.txt", overwrite=True) == str(file)
    assert not (project / "data/b.txt").exists()


@pytest.mark.proves("S4-064")
@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "the file is too large (20.1MB), over the limit of 20MB — split it first"),
        ("zh-Hans", "文件过大 (20.1MB)，超过 20MB 上限 — 请拆分后分批处理"),
        ("zh-Hant", "檔案過大 (20.1MB)，超過 20MB 上限 — 請拆分後分批處理"),
    ],
)
def test_a_file_of_one_byte_over_the_limit_is_refused(project: Path, lang: Lang, text: str) -> None:
    file = write(project / "big.bin", "")
    os.truncate(file, 20 * MB)
    assert Workspace(str(project), lang).existing("big.bin") == str(file)
    os.truncate(file, 20 * MB + 1)
    assert refusal(Workspace(str(project), lang), "big.bin") == text
    assert Workspace(str(project), lang).existing("big.bin", max_mb=21) == str(file)


def test_the_sample_error_of_the_origin_is_said_of_a_file_of_25_mb(project: Path) -> None:
    os.truncate(write(project / "big.bin", ""), 25 * MB)
    text = refusal(Workspace(str(project), "zh-Hans"), "big.bin")
    assert text == "文件过大 (25MB)，超过 20MB 上限 — 请拆分后分批处理"


@pytest.mark.proves("S4-066")
def test_a_file_that_is_there_is_not_replaced_unasked(project: Path) -> None:
    write(project / "report.txt", "old")
    workspace = Workspace(str(project))
    told = "there is a file already: report.txt — use another name, or set overwrite to true"
    assert refusal(workspace, "report.txt", is_new=True) == told
    (project / "dangling.txt").symlink_to(project / "nowhere.txt")
    assert refusal(workspace, "dangling.txt", is_new=True).startswith("there is a file already")


def test_what_is_no_plain_file_is_refused(project: Path) -> None:
    (project / "folder").mkdir()
    os.mkfifo(project / "pipe")
    workspace = Workspace(str(project))
    missing = "there is no such file: nope.txt — check the path, which is relative to the workspace"
    assert refusal(workspace, "nope.txt") == missing
    assert refusal(workspace, "folder") == "this is a folder: folder — name a file in it"
    assert refusal(workspace, "folder", is_new=True) == "this is a folder: folder — name a file in it"
    assert refusal(workspace, "pipe") == "this is not a plain file: pipe — use another file"
    assert refusal(workspace, " ") == "a path is required — give the path of a file"
    assert refusal(workspace, "") == "a path is required — give the path of a file"
    told = "there is no such folder: nope — create it first, or use one that is there"
    assert refusal(workspace, "nope/a.txt", is_new=True) == told
    assert "…" in refusal(workspace, "x" * 5_000)


def test_without_a_workspace_there_are_no_files() -> None:
    told = "there is no workspace to look for files in: a.txt — tell the user"
    assert refusal(Workspace(""), "a.txt") == told
    assert refusal(Workspace(""), "a.txt", is_new=True) == told
