"""The catalog: all skills of all roots, following the disk."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

from metier.catalog.cache import Cache, cache_path
from metier.catalog.candidate import Candidate, State
from metier.catalog.library import MAX_DOCUMENT, Delta, Library, difference, place_of, unambiguous
from metier.catalog.reading import read_bytes
from metier.catalog.resources import FileList, list_files
from metier.catalog.roots import (
    create_roots,
    explicit_roots,
    folders_of_other_clients,
    nested_roots,
    resolve_roots,
)
from metier.errors import AmbiguousSkill, FileFailed, PathEscape, UnknownSkill
from metier.parsing.document import Document, read_document
from metier.parsing.names import canonical, suggestions
from metier.paths import is_inside
from metier.policy import Policy
from metier.value import FALSE_WORDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from types import ModuleType

    from metier.diagnostic import Diagnostic
    from metier.disclosure.arguments import Arguments
    from metier.disclosure.conversation import Conversation
    from metier.disclosure.listing import Listing
    from metier.disclosure.triggers import Triggers
    from metier.messages import Lang
    from metier.policy import Style
    from metier.result.answer import Result
    from metier.skill import Root, Skill


class Catalog:
    """All skills that were found, with names resolved, shadowed ones still reachable, and every problem.

    Make one with `Catalog.open` for skills on disk, or `Catalog.of` for skills in memory.
    """

    def __init__(self, library: Library, allowed: frozenset[str] | None = None) -> None:
        self._library = library
        self._allowed = allowed
        self._told = library.view.offered

    @classmethod
    def open(
        cls,
        project: str | os.PathLike[str] = ".",
        *,
        policy: Policy | None = None,
        roots: Sequence[str | os.PathLike[str] | Root] | None = None,
        skills: Sequence[Skill] = (),
        environ: Mapping[str, str] | None = None,
        cache: bool = True,
        notes: Sequence[Diagnostic] = (),
        packages: bool = False,
    ) -> Catalog:
        """Find the skills of a project, of its user and of metier itself.

        Never raises for what is in the files: that is in `diagnostics`.

        Args:
            project: The folder to stand in.
            policy: The rules; by default those of the configuration, or else the `default` profile.
            roots: Folders to look in instead of the policy's own.
            skills: Skills made by the program, ranked before all others.
            environ: The environment; by default the process's own.
            cache: Whether to start from, and write, the user's cache.
            notes: Diagnostics to report besides the catalog's own, such as those of a configuration.
            packages: Whether to add the skills of installed Python packages, where the policy has tools at all. That
                imports them: it runs their code and takes its time.

        Raises:
            ConfigError: when a configuration file cannot be read at all.
        """
        environment = os.environ if environ is None else environ
        folder: str = os.path.abspath(os.fspath(project))
        told = list(notes)
        if policy is None:
            from metier.catalog.config import load_config

            config = load_config(folder, environment)
            policy = config.policy
            told += config.diagnostics
        if environment.get("SKILLS_PROMPT_CHAR_BUDGET"):
            from metier.catalog.config import with_environment

            policy, more = with_environment(policy, environment)
            told += more
        places = resolve_roots(folder, policy, environment) if roots is None else explicit_roots(roots, folder, policy)
        if policy.create_roots:
            told += create_roots(places, folder)
        where = cache_path(environment) if cache else None
        store = Cache(where) if where else None
        installed = _installed(policy, environment) if packages else ()
        library = Library(
            folder, policy, environment, roots=places, skills=skills, packages=installed, cache=store, notes=told
        )
        library.refresh()
        return cls(library)

    @classmethod
    def of(cls, skills: Sequence[Skill], *, policy: Policy | None = None) -> Catalog:
        """A catalog of skills in memory: no files are looked for."""
        chosen = policy or Policy.profile("default")
        library = Library("", chosen, {}, skills=skills)
        library.refresh()
        return cls(library)

    @property
    def project(self) -> str:
        """The folder the catalog stands in; empty for one in memory."""
        return self._library.project

    @property
    def policy(self) -> Policy:
        """The rules in force."""
        return self._library.policy

    @property
    def roots(self) -> tuple[Root, ...]:
        """Where skills are looked for, in order of rank. Not all of them need to exist."""
        return self._library.roots

    @property
    def skills(self) -> tuple[Skill, ...]:
        """The skills a model is told of, in a stable order."""
        offered = self._library.view.offered
        if self._allowed is None:
            return offered
        return tuple(skill for skill in offered if self._may_see(skill))

    @property
    def disclosed(self) -> tuple[Skill, ...]:
        """The same skills as a model is told of them: one that shares its name goes by `label:name`, or its path."""
        disclosed = self._library.view.disclosed
        return disclosed if self._allowed is None else tuple(filter(self._may_see, disclosed))

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """Every file that might be a skill, and what became of it."""
        everything = self._library.view.candidates
        return tuple(one for one in everything if one.skill is None or self._may_see(one.skill))

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong, each problem once, sorted by file and line."""
        return self._library.view.diagnostics

    @property
    def cache_failure(self) -> str | None:
        """Why the cache is not in use, if it should be."""
        return self._library.cache.failure if self._library.cache else None

    def folders_of_other_clients(self) -> tuple[Diagnostic, ...]:
        """Notes on folders where other programs keep skills that this catalog does not look at."""
        library = self._library
        return tuple(folders_of_other_clients(library.project, library.roots, library.environ))

    def get(self, name: str) -> Skill | None:
        """The skill called `name`: a name, its folder's name, `label:name`, or the path of its file or folder.

        With the policy's `refresh="call"` the disk is looked at first, unless `SKILLS_REFRESH_ON_CALL` says no.

        Raises:
            AmbiguousSkill: when several skills hold the name and the policy keeps them all.
        """
        if self._library.policy.refresh == "call" and self._refreshes_on_call():
            self._library.refresh()
        return self._find(name)

    def find_to_load(self, name: str) -> Skill | None:
        """Like `get`, for who reads the skill's file right after: that tells whether it is still the same.

        So the others are looked at only if that was not done a moment ago, or if there is no such skill.
        """
        library = self._library
        skill = self._find(name) if library.is_recent() else None
        skill = skill or self.get(name)
        called = library.view.names.get(place_of(skill)) if skill and library.view.names else None
        return skill._replace(name=called) if skill and called else skill

    def look(self) -> None:
        """Look at the disk again without telling anybody; what has changed is still told by the next `refresh`."""
        self._library.refresh()

    def require(self, name: str) -> Skill:
        """Like `get`, for callers that cannot go on without it.

        Raises:
            UnknownSkill: with the names that come nearest.
            AmbiguousSkill: as `get` does.
        """
        skill = self.get(name)
        if skill is None:
            known = [one.skill.name for one in self.candidates if one.skill and one.state is State.LOADED]
            raise UnknownSkill(name, suggestions(name, known), self._why_not(name))
        return skill

    def document(self, name: str) -> Document:
        """The whole `SKILL.md` of a skill as it is on disk now: fields, body, raw text.

        Raises:
            UnknownSkill: when there is no such skill.
            FileFailed: when the file is gone or cannot be read.
            PathEscape: when it has become a link out of an untrusted project.
        """
        skill = self.require(name)
        if skill.text is not None:
            return Document(skill.text, skill.fields, skill.text.strip(), 1, ())
        if not skill.root.trusted and not is_inside(skill.root.boundary, skill.path):
            raise PathEscape(skill.root.boundary, skill.path)
        read = read_bytes(skill.path, MAX_DOCUMENT)
        if not isinstance(read, tuple):
            raise FileFailed(skill.path, read.message if read else "it is gone")
        return read_document(read[0], skill.path)

    def files(self, name: str) -> FileList:
        """The files of a skill, sorted by relative path. A skill in memory has none.

        Raises:
            UnknownSkill: when there is no such skill.
        """
        skill = self.require(name)
        return list_files(skill.dir) if skill.path else FileList((), truncated=False)

    def listing(
        self,
        *,
        budget: int | None = None,
        tokens: int | None = None,
        style: Style | None = None,
        favoured: Collection[str] = (),
        touched: Collection[str] = (),
        lang: Lang | None = None,
    ) -> Listing:
        """Layer 1: the text about all visible skills for a prompt, and a report of what fitted.

        Args:
            budget: Characters the text may have, instead of the policy's.
            tokens: Tokens it may have, by estimate.
            style: `bullets`, `xml`, `id_name_desc` or `planner`, instead of the policy's.
            favoured: Names whose descriptions are shortened last, such as those of recently used skills.
            touched: Files that are being worked on; skills with `paths` wait for one of theirs.
            lang: The language of what are not a skill's own words.
        """
        from metier.disclosure.budget import Budget
        from metier.disclosure.gates import is_open
        from metier.disclosure.listing import make_listing

        policy, skills = self.policy, self.disclosed
        if policy.waits_for_paths and self._library.view.has_waiting:
            skills = tuple(skill for skill in skills if "paths" not in skill.fields or is_open(skill, touched))
        given = budget is not None or tokens is not None
        limit = Budget(chars=budget, tokens=tokens) if given else None
        return make_listing(skills, policy, budget=limit, style=style, favoured=favoured, lang=lang)

    def activate(self, name: str, args: Arguments = "", *, conversation: Conversation | None = None) -> Result:
        """Layer 2: the instructions of one skill, with arguments filled in. What goes wrong is in the result."""
        return _loading().activate(self, name, args, conversation=conversation)

    def read(self, name: str, path: str, *, offset: int = 0) -> Result:
        """Layer 3: one file of a skill as text. What goes wrong is in the result."""
        from metier.catalog.serving import read_resource

        return read_resource(self, name, path, offset)

    def triggers(self, text: str) -> Triggers:
        """The skills that a user asks for by name in a text, and names that no skill has."""
        from metier.disclosure.triggers import find_triggers

        loaded = (skill for skills in self._library.view.named.values() for skill in skills)
        return find_triggers(text, [one.name for one in loaded if self._may_see(one) and one.is_user_invocable])

    def refresh(self) -> Delta:
        """Look at the disk again and tell what has changed since this catalog last told. Unchanged files are not read.

        Whatever else looks at the disk in between, such as `get`, takes nothing away from what is told here.
        """
        self._library.refresh()
        delta = difference(self._told, self._library.view.offered)
        self._told = self._library.view.offered
        if self._allowed is None or not delta:
            return delta
        return Delta(*(tuple(filter(self._may_see, skills)) for skills in delta))

    def only(self, names: Collection[str]) -> Catalog:
        """The same catalog for an agent that may see just these skills, in lists and by name alike."""
        allowed = frozenset(map(canonical, names))
        return Catalog(self._library, allowed if self._allowed is None else self._allowed & allowed)

    def visit(self, path: str | os.PathLike[str]) -> Delta:
        """Tell the catalog that a file below the project is being worked on.

        The roots of the folders on the way to it join the catalog, ranked after all others; where a name is taken,
        their skill answers to `folder:name`.
        """
        library = self._library
        touched = os.path.normpath(os.path.join(library.project, os.fspath(path)))
        if library.add_roots(list(nested_roots(library.project, touched, library.policy))):
            return self.refresh()
        return Delta()

    def watch(self, *, interval_s: float = 1.0, polling: bool = False) -> Iterator[Delta]:
        """Wait for changes on disk and yield each delta; ends only when the caller stops asking.

        Args:
            interval_s: How often to look where there are no file events.
            polling: Never rely on file events, which network drives do not send.
        """
        from metier.catalog.watch import file_events, watch

        notifier = None if polling else file_events()
        # The folder of a single skill is the whole project; watching that would mean watching everything in it.
        return watch(self.refresh, lambda: [root.path for root in self.roots if not root.single], interval_s, notifier)

    def _why_not(self, name: str) -> str | None:
        """What became of the candidate that is meant, if there is one that is not offered."""
        for one in self.candidates:
            if one.state not in (State.LOADED, State.SHADOWED) and name in (one.name, _folder_of(one.path)):
                return f"{one.path or one.name} is {one.state}: {one.reason}"
        return None

    def _refreshes_on_call(self) -> bool:
        return self._library.environ.get("SKILLS_REFRESH_ON_CALL", "").strip().lower() not in FALSE_WORDS

    def _may_see(self, skill: Skill) -> bool:
        if self._allowed is None or skill.name in self._allowed:
            return True
        return skill.qualified_name in self._allowed or skill.name.rpartition(":")[2] in self._allowed

    def _find(self, name: str) -> Skill | None:
        wanted = canonical(name)
        if not wanted:
            return None
        holders = [skill for skill in self._library.view.named.get(wanted, ()) if self._may_see(skill)]
        if len(holders) > 1:
            raise AmbiguousSkill(name, [unambiguous(skill, holders) for skill in holders])
        return holders[0] if holders else self._find_otherwise(name, wanted)

    def _find_otherwise(self, name: str, wanted: str) -> Skill | None:
        """By the folder's name, the qualified name or a path."""
        usable = [
            (one.state, one.skill)
            for one in self._library.view.candidates
            if one.skill is not None and one.state in (State.LOADED, State.SHADOWED) and self._may_see(one.skill)
        ]
        loaded = [skill for state, skill in usable if state is State.LOADED]
        aliases = [skill for skill in loaded if os.path.basename(skill.dir) == wanted]
        if len(aliases) == 1:
            return aliases[0]
        everyone = loaded + [skill for state, skill in usable if state is State.SHADOWED]
        for skill in everyone:
            if skill.qualified_name == wanted or (skill.path and name in (skill.path, skill.dir)):
                return skill
        path = os.path.normpath(os.path.join(self.project, name))
        return next((skill for skill in everyone if skill.path and path in (skill.path, skill.dir)), None)


@functools.cache
def _loading() -> ModuleType:
    """Imported when something is loaded; a statement inside of a method would cost a tenth of an activation."""
    from metier.catalog import loading

    return loading


def _installed(policy: Policy, environ: Mapping[str, str]) -> tuple[Candidate, ...]:
    """The skills of installed packages, where the policy knows tools. Imported here, because few programs need it."""
    if not policy.tools:
        return ()
    from metier.catalog.packaged import packaged_candidates

    return packaged_candidates(policy, environ)


def _folder_of(path: str) -> str:
    return os.path.basename(os.path.dirname(path))
