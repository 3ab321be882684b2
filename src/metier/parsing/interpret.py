"""From the fields of a header to a name and a description, by the rules of a policy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from metier.diagnostic import Diagnostic, Severity, graded, is_reported_when_loading, problem
from metier.parsing.document import kind_of
from metier.parsing.names import canonical, is_plain_name, name_problems
from metier.parsing.rules import MAX_DESCRIPTION, standard_problems
from metier.skill import is_safe_name
from metier.value import as_text

if TYPE_CHECKING:
    from metier.parsing.document import Header
    from metier.policy import Policy
    from metier.value import Value


class Reading(NamedTuple):
    """What a policy makes of a header. A rejected one has no name, and `diagnostics` says why."""

    name: str | None
    description: str
    diagnostics: tuple[Diagnostic, ...]


def undisputed(fields: dict[str, Value], name: str) -> str | None:
    """The description of a skill that is all the standard asks for, so that no policy has anything to judge."""
    written = fields.get("description")
    if not isinstance(written, str) or "disable-model-invocation" in fields or not is_plain_name(name):
        return None
    description = written.strip()
    return description if description and len(description) <= MAX_DESCRIPTION else None


def interpret(header: Header, folder: str, path: str, policy: Policy, *, is_alone: bool = False) -> Reading:
    """Apply the policy to a header. `is_alone` marks a skill whose folder has no say in its name."""
    fields = header.fields
    if fields is None:
        return Reading(None, "", header.diagnostics)
    found = [one for one in header.diagnostics if is_reported_when_loading(one)]
    if policy.standard_only:
        refused = _refused_by_standard(header, fields, folder, path)
        if refused:
            return Reading(None, "", tuple(refused))
    name = _name(fields, folder, path, policy, found, is_alone=is_alone)
    text = _description(fields, header.lead, path, policy, found)
    if name is None or text is None:
        return Reading(None, "", tuple(found))
    return Reading(name, text, tuple(found))


def _refused_by_standard(header: Header, fields: dict[str, Value], folder: str, path: str) -> list[Diagnostic]:
    problems = (*header.diagnostics, *standard_problems(fields, folder, path))
    found = [one for one in (graded(each, "std") for each in problems) if one is not None]
    return found if any(one.severity is Severity.ERROR for one in found) else []


def _name(
    fields: dict[str, Value], folder: str, path: str, policy: Policy, found: list[Diagnostic], *, is_alone: bool
) -> str | None:
    written = fields.get("name")
    if policy.identity == "directory":
        if written is None and policy.name_missing == "reject":
            found.append(_rejected(problem("name-missing", path, folder=folder, assumed="")))
            return None
        return _safe_folder(folder, path, found)
    if isinstance(written, str) and written == folder and is_plain_name(written):
        return written
    name = _written_name(written, folder, path, policy, found)
    if name is None:
        return None
    return name if _is_accepted(name, folder, path, policy, found, is_alone=is_alone) else None


def _written_name(written: Value | None, folder: str, path: str, policy: Policy, found: list[Diagnostic]) -> str | None:
    if written is not None and not isinstance(written, str):
        found.append(problem("name-not-text", path, what=kind_of(written)))
    name = canonical(as_text(written))
    if not name:
        code = "name-missing" if written is None else "name-empty"
        if policy.name_missing == "reject":
            found.append(_rejected(problem(code, path, folder=folder, assumed="")))
            return None
        name = _safe_folder(folder, path, found)
        if name is not None:
            found.append(problem(code, path, folder=folder, assumed=f"; its folder's name {folder!r} is used"))
        return name
    if is_safe_name(name):
        return name
    fallback = _safe_folder(folder, path, found)
    if fallback is not None:
        found.append(problem("name-unsafe", path, name=name, assumed=f"; its folder's name {folder!r} is used"))
    return fallback


def _safe_folder(folder: str, path: str, found: list[Diagnostic]) -> str | None:
    name = canonical(folder)
    if is_safe_name(name):
        return name
    found.append(_rejected(problem("name-unsafe", path, name=folder, assumed="")))
    return None


def _is_accepted(name: str, folder: str, path: str, policy: Policy, found: list[Diagnostic], *, is_alone: bool) -> bool:
    broken: list[Diagnostic] = []
    if policy.name_rule != "any" and not is_plain_name(name):
        broken = list(name_problems(name, path, None, ascii_only=policy.name_rule == "ascii"))
        if policy.name_rule == "length":
            broken = [one for one in broken if one.code == "name-too-long"]
        if policy.name_violation == "reject":
            broken = [_rejected(one) for one in broken]
        found += broken
    accepted = not broken or policy.name_violation == "warn"
    if policy.name_mismatch != "ignore" and not is_alone and canonical(folder) != name:
        mismatch = problem("name-folder-mismatch", path, name=name, folder=folder)
        if policy.name_mismatch == "reject":
            mismatch, accepted = _rejected(mismatch), False
        found.append(mismatch)
    return accepted


def _description(fields: dict[str, Value], lead: str, path: str, policy: Policy, found: list[Diagnostic]) -> str | None:
    written = fields.get("description")
    if written is not None and not isinstance(written, str):
        found.append(problem("description-not-text", path, what=kind_of(written)))
    text = as_text(written).strip()
    if not text and policy.description == "lead":
        text = lead
    if not text:
        if policy.description == "present" and written is not None:
            return ""
        found.append(problem("description-missing" if written is None else "description-empty", path))
        return None
    if len(text) > MAX_DESCRIPTION:
        found.append(problem("description-too-long", path, length=len(text), limit=MAX_DESCRIPTION))
    return text


def _rejected(diagnostic: Diagnostic) -> Diagnostic:
    return replace(diagnostic, severity=Severity.ERROR)
