"""How a model gets to read an answer. Each renderer keeps what skills say inside of what it wraps around it."""

from __future__ import annotations

import json
import re
from html import escape
from typing import TYPE_CHECKING, Literal, TypeAlias

from metier.result.envelope import as_envelope, serialised
from metier.words import encodable, one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.messages import Lang
    from metier.result.answer import Activation, Result

Renderer: TypeAlias = Literal["skill_content", "envelope", "skill_loaded", "text", "stdio"]

# The elements that mean something in what we write. In the text of a skill they mean nothing.
_OURS = re.compile(r"<(?=\s*/?\s*(?:skill[_-](?:content|resources?|loaded)|available_skills)(?![\w-]))", re.IGNORECASE)


def neutralised(text: str) -> str:
    """A text of a skill in which none of our own elements begins or ends."""
    return _OURS.sub("&lt;", text) if "<" in text else text


def render(result: Result, renderer: Renderer = "skill_content", lang: Lang = "en") -> str:
    """The answer as text for a model."""
    return encodable(RENDERERS[renderer](result, lang))


def _text(result: Result, lang: Lang) -> str:
    if not result.ok:
        return f"Error: {neutralised(result.summary(lang))}"
    text = result.content or _listed(result)
    if result.status == "partial" and text:
        return f"{text}\n[{result.summary(lang)}]"
    return text or result.summary(lang)


def _listed(result: Result) -> str:
    files = result.data.get("files")
    if not files:
        return ""
    return "\n".join(map(one_line, files)) + ("\n…" if result.data.get("truncated") else "")


def _skill_content(result: Result, lang: Lang) -> str:
    activation = result.activation
    if activation is not None and result.ok:
        return "\n".join(_skill_content_lines(activation))
    skill, path = result.data.get("name"), result.data.get("path")
    if result.ok and skill and path and result.content:
        head = f'<skill_resource skill="{escape(one_line(str(skill)))}" path="{escape(one_line(str(path)))}"'
        if result.status == "partial":
            head += ' complete="false"'
        note = f"\n{result.summary(lang)}" if result.status == "partial" else ""
        return f"{head}>\n{neutralised(result.content)}\n</skill_resource>{note}"
    return _text(result, lang)


def _skill_content_lines(activation: Activation) -> list[str]:
    lines = [f'<skill_content name="{escape(activation.name)}">', neutralised(activation.body)]
    if activation.directory:
        lines += [
            "",
            f"Skill directory: {neutralised(one_line(activation.directory))}",
            "Relative paths in this skill are relative to the skill directory.",
        ]
    if activation.files:
        lines += ["", "<skill_resources>" if not activation.has_more_files else '<skill_resources complete="false">']
        lines += [f"<file>{escape(one_line(file), quote=False)}</file>" for file in activation.files]
        lines += ["</skill_resources>"]
    return [*lines, "</skill_content>"]


def _skill_loaded(result: Result, lang: Lang) -> str:
    activation = result.activation
    if activation is None or not result.ok:
        return _text(result, lang)
    return f'<skill-loaded name="{escape(activation.name)}">\n{neutralised(activation.body)}\n</skill-loaded>'


def _stdio(result: Result, lang: Lang) -> str:
    """One line, as the tools of skills answer."""
    output, error = ("", result.summary(lang)) if not result.ok else (_text(result, lang), "")
    return json.dumps({"output": output, "error": error}, ensure_ascii=False)


def _envelope(result: Result, lang: Lang) -> str:
    return serialised(as_envelope(result, lang))


RENDERERS: dict[Renderer, Callable[[Result, Lang], str]] = {
    "skill_content": _skill_content,
    "envelope": _envelope,
    "skill_loaded": _skill_loaded,
    "text": _text,
    "stdio": _stdio,
}
"""Every renderer, by name."""
