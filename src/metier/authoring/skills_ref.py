"""The names and answers of the reference library, skills-ref, for programs written against it.

`from metier.authoring.skills_ref import validate` takes the place of `from skills_ref import validate`, and so for
every other name. Behind the names are metier's own reader and rules; the wording of each answer is that of the
reference, because programs and tests compare it. The answers differ only where those of the reference are wrong:

- Only a whole line `---` is a fence. The reference cuts at any three dashes, so it loses what stands behind those in a
  description, takes `---name: x` for a fence and a field, and has other words for a file that starts with `----`.
- A file that is not UTF-8, holds a control character, is nested too deeply or is no plain file gives a `ParseError`.
  The reference answers each with an exception that is not its own. Over 64 KiB of frontmatter are refused likewise.
- `validate(Path("."))` compares the name with that of the real folder, not with the empty name of `.`.
- Names may hold the vowel signs without which Hindi and Thai cannot be written.
- Without `metadata` the properties hold an empty map, as the reference documents, and not `None`.
- A `<` in a path is escaped in a prompt: it could end the element early. All else is printed as the reference does.

What follows `Invalid YAML in frontmatter:` is in metier's words. A value that is only a comment, `description: # x`, is
called invalid too; the reference calls it empty, and refuses it for that.
"""

from __future__ import annotations

import html
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from metier.catalog.library import MAX_DOCUMENT
from metier.catalog.reading import read_bytes
from metier.diagnostic import Diagnostic, Severity, graded, problem
from metier.errors import MetierError
from metier.parsing.document import read_document
from metier.parsing.names import MAX_NAME, canonical
from metier.parsing.rules import MAX_COMPATIBILITY, MAX_DESCRIPTION, STANDARD_FIELDS, standard_problems

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from metier.parsing.document import Document
    from metier.value import Value

__all__ = [
    "ParseError",
    "SkillError",
    "SkillProperties",
    "ValidationError",
    "find_skill_md",
    "parse_frontmatter",
    "read_properties",
    "to_prompt",
    "validate",
    "validate_metadata",
]

AnyPath: TypeAlias = str | os.PathLike[str]

_FILE = "SKILL.md"
_REQUIRED = ("name", "description")
_IN_ANY_CASE = re.compile(r"\b(?:name|description)\b", re.IGNORECASE)

_ABSENT = "Missing required field in frontmatter: {field}"
_BLANK = "Field '{field}' must be a non-empty string"

# The reference's words for the codes of the standard's rules; `name-hyphens` is two problems to it.
_WORDS = {
    "field-unknown": "Unexpected fields in frontmatter: {unknown}. Only {allowed} are allowed.",
    "name-missing": _ABSENT.format(field="name"),
    "name-empty": _BLANK.format(field="name"),
    "name-not-text": _BLANK.format(field="name"),
    "name-too-long": f"Skill name '{{name}}' exceeds {MAX_NAME} character limit ({{name_length}} chars)",
    "name-not-lowercase": "Skill name '{name}' must be lowercase",
    "name-characters": (
        "Skill name '{name}' contains invalid characters. Only letters, digits, and hyphens are allowed."
    ),
    "name-folder-mismatch": "Directory name '{folder}' must match skill name '{name}'",
    "description-missing": _ABSENT.format(field="description"),
    "description-empty": _BLANK.format(field="description"),
    "description-not-text": _BLANK.format(field="description"),
    "description-too-long": f"Description exceeds {MAX_DESCRIPTION} character limit ({{description_length}} chars)",
    "compatibility-not-text": "Field 'compatibility' must be a string",
    "compatibility-too-long": (
        f"Compatibility exceeds {MAX_COMPATIBILITY} character limit ({{compatibility_length}} chars)"
    ),
}

_NOT_FIRST = "SKILL.md must start with YAML frontmatter (---)"
_UNREADABLE = {
    "frontmatter-missing": _NOT_FIRST,
    "frontmatter-not-first": _NOT_FIRST,
    "byte-order-mark": _NOT_FIRST,
    "frontmatter-unclosed": "SKILL.md frontmatter not properly closed with ---",
    "yaml-not-a-mapping": "SKILL.md frontmatter must be a YAML mapping",
}


class SkillError(MetierError):
    """The root of what these functions raise.

    These three stand here and not in `metier.errors`, because nothing else of metier raises them: to metier, problems
    in the content of skills are values.
    """

    code = "skills-ref"
    hint = "`metier check` tells where in the file it is, and what to do"


class ParseError(SkillError):
    """There is no SKILL.md, or its frontmatter cannot be read."""

    code = "skills-ref-parse"


class ValidationError(SkillError):
    """A required field is missing or empty."""

    code = "skills-ref-validation"

    def __init__(self, message: str, errors: list[str] | None = None) -> None:
        super().__init__(message)
        self.errors = [message] if errors is None else errors


@dataclass
class SkillProperties:
    """The standard's fields of one skill. Mutable, unlike metier's own values, because that of the reference is.

    Only `name` and `description` are sure to be texts. The others are what the author wrote, as with the reference:
    `allowed-tools` may be a list.
    """

    name: str
    description: str
    license: str | None = None
    compatibility: str | None = None
    allowed_tools: str | None = None
    metadata: dict[str, str] = field(default_factory=dict[str, str])

    def to_dict(self) -> dict[str, str | dict[str, str]]:
        """The fields that are given, under the names they have in the frontmatter."""
        optional = {
            "license": self.license,
            "compatibility": self.compatibility,
            "allowed-tools": self.allowed_tools,
            "metadata": self.metadata or None,
        }
        given = {key: value for key, value in optional.items() if value is not None}
        return {"name": self.name, "description": self.description, **given}


def find_skill_md(skill_dir: AnyPath) -> Path | None:
    """The file of a skill: `SKILL.md`, or else `skill.md`; `None` where there is neither."""
    files = (Path(skill_dir, name) for name in ("SKILL.md", "skill.md"))
    return next((file for file in files if os.path.exists(file)), None)


def parse_frontmatter(content: str) -> tuple[dict[str, Value], str]:
    """The fields of a text, and its body without white space around it.

    Raises:
        ParseError: if there is no frontmatter, or the strict reading of the standard refuses it.
    """
    return _parsed(content.encode("utf-8", "surrogatepass"))


def read_properties(skill_dir: AnyPath) -> SkillProperties:
    """The properties of the skill in a folder. Only what cannot be done without is checked; `validate` checks all.

    Raises:
        ParseError: if there is no SKILL.md, or its frontmatter cannot be read.
        ValidationError: if the name or the description is missing or empty.
    """
    file = find_skill_md(skill_dir)
    if file is None:
        raise ParseError(f"SKILL.md not found in {Path(skill_dir)}")
    fields = _fields_of(file)
    for required in _REQUIRED:
        if required not in fields:
            raise ValidationError(_ABSENT.format(field=required))
    for required in _REQUIRED:
        if not _text(fields, required).strip():
            raise ValidationError(_BLANK.format(field=required))
    return SkillProperties(
        name=_text(fields, "name").strip(),
        description=_text(fields, "description").strip(),
        license=cast("str | None", fields.get("license")),
        compatibility=cast("str | None", fields.get("compatibility")),
        allowed_tools=cast("str | None", fields.get("allowed-tools")),
        metadata=cast("dict[str, str]", fields.get("metadata") or {}),
    )


def validate(skill_dir: AnyPath) -> list[str]:
    """Everything that the standard has against the skill in a folder; empty if it is valid."""
    folder = Path(skill_dir)
    if not os.path.exists(folder):
        return [f"Path does not exist: {folder}"]
    if not os.path.isdir(folder):
        return [f"Not a directory: {folder}"]
    file = find_skill_md(folder)
    if file is None:
        return ["Missing required file: SKILL.md"]
    try:
        fields = _fields_of(file)
    except ParseError as refused:
        return [str(refused)]
    return validate_metadata(fields, folder)


def validate_metadata(metadata: Mapping[str, Value | None], skill_dir: AnyPath | None = None) -> list[str]:
    """Everything that the standard has against these fields; without a folder, the name is not compared with one."""
    # To other readers of YAML an empty value is None. That is no text, and neither is a list.
    fields: dict[str, Value] = {key: [] if value is None else value for key, value in metadata.items()}
    folder = "" if skill_dir is None else _folder_name(Path(skill_dir))
    name = canonical(_text(fields, "name"))
    values = {
        "unknown": ", ".join(sorted(set(fields) - set(STANDARD_FIELDS))),
        "allowed": sorted(STANDARD_FIELDS),
        "folder": folder,
        "name": name,
        "name_length": len(name),
        "description_length": len(_text(fields, "description")),
        "compatibility_length": len(_text(fields, "compatibility")),
    }
    errors = filter(_is_error, standard_problems(fields, folder, ""))
    # One message speaks of all unknown fields.
    return list(dict.fromkeys(words for one in errors for words in _in_its_words(one, values)))


def to_prompt(skill_dirs: Iterable[AnyPath]) -> str:
    """The `<available_skills>` block that tells a model which skills there are and where they lie.

    Raises:
        ParseError: as `read_properties` does.
        ValidationError: as `read_properties` does.
    """
    skills = "".join(_element("skill", _listed(Path(os.path.realpath(folder)))) for folder in skill_dirs)
    return _element("available_skills", skills).removesuffix("\n")


def _listed(folder: Path) -> str:
    properties = read_properties(folder)
    location = str(find_skill_md(folder))
    texts = {
        "name": html.escape(properties.name),
        "description": html.escape(properties.description),
        # A model hands the path on as it reads it, so it is escaped only where it could end the element.
        "location": html.escape(location) if "<" in location else location,
    }
    return "".join(_element(tag, f"{text}\n") for tag, text in texts.items())


def _element(tag: str, content: str) -> str:
    return f"<{tag}>\n{content}</{tag}>\n"


def _fields_of(file: Path) -> dict[str, Value]:
    read = read_bytes(str(file), MAX_DOCUMENT)
    if read is None:  # it was there a moment ago
        raise ParseError(f"SKILL.md not found in {file.parent}")
    if isinstance(read, Diagnostic):
        raise ParseError(_refusal(read))
    return _parsed(read[0])[0]


def _parsed(data: bytes) -> tuple[dict[str, Value], str]:
    document = read_document(data, _FILE)
    renamed = _renamed(document)
    refusals = [one for one in document.diagnostics if one not in renamed and _is_error(one)]
    if refusals:
        raise ParseError(_refusal(refusals[0]))
    fields = dict(document.fields or {})
    for written in renamed.values():
        fields[written] = fields.pop(written.lower())
    nested = fields.get("metadata")
    if isinstance(nested, dict):
        fields["metadata"] = {key: str(value) for key, value in nested.items()}
    return fields, document.body


def _renamed(document: Document) -> dict[Diagnostic, str]:
    """What was read as `name` or `description` and is written otherwise: to the standard, `Name` is unknown."""
    if all(one.code != "field-case" for one in document.diagnostics):
        return {}
    words: set[str] = set(_IN_ANY_CASE.findall(document.text))
    found = {problem("field-case", _FILE, written=word, field=word.lower()): word for word in words}
    return {one: word for one, word in found.items() if one in document.diagnostics}


def _refusal(one: Diagnostic) -> str:
    if not one.code.startswith("yaml-") or one.code in _UNREADABLE:
        return _UNREADABLE.get(one.code, f"SKILL.md: {one.message}")
    # Behind the semicolon stands what loading makes of it, and here nothing is made of it.
    return f"Invalid YAML in frontmatter: line {one.line}: {one.message.partition(';')[0]}; {one.hint}"


def _is_error(one: Diagnostic) -> bool:
    """True for what the standard itself refuses, which is all that the reference speaks of."""
    judged = graded(one, "std")
    return judged is not None and judged.severity is Severity.ERROR


def _in_its_words(one: Diagnostic, values: Mapping[str, object]) -> Iterator[str]:
    if one.code != "name-hyphens":
        # A rule that the reference does not have is told in metier's words.
        yield _WORDS[one.code].format(**values) if one.code in _WORDS else one.message
        return
    name = str(values["name"])
    if name.strip("-") != name:
        yield "Skill name cannot start or end with a hyphen"
    if "--" in name:
        yield "Skill name cannot contain consecutive hyphens"


def _folder_name(folder: Path) -> str:
    return folder.resolve().name if folder.name in ("", "..") else folder.name


def _text(fields: Mapping[str, Value], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""
