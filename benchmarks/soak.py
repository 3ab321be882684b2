"""Ten thousand calls over eight skills, with faults at random, to see whether anything stays behind.

    python benchmarks/soak.py [--calls 10000] [--seed 1]

Prints what became of the calls, and what was left: processes, descriptors, threads, folders, control groups. Exit
status 1 when anything was left, or when a caller got what was meant for another.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from metier import Catalog, Policy, Tools
from metier.execution.pool import Terms

CALLERS = 32

PYTHON = """
import json, os, sys, time
def fault(name):
    if name == "crash": os._exit(3)
    if name == "raise": raise ValueError("inside")
    if name == "killed": os.kill(os.getpid(), 9)
    if name == "hang": time.sleep(60)
    if name == "garbage": print("garbage", flush=True); os._exit(0)
    if name == "daemon":
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0: time.sleep(300)
            os._exit(0)
    if name == "noise":
        for _ in range(2000): print("noise " * 20, flush=True)
    if name == "mumble": sys.stderr.write("x" * 200_000)
    if name == "memory": bytearray(3_000_000_000)
for line in sys.stdin:
    request = json.loads(line)
    fault(request["arguments"].get("fault", ""))
    answer = {"output": request["arguments"]["text"], "error": ""}
    if "id" in request: answer["id"] = request["id"]
    print(json.dumps(answer), flush=True)
"""
NODE = """
import { createInterface } from "node:readline";
createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  if (request.arguments.fault === "crash") process.exit(3);
  if (request.arguments.fault === "hang") { setTimeout(() => {}, 60000); return; }
  console.log(JSON.stringify({ id: request.id, output: request.arguments.text, error: "" }));
});
"""
SHELL = """#!/bin/bash
read -r line
[[ $line =~ \\"fault\\":\\ \\"crash\\" ]] && exit 3
[[ $line =~ \\"fault\\":\\ \\"hang\\" ]] && sleep 60
[[ $line =~ \\"text\\":\\ \\"([a-z0-9.]*)\\" ]]
echo "{\\"output\\": \\"${BASH_REMATCH[1]}\\", \\"error\\": \\"\\"}"
"""
GO = """package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

func main() {
	reader := bufio.NewReader(os.Stdin)
	for {
		line, err := reader.ReadBytes('\\n')
		if err != nil {
			return
		}
		var asked struct {
			ID        any               `json:"id"`
			Arguments map[string]string `json:"arguments"`
		}
		json.Unmarshal(line, &asked)
		if asked.Arguments["fault"] == "crash" {
			os.Exit(3)
		}
		if asked.Arguments["fault"] == "hang" {
			time.Sleep(time.Minute)
		}
		said, _ := json.Marshal(map[string]any{"id": asked.ID, "output": asked.Arguments["text"], "error": ""})
		fmt.Println(string(said))
	}
}
"""
SKILLS = {
    "pyonce": ("python", "oneshot", "main.py", PYTHON),
    "pystay": ("python", "worker", "main.py", PYTHON),
    "nodeonce": ("node", "oneshot", "main.mjs", NODE),
    "nodestay": ("node", "worker", "main.mjs", NODE),
    "goonce": ("go", "oneshot", "main.go", GO),
    "gostay": ("go", "worker", "main.go", GO),
    "shell": ("binary", "oneshot", "run.sh", SHELL),
    "pyfew": ("python", "worker", "main.py", PYTHON),
}
FAULTS = ("crash", "raise", "killed", "hang", "garbage", "daemon", "noise", "mumble", "memory")
SIMPLE_FAULTS = ("crash", "hang")


def write_skills(project: Path) -> None:
    for name, (runtime, mode, entry, code) in SKILLS.items():
        folder = project / "skills" / name
        folder.mkdir(parents=True)
        (folder / "skill.yaml").write_text(
            f"name: {name}\ndescription: Says it again.\nruntime: {runtime}\nentry: {entry}\nmode: {mode}\n"
            "timeout_s: 2\nparameters:\n"
            "  - {name: text, type: string, required: true}\n  - {name: fault, type: string}\n",
            encoding="utf-8",
        )
        (folder / entry).write_text(code, encoding="utf-8")
        (folder / entry).chmod(0o755)
        if runtime == "go":
            (folder / "go.mod").write_text(f"module skill_{name}\n\ngo 1.19\n", encoding="utf-8")


def left_behind(project: Path) -> dict[str, int]:
    """What there is of ours, by kind."""
    mark = f"METIER_WORKSPACE={project}".encode()
    processes = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                processes += mark in Path(f"/proc/{name}/environ").read_bytes().split(b"\0")
            except OSError:
                continue
    own = f"metier-{os.getpid()}-"
    groups = sum(own in folder for folder, _, _ in os.walk("/sys/fs/cgroup"))
    temporary = os.listdir(tempfile.gettempdir())
    return {
        "processes": processes,
        "control groups": groups,
        "folders": sum(name.startswith(f"metier-call-{os.getpid()}-") for name in temporary),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "threads": threading.active_count(),
        "zombies": sum(_is_zombie(name) for name in os.listdir("/proc") if name.isdigit()),
    }


def _is_zombie(name: str) -> bool:
    try:
        state = Path(f"/proc/{name}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return False
    return state[0] == "Z" and state[1] == str(os.getpid())


@dataclass
class Soak:
    """The callers and what they met."""

    tools: Tools
    calls: int
    chance: random.Random
    met: Counter[str] = field(default_factory=Counter[str])
    mixed: int = 0
    done: int = 0

    async def run(self) -> None:
        """Call until there were enough."""
        await asyncio.gather(*(self._caller(number) for number in range(CALLERS)))

    async def _caller(self, number: int) -> None:
        while self.done < self.calls:
            self.done += 1
            if sys.stderr.isatty() and self.done % 100 == 0:
                print(f"\r{self.done:,} of {self.calls:,}", end="", file=sys.stderr)
            await self._one(f"{number}.{self.done}")

    async def _one(self, text: str) -> None:
        name = self.chance.choice(list(SKILLS))
        arguments = {"text": text}
        roll = self.chance.random()
        if roll < 0.04:
            arguments["fault"] = self.chance.choice(FAULTS if name.startswith("py") else SIMPLE_FAULTS)
        task = asyncio.ensure_future(self.tools.call(name, arguments))
        if roll > 0.97:
            await asyncio.sleep(self.chance.random() * 0.05)
            task.cancel()
        try:
            result = await task
        except asyncio.CancelledError:
            self.met["cancelled"] += 1
            return
        self.met[result.key] += 1
        self.mixed += result.ok and result.content != text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        project.mkdir()
        write_skills(project)
        catalog = Catalog.open(project, policy=Policy.profile("omega"), environ={**os.environ}, cache=False)
        terms = Terms(idle_s=5, most_calls=200, backoff_s=0.05, most_backoff_s=0.2)
        os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache")
        warm = Tools(catalog, trust=True)  # what is imported or opened once is no leak
        warm.prepare()
        asyncio.run(warm.call("pystay", {"text": "x"}))
        warm.close()
        before = left_behind(project)
        start = time.monotonic()
        with Tools(catalog, trust=True, terms=terms) as tools:
            soak = Soak(tools, given.calls, random.Random(given.seed))
            asyncio.run(soak.run())
            tier = tools.sandbox.tier
        took = time.monotonic() - start
        time.sleep(0.5)
        after = left_behind(project)
    print(f"{soak.done:,} calls over {len(SKILLS)} skills by {CALLERS} callers in {took:.0f} s, tier {tier}\n")
    print("| what became of a call | how often |\n|---|--:|")
    for key, times in sorted(soak.met.items()):
        print(f"| {key} | {times:,} |")
    print(f"| another's answer | {soak.mixed} |")
    print("\n| what there is | before | after |\n|---|--:|--:|")
    for what, number in before.items():
        print(f"| {what} | {number} | {after[what]} |")
    leaked = any(after[what] > before[what] for what in before)
    return 1 if leaked or soak.mixed else 0


if __name__ == "__main__":
    sys.exit(main())
