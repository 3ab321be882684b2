"""The checklist for a folder with a skill.yaml: read it, then try it."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.authoring.omega.gate import (
    Checklist,
    Finding,
    Verdict,
    found,
    in_order,
    judged,
    message_lang,
    passed,
    unchecked,
)
from metier.authoring.omega.live import Tried, try_out
from metier.authoring.omega.manifest_gates import drafts_of, manifest_verdicts
from metier.authoring.omega.wording import faults_of_error
from metier.catalog.cache import tools_path
from metier.catalog.catalog import Catalog
from metier.execution.runner import Runner
from metier.paths import is_inside
from metier.policy import Policy
from metier.result.answer import Result
from metier.skill import Root
from metier.words import one_line, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from metier.authoring.omega.gate import CheckLang
    from metier.execution.sandbox import Sandbox
    from metier.skill import Skill
    from metier.tool import Tool

_FILE_NAME = re.compile(rb"[^\"\s]\.[A-Za-z0-9]{1,5}\"|/")
"""What looks like a file in a request."""
_LIVE = ("b-code-protocol", "b-code-errors", "b-code-exceptions", "b-trial-answer", "b-trial-invalid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How a check is made."""

    lang: CheckLang
    project: str
    policy: Policy
    environ: Mapping[str, str]
    trust: bool = False
    """The user lets programs run that are not trusted otherwise."""
    sandbox: Sandbox | None = None

    def trusts(self, folder: str) -> bool:
        """True for a folder whose code may be run: by this word, or by the user's settings."""
        return self.trust or any(is_inside(place, folder) for place in self.policy.trusted_roots)


def check_folder(folder: str, terms: Terms) -> Checklist:
    """Every gate for the skill in a folder."""
    skill = _loaded(folder, terms)
    verdicts = manifest_verdicts(folder, terms.lang)
    path = os.path.join(folder, "skill.yaml")
    trial = _live_trial(skill, terms) if skill else None
    verdicts += _live_verdicts(trial, path, terms.lang) if trial else _not_loaded(path)
    verdicts.append(_go_verdict(folder, trial, terms.lang))
    verdicts.append(_reload_verdict(folder, skill))
    return Checklist(
        path=path,
        name=os.path.basename(folder),
        kind="workspace",
        verdicts=in_order(verdicts),
    )


def _loaded(folder: str, terms: Terms) -> Skill | None:
    """The skill as it would be offered, trusted only where the user's settings say so."""
    trusted = terms.trusts(folder)
    return _in_root(Root(path=folder, scope="project", itself=True, named=True, max_depth=1, trusted=trusted), folder)


def _in_root(root: Root, folder: str) -> Skill | None:
    policy = Policy.profile("default")
    catalog = Catalog.open(folder, policy=policy, roots=[root], environ={}, cache=False)
    skills = (one.skill for one in catalog.candidates if one.skill is not None)
    return next((skill for skill in skills if skill.tools and skill.dir == folder), None)


def _not_loaded(path: str) -> list[Verdict]:
    return [unchecked(gate, found("not-loaded", path)) for gate in _LIVE]


# ── the live test ────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of every line that was sent to every tool."""

    tries: tuple[tuple[str, Tried], ...]
    refusals: tuple[tuple[str, Result], ...]
    """Tools that were not started, and why."""


def _live_trial(skill: Skill, terms: Terms) -> Trial:
    tries: list[tuple[str, Tried]] = []
    refusals: list[tuple[str, Result]] = []
    with tempfile.TemporaryDirectory(prefix="metier-build-", ignore_cleanup_errors=True) as fresh:
        os.chmod(fresh, 0o755)  # noqa: S103 - whoever the tool runs as has to read it
        for tool in skill.tools:
            done = _try(skill, tool, terms, fresh)
            if isinstance(done, Result):
                refusals.append((tool.name, done))
            else:
                tries += ((tool.name, one) for one in done)
    return Trial(tuple(tries), tuple(refusals))


def _live_verdicts(trial: Trial, path: str, lang: CheckLang) -> list[Verdict]:
    if trial.refusals:
        reasons = [_why_not_started(name, result, lang) for name, result in trial.refusals]
        return [unchecked(gate, *reasons) for gate in _LIVE]
    every = trial.tries
    return [
        judged("b-code-protocol", list(_protocol(every, path))),
        _errors(every, path, lang),
        judged("b-code-exceptions", list(_exceptions(every, path))),
        _answers(every, path),
        judged("b-trial-invalid", list(_invalid(every, path))),
    ]


def _try(skill: Skill, tool: Tool, terms: Terms, fresh: str) -> list[Tried] | Result:
    # A Go program that was built before would hide that it no longer builds.
    cache = fresh if tool.runtime == "go" else tools_path(terms.environ)

    def start(work: str) -> Runner:
        return Runner(work, terms.policy, cache=cache, environ=terms.environ, trust=terms.trust, sandbox=terms.sandbox)

    return try_out(start, skill, tool, terms.project)


def _why_not_started(name: str, result: Result, lang: CheckLang) -> Finding:
    said = result.summary(message_lang(lang))
    if result.key == "tool-untrusted":
        return found("not-trusted")
    return found("not-started", name=name, problem=said)


def _go_verdict(folder: str, trial: Trial | None, lang: CheckLang) -> Verdict:
    path = os.path.join(folder, "skill.yaml")
    tools = [tool for tool in drafts_of(folder) if tool.runtime == "go"]
    if not tools:
        return passed("b-code-go", found("no-go"))
    places = {os.path.dirname(os.path.join(folder, tool.entry)) for tool in tools}
    if not all(os.path.isfile(os.path.join(place, "go.mod")) for place in places):
        return judged("b-code-go", [found("go-mod", path)])
    if trial is None:
        return unchecked("b-code-go", found("not-loaded", path))
    broken = [result for _, result in trial.refusals if result.key == "tool-build-failed"]
    if broken:
        log = str(broken[0].data.get("log", ""))
        return judged("b-code-go", [found("go-build", path, log=shortened(one_line(log), 400))])
    if trial.refusals:
        return unchecked("b-code-go", *(_why_not_started(name, one, lang) for name, one in trial.refusals))
    return passed("b-code-go")


def _protocol(every: Sequence[tuple[str, Tried]], path: str) -> Iterator[Finding]:
    for name, one in every:
        if one.tried.sort in ("good", "long") and one.fault:
            yield found(f"answer-{one.fault}", path, name=name, about=one.tried.about, status=one.outcome.status)


def _exceptions(every: Sequence[tuple[str, Tried]], path: str) -> Iterator[Finding]:
    for name, one in every:
        if one.tried.sort != "good" and one.fault:
            yield found(f"answer-{one.fault}", path, name=name, about=one.tried.about, status=one.outcome.status)


def _answers(every: Sequence[tuple[str, Tried]], path: str) -> Verdict:
    good = [(name, one) for name, one in every if one.tried.sort == "good"]
    wrong = [
        found(f"answer-{one.fault}", path, name=name, about=one.tried.about, status=one.outcome.status)
        for name, one in good
        if one.fault
    ]
    if wrong:
        return judged("b-trial-answer", wrong)
    errors = [(name, one.error) for name, one in good if one.error]
    remarks = [found("answer-error", path, name=name, error=shortened(one_line(text), 120)) for name, text in errors]
    # An example may name a file that is not here. Where it names none, an error is the tool's own, and so is silence.
    answering = {name for name, one in good if one.outcome.answer and one.outcome.answer.output}
    excused = {name for name, one in good if one.error and _FILE_NAME.search(one.tried.line)}
    broken = {name for name, _ in good} - answering - excused
    empty = [found("answer-empty", path, name=name) for name in sorted(broken - {name for name, _ in errors})]
    if broken:
        return judged("b-trial-answer", [*empty, *remarks])
    return passed("b-trial-answer", *remarks)


def _invalid(every: Sequence[tuple[str, Tried]], path: str) -> Iterator[Finding]:
    for name, one in every:
        if one.tried.sort != "invalid":
            continue
        if one.outcome.answer is None:
            yield found(f"answer-{one.fault}", path, name=name, about=one.tried.about, status=one.outcome.status)
        elif not one.is_refusal:
            yield found("answer-no-error", path, name=name, about=one.tried.about)


def _errors(every: Sequence[tuple[str, Tried]], path: str, lang: CheckLang) -> Verdict:
    seen = {(name, one.error) for name, one in every if one.error}
    if not seen:
        return unchecked("b-code-errors", found("no-error-seen", path))
    faults = [
        found(f"error-{fault}", path, text=shortened(one_line(text), 120))
        for _, text in sorted(seen)
        for fault in faults_of_error(text, lang)
    ]
    return judged("b-code-errors", faults)


# ── the refresh ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _reload_verdict(folder: str, skill: Skill | None) -> Verdict:
    """Put the skill into an empty root and look again: it has to be told as new, with its tools."""
    path = os.path.join(folder, "skill.yaml")
    with tempfile.TemporaryDirectory(prefix="metier-check-") as root:
        place = Root(path=root, scope="project", trusted=True, max_depth=1)
        catalog = Catalog.open(root, policy=Policy.profile("default"), roots=[place], environ={}, cache=False)
        _put(folder, os.path.join(root, os.path.basename(folder)))
        added = catalog.refresh().added
        listed = {tool.name for one in catalog.skills for tool in one.tools}
    wanted = {tool.name for tool in skill.tools} if skill else set[str]()
    if added and wanted and wanted <= listed:
        return passed("b-trial-reload")
    return judged("b-trial-reload", [found("not-listed", path, folder=os.path.basename(folder))])


def _put(folder: str, place: str) -> None:
    try:
        os.symlink(folder, place, target_is_directory=True)
    except OSError:  # not every system lets everybody make links
        shutil.copytree(folder, place)
