"""Workers: one process for many calls, and what happens when it does not behave."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from metier import Catalog, Result, Tools
from metier.execution.pool import Terms
from metier.execution.sandbox import Sandbox
from tests.conftest import open_profile, write
from tests.execution.test_runner import leftovers

T0 = Sandbox(tier="T0", enforced=(), missing=())
LOOP = """
import json, os, sys, time
seen = 0
for line in sys.stdin:
    request = json.loads(line)
    arguments = request["arguments"]
    seen += 1
    def say(output, error="", **more):
        print(json.dumps({"id": request["id"], "output": str(output), "error": error, **more}), flush=True)
"""


def worker(project: Path, code: str, more: str = "", name: str = "probe") -> None:
    """A worker that runs the given code for each request."""
    write(
        project / f"skills/{name}/skill.yaml",
        f"name: {name}\ndescription: Tries something.\nruntime: python\nentry: main.py\nmode: worker\n"
        f"parameters:\n  - {{name: text, type: string}}\n  - {{name: pause, type: number}}\n{more}",
    )
    body = "".join(f"    {line}\n" for line in code.splitlines())
    write(project / f"skills/{name}/main.py", LOOP + body)


def tools(project: Path, sandbox: Sandbox | None = None, **terms: Any) -> Tools:
    return Tools(opened(project), trust=True, sandbox=sandbox, terms=Terms(**terms) if terms else None)


def opened(project: Path) -> Catalog:
    return open_profile(project)


async def settled(made: Tools, wanted: int = 0) -> bool:
    """Whether there are so many workers, after a while at most."""
    for _ in range(200):
        if len(made.workers) == wanted:
            return True
        await asyncio.sleep(0.05)
    return False


ECHO = "time.sleep(arguments.get('pause', 0))\nsay(f\"{arguments.get('text', '')} {os.getpid()} {seen}\")"


def texts(results: list[Result]) -> list[str]:
    return [result.content.partition(" ")[0] for result in results]


def test_one_process_answers_many_calls(project: Path) -> None:
    worker(project, ECHO)

    async def many() -> list[Result]:
        with tools(project) as made:
            return [await made.call("probe", {"text": str(number)}) for number in range(20)]

    results = asyncio.run(many())
    assert texts(results) == [str(number) for number in range(20)]
    assert [result.content.split()[2] for result in results] == [str(number) for number in range(1, 21)]
    assert len({result.content.split()[1] for result in results}) == 1
    assert {result.data["tier"] for result in results} == {"T3"}
    assert leftovers(project) == []


def test_64_callers_get_their_own_answers(project: Path) -> None:
    worker(project, ECHO)

    async def caller(made: Tools, number: int) -> None:
        for turn in range(20):
            result = await made.call("probe", {"text": f"{number}.{turn}"})
            assert texts([result]) == [f"{number}.{turn}"]

    async def many() -> None:
        with tools(project) as made:
            await asyncio.gather(*(caller(made, number) for number in range(64)))
            assert 1 <= len(made.workers) <= (os.cpu_count() or 1)

    asyncio.run(many())
    assert leftovers(project) == []


def test_callers_are_served_in_the_order_they_came(project: Path) -> None:
    worker(project, ECHO)
    done: list[str] = []

    async def caller(made: Tools, number: int) -> None:
        done.extend(texts([await made.call("probe", {"text": str(number), "pause": 0.01})]))

    async def many() -> None:
        with tools(project, most=1) as made:
            await asyncio.gather(*(caller(made, number) for number in range(12)))

    asyncio.run(many())
    assert done == [str(number) for number in range(12)]


def test_slow_workers_are_joined_by_others(project: Path) -> None:
    worker(project, ECHO)

    async def many() -> set[str]:
        with tools(project, most=3) as made:
            results = await asyncio.gather(*(made.call("probe", {"text": "x", "pause": 0.5}) for _ in range(6)))
            return {result.content.split()[1] for result in results} | {str(len(made.workers))}

    assert "3" in asyncio.run(many())


@pytest.mark.parametrize("sandbox", [None, T0], ids=["T3", "T0"])
def test_a_worker_that_crashes_fails_one_call_and_no_other(project: Path, sandbox: Sandbox | None) -> None:
    worker(project, "if arguments['text'] == '3':\n    print('oh', file=sys.stderr)\n    sys.exit(3)\n" + ECHO)

    async def many() -> list[Result]:
        with tools(project, sandbox, most=1) as made:
            for _ in range(20):  # so that it is found quick, and gets several at once
                await made.call("probe", {"text": "first"})
            return await asyncio.gather(*(made.call("probe", {"text": str(number)}) for number in range(8)))

    results = asyncio.run(many())
    assert [result.ok for result in results] == [True, True, True, False, True, True, True, True]
    assert results[3].values["status"] == 3
    assert results[3].data["log"] == "oh"
    assert texts(results)[4:] == ["4", "5", "6", "7"]
    assert leftovers(project) == []


def test_a_worker_that_dies_between_calls_is_replaced(project: Path) -> None:
    worker(project, ECHO + "\nif arguments['text'] == 'last': os._exit(0)")

    async def many() -> list[Result]:
        with tools(project) as made:
            first = await made.call("probe", {"text": "a"})
            os.kill(made.workers[0], signal.SIGKILL)
            await asyncio.sleep(0.1)
            second = await made.call("probe", {"text": "b"})
            third = await made.call("probe", {"text": "last"})
            await asyncio.sleep(0.3)
            return [first, second, third, await made.call("probe", {"text": "d"})]

    results = asyncio.run(many())
    assert texts(results) == ["a", "b", "last", "d"]
    assert [result.content.split()[2] for result in results] == ["1", "1", "2", "1"]
    assert leftovers(project) == []


def test_a_call_that_takes_too_long_ends_alone(project: Path) -> None:
    worker(project, ECHO, "timeout_s: 1\n")

    async def many() -> list[Result]:
        with tools(project, most=1) as made:
            await made.call("probe", {"text": "first"})
            slow = asyncio.ensure_future(made.call("probe", {"text": "slow", "pause": 60}))
            await asyncio.sleep(0.01)
            return [await slow, *await asyncio.gather(*(made.call("probe", {"text": str(n)}) for n in range(3)))]

    slow, *others = asyncio.run(many())
    assert (slow.code, slow.key) == ("TIMEOUT", "tool-timeout")
    assert texts(others) == ["0", "1", "2"]
    assert leftovers(project) == []


def test_the_clock_of_a_call_starts_when_it_is_worked_on(project: Path) -> None:
    worker(project, ECHO, "timeout_s: 1\n")

    async def many() -> list[Result]:
        with tools(project, most=1) as made:
            return await asyncio.gather(*(made.call("probe", {"text": "x", "pause": 0.3}) for _ in range(6)))

    assert all(result.ok for result in asyncio.run(many()))


def test_a_cancelled_call_ends_what_it_has_started_and_hurts_nobody(project: Path) -> None:
    code = (
        "if arguments['text'] == 'slow':\n    import subprocess\n"
        "    subprocess.Popen(['sleep', '300'], start_new_session=True)\n    time.sleep(60)\n"
    )
    worker(project, code + ECHO)

    async def many() -> Result:
        with tools(project, most=1) as made:
            slow = asyncio.ensure_future(made.call("probe", {"text": "slow"}))
            await asyncio.sleep(0.5)
            behind = asyncio.ensure_future(made.call("probe", {"text": "behind"}))
            slow.cancel()
            with pytest.raises(asyncio.CancelledError):
                await slow
            return await behind

    assert texts([asyncio.run(many())]) == ["behind"]
    assert leftovers(project) == []


def test_who_has_nothing_to_do_goes_home(project: Path) -> None:
    worker(project, ECHO)

    async def many() -> bool:
        with tools(project, idle_s=0.2) as made:
            await made.call("probe", {"text": "x"})
            gone = await settled(made)
            return gone and leftovers(project) == [] and (await made.call("probe", {"text": "y"})).ok

    assert asyncio.run(many())


def test_a_worker_is_replaced_after_so_many_calls(project: Path) -> None:
    worker(project, ECHO)

    async def many() -> list[str]:
        with tools(project, most_calls=3, most=1) as made:
            return [(await made.call("probe", {"text": "x"})).content.split()[2] for _ in range(7)]

    assert asyncio.run(many()) == ["1", "2", "3", "1", "2", "3", "1"]


@pytest.mark.parametrize("sandbox", [None, T0], ids=["with a group", "without one"])
def test_a_worker_that_has_grown_is_replaced(project: Path, sandbox: Sandbox | None) -> None:
    worker(project, "hoard = globals().setdefault('hoard', [])\nhoard.append(bytearray(120_000_000))\n" + ECHO)

    async def many() -> list[str]:
        with tools(project, sandbox, idle_s=0.5, memory_share=0.2) as made:
            first = await made.call("probe", {"text": "x"})
            gone = await settled(made)
            return [first.content.split()[2], str(gone), (await made.call("probe", {"text": "x"})).content.split()[2]]

    assert asyncio.run(many()) == ["1", "True", "1"]


def test_a_worker_that_never_works_is_not_started_for_ever(project: Path) -> None:
    worker(project, ECHO)
    write(project / "skills/probe/main.py", "import sys\nsys.exit(7)\n")

    async def many() -> tuple[list[Result], Result, Result]:
        with tools(project, tries=3, backoff_s=0.3) as made:
            results = [await made.call("probe", {"text": "x"}) for _ in range(5)]
            await asyncio.sleep(0.4)
            again = await made.call("probe", {"text": "x"})
            worker(project, ECHO)  # the author mends it
            await asyncio.sleep(0.05)
            return results, again, await made.call("probe", {"text": "y"})

    results, again, mended = asyncio.run(many())
    assert [result.key for result in results] == ["tool-exit"] * 3 + ["tool-broken"] * 2
    assert "3 times, next try in" in results[3].summary()
    assert again.key == "tool-exit"
    assert texts([mended]) == ["y"]


def test_answers_are_matched_by_their_ids(project: Path) -> None:
    write(
        project / "skills/probe/main.py",
        "import json, sys\nheld = []\n"
        "for line in sys.stdin:\n"
        "    request = json.loads(line)\n"
        "    text = request['arguments']['text']\n"
        "    if text == 'first': print(json.dumps({'id': request['id'], 'output': text}), flush=True); continue\n"
        "    held.append(request)\n"
        "    if len(held) == 4:\n"
        "        for one in reversed(held):\n"
        "            print(json.dumps({'id': 999, 'output': 'nobody asked'}), flush=True)\n"
        "            print(json.dumps({'id': one['id'], 'output': one['arguments']['text']}), flush=True)\n",
    )
    write(
        project / "skills/probe/skill.yaml",
        "name: probe\ndescription: d\nruntime: python\nentry: main.py\nmode: worker\n"
        "parameters:\n  - {name: text, type: string}\n",
    )

    async def many() -> list[Result]:
        with tools(project, most=1) as made:
            for _ in range(20):  # so that it is found quick, and gets several at once
                await made.call("probe", {"text": "first"})
            return await asyncio.gather(*(made.call("probe", {"text": str(number)}) for number in range(4)))

    assert [result.content for result in asyncio.run(many())] == ["0", "1", "2", "3"]


FAULTS = {
    "answers without the id": ("print(json.dumps({'output': 'x'}), flush=True)", "tool-no-id"),
    "prints garbage and ends": ("print('garbage', flush=True); sys.exit(0)", "tool-garbage"),
    "prints an endless line": (
        "while True: sys.stdout.write('x' * 1_000_000); sys.stdout.flush()",
        "tool-too-much",
    ),
    "closes its output and stays": ("os.close(1); time.sleep(60)", "tool-timeout"),
    "never answers": ("time.sleep(60)", "tool-timeout"),
    "raises": ("raise ValueError('inside')", "tool-exit"),
    "is killed": ("os.kill(os.getpid(), 9)", "tool-exit"),
    "says an error": ("say('', 'no such table: x — ask for another')", "tool-said"),
    "eats memory": ("hoard = bytearray(3_000_000_000)", "tool-exit"),
}


@pytest.mark.parametrize("fault", list(FAULTS))
def test_a_fault_is_one_clear_answer_and_the_next_call_works(project: Path, fault: str) -> None:
    code, key = FAULTS[fault]
    worker(project, f"if arguments['text'] == 'bad':\n    {code}\n    continue\n{ECHO}", "timeout_s: 3\n")

    async def two() -> tuple[Result, Result]:
        with tools(project) as made:
            return await made.call("probe", {"text": "bad"}), await made.call("probe", {"text": "good"})

    bad, good = asyncio.run(two())
    assert (bad.status, bad.key) == ("error", key), bad
    assert "Traceback" not in bad.text
    assert texts([good]) == ["good"]
    assert leftovers(project) == []


def test_a_request_may_be_larger_than_a_pipe(project: Path) -> None:
    worker(project, "say(len(arguments['text']))")

    async def many() -> list[str]:
        with tools(project, most=1) as made:
            await made.call("probe", {"text": ""})
            calls = (made.call("probe", {"text": "x" * 300_000 + "é" * number}) for number in range(5))
            return [result.content for result in await asyncio.gather(*calls)]

    assert asyncio.run(many()) == [str(300_000 + number) for number in range(5)]


def test_an_edited_program_answers_the_next_call_and_a_running_one_finishes(project: Path) -> None:
    worker(project, ECHO)

    async def many() -> tuple[Result, Result]:
        with tools(project) as made:
            running = asyncio.ensure_future(made.call("probe", {"text": "old", "pause": 1}))
            await asyncio.sleep(0.4)
            worker(project, "say('new')")
            return await made.call("probe", {"text": "x"}), await running

    new, old = asyncio.run(many())
    assert (texts([old]), new.content) == (["old"], "new")
    assert leftovers(project) == []


def test_threads_share_workers_too(project: Path) -> None:
    worker(project, ECHO)
    found: dict[int, str] = {}
    with tools(project) as made:

        def one(number: int) -> None:
            found[number] = made.call_blocking("probe", {"text": str(number)}).content

        threads = [threading.Thread(target=one, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        reading, writing = os.pipe()
        threading.Timer(0.5, os.close, [writing]).start()
        cancelled = made.call_blocking("probe", {"text": "x", "pause": 60}, cancel=reading)
        os.close(reading)
    assert {number: text.split()[0] for number, text in found.items()} == {n: str(n) for n in range(16)}
    assert cancelled.key == "tool-cancelled"
    assert leftovers(project) == []


def test_workers_of_an_event_loop_that_has_ended_are_ended(project: Path) -> None:
    worker(project, ECHO)
    with tools(project) as made:

        async def one() -> int:
            await made.call("probe", {"text": "x"})
            return made.workers[0]

        first = asyncio.run(one())
        second = asyncio.run(one())
        assert first != second
        assert first not in made.workers
    assert leftovers(project) == []


def test_a_host_that_just_ends_leaves_nothing(project: Path) -> None:
    worker(project, ECHO)
    script = (
        "import asyncio\nfrom metier import Catalog, Tools\n"
        f"made = Tools(Catalog.open({str(project)!r}, cache=False), trust=True)\n"
        "print(made.call_blocking('probe', {'text': 'x'}).content)\n"
        "print(asyncio.run(made.call('probe', {'text': 'y'})).content)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, encoding="utf-8", check=False, timeout=60
    )
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["x", "y"], done.stderr
    time.sleep(0.3)
    assert leftovers(project) == []


def test_a_host_that_is_killed_leaves_no_process(project: Path) -> None:
    worker(project, ECHO)
    script = (
        "import os\nfrom metier import Catalog, Tools\n"
        f"made = Tools(Catalog.open({str(project)!r}, cache=False), trust=True)\n"
        "made.call_blocking('probe', {'text': 'x'})\nos.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=False, timeout=60)
    time.sleep(0.5)
    assert leftovers(project) == []


def test_a_mode_that_does_not_exist_is_a_diagnostic(project: Path) -> None:
    worker(project, ECHO)
    path = project / "skills/probe/skill.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("mode: worker", "mode: forever"), encoding="utf-8")
    found = [one for one in opened(project).diagnostics if one.code == "tool-option"]
    assert ["forever" in one.message and "oneshot, worker" in one.message for one in found] == [True]


def test_what_a_worker_says_to_people_stays_in_the_log(project: Path) -> None:
    worker(
        project, "print('thinking', flush=True)\nprint('aside', file=sys.stderr, flush=True)\ntime.sleep(0.05)\n" + ECHO
    )

    async def one() -> Result:
        with tools(project) as made:
            return await made.call("probe", {"text": "x"})

    result = asyncio.run(one())
    assert result.data["log"].splitlines() == ["thinking", "aside"]
    assert "thinking" not in json.dumps(result.text)


def test_a_worker_may_take_more_time_than_one_call_in_all(project: Path) -> None:
    code = "start = time.process_time()\nwhile time.process_time() < start + 0.7: pass\n" + ECHO
    worker(project, code, "limits: {cpu_s: 1}\n")

    async def many() -> list[str]:
        with tools(project, most=1) as made:
            return [(await made.call("probe", {"text": "x"})).content.split()[2] for _ in range(4)]

    assert asyncio.run(many()) == ["1", "2", "3", "4"]


def test_no_variable_stands_on_a_command_line(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METIER_TEST_TOKEN", "very-secret-token")
    worker(project, "say(os.environ['METIER_TEST_TOKEN'])", "env: [METIER_TEST_TOKEN]\n")

    async def one() -> tuple[str, list[bytes]]:
        with tools(project) as made:
            result = await made.call("probe", {"text": "x"})
            lines = [Path(f"/proc/{name}/cmdline") for name in os.listdir("/proc") if name.isdigit()]
            return result.content, [line.read_bytes() for line in lines if line.exists()]

    content, lines = asyncio.run(one())
    assert content == "very-secret-token"
    assert not [line for line in lines if b"very-secret-token" in line]
