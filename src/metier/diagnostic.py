"""Diagnostics: what is wrong with a file, as values. One table holds every code.

A row grades a problem three times: when skills are loaded (`load`), by the open standard's own rules
(`std`), and with advice on top (`strict`). `None` means that this reading does not report it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

RuleSet: TypeAlias = Literal["std", "strict"]


class Severity(StrEnum):
    """How bad a problem is: `error` keeps a skill from being offered, `warning` does not, `note` informs."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One problem of one file."""

    code: str
    severity: Severity
    message: str
    path: str
    line: int | None = None
    column: int | None = None
    hint: str | None = None

    def as_json(self) -> dict[str, str | int | None]:
        """The stable shape that every `--json` prints."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "message": self.message,
            "hint": self.hint,
        }


class Kind(NamedTuple):
    """A row of the table: one sort of problem."""

    code: str
    load: Severity | None
    std: Severity | None
    strict: Severity | None
    message: str
    hint: str


def _row(code: str, grades: str, message: str, hint: str) -> Kind:
    """A row whose three grades are written as letters: e, w, n, or - for "not reported"."""
    load, std, strict = ({"e": _E, "w": _W, "n": _N, "-": None}[letter] for letter in grades)
    return Kind(code, load, std, strict, message, hint)


_ROWS = (
    # ── the file ─────────────────────────────────────────────────────────────────────────────────────────
    _row("file-missing", "eee", "there is no SKILL.md in this folder", "create SKILL.md, or check another folder"),
    _row("file-unreadable", "eee", "cannot be read: {reason}", "check the permissions of the file and its folders"),
    _row("file-not-regular", "eee", "is {what}, not a file", "replace it by a plain text file"),
    _row("file-name-case", "wee", "is named {found!r}; only SKILL.md is read", "rename it to SKILL.md"),
    _row("file-name-twice", "-ww", "{ignored!r} lies beside it and is not read", "remove one of the two files"),
    _row("link-broken", "eee", "is a link to {target!r}, which does not exist", "mend or remove the link"),
    _row("link-escapes", "eee", "is a link that leads out of {boundary!r}", "copy the files, or trust this root"),
    _row("not-utf8", "eee", "is not UTF-8: {reason}", "save the file as UTF-8"),
    _row("nul-byte", "eee", "holds a NUL byte, so it is not text", "save the file as UTF-8 text"),
    _row("byte-order-mark", "-ee", "starts with a byte-order mark", "save it as UTF-8 without BOM (`--fix` does it)"),
    # ── the frontmatter ──────────────────────────────────────────────────────────────────────────────────
    _row("frontmatter-missing", "eee", "has no frontmatter: {reason}", "start the file with a line `---`"),
    _row("frontmatter-not-first", "wee", "blank lines stand before the frontmatter", "move `---` to line 1"),
    _row("frontmatter-fence", "www", "the frontmatter ends with {found!r}, not with a line `---`", "write `---`"),
    _row("frontmatter-unclosed", "eee", "the frontmatter is never closed", "end it with a line `---`"),
    _row(
        "header-too-large",
        "eee",
        "the frontmatter does not end within {limit:,} bytes",
        "close it with a line `---`, and move long texts into the body",
    ),
    _row("yaml-invalid", "eee", "the frontmatter is not valid YAML: {reason}", "quote the value, or mend the line"),
    _row("yaml-not-a-mapping", "eee", "the frontmatter is {what}, not `key: value` lines", "write `name: …` lines"),
    _row("yaml-too-deep", "eee", "values are nested more than {limit} deep", "flatten the value"),
    _row("yaml-alias-bomb", "eee", "aliases expand to more than {limit:,} values", "write the values out"),
    _row("yaml-repaired", "wee", "{field!r} is not valid YAML; {assumed}", "put the value in quotes (try `--fix`)"),
    _row("yaml-duplicate-key", "wee", "{field!r} is given more than once; the last one counts", "keep only one"),
    _row("yaml-flow-style", "-ee", "the reference validator refuses `[…]` and `{{…}}`", "write one item a line"),
    _row("yaml-anchor", "wee", "the reference validator refuses anchors and aliases", "write the value out"),
    _row("yaml-tab", "-ee", "the reference validator refuses tabs between words", "use blanks, or quote the value"),
    _row("yaml-tag", "wee", "the reference validator refuses tags such as {tag!r}", "remove the tag"),
    _row("yaml-comment-cut", "www", "{field!r} ends at ` #`, where a comment starts", "put the value in quotes"),
    # ── the fields ───────────────────────────────────────────────────────────────────────────────────────
    _row("name-missing", "wee", "there is no `name`{assumed}", "add `name: {folder}`"),
    _row("name-empty", "wee", "`name` is empty{assumed}", "write `name: {folder}`"),
    _row("name-not-text", "wee", "`name` is {what}, not a text", "write `name` as one word"),
    _row("name-unsafe", "wee", "{name!r} holds characters no name may hold{assumed}", "use a-z, 0-9 and -"),
    _row("name-too-long", "wee", "the name has {length} characters; at most {limit} are allowed", "shorten the name"),
    _row("name-not-lowercase", "wee", "the name {name!r} is not all lower case", "write it in lower case"),
    _row("name-hyphens", "wee", "{name!r} starts or ends with a hyphen, or has two in a row", "use single hyphens"),
    _row("name-characters", "wee", "{name!r} holds {characters!r}", "use only letters, digits and hyphens"),
    _row(
        "name-folder-mismatch",
        "wee",
        "the name {name!r} differs from its folder {folder!r}",
        "rename the folder or the field (try `--fix`)",
    ),
    _row("description-missing", "eee", "there is no `description`", "say what the skill does and when to use it"),
    _row("description-empty", "eee", "`description` is empty", "say what the skill does and when to use it"),
    _row("description-not-text", "wee", "`description` is {what}, not a text", "write `description` as one text"),
    _row("description-too-long", "wee", "the description has {length:,} characters, over {limit:,}", "shorten it"),
    _row("compatibility-not-text", "-ee", "`compatibility` is {what}, not a text", "write it as one text"),
    _row("compatibility-too-long", "-ee", "`compatibility` has {length:,} characters, over {limit}", "shorten it"),
    _row("compatibility-empty", "-ww", "`compatibility` is empty", "say what is needed, or remove the field"),
    _row("metadata-not-mapping", "-ww", "`metadata` is {what}, not a map", "write one `key: value` a line"),
    _row("metadata-not-text", "-ww", "`metadata.{key}` is {what}, not a text", "flatten the value to a text"),
    _row("allowed-tools-list", "-ww", "`allowed-tools` is a list", "separate by spaces (try `--fix`)"),
    _row("field-case", "wee", "{written!r} was read as {field!r}", "write the field in lower case"),
    _row("field-unknown", "-ee", "{field!r} is not a field of the standard", "move it below `metadata`"),
    # ── skill.yaml ───────────────────────────────────────────────────────────────────────────────────────
    _row("manifest-name", "www", "is named {found!r}; only skill.yaml is read", "rename it to skill.yaml"),
    _row("tool-field-missing", "eee", "{field} is required", "add `{field}: …`"),
    _row("tool-name-grammar", "eee", "the tool name {name!r} is not <domain>_<action> in a-z, 0-9, _", "rename it"),
    _row("tool-name-prefix", "eee", "the tool name {name!r} does not start with {prefix!r}", "write `{prefix}…`"),
    _row("tool-name-twice", "eee", "two tools are named {name!r}", "rename one of them"),
    _row("tool-runtime", "eee", "the runtime {runtime!r} is not known", "use python, node, go or binary"),
    _row("tool-entry-escapes", "eee", "the entry {entry!r} leads out of the skill's folder", "use a path inside it"),
    _row("tool-entry-missing", "eee", "the entry {entry!r} does not exist", "create {path!r}, or mend `entry`"),
    _row("tool-go-mod", "eee", "there is no go.mod beside the Go entry", "run `go mod init` in the folder"),
    _row(
        "tool-parameter",
        "eee",
        "the parameter {name!r} {reason}",
        "give it a name and a type: string, integer, number or boolean",
    ),
    _row(
        "tool-name-reserved",
        "eee",
        "the name {name!r} is that of one of metier's own tools",
        "choose another name for the folder and its tools",
    ),
    _row(
        "tool-option",
        "eee",
        "the option {option!r} of the tool {name!r} {reason}",
        "see the page on skill.yaml, or leave the option out",
    ),
    _row(
        "tool-build",
        "e--",
        "the tool {name!r} does not build: {reason}",
        "mend the program; then reload, or start again",
    ),
    # ── the catalog ──────────────────────────────────────────────────────────────────────────────────────
    _row("root-missing", "w--", "this root does not exist", "create the folder, or drop the root"),
    _row(
        "root-is-skill",
        "w--",
        "SKILL.md lies in a root of skills, not in a folder of its own",
        "give it a folder, or name another root",
    ),
    _row("folder-hidden", "n--", "a skill in a hidden folder is not listed", "rename the folder without a dot"),
    _row("folder-unreadable", "w--", "this folder cannot be searched: {reason}", "check its permissions"),
    _row("truncated", "w--", "{reason}; some skills may be missing", "narrow the root, or raise `{knob}`"),
    _row(
        "name-shadowed",
        "w--",
        "{name!r} is shadowed by {winner!r}",
        "rename one of them; this one answers to {qualified!r}",
    ),
    _row("name-shared", "w--", "{name!r} is also the name of {other!r}; both are kept", "use {qualified!r}"),
    _row(
        "project-untrusted",
        "n--",
        "skills of this project that wait for trust: {count}",
        "trust the folder to list them",
    ),
    _row(
        "client-folder",
        "n--",
        "another client keeps skills here that are not listed: {count}",
        "add {client!r} to `clients`",
    ),
    _row(
        "package-broken",
        "e--",
        "the installed package cannot be used: {reason}",
        "mend or uninstall {distribution!r}, or set SKILL_{key}_ENABLED=false",
    ),
    _row("package-unready", "n--", "the installed package is off: {module} is not installed", "{install}"),
    _row(
        "package-twice",
        "w--",
        "{distribution!r} and {winner!r} both have a skill {name!r}; the second one is used",
        "uninstall one of them",
    ),
    _row("config-ignored", "w--", "{reason}", "mend the setting; `metier doctor` shows what is in force"),
    # ── advice ───────────────────────────────────────────────────────────────────────────────────────────
    _row("body-empty", "--w", "there are no instructions after the frontmatter", "say how the work is done"),
    _row(
        "body-too-long",
        "--w",
        "the body has {lines:,} lines and about {tokens:,} tokens",
        "keep it below 500 lines and 5,000 tokens; move detail to references/",
    ),
    _row(
        "description-no-trigger",
        "--w",
        "the description does not say when to use the skill",
        'add a clause such as "Use when …"',
    ),
    _row("link-dead", "--w", "{target!r} does not exist in the skill", "create the file, or mend the link"),
    _row("link-outside", "--w", "{target!r} leads out of the skill's folder", "keep what it needs inside the skill"),
    _row("script-no-shebang", "--w", "the script has no `#!` line", "start it with `#!/usr/bin/env …`"),
    _row("tool-name-library", "--w", "{name!r} is named after the library {library!r}", "name it after the ability"),
    _row(
        "tool-description-verb", "--w", "the description of {name!r} starts with no verb", "say what it does: Reads …"
    ),
    _row(
        "tool-description-limit", "--w", "the description of {name!r} names no limit", "add one, such as: up to 20 MB"
    ),
    _row("tool-description-padding", "--w", "the description of {name!r} says {words!r}", "leave it out"),
    _row("tool-docs-missing", "--w", "{name!r} has no `docs`", "say when to use it, when not, and give an example"),
    _row("tool-example", "--w", "the example {scenario!r} of {name!r} does not fit: {reason}", "mend its arguments"),
    _row("script-no-usage", "--w", "the script never mentions --help or its usage", "say how it is called"),
)

TABLE: MappingProxyType[str, Kind] = MappingProxyType({row.code: row for row in _ROWS})
"""Every code that metier can report."""


def problem(
    code: str, path: str, line: int | None = None, column: int | None = None, /, **values: object
) -> Diagnostic:
    """A diagnostic of the table, graded for loading; a problem that loading keeps quiet about is a note."""
    kind = TABLE[code]
    return Diagnostic(
        code=code,
        severity=kind.load or Severity.NOTE,
        message=kind.message.format(**values),
        path=path,
        line=line,
        column=column,
        hint=kind.hint.format(**values),
    )


def is_reported_when_loading(diagnostic: Diagnostic) -> bool:
    """False for what only `metier check` speaks of."""
    return TABLE[diagnostic.code].load is not None


def graded(diagnostic: Diagnostic, rules: RuleSet) -> Diagnostic | None:
    """The diagnostic with the severity that a rule set gives it; `None` if the set does not report it."""
    kind = TABLE[diagnostic.code]
    severity = kind.std if rules == "std" else kind.strict
    if severity is None:
        return None
    return Diagnostic(
        code=diagnostic.code,
        severity=severity,
        message=diagnostic.message,
        path=diagnostic.path,
        line=diagnostic.line,
        column=diagnostic.column,
        hint=diagnostic.hint,
    )
