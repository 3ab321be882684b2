"""The layer that keeps a long answer out of a conversation: it is saved whole, and the model gets a part of it.

Applied once, to the envelope, just before it enters the conversation. The instructions of a skill are exempt: half
of a procedure is worse than none.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from metier.messages import say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from metier.messages import Lang

Direction: TypeAlias = Literal["head", "tail", "head_tail"]

FOLDER = "tool-output"
MAX_TEXT = 1_000
"""Characters of what is not data that a cut answer keeps."""
MAX_DIGITS = 12
_ESCAPED_FEED = re.compile(r"(?<!\\)((?:\\\\)*)\\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long an answer may be, which part of it is shown, and where the whole is kept."""

    max_lines: int = 2_000
    max_bytes: int = 51_200
    direction: Direction = "head"
    head_tail_lines: int = 40
    folder: str = FOLDER
    """Relative to the project."""
    retention_days: int = 7

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Limits:
        """The limits that `TOOL_OUTPUT_…` set; a value that makes no sense leaves its default."""
        direction = environ.get("TOOL_OUTPUT_TRUNCATE_DIRECTION", "").strip()
        folder = environ.get("TOOL_OUTPUT_DIR", "").strip()
        escapes = os.path.isabs(folder) or ".." in folder.replace("\\", "/").split("/") or "\0" in folder
        return cls(
            max_lines=_number(environ, "TOOL_OUTPUT_MAX_LINES", cls().max_lines),
            max_bytes=_number(environ, "TOOL_OUTPUT_MAX_BYTES", cls().max_bytes),
            direction=direction if direction in ("head", "tail", "head_tail") else "head",
            head_tail_lines=_number(environ, "TOOL_OUTPUT_HEAD_TAIL_LINES", cls().head_tail_lines),
            folder=FOLDER if not folder or escapes else folder,
            retention_days=_number(environ, "TOOL_OUTPUT_RETENTION_DAYS", cls().retention_days),
        )


def _number(environ: Mapping[str, str], key: str, default: int) -> int:
    text = environ.get(key, "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS and int(text) > 0 else default


def cut(
    envelope: Mapping[str, Any], limits: Limits, save: Callable[[Mapping[str, Any]], str], lang: Lang = "en"
) -> dict[str, Any]:
    """The envelope, or a shorter one with a preview and the path of the whole, which `save` keeps and returns."""
    context: Mapping[str, Any] = envelope.get("context") or {}
    text = _ESCAPED_FEED.sub(r"\1\n", json.dumps(envelope, ensure_ascii=False, indent=2))
    lines, size = text.split("\n"), len(text.encode("utf-8", "surrogatepass"))
    if context.get("truncation_skip") or (len(lines) <= limits.max_lines and size <= limits.max_bytes):
        return dict(envelope)
    kept = _kept(lines, limits)
    preview = _within_bytes("\n".join(kept), limits)
    path = save(envelope)
    truncation = {
        "direction": limits.direction,
        "max_lines": limits.max_lines,
        "max_bytes": limits.max_bytes,
        "head_tail_lines": limits.head_tail_lines if limits.direction == "head_tail" else None,
        "original_lines": len(lines),
        "original_bytes": size,
        "kept_lines": preview.count("\n") + 1,
        "kept_bytes": len(preview.encode("utf-8", "surrogatepass")),
        "full_output_path": path,
    }
    key = "output-cut" if path else "output-cut.lost"
    said = say(key, lang, kept_lines=truncation["kept_lines"], original_lines=len(lines), path=path)
    failed = envelope.get("status") == "error"
    shorter = {
        **envelope,
        "status": "error" if failed else "partial",
        "data": {} if failed else {"truncated": True, "truncation": truncation, "preview": preview},
        "text": f"{envelope.get('text', '')[:MAX_TEXT]} {said}".strip(),
        "context": {**context, "params_input": _brief(context.get("params_input"))},
    }
    if failed:
        error: Mapping[str, Any] = envelope.get("error") or {}
        shorter["error"] = {**error, "message": str(error.get("message", ""))[:MAX_TEXT]}
    return {field: shorter[field] for field in envelope}


def _brief(value: object) -> object:
    """Parameters without their length, which may be what made the answer long."""
    if isinstance(value, str):
        return value if len(value) <= MAX_TEXT else value[:MAX_TEXT] + "…"
    if isinstance(value, dict):
        return {str(key)[:MAX_TEXT]: _brief(one) for key, one in list(cast("dict[object, object]", value).items())[:50]}
    if isinstance(value, list):
        return [_brief(one) for one in cast("list[object]", value)[:50]]
    return value


def _kept(lines: list[str], limits: Limits) -> list[str]:
    if limits.direction == "tail":
        return lines[-limits.max_lines :]
    if limits.direction == "head_tail":
        some = max(1, min(limits.head_tail_lines, (limits.max_lines - 1) // 2))
        if len(lines) <= 2 * some:
            return lines
        return [*lines[:some], f"… {len(lines) - 2 * some} lines …", *lines[-some:]]
    return lines[: limits.max_lines]


def _within_bytes(text: str, limits: Limits) -> str:
    """At most as many bytes as the limit allows, cut between characters, at the end that matters less."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= limits.max_bytes:
        return text
    if limits.direction == "tail":
        return data[-limits.max_bytes :].decode("utf-8", "ignore")
    if limits.direction == "head_tail":
        half = max(1, (limits.max_bytes - len("\n…\n".encode())) // 2)
        return data[:half].decode("utf-8", "ignore") + "\n…\n" + data[-half:].decode("utf-8", "ignore")
    return data[: limits.max_bytes].decode("utf-8", "ignore")
