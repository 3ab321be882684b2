"""What one dialogue has been told and has loaded."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from metier import Catalog, ConfigError, Conversation, Policy, Root, Skill, Toolset
from metier.disclosure.conversation import ActivationEvent, is_protected
from metier.disclosure.grants import decide
from metier.value import Value
from metier.words import estimate_tokens
from tests.conftest import open_profile, write, write_skill

TRUSTED = Root(path="", scope="user", label="memory", trusted=True)
STRANGE = Root(path="", scope="project", label="memory")


def inline(name: str, body: str = "Do it.", *, root: Root = TRUSTED, allowed: str = "") -> Skill:
    fields: dict[str, Value] = {"allowed-tools": allowed} if allowed else {}
    return Skill.inline(name=name, description=f"About {name}.", body=body, fields=fields, root=root)


def toolset(*skills: Skill, profile: str = "default", **changes: object) -> Toolset:
    return Toolset(Catalog.of(skills, policy=Policy.profile(profile).but(**changes)))


@pytest.mark.proves("K09", "S3-46")
@pytest.mark.parametrize("profile", ["default", "hn-explorer"])
def test_the_prompt_stays_and_a_message_tells_what_has_changed(project: Path, profile: str) -> None:
    root = project / (".skills" if profile == "hn-explorer" else "skills")
    write_skill(root, "keep", "Stays.")
    write_skill(root, "edit", "Old words.")
    write_skill(root, "drop", "Goes.")
    tools = Toolset(open_profile(project, profile))
    before = tools.system_prompt(), [(one.name, one.description, dict(one.parameters)) for one in tools.tools]
    assert tools.news() == ""
    write_skill(root, "new", "Is new.")
    write_skill(root, "edit", "New words, other length.")
    shutil.rmtree(root / "drop")
    news = tools.news()
    assert news.splitlines()[1:] == [
        "New:",
        "- new: Is new.",
        "Changed:",
        "- edit: New words, other length.",
        "No longer available: drop",
    ]
    assert tools.news() == ""
    assert before == (tools.system_prompt(), [(one.name, one.description, dict(one.parameters)) for one in tools.tools])
    assert tools.call("Skill", {"name": "new"}).ok
    assert not tools.call("Skill", {"name": "drop"}).ok


def test_the_news_says_what_should_be_loaded_again(project: Path) -> None:
    path = write_skill(project / "skills", "a", "One.", "Old.")
    tools = Toolset(open_profile(project))
    tools.activate("a")
    path.touch()
    assert tools.news() == ""
    write_skill(project / "skills", "a", "One.", "Instructions that are longer.")
    assert tools.news().endswith("Loaded before they changed; load them again to get the new instructions: a")
    assert tools.news() == ""
    assert "longer" in tools.activate("a").text


@pytest.mark.parametrize("profile", ["default", "hn-explorer"])
def test_a_frozen_prompt_stays_when_the_last_skill_goes_and_when_the_first_one_comes(
    project: Path, profile: str
) -> None:
    root = project / (".skills" if profile == "hn-explorer" else "skills")
    places = Policy.profile(profile).roots if profile == "hn-explorer" else Policy.profile("mycodeagent").roots
    empty = Toolset(open_profile(project, profile, roots=places))
    write_skill(root, "a", "Comes and goes.")
    full = Toolset(open_profile(project, profile, roots=places))
    before = full.system_prompt(), len(full.tools)
    assert "- a: Comes" in empty.news()
    assert (empty.system_prompt(), empty.tools) == ("", ())
    shutil.rmtree(root / "a")
    assert "No longer available: a" in full.news()
    assert (full.system_prompt(), len(full.tools)) == before


@pytest.mark.proves("S3-01", "S3-48")
def test_activations_leave_the_prefix_alone() -> None:
    tools = toolset(inline("a"), inline("b"), profile="hn-explorer")

    def prefix() -> str:
        text = tools.system_prompt() + "".join(f"{one.name}{one.description}{one.parameters}" for one in tools.tools)
        return hashlib.sha256(text.encode()).hexdigest()

    before = prefix()
    for number in range(10):
        assert tools.call("Skill", {"skill": "ab"[number % 2]}).ok
    assert prefix() == before


@pytest.mark.proves("A03")
def test_loading_the_same_again_gives_a_note_and_other_arguments_give_it_all(project: Path) -> None:
    write_skill(project / "skills", "a", body="Work on $ARGUMENTS.")
    tools = Toolset(open_profile(project))
    assert "Work on x." in tools.render(tools.call("Skill", {"name": "a", "args": "x"}))
    again = tools.call("Skill", {"name": "a", "args": "x"})
    assert again.ok
    assert again.activation is None
    assert "already loaded" in tools.render(again)
    assert "Work on" not in tools.render(again)
    assert "Work on y." in tools.render(tools.call("Skill", {"name": "a", "args": "y"}))
    write_skill(project / "skills", "a", body="Now do $ARGUMENTS instead.")
    assert "Now do y" in tools.render(tools.call("Skill", {"name": "a", "args": "y"}))


@pytest.mark.proves("S0-57")
def test_nested_skills_know_where_they_are() -> None:
    tools = toolset(inline("a"), inline("b"), inline("c"), inline("d"))
    tools.activate("a")
    tools.activate("b", trigger="nested")
    assert tools.conversation.stack == ["a", "b"]
    assert tools.conversation.depth == 2
    assert tools.activate("c", trigger="nested").ok
    deep = tools.activate("d", trigger="nested")
    assert deep.code == "INVALID_PARAM"
    assert "a -> b -> c -> d" in deep.summary()
    assert tools.conversation.stack == ["a", "b", "c"]


@pytest.mark.proves("S0-58")
def test_a_circle_is_named() -> None:
    tools = toolset(inline("a"), inline("b"))
    tools.activate("a")
    tools.activate("b", trigger="nested")
    circle = tools.activate("a", trigger="nested")
    assert (circle.status, circle.code) == ("error", "INVALID_PARAM")
    assert "a -> b -> a" in circle.summary()


@pytest.mark.proves("S0-56")
def test_in_the_first_design_a_skill_cannot_load_another() -> None:
    tools = toolset(inline("a"), inline("b"), profile="mycodeagent")
    assert tools.call("Skill", {"name": "a"}).ok
    assert tools.call("Skill", {"name": "b"}, trigger="nested").code == "INVALID_PARAM"
    assert tools.call("Skill", {"name": "b"}).ok


@pytest.mark.proves("A14")
def test_the_outer_skill_goes_on_when_the_inner_one_is_done() -> None:
    tools = toolset(inline("outer"), inline("inner"))
    tools.activate("outer")
    tools.activate("inner", trigger="nested")
    assert tools.conversation.finish() == "Back in skill 'outer': go on with its instructions where you left them."
    assert tools.conversation.stack == ["outer"]
    assert tools.conversation.finish() == tools.conversation.finish() == ""


@pytest.mark.proves("A13")
def test_a_skill_may_ask_to_be_done_by_somebody_else_and_not_by_itself_again() -> None:
    fields = {"context": "fork", "agent": "Explore", "model": "small", "effort": "high"}
    forked = Skill.inline(name="f", description="d", fields={**fields})
    tools = toolset(forked, inline("plain"))
    activation = tools.activate("f").activation
    assert activation is not None
    assert activation.delegation is not None
    wish = activation.delegation
    assert (wish.agent, wish.model, wish.effort) == ("Explore", "small", "high")
    assert tools.activate("f", "again", trigger="nested").code == "INVALID_PARAM"
    plain = tools.activate("plain").activation
    assert plain is not None
    assert plain.delegation is None


@pytest.mark.proves("A12")
def test_the_folder_of_a_skill_may_be_read_once_it_is_in_use(project: Path) -> None:
    write_skill(project / "skills", "a")
    tools = Toolset(open_profile(project))
    assert tools.conversation.readable_dirs == ()
    tools.activate("a")
    assert tools.conversation.readable_dirs == (str(project / "skills/a"),)


@pytest.mark.proves("A15")
def test_grants_end_with_the_turn_and_never_beat_the_host() -> None:
    tools = toolset(inline("a", allowed="Read Bash(git add *) AskUser"))
    conversation = tools.conversation
    assert conversation.decide("Read") == "ask"
    tools.activate("a")
    assert conversation.decide("Read") == "allow"
    assert conversation.decide("Bash", "git add x.py") == "allow"
    assert conversation.decide("Bash", "git push") == "ask"
    assert conversation.decide("Bash", "git add x; rm -rf /") == "ask"
    assert conversation.decide("Read", host="deny") == "deny"
    assert conversation.decide("Read", host="ask") == "ask"
    assert conversation.decide("AskUser") == "ask"
    assert conversation.decide("Read", interactive={"Read"}) == "ask"
    conversation.begin_turn()
    assert conversation.decide("Read") == "ask"
    tools.activate("a")
    assert conversation.decide("Read") == "allow"


def test_rules_cannot_be_widened_by_what_is_filled_in() -> None:
    tools = toolset(inline("a", allowed="Bash($ARGUMENTS) Read(/docs/*)"))
    tools.activate("a", "x")
    assert tools.conversation.decide("Bash", "rm -rf /") == "ask"
    assert tools.conversation.decide("Read", "/docs/a.md") == "allow"
    assert tools.conversation.decide("Read", "/docs/../etc/passwd") == "ask"


@pytest.mark.proves("A15")
def test_what_a_stranger_s_skill_asks_for_is_not_granted() -> None:
    tools = toolset(inline("a", root=STRANGE, allowed="Read"))
    assert tools.activate("a").ok
    assert tools.conversation.decide("Read") == "ask"


@pytest.mark.parametrize(
    ("rule", "tool", "argument", "decision"),
    [
        ("Bash", "Bash", "anything", "allow"),
        ("Bash(*)", "Bash", "anything", "allow"),
        ("Bash(npm test)", "Bash", "npm test", "allow"),
        ("Bash(npm test)", "Bash", "npm test --all", "ask"),
        ("Bash(npm:*)", "Bash", "npm run x", "allow"),
        ("Bash(npm:*)", "Bash", "npmx", "ask"),
        ("Read(/docs/*)", "Read", "/docs/a.md", "allow"),
        ("Read(/docs/*)", "Read", "/etc/passwd", "ask"),
        ("Bash(git *)", "Bash", "git log | sh", "ask"),
        ("Bash(git *)", "Bash", "git $(x)", "ask"),
        ("bash", "Bash", "", "ask"),
        ("", "Bash", "", "ask"),
        ("Bash()", "Bash", "rm", "ask"),
        ("Read(/docs/*)", "Read", "/docs/../etc/passwd", "ask"),
    ],
)
def test_a_rule_covers_what_it_says(rule: str, tool: str, argument: str, decision: str) -> None:
    assert decide(tool, argument, [rule]) == decision


@pytest.mark.proves("X01")
def test_after_compaction_the_newest_skills_return_first_within_their_limits() -> None:
    skills = [inline(f"s{number}", f"Body {number}. " + "word " * 4_000) for number in range(8)]
    tools = toolset(*skills)
    for skill in skills:
        tools.activate(skill.name)
    text = tools.reattach()
    blocks = text.split("<skill_content ")[1:]
    assert [block.split('"')[1] for block in blocks] == ["s7", "s6", "s5", "s4", "s3"]
    assert all(estimate_tokens(block) <= 5_100 for block in blocks)
    assert sum(map(estimate_tokens, blocks)) <= 25_400
    assert "[cut here; read" in blocks[-1]
    small = tools.reattach(each_tokens=100, total_tokens=250)
    assert small.count("<skill_content ") == 3
    # What was cut or did not fit can be loaded again; what came back whole need not.
    for name in ("s0", "s7"):
        assert tools.activate(name).activation is not None


@pytest.mark.proves("X01", "S3-10")
@pytest.mark.parametrize("profile", ["default", "mycodeagent", "hn-explorer"])
def test_pruning_can_tell_the_messages_of_skills(profile: str) -> None:
    tools = toolset(inline("a"), profile=profile)
    loaded = tools.call("Skill", {"name": "a"})
    assert loaded.is_protected
    assert is_protected(tools.render(loaded))
    assert not is_protected(tools.render(tools.call("Skill", {"name": "nope"})))
    assert not is_protected("Some answer about <skill_content> in the middle.")


@pytest.mark.proves("X02")
def test_the_listing_survives_compaction_as_it_is_by_then(project: Path) -> None:
    write_skill(project / "skills", "a", "Old.")
    write_skill(project / "skills", "b", "Stays.")
    tools = Toolset(open_profile(project, roots=Policy.profile("mycodeagent").roots))
    assert tools.reattach() == "- a: Old.\n- b: Stays."
    shutil.rmtree(project / "skills/a")
    write_skill(project / "skills", "c", "New.")
    assert "No longer available: a" in tools.news()
    assert tools.reattach() == "- b: Stays.\n- c: New."
    assert tools.news() == ""


@pytest.mark.proves("X03")
def test_arguments_that_return_are_marked_as_history() -> None:
    tools = toolset(inline("a", "Deploy $ARGUMENTS."))
    tools.activate("a", "production")
    text = tools.reattach()
    head, _, rest = text.partition("<skill_content")
    assert "not a new request" in head
    assert "Deploy production." in rest


@pytest.mark.proves("X04")
def test_a_conversation_is_saved_and_taken_up_without_telling_anything_twice(project: Path) -> None:
    write_skill(project / "skills", "a", "Old.")
    first = Toolset(open_profile(project), session="s-1")
    first.activate("a", "x")
    saved = first.conversation.to_json()
    write_skill(project / "skills", "b", "Came while nobody was there.")
    second = Toolset(open_profile(project), Conversation.from_json(saved))
    assert second.conversation == first.conversation
    assert second.system_prompt() == first.system_prompt()
    assert [one.parameters for one in second.tools] == [one.parameters for one in first.tools]
    assert second.activate("a", "x").data["already_loaded"] is True
    assert "- b: Came while" in second.news()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 99}', '{"format": 1, "loaded": 3}', "nonsense"])
def test_a_damaged_conversation_is_refused_clearly(text: str) -> None:
    with pytest.raises(ConfigError, match="saved conversation"):
        Conversation.from_json(text)


@pytest.mark.proves("X05")
def test_every_activation_is_reported(project: Path) -> None:
    events: list[ActivationEvent] = []
    write_skill(project / "skills", "a")
    write_skill(project / "skills", "b")
    tools = Toolset(open_profile(project), on_activation=events.append)
    tools.activate("a")
    tools.call("Skill", {"name": "b"})
    tools.activate("a", "x", trigger="nested")
    tools.call("Skill", {"name": "nope"})
    seen = [(one.skill, one.source, one.trigger, one.tokens > 0, bool(one.revision)) for one in events]
    assert seen == [
        ("a", "project", "user", True, True),
        ("b", "project", "model", True, True),
        ("a", "project", "nested", True, True),
    ]


def test_touching_a_file_makes_known_what_waits_for_it(project: Path) -> None:
    write(project / "skills/css/SKILL.md", "---\nname: css\ndescription: Styles.\npaths: '*.css'\n---\n")
    write_skill(project / "web/.agents/skills", "nested", "From a folder below.")
    tools = Toolset(open_profile(project))
    assert "css" not in tools.system_prompt()
    assert "- css: Styles." in tools.touch("main.css")
    assert tools.touch("main.css") == ""
    assert "- nested: From a folder below." in tools.touch(project / "web/index.html")
