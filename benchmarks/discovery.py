"""How fast skills are found, beside a floor and other libraries, in one interleaved run.

    ./dev bench                       the whole table: 1,000 and 10,000 skills, growth to 100,000, all peers
    ./dev bench --quick               1,000 skills, three rounds, no peers

Every figure is the CPU time (user and system) of one operation in a fresh process, without the imports before it; the
median of the rounds. Files are in the page cache. The floor lists the root and reads the first 4 KB of each SKILL.md
with `open()`, as any Python program would; the bare floor does the same with os.open, os.read and os.close.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

WORDS = """
    review code data chart report deploy test parse extract table format query docs security audit image video mail
    calendar python rust kubernetes invoice translate summarize contract slides budget ticket release incident
""".split()

SETTLED_S = 2.5
"""metier reads files again that are younger than two seconds; a benchmark of unchanged files must not be that young."""


class Peer(NamedTuple):
    """Another library, and how it is asked for the skills below `root`."""

    package: str
    imports: str
    find: str
    """An expression over `root` that gives the number of skills found."""


PEERS = (
    Peer("skills-ref", "from skills_ref import read_properties", "sum(1 for p in Path(root).iterdir() if read_properties(p))"),
    Peer(
        "deepagents",
        "from deepagents.middleware.skills import _list_skills\nfrom deepagents.backends import FilesystemBackend",
        "len(_list_skills(FilesystemBackend(root_dir='/', virtual_mode=False), root))",
    ),
    Peer("strands-agents", "from strands.vended_plugins.skills import Skill", "len(Skill.from_directory(root))"),
    Peer("google-adk", "from google.adk.skills import list_skills_in_dir", "len(list_skills_in_dir(root))"),
    Peer(
        "fastmcp",
        "import asyncio\nfrom fastmcp.server.providers.skills import SkillsDirectoryProvider",
        "len(asyncio.run(SkillsDirectoryProvider(roots=Path(root)).list_resources())) // 2",
    ),
    Peer("pydantic-ai-skills", "from pydantic_ai_skills import SkillsCapability", "len(SkillsCapability(root).packages)"),
    Peer(
        "agent-framework-core",
        "import asyncio\nfrom agent_framework._skills import FileSkillsSource, SkillsSourceContext",
        "len(asyncio.run(FileSkillsSource(skill_paths=root).get_skills(SkillsSourceContext(agent=None))))",
    ),
)  # fmt: skip

PEER_SCRIPT = """
import sys, time, json, warnings, logging
warnings.simplefilter("ignore"); logging.disable(logging.CRITICAL)
from pathlib import Path
{imports}
root = sys.argv[1]
start = time.process_time()
found = {find}
print(json.dumps({{"cpu": time.process_time() - start, "found": found}}))
"""


def generate(root: Path, number: int, *, mixed: bool) -> None:
    """Skills of realistic size; mixed: a third with nested metadata, a tenth with a folded description."""
    chance = random.Random(7)
    for position in range(number):
        name = f"{chance.choice(WORDS)}-{chance.choice(WORDS)}-{position}"
        description = "Use this skill to " + " ".join(chance.choices(WORDS, k=chance.randint(20, 40))) + "."
        lines = [f"name: {name}"]
        if mixed and position % 10 == 0:
            lines += ["description: >-", f"  {description[:100].strip()}", f"  {description[100:].strip()}"]
        else:
            lines.append(f"description: {description}")
        lines.append("license: Apache-2.0")
        if mixed and position % 3 == 0:
            lines += ["metadata:", "  author: example-team", '  version: "1.0"', "  category: work"]
        body = "\n".join(" ".join(chance.choices(WORDS, k=12)) for _ in range(chance.randint(20, 120)))
        folder = root / name
        folder.mkdir(parents=True)
        folder.joinpath("SKILL.md").write_text(
            "---\n" + "\n".join(lines) + f"\n---\n\n# {name}\n\n{body}\n", encoding="utf-8"
        )


# ── the operations, each run in a process of its own ─────────────────────────────────────────────────────────────────


def floor(root: str) -> int:
    found = 0
    for entry in os.scandir(root):
        with open(f"{entry.path}/SKILL.md", "rb") as file:
            file.read(4096)
        found += 1
    return found


def bare_floor(root: str) -> int:
    found = 0
    for entry in os.scandir(root):
        descriptor = os.open(f"{entry.path}/SKILL.md", os.O_RDONLY)
        os.read(descriptor, 4096)
        os.close(descriptor)
        found += 1
    return found


def measure(operation: str, root: str) -> dict[str, float]:
    """One operation of ours in this process."""
    if operation in ("floor", "bare floor"):
        work = floor if operation == "floor" else bare_floor
        start = time.process_time()
        found = work(root)
        return {"cpu": time.process_time() - start, "found": found}
    return measure_metier(operation, root)


def measure_metier(operation: str, root: str) -> dict[str, float]:
    from metier import Catalog, Policy

    policy = Policy.profile("default")
    if operation == "memory":
        return measure_memory(root)
    start = time.process_time()
    catalog = Catalog.open(root, roots=[root], policy=policy, cache=operation == "warm")
    found = sum(bool(skill.description) for skill in catalog.skills)
    if operation in ("cold", "warm"):
        return {"cpu": time.process_time() - start, "found": found}
    if operation == "one changed":
        path = catalog.skills[len(catalog.skills) // 2].path
        text = Path(path).read_text(encoding="utf-8")
        Path(path).write_text(text + "\nOne more line.\n", encoding="utf-8")
    start = time.process_time()
    delta = catalog.refresh()
    spent = time.process_time() - start
    if len(delta.changed) != (operation == "one changed"):
        raise SystemExit(f"the refresh told {delta}")
    return {"cpu": spent, "found": found}


def measure_memory(root: str) -> dict[str, float]:
    """Live bytes per skill beyond the description, and the growth of the process."""
    import gc
    import resource
    import tracemalloc

    from metier import Catalog, Policy

    policy = Policy.profile("default")
    peak_before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    plain = Catalog.open(root, roots=[root], policy=policy, cache=False)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak_before) * 1024
    number = len(plain.skills)
    texts = sum(len(skill.description.encode()) for skill in plain.skills)
    del plain
    gc.collect()
    tracemalloc.start()
    catalog = Catalog.open(root, roots=[root], policy=policy, cache=False)
    gc.collect()
    live, _ = tracemalloc.get_traced_memory()
    return {"cpu": 0, "found": len(catalog.skills), "live": (live - texts) / number, "grown": (grown - texts) / number}


# ── the run ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def run_child(command: list[str], environ: dict[str, str]) -> dict[str, float] | None:
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", check=False, env={**clean, **environ}
    )
    if done.returncode:
        print(f"  failed: {' '.join(command[-3:])}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return json.loads(done.stdout.strip().splitlines()[-1])


def process_cpu(code: str, rounds: int) -> float:
    """The CPU time of a whole Python process that runs the code, the median of the rounds."""
    import resource

    values: list[float] = []
    for _ in range(rounds + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        clean = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        subprocess.run([sys.executable, "-c", code], check=True, env=clean)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        values.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(values[1:])  # the first one compiles


def own(operation: str, root: Path, environ: dict[str, str]) -> dict[str, float] | None:
    return run_child([sys.executable, __file__, "--child", operation, str(root)], environ)


def install_peers(folder: Path) -> dict[str, Path]:
    """Each peer in an environment of its own; one that does not install is left out, and said so."""
    ready: dict[str, Path] = {}
    for peer in PEERS:
        python = folder / peer.package / "bin/python"
        if not python.exists():
            print(f"installing {peer.package} …", file=sys.stderr)
            uv = [sys.executable, "-m", "uv"]
            subprocess.run([*uv, "venv", "--quiet", str(folder / peer.package)], check=True)
            done = subprocess.run(
                [*uv, "pip", "install", "--quiet", "--python", str(python), peer.package], check=False
            )
            if done.returncode:
                print(f"  {peer.package} does not install here", file=sys.stderr)
                continue
        ready[peer.package] = python
    return ready


def compare(kind: str, root: Path, rounds: int, peers: dict[str, Path], environ: dict[str, str]) -> dict[str, float]:
    """The medians of all operations over one corpus, interleaved round by round."""
    operations = ["floor", "bare floor", "cold", "warm", "unchanged", "one changed"]
    own("warm", root, environ)  # fills the page cache and metier's own
    times: dict[str, list[float]] = {}
    for turn in range(rounds):
        print(f"{kind}: round {turn + 1} of {rounds}", file=sys.stderr)
        for operation in operations:
            told = own(operation, root, environ)
            if told is not None:
                times.setdefault(operation, []).append(told["cpu"])
        time.sleep(SETTLED_S)
        own("warm", root, environ)  # what "one changed" has changed goes into the cache, as a file that has settled
        for peer in PEERS if turn < 5 else ():
            if peer.package in peers:
                script = PEER_SCRIPT.format(imports=peer.imports, find=peer.find)
                told = run_child([str(peers[peer.package]), "-c", script, str(root)], environ)
                if told is None or told["found"] != len(os.listdir(root)):
                    print(f"  {peer.package} is left out: {told}", file=sys.stderr)
                    peers = {name: path for name, path in peers.items() if name != peer.package}
                else:
                    times.setdefault(peer.package, []).append(told["cpu"])
    return {operation: statistics.median(values) for operation, values in times.items()}


LABELS = {
    "floor": "floor: scandir and open().read(4096)",
    "bare floor": "the same with bare system calls",
    "cold": "**metier**, no cache",
    "warm": "**metier**, new process, warm cache",
    "unchanged": "**metier**, refresh, nothing changed",
    "one changed": "**metier**, refresh, one file changed",
}


def print_table(title: str, medians: dict[str, float]) -> None:
    base, bare = medians["floor"], medians["bare floor"]
    print(f"\n### {title}\n\n| what | CPU ms | × floor | × bare floor |\n|---|--:|--:|--:|")
    for name, value in medians.items():
        label = LABELS.get(name, name)
        print(f"| {label} | {value * 1000:,.0f} | {value / base:,.2f} | {value / bare:,.2f} |")


def print_growth(folder: Path, sizes: list[int], rounds: int, environ: dict[str, str]) -> None:
    columns = (
        "skills",
        "floor ms",
        "no cache ms",
        "× floor",
        "µs a skill",
        "warm ms",
        "unchanged ms",
        "memory a skill",
    )
    print("\n### Growth\n\n| " + " | ".join(columns) + " |\n" + "|--:" * len(columns) + "|")
    for size in sizes:
        root = folder / f"growth-{size}"
        generate(root, size, mixed=True)
        time.sleep(SETTLED_S)
        own("warm", root, environ)
        medians: dict[str, float] = {}
        for operation in ("floor", "cold", "warm", "unchanged"):
            values = [told["cpu"] for _ in range(rounds) if (told := own(operation, root, environ))]
            medians[operation] = statistics.median(values)
        memory: Any = own("memory", root, environ)
        cold = medians["cold"]
        print(
            f"| {size:,} | {medians['floor'] * 1000:,.0f} | {cold * 1000:,.0f} | {cold / medians['floor']:.2f} "
            f"| {cold / size * 1e6:.1f} | {medians['warm'] * 1000:,.0f} | {medians['unchanged'] * 1000:,.0f} "
            f"| {memory['live']:,.0f} bytes |"
        )
        shutil.rmtree(root)
    print("\nMemory is what stays allocated for a skill beyond its description, traced by tracemalloc.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--child", nargs=2, metavar=("OPERATION", "ROOT"), help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="1,000 skills, three rounds, no peers")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--no-peers", action="store_true", help="metier alone")
    parser.add_argument(
        "--peers", type=Path, help="where the peers' environments are kept (default: a temporary folder)"
    )
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(measure(*arguments.child)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        run_all(Path(temporary), arguments)


def run_all(folder: Path, arguments: argparse.Namespace) -> None:
    environ = {"METIER_CACHE_DIR": str(folder / "cache"), "HOME": str(folder)}
    rounds = 3 if arguments.quick else arguments.rounds
    peers = {} if arguments.quick or arguments.no_peers else install_peers(arguments.peers or folder / "peers")
    bare, lazy, whole = (process_cpu(code, rounds) for code in ("pass", "import metier", "from metier import Catalog"))
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, median of {rounds} rounds, CPU time.\n")
    print(
        f"`import metier` takes {max(0.0, lazy - bare) * 1000:.0f} ms of CPU beyond bare Python ({bare * 1000:.0f} ms);"
    )
    print(f"`from metier import Catalog` takes {(whole - bare) * 1000:.0f} ms.")
    for size in (1_000,) if arguments.quick else (1_000, 10_000):
        for mixed in (False, True):
            kind = "a third with nested metadata, a tenth with folded descriptions" if mixed else "plain headers"
            root = folder / f"{size}-{mixed}"
            generate(root, size, mixed=mixed)
            time.sleep(SETTLED_S)
            medians = compare(f"{size:,}, {kind}", root, rounds, dict(peers) if mixed else {}, environ)
            print_table(f"{size:,} skills, {kind}", medians)
            shutil.rmtree(root)
    if not arguments.quick:
        print_growth(folder, [1_000, 10_000, 100_000], 3, environ)


if __name__ == "__main__":
    main()
