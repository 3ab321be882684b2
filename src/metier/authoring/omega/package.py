"""The checklist for a Python project that registers a skill: read its files, then import it and run its tests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metier.authoring.omega.child import Seen, Tested, missing_test_tools, seen_in_child, tested_in_child
from metier.authoring.omega.code_gates import error_findings, limit_findings
from metier.authoring.omega.docs_gates import docs_verdicts
from metier.authoring.omega.gate import Checklist, Finding, Verdict, found, in_order, judged, unchecked
from metier.authoring.omega.path_flow import path_findings, tool_functions
from metier.authoring.omega.registration import Registered, Source, registered_in
from metier.authoring.omega.static_tools import tools_in
from metier.authoring.omega.suite_gates import error_path_findings, real_file_findings, window_findings
from metier.authoring.omega.tool_gates import (
    description_findings,
    domain_findings,
    name_findings,
    parameter_findings,
    wording_findings,
)
from metier.authoring.omega.wording import faults_of_error
from metier.catalog.reading import read_bytes
from metier.words import one_line, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metier.authoring.omega.gate import CheckLang
    from metier.authoring.omega.workspace import Terms
    from metier.tool import Tool

__all__ = ["COVERAGE", "check_registered", "registered_in"]

COVERAGE = 80.0
"""Per cent of the skill's lines that its tests have to run."""
MAX_PAGE = 4 * 1024 * 1024

_ADDRESS = re.compile(r"https?://\S+|\b[\w-]+(?:\.[\w-]+)+/\S+")
_SWITCHES = re.compile(r"\b[A-Z][A-Z0-9_]*_(?:ENABLED|DISABLED)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Everything that is known of a registered skill."""

    entry: Registered
    sources: list[Source]
    tests: list[Source]
    seen: Seen | Finding
    """The imported skill, or why it was not imported."""
    tested: Tested | Finding
    """What its tests gave, or why they were not run."""
    lang: CheckLang

    @property
    def tools(self) -> list[Tool]:
        """Its tools as imported, or else as written."""
        return list(self.seen.tools) if isinstance(self.seen, Seen) and self.seen.tools else tools_in(self.sources)

    @property
    def path(self) -> str:
        """The file to point at."""
        return self.entry.file or self.entry.manifest


def check_registered(entry: Registered, terms: Terms) -> Checklist:
    """Every gate for a registered skill."""
    sources, tests = entry.sources(), entry.tests()
    subject = Subject(
        entry=entry,
        sources=sources,
        tests=tests,
        seen=_seen(entry, trust=terms.trusts(entry.project)),
        tested=_tested(entry, sources, tests, trust=terms.trusts(entry.project)),
        lang=terms.lang,
    )
    read = read_bytes(entry.docs, MAX_PAGE)
    page = read[0].decode("utf-8", "replace") if isinstance(read, tuple) else None
    verdicts = [
        *_code_verdicts(subject),
        *_suite_verdicts(subject),
        *docs_verdicts(entry.docs, page, subject.tools, entry.switch, terms.lang),
        *_registration_verdicts(subject, page or ""),
    ]
    return Checklist(path=entry.manifest, name=entry.name, kind="builtin", verdicts=in_order(verdicts))


def _seen(entry: Registered, *, trust: bool) -> Seen | Finding:
    if not trust:
        return found("not-imported", entry.manifest)
    if not entry.file:
        return found("module-missing", entry.manifest, entry.line, module=entry.module)
    seen = seen_in_child(entry)
    if isinstance(seen, str):
        return found("import-failed", entry.file, problem=seen)
    return seen if seen.state == "enabled" else found("import-failed", entry.file, problem=seen.reason)


def _tested(entry: Registered, sources: list[Source], tests: list[Source], *, trust: bool) -> Tested | Finding:
    if not tests:
        return found("tests-missing", entry.manifest, name=entry.name)
    if not trust:
        return found("not-imported", tests[0].path)
    missing = missing_test_tools()
    if missing:
        return found("tests-need", tests[0].path, module=missing)
    done = tested_in_child(entry, [one.path for one in tests], [one.path for one in sources])
    return found("tests-failed", tests[0].path, summary=done) if isinstance(done, str) else done


# ── code ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _code_verdicts(subject: Subject) -> list[Verdict]:
    entry, sources = subject.entry, subject.sources
    module: list[Finding] = []
    if not entry.file:
        module.append(found("module-missing", entry.manifest, entry.line, module=entry.module))
    elif not any("ProjectSkill" in source.text for source in sources):
        module.append(found("module-no-skill", entry.file, module=entry.module))
    elif isinstance(subject.seen, Finding) and subject.seen.key == "import-failed":
        module.append(subject.seen)
    verdicts = [judged("a-code-module", module), _errors_verdict(subject)]
    if sources:
        verdicts.append(judged("a-code-limits", list(limit_findings(sources))))
        verdicts.append(judged("a-code-paths", list(path_findings(sources))))
    else:
        verdicts += [unchecked(gate, *module) for gate in ("a-code-limits", "a-code-paths")]
    return [*verdicts, *_text_verdicts(subject)]


def _text_verdicts(subject: Subject) -> Iterator[Verdict]:
    """What a model reads of the tools. What is wrong as written is wrong; only an import tells that all is well."""
    tools, path, lang = subject.tools, subject.path, subject.lang
    gates: tuple[tuple[str, Iterator[Finding]], ...] = (
        ("a-code-name", name_findings(tools, subject.entry.name, path)),
        ("a-code-domain", domain_findings(tools, path)),
        ("a-code-description", description_findings(tools, path, lang)),
        ("a-code-wording", wording_findings(tools, path)),
        ("a-code-parameters", parameter_findings(tools, path, lang, only_required=True)),
    )
    for gate, findings in gates:
        wrong = list(findings)
        yield judged(gate, wrong) if wrong or isinstance(subject.seen, Seen) else unchecked(gate, subject.seen)


def _errors_verdict(subject: Subject) -> Verdict:
    """Errors as they are written, and as the tests have shown them."""
    written = list(error_findings(subject.sources, subject.lang))
    raised = subject.tested.errors if isinstance(subject.tested, Tested) else ()
    shown = [
        found(f"error-{fault}", subject.path, text=shortened(one_line(text), 120))
        for text in raised
        for fault in faults_of_error(text, subject.lang)
    ]
    if written or shown:
        return judged("a-code-errors", [*written, *shown])
    if not raised:
        reason = subject.tested if isinstance(subject.tested, Finding) else found("no-error-raised", subject.path)
        return unchecked("a-code-errors", reason)
    return judged("a-code-errors", [])


# ── tests ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _suite_verdicts(subject: Subject) -> list[Verdict]:
    tests, entry = subject.tests, subject.entry
    if not tests:
        reason = found("tests-missing", entry.manifest, name=entry.name)
        others = ("a-test-errors", "a-test-real", "a-test-windows", "a-test-passes")
        return [judged("a-test-file", [reason]), *(unchecked(gate, reason) for gate in others)]
    path = tests[0].path
    names = [place.function.name for place in tool_functions(subject.sources)]
    return [
        judged("a-test-file", []),
        judged("a-test-errors", list(error_path_findings(tests, path))),
        judged("a-test-real", real_file_findings(tests, entry.fixtures(), names, path)),
        judged("a-test-windows", window_findings(subject.sources, tests, path)),
        _passes(subject.tested, path),
    ]


def _passes(tested: Tested | Finding, path: str) -> Verdict:
    if isinstance(tested, Finding):
        is_failure = tested.key == "tests-failed"
        return judged("a-test-passes", [tested]) if is_failure else unchecked("a-test-passes", tested)
    wrong: list[Finding] = []
    if not tested.ok:
        wrong.append(found("tests-failed", path, summary=tested.summary))
    if tested.covered < COVERAGE:
        wrong.append(found("coverage-low", path, covered=f"{tested.covered:.0f}"))
    return judged("a-test-passes", wrong)


# ── registration ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _registration_verdicts(subject: Subject, page: str) -> list[Verdict]:
    seen = subject.seen
    return [
        judged("a-reg-entry", list(_comment_findings(subject))),
        judged("a-reg-switch", list(_switch_findings(subject, page))),
        unchecked("a-reg-log", seen)
        if isinstance(seen, Finding) and seen.key == "not-imported"
        else judged("a-reg-log", list(_log_findings(subject))),
    ]


def _comment_findings(subject: Subject) -> Iterator[Finding]:
    entry, library = subject.entry, subject.seen.library if isinstance(subject.seen, Seen) else ""
    at = (entry.manifest, entry.line)
    if not _ADDRESS.search(entry.comment):
        yield found("comment-missing", *at, name=entry.name)
    elif library and _bare(library) not in _bare(entry.comment):
        yield found("comment-other", *at, library=library)


def _bare(address: str) -> str:
    return re.sub(r"https?://", "", address).strip().rstrip("/")


def _switch_findings(subject: Subject, page: str) -> Iterator[Finding]:
    entry = subject.entry
    places: Sequence[tuple[str, str]] = [(one.path, one.text) for one in subject.sources] + [(entry.docs, page)]
    for path, text in places:
        for name in dict.fromkeys(_SWITCHES.findall(text)):
            if name != entry.switch:
                yield found("switch-other", path, other=name, switch=entry.switch)
    if isinstance(subject.seen, Seen) and subject.seen.state_off != "disabled":
        yield found("switch-dead", subject.path, switch=entry.switch)


def _log_findings(subject: Subject) -> Iterator[Finding]:
    seen = subject.seen
    if isinstance(seen, Finding) or len(seen.log) != 1:
        yield found("log-missing", subject.path, name=subject.entry.name)
