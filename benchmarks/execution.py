"""What it costs to run a tool through metier, against the bare system calls, in one run.

    python benchmarks/execution.py [--rounds 7]

Every figure is a ratio or a difference to something measured a moment before in the same process: the same program with
bare `posix_spawn` and pipes, the same worker with bare asyncio pipes, the same worker with all requests in its pipe.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from metier import Catalog, Policy, Result, Tools
from metier.execution.pool import Terms
from metier.execution.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable

    from metier.execution.runtimes import Command

PROGRAM = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    answer = {"output": request["arguments"]["text"], "error": ""}
    if "id" in request:
        answer = {"id": request["id"], **answer}
    print(json.dumps(answer), flush=True)
"""
T0 = Sandbox(tier="T0", enforced=(), missing=())
ONCE = 12
"""Calls of one process each in a round."""
MANY = 2_000
"""Calls of a worker in a round."""
CALLERS = 64
GIGABYTE = 1 << 30


def write_skills(project: Path) -> None:
    for name, mode in (("once", "oneshot"), ("stay", "worker")):
        folder = project / "skills" / name
        folder.mkdir(parents=True)
        (folder / "skill.yaml").write_text(
            f"name: {name}\ndescription: Says it again.\nruntime: python\nentry: main.py\nmode: {mode}\n"
            "parameters:\n  - {name: text, type: string, required: true}\n",
            encoding="utf-8",
        )
        (folder / "main.py").write_text(PROGRAM, encoding="utf-8")


def per_call(work: Callable[[], object], calls: int) -> float:
    """Seconds for one call, the median of some."""
    taken: list[float] = []
    for _ in range(calls):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def bare_once(argv: tuple[str, ...], env: dict[str, str]) -> str:
    """The floor: spawn, write a line, read to the end, wait."""
    for_child, to_child = os.pipe()
    from_child, by_child = os.pipe()
    actions = [
        (os.POSIX_SPAWN_DUP2, for_child, 0),
        (os.POSIX_SPAWN_DUP2, by_child, 1),
        (os.POSIX_SPAWN_CLOSE, to_child),
        (os.POSIX_SPAWN_CLOSE, from_child),
    ]
    pid = os.posix_spawn(argv[0], argv, env, file_actions=actions)
    os.close(for_child)
    os.close(by_child)
    os.write(to_child, b'{"arguments": {"text": "hello"}}\n')
    os.close(to_child)
    data = b""
    while chunk := os.read(from_child, 65_536):
        data += chunk
    os.close(from_child)
    os.waitpid(pid, 0)
    return json.loads(data)["output"]


def once(command: Command, plain: Tools, boxed: Tools) -> tuple[float, float, float]:
    """Seconds for one process: bare, through metier, and in the sandbox, measured in turns."""
    env = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    assert bare_once(command.argv, env) == "hello"
    bare = per_call(lambda: bare_once(command.argv, env), ONCE)
    free = per_call(lambda: plain.call_blocking("once", {"text": "hello"}), ONCE)
    kept = per_call(lambda: boxed.call_blocking("once", {"text": "hello"}), ONCE)
    return bare, free, kept


async def bare_worker(command: Command) -> tuple[float, float]:
    """A worker without us: seconds for one call at a time, and calls a second with the pipe kept full."""
    process = await asyncio.create_subprocess_exec(*command.argv, stdin=-1, stdout=-1)
    assert process.stdin is not None
    assert process.stdout is not None
    line = b'{"id": 1, "arguments": {"text": "hello"}}\n'

    async def one() -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(line)
        await process.stdin.drain()
        await process.stdout.readline()

    for _ in range(100):
        await one()
    start = time.perf_counter()
    for _ in range(MANY):
        await one()
    single = (time.perf_counter() - start) / MANY
    start = time.perf_counter()

    async def feed() -> None:
        assert process.stdin is not None
        for _ in range(MANY * 4 // CALLERS):
            process.stdin.write(line * CALLERS)
            await process.stdin.drain()

    feeding = asyncio.ensure_future(feed())
    for _ in range(MANY * 4 // CALLERS * CALLERS):
        json.loads(await process.stdout.readline())
    await feeding
    raw = MANY * 4 // CALLERS * CALLERS / (time.perf_counter() - start)
    process.stdin.close()
    await process.wait()
    return single, raw


async def our_worker(tools: Tools) -> tuple[float, float]:
    """The same through metier, in the sandbox."""
    for _ in range(100):
        await tools.call("stay", {"text": "hello"})
    start = time.perf_counter()
    for _ in range(MANY):
        await tools.call("stay", {"text": "hello"})
    single = (time.perf_counter() - start) / MANY

    async def caller() -> None:
        for _ in range(MANY * 4 // CALLERS):
            result = await tools.call("stay", {"text": "hello"})
            if not result.ok:
                raise SystemExit(f"a call failed: {result}")

    start = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(CALLERS)))
    return single, MANY * 4 // CALLERS * CALLERS / (time.perf_counter() - start)


async def in_turns(rounds: int, command: Command, tools: Tools) -> list[tuple[float, float, float, float]]:
    found: list[tuple[float, float, float, float]] = []
    for number in range(rounds):
        # Whoever is measured first would always have the colder machine.
        if number % 2:
            ours, theirs = await our_worker(tools), await bare_worker(command)
        else:
            theirs, ours = await bare_worker(command), await our_worker(tools)
        found.append((*theirs, *ours))
    return found


def row(what: str, figure: str, asked: str) -> None:
    print(f"| {what} | {figure} | {asked} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    rounds: int = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        write_skills(project)
        catalog = Catalog.open(project, policy=Policy.profile("omega"), cache=False)
        plain = Tools(catalog, trust=True, sandbox=T0)
        boxed = Tools(catalog, trust=True, terms=Terms(idle_s=600))
        skill = catalog.require("once")
        job = plain.runner.job(skill, skill.tools[0])
        if isinstance(job, Result):
            raise SystemExit(job.summary())
        with plain, boxed:
            boxed.call_blocking("once", {"text": "hello"})
            single = [once(job.command, plain, boxed) for _ in range(rounds)]
            workers = asyncio.run(in_turns(rounds, job.command, boxed))
            small = statistics.median(
                per_call(lambda: plain.call_blocking("once", {"text": "x"}), ONCE) for _ in range(3)
            )
            hoard = bytearray(GIGABYTE)
            hoard[::4096] = b"x" * len(hoard[::4096])
            large = statistics.median(
                per_call(lambda: plain.call_blocking("once", {"text": "x"}), ONCE) for _ in range(3)
            )
            del hoard
            tier = boxed.sandbox.tier
    median = statistics.median
    bare = median(one[0] for one in single)
    print(f"\n### Running tools: {rounds} rounds, Python {sys.version.split()[0]}, tier {tier}\n")
    print("| what | measured | asked |\n|---|--:|--:|")
    row("one process a call, against bare posix_spawn", f"{median(f / b for b, f, _ in single):.2f} times", "1.3")
    row("the same in the sandbox, more than bare", f"{median((k - b) * 1000 for b, _, k in single):.1f} ms", "12 ms")
    row(
        "a worker, one call at a time, against bare asyncio",
        f"{median(o / b for b, _, o, _ in workers):.2f} times",
        "1.5",
    )
    row("a worker, against one process a call", f"{bare / median(o for _, _, o, _ in workers):.0f} times faster", "100")
    rate, raw = median(o for *_, o in workers), median(r for _, r, _, _ in workers)
    row(f"a worker, {CALLERS} callers", f"{rate:,.0f} calls/s", f"{min(20_000, raw * 0.6):,.0f}")
    row("one process a call with 1 GB in the host, against none", f"{large / small:.2f} times", "no growth")
    return 0


if __name__ == "__main__":
    sys.exit(main())
