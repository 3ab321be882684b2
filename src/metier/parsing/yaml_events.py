"""The YAML reader: libyaml's events made into texts, lists and maps, within bounds.

It works on events rather than on composed nodes for three reasons: every scalar stays the text that was
written, nesting and alias expansion are bounded while reading and not afterwards, and each duplicate key
has its line. PyYAML's C parser is about eight times as fast as its Python twin; a build without it still works.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import yaml
from yaml import events

if TYPE_CHECKING:
    from metier.value import Value

MAX_DEPTH = 100
MAX_VALUES = 10_000
"""Values in one header, aliases counted as often as they are used; a long text counts as many."""
CHARACTERS_PER_VALUE = 100

# The stubs of PyYAML leave the C parser out where it may be missing.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the YAML text; the first line and the first column are 1."""

    line: int
    column: int


class YamlProblem(Exception):
    """The text cannot be read as YAML. Never leaves `metier.parsing`."""

    def __init__(self, code: str, reason: str, mark: Mark) -> None:
        super().__init__(code, reason, mark)
        self.code = code
        self.reason = reason
        self.mark = mark


@dataclass(slots=True)
class Tree:
    """What was read, and what a strict reader would object to."""

    value: Value = ""
    duplicates: list[tuple[str, Mark]] = field(default_factory=list[tuple[str, Mark]])
    flow: list[Mark] = field(default_factory=list[Mark])
    anchors: list[Mark] = field(default_factory=list[Mark])
    tags: list[tuple[str, Mark]] = field(default_factory=list[tuple[str, Mark]])
    tab: Mark | None = None
    """The first tab that is not inside a quoted text, a block or a comment."""


# libyaml is a YAML 1.1 reader: it takes these for line breaks, or refuses them. To YAML 1.2, which everybody means,
# they are ordinary characters; so they go through it in disguise.
_DISGUISE = {0x85: 0xF8085, 0x2028: 0xF8F28, 0x2029: 0xF8F29, 0xFEFF: 0xF8FEF}
_DISGUISED = re.compile(r"\x85|\u2028|\u2029|\ufeff")
# Only where a double quote stands before it on the line can it be an escape.
_SURROGATES = re.compile(r'(?<=[^\\])\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})(?=[^\n]*")')
_UNDISGUISE = {disguise: original for original, disguise in _DISGUISE.items()}


def read_yaml(text: str) -> Tree:
    """Read one YAML document.

    Raises:
        YamlProblem: with the code of the diagnostic, the reason and the place.
    """
    if _SURROGATES.search(text):
        # As JSON writes an emoji, and YAML is meant to read JSON; libyaml knows no pairs.
        text = _SURROGATES.sub(_joined, text)
    is_disguised = not text.isascii() and _DISGUISED.search(text) is not None
    loader = _Loader(text.translate(_DISGUISE) if is_disguised else text)
    try:
        builder = _Builder(loader, is_disguised=is_disguised)
        tree = builder.build()
        if "\t" in text:
            tree.tab = _loose_tab(text, builder.enclosed)
        return tree
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark or error.context_mark
        mark = Mark(at.line + 1, at.column + 1) if at else Mark(1, 1)
        raise YamlProblem("yaml-invalid", error.problem or "it cannot be read", mark) from error
    except yaml.YAMLError as error:  # a character that YAML forbids, reported without a place
        raise YamlProblem("yaml-invalid", _forbidden_character(text), Mark(1, 1)) from error
    finally:
        loader.dispose()


def _joined(pair: re.Match[str]) -> str:
    return chr(0x10000 + ((int(pair[1], 16) - 0xD800) << 10) + int(pair[2], 16) - 0xDC00)


def _forbidden_character(text: str) -> str:
    for character in text:
        if character not in "\t\n\r\x85" and not character.isprintable() and character < "\xa0":
            return f"it holds the control character U+{ord(character):04X}"
    return "it holds a character that YAML forbids"


class _Container:
    """A list or map that is still being read."""

    __slots__ = ("anchor", "before", "key", "value")

    def __init__(self, value: list[Value] | dict[str, Value], anchor: str | None, before: int) -> None:
        self.value = value
        self.anchor = anchor
        self.before = before
        self.key: str | None = None


class _Builder:
    def __init__(self, loader: Any, *, is_disguised: bool) -> None:
        self._loader = loader
        self._is_disguised = is_disguised
        self.enclosed: list[tuple[int, int]] = []  # where quoted texts and blocks start and end
        self._tree = Tree()
        self._stack: list[_Container] = []
        self._anchors: dict[str, tuple[Value, int]] = {}
        self._open_anchors: set[str] = set()
        self._count = 0
        self._documents = 0

    def build(self) -> Tree:
        get_event = self._loader.get_event
        while (event := get_event()) is not None:
            kind = cast("type[events.Event]", type(event))
            if kind is events.ScalarEvent:
                self._scalar(cast("events.ScalarEvent", event))
            elif kind is events.MappingStartEvent or kind is events.SequenceStartEvent:
                self._open(cast("events.CollectionStartEvent", event))
            elif kind is events.MappingEndEvent or kind is events.SequenceEndEvent:
                self._close(_mark(event))
            elif kind is events.AliasEvent:
                self._alias(cast("events.AliasEvent", event))
            elif kind is events.DocumentStartEvent:
                self._documents += 1
                if self._documents > 1:
                    raise YamlProblem("yaml-invalid", "a second document starts here", _mark(event))
        return self._tree

    def _scalar(self, event: events.ScalarEvent) -> None:
        if event.tag is not None:
            self._tree.tags.append((event.tag, _mark(event)))
        value = event.value.translate(_UNDISGUISE) if self._is_disguised else event.value
        if event.style:
            self.enclosed.append((cast("Any", event).start_mark.index, cast("Any", event).end_mark.index))
        before = self._count
        self._counted(1 + len(value) // CHARACTERS_PER_VALUE, event)
        if event.anchor is not None:
            self._tree.anchors.append(_mark(event))
            self._anchors[event.anchor] = (value, self._count - before)
        self._put(value, event)

    def _open(self, event: events.CollectionStartEvent) -> None:
        mark = _mark(event)
        if len(self._stack) >= MAX_DEPTH:
            raise YamlProblem("yaml-too-deep", f"more than {MAX_DEPTH} levels", mark)
        if event.flow_style:
            self._tree.flow.append(mark)
        if event.tag is not None:
            self._tree.tags.append((event.tag, mark))
        if event.anchor is not None:
            self._tree.anchors.append(mark)
            self._open_anchors.add(event.anchor)
        value: list[Value] | dict[str, Value] = {} if type(event) is events.MappingStartEvent else []
        container = _Container(value, event.anchor, self._count)
        self._counted(1, event)
        self._stack.append(container)

    def _close(self, mark: Mark) -> None:
        container = self._stack.pop()
        if container.anchor is not None:
            self._open_anchors.discard(container.anchor)
            self._anchors[container.anchor] = (container.value, self._count - container.before)
        self._put(container.value, None, mark)

    def _alias(self, event: events.AliasEvent) -> None:
        mark = _mark(event)
        if event.anchor in self._open_anchors:
            raise YamlProblem("yaml-alias-bomb", f"{event.anchor!r} contains itself", mark)
        if event.anchor not in self._anchors:
            raise YamlProblem("yaml-invalid", f"the alias *{event.anchor} stands for nothing", mark)
        self._tree.anchors.append(mark)
        value, size = self._anchors[event.anchor]
        self._counted(size, event)
        self._put(value, event)

    def _counted(self, size: int, event: events.Event) -> None:
        self._count += size
        if self._count > MAX_VALUES:
            raise YamlProblem("yaml-alias-bomb", f"more than {MAX_VALUES} values", _mark(event))

    def _put(self, value: Value, event: events.Event | None, mark: Mark | None = None) -> None:
        if not self._stack:
            self._tree.value = value
            return
        container = self._stack[-1]
        target = container.value
        if isinstance(target, list):
            target.append(value)
        elif container.key is None:
            container.key = value if isinstance(value, str) else _key_text(value)
            if container.key in target:
                at = mark or (_mark(event) if event else Mark(1, 1))
                self._tree.duplicates.append((container.key, at))
        else:
            target[container.key] = value
            container.key = None


def _loose_tab(text: str, enclosed: list[tuple[int, int]]) -> Mark | None:
    """The first tab outside of the enclosed ranges, which are sorted, and outside of comments."""
    # What is enclosed is blanked out, so that neither a tab nor a # in it counts.
    pieces: list[str] = []
    last = 0
    for start, end in enclosed:
        pieces += [text[last:start], re.sub(r"[^\n]", ".", text[start:end])]
        last = end
    for number, line in enumerate("".join([*pieces, text[last:]]).split("\n"), 1):
        comment = re.search(r"(?:^|[ \t])#", line)
        tab = line.find("\t", 0, comment.start() + 1 if comment else len(line))
        if tab >= 0:
            return Mark(number, tab + 1)
    return None


def _key_text(value: Value) -> str:
    """A key that is itself a list or a map, as text: `{{name}}` is meant as a placeholder."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "[" + ", ".join(map(_key_text, value)) + "]"
    return "{" + ", ".join(f"{key}: {_key_text(item)}" if item else key for key, item in value.items()) + "}"


def _mark(event: events.Event) -> Mark:
    at = cast("Any", event).start_mark
    return Mark(at.line + 1, at.column + 1)
