"""The envelope: one JSON object of six fields for every answer of every tool, and the rules it must follow."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from metier.result.answer import Code
from metier.words import encodable, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from metier.messages import Lang
    from metier.result.answer import Result

FIELDS = ("status", "data", "text", "stats", "context", "error")
STATUSES = ("success", "partial", "error")
MIN_TEXT = 10


def as_envelope(result: Result, lang: Lang = "en") -> dict[str, Any]:
    """The answer as the envelope's object, its fields in the order in which they are written."""
    context: dict[str, Any] = {"cwd": ".", "params_input": dict(result.params)}
    if result.path:
        context["path_resolved"] = one_line(result.path)
    if result.is_protected:
        context["truncation_skip"] = True
    envelope: dict[str, Any] = {
        "status": result.status,
        "data": _data(result) if result.ok else {},
        "text": result.summary(lang),
        "stats": {"time_ms": result.time_ms if not result.ok else max(1, result.time_ms)},
        "context": context,
    }
    if result.code is not None:
        envelope["error"] = {"code": result.code.value, "message": result.summary(lang)}
    return envelope


def _data(result: Result) -> dict[str, Any]:
    activation = result.activation
    if activation is None:
        shown = {key: value for key, value in result.data.items() if key != "log"}  # said to people, not to models
        if result.data.get("files"):
            shown["files"] = list(map(one_line, result.data["files"]))
        return shown
    data: dict[str, Any] = {"name": activation.name, "base_dir": activation.base_dir, "content": activation.content}
    if activation.files:
        data["files"] = list(map(one_line, activation.files))
        data["has_more_files"] = activation.has_more_files
    if activation.delegation is not None:
        wish = activation.delegation
        data["delegation"] = {"agent": wish.agent, "model": wish.model, "effort": wish.effort}
    return {**data, **result.data}


def serialised(envelope: Mapping[str, Any]) -> str:
    """The envelope as it is given to a model."""
    return encodable(json.dumps(envelope, ensure_ascii=False, indent=2))


# ── the rules ────────────────────────────────────────────────────────────────────────────────────────────────────────


class Violation(NamedTuple):
    """One rule that an envelope breaks."""

    rule: str
    severity: Literal["error", "warning"]
    message: str


def validate_envelope(envelope: object) -> list[Violation]:
    """What is wrong with an envelope, given as a text or as an object; nothing when the list is empty."""
    if isinstance(envelope, str | bytes):
        try:
            envelope = json.loads(envelope)
        except ValueError as error:
            return [Violation("V001", "error", f"it is not JSON: {error}")]
    if not isinstance(envelope, dict):
        return [Violation("V001", "error", f"it is not an object but {type(envelope).__name__}")]
    fields = cast("dict[str, Any]", envelope)
    return [violation for rule in _RULES for violation in rule(fields)]


def _error(rule: str, message: str) -> Violation:
    return Violation(rule, "error", message)


def _warning(rule: str, message: str) -> Violation:
    return Violation(rule, "warning", message)


def _check_status(fields: dict[str, Any]) -> Iterator[Violation]:
    if "status" not in fields:
        yield _error("V002", "status is missing")
    elif fields["status"] not in STATUSES:
        yield _error("V003", f"status is {fields['status']!r}, not one of {', '.join(STATUSES)}")


def _check_data(fields: dict[str, Any]) -> Iterator[Violation]:
    if "data" not in fields:
        yield _error("V004", "data is missing")
    elif not isinstance(fields["data"], dict):
        yield _error("V005", "data is not an object")


def _check_text(fields: dict[str, Any]) -> Iterator[Violation]:
    text = fields.get("text")
    if not isinstance(text, str):
        yield _error("V006", "text is not a string")
    elif not text.strip():
        yield _error("T001", "text is blank")
    elif len(text) < MIN_TEXT:
        yield _warning("T004", f"text has fewer than {MIN_TEXT} characters")


def _check_stats(fields: dict[str, Any]) -> Iterator[Violation]:
    stats = fields.get("stats")
    if not isinstance(stats, dict):
        yield _error("V007", "stats is not an object")
    elif not _is_number(cast("dict[str, Any]", stats).get("time_ms")):
        yield _error("V008", "stats.time_ms is not a number")


def _check_context(fields: dict[str, Any]) -> Iterator[Violation]:
    context = fields.get("context")
    if not isinstance(context, dict):
        yield _error("V009", "context is not an object")
        return
    if not isinstance(cast("dict[str, Any]", context).get("cwd"), str):
        yield _error("V010", "context.cwd is not a string")
    if "params_input" not in context:
        yield _error("V011", "context.params_input is missing")


def _check_no_others(fields: dict[str, Any]) -> Iterator[Violation]:
    for name in fields:
        if name not in FIELDS:
            yield _error("V012", f"there is no field {name!r}")


def _check_error(fields: dict[str, Any]) -> Iterator[Violation]:
    error = fields.get("error")
    if fields.get("status") != "error":
        if error is not None:
            yield _error("S001", "there is an error although status is not error")
        return
    known = cast("dict[str, Any]", error) if isinstance(error, dict) else {}
    if not isinstance(known.get("code"), str) or not isinstance(known.get("message"), str):
        yield _error("S002", "error needs a code and a message")
    elif known["code"] not in tuple(Code):
        yield _error("S003", f"the code {known['code']!r} is not known")
    if fields.get("data"):
        yield _warning("S004", "data is not empty although status is error")


def _check_cut(fields: dict[str, Any]) -> Iterator[Violation]:
    data, text = fields.get("data"), str(fields.get("text", "")).lower()
    found = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    if found.get("truncated"):
        # A cut error stays an error.
        if fields.get("status") == "success":
            yield _error("S005", "data is truncated, so status must be partial")
        if not any(word in text for word in ("cut", "truncat", "offset", "截", "more than", "超")):
            yield _warning("S006", "text does not mention the cut")
    if found.get("fallback") and "fallback" not in text:
        yield _warning("S008", "text does not mention the fallback")


def _check_next_step(fields: dict[str, Any]) -> Iterator[Violation]:
    text = str(fields.get("text", ""))
    if fields.get("status") == "error" and not any(sign in text for sign in (" — ", "required", "Available")):
        yield _warning("T003", "text gives no next step")


_PAYLOADS: dict[str, tuple[str, type]] = {
    "entries": ("D004", list),
    "paths": ("D005", list),
    "matches": ("D006", list),
    "content": ("D007", str),
    "applied": ("D008", bool),
    "files": ("D009", list),
}


def _check_payload(fields: dict[str, Any]) -> Iterator[Violation]:
    data = fields.get("data")
    found = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    for name, (rule, kind) in _PAYLOADS.items():
        if name in found and not isinstance(found[name], kind):
            yield _error(rule, f"data.{name} is not of type {kind.__name__}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_RULES: tuple[Callable[[dict[str, Any]], Iterator[Violation]], ...] = (
    _check_status,
    _check_data,
    _check_text,
    _check_stats,
    _check_context,
    _check_no_others,
    _check_error,
    _check_cut,
    _check_next_step,
    _check_payload,
)
