"""Every exception of metier, one tree, cut by what the caller can do about it.

    MetierError
    ├── UsageError             the caller's mistake; nothing was attempted
    │   ├── UnknownSkill       no skill has this name
    │   ├── AmbiguousSkill     several skills have this name and none takes precedence
    │   ├── UnknownTool        no tool has this name
    │   ├── UnknownProfile     no policy profile has this name
    │   ├── InvalidSkill       a skill given by the program breaks a rule
    │   ├── NotMade            a new skill cannot be made as it was ordered
    │   └── ConfigError        a configuration file cannot be used
    ├── PathEscape             a path leads out of the folder it must stay in
    ├── FileFailed             the operating system refused to read or write a file
    └── ToolFailed             a tool in Python says to its model what went wrong

Problems in the *content* of skills are never exceptions: they are `Diagnostic` values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence


class MetierError(Exception):
    """The root of the tree: `code` for machines, `hint` for what to do next."""

    code: ClassVar[str] = "metier-error"
    hint: str | None = None


class UsageError(MetierError):
    """The caller asked for something that does not exist or makes no sense."""

    code = "usage"


class UnknownSkill(UsageError):
    """No skill answers to this name."""

    code = "unknown-skill"

    def __init__(self, name: str, suggestions: Sequence[str] = (), reason: str | None = None) -> None:
        super().__init__(name, tuple(suggestions), reason)
        self.name = name
        self.suggestions = tuple(suggestions)
        self.reason = reason
        if reason:
            self.hint = reason
        elif self.suggestions:
            self.hint = "did you mean " + " or ".join(map(repr, self.suggestions)) + "?"
        else:
            self.hint = "`metier doctor` tells what became of every file that was found"

    def __str__(self) -> str:
        return f"no skill is named {self.name!r}"


class AmbiguousSkill(UsageError):
    """Several skills share this name and the policy keeps them all."""

    code = "ambiguous-skill"

    def __init__(self, name: str, candidates: Sequence[str]) -> None:
        super().__init__(name, tuple(candidates))
        self.name = name
        self.candidates = tuple(candidates)
        self.hint = "say which one: " + ", ".join(self.candidates)

    def __str__(self) -> str:
        return f"{len(self.candidates)} skills are named {self.name!r}"


class UnknownTool(UsageError):
    """No tool of any skill answers to this name."""

    code = "unknown-tool"

    def __init__(self, name: str, known: Sequence[str] = (), why: str = "") -> None:
        super().__init__(name, tuple(known), why)
        self.name = name
        self.known = tuple(known)
        self.why = why
        shown = ", ".join(self.known)
        self.hint = f"there are: {shown}" if shown else "no skill that was found has tools; `metier doctor` tells more"

    def __str__(self) -> str:
        return f"no tool is named {self.name!r}" + (f"; {self.why}" if self.why else "")


class UnknownProfile(UsageError):
    """No profile of the policy table has this name."""

    code = "unknown-profile"

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(name, tuple(known))
        self.name = name
        self.known = tuple(known)
        self.hint = "known profiles: " + ", ".join(self.known)

    def __str__(self) -> str:
        return f"no profile is named {self.name!r}"


class InvalidSkill(UsageError):
    """A skill made by the program, not found on disk, breaks a rule."""

    code = "invalid-skill"

    def __init__(self, field: str, value: str, reason: str, hint: str | None = None) -> None:
        super().__init__(field, value, reason, hint)
        self.field = field
        self.value = value
        self.reason = reason
        self.hint = hint or f"give another {field}"

    def __str__(self) -> str:
        return f"{self.field} {self.value!r} {self.reason}"


class Refused(UsageError):
    """What was asked for cannot be done as it stands; nothing was written."""

    code = "refused"

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason, hint)
        self.reason = reason
        self.hint = hint

    def __str__(self) -> str:
        return self.reason


class NotMade(Refused):
    """A new skill cannot be made as it was ordered."""

    code = "not-made"


class NotTrusted(Refused):
    """A skill cannot be trusted, or was not."""

    code = "not-trusted"


class ConfigError(UsageError):
    """A configuration file or variable cannot be used."""

    code = "config"

    def __init__(self, place: str, reason: str, hint: str | None = None) -> None:
        super().__init__(place, reason, hint)
        self.place = place
        self.reason = reason
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


class PathEscape(MetierError):
    """A path would leave the folder it must stay in."""

    code = "path-escape"
    hint = "use a path below the folder, without '..' and without links that lead out"

    def __init__(self, base: str, requested: str) -> None:
        super().__init__(base, requested)
        self.base = base
        self.requested = requested

    def __str__(self) -> str:
        return f"{self.requested!r} is not inside {self.base!r}"


class FileFailed(MetierError):
    """The operating system refused an operation on a file."""

    code = "file-failed"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason
        self.hint = "check that the file is there and its permissions, then try again"

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class ToolFailed(MetierError):
    """Raised by a tool in Python: its text, and nothing else, is what the model is told.

    The text is `problem: value — next step`; without a value, `problem — next step`.
    """

    code = "tool-failed"

    def __init__(self, problem: str, value: str = "", next_step: str = "") -> None:
        super().__init__(problem, value, next_step)
        self.problem = problem
        self.value = value
        self.next_step = next_step
        self.hint = next_step or None

    def __str__(self) -> str:
        value = f": {self.value}" if self.value else ""
        return self.problem + value + (f" — {self.next_step}" if self.next_step else "")
