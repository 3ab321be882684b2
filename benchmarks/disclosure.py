"""What disclosure costs: tokens for each layer, time for a listing and for an activation.

    python benchmarks/disclosure.py [--rounds N]

Times are CPU times of one run, the median of the rounds, interleaved; what counts are their ratios.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from metier import Catalog, Policy, Skill, Toolset
from metier.words import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

SKILLS = 10_000
BUDGET = 12_000
BODY = 20_000
WORDS = "report table chart review deploy audit parse convert extract summarise check plan draw render measure".split()


def skills() -> list[Skill]:
    """Ten thousand skills of realistic size."""
    made: list[Skill] = []
    for number in range(SKILLS):
        name = f"{WORDS[number % 15]}-{WORDS[number // 15 % 15]}-{number:05}"
        text = " ".join(WORDS[(number * step) % 15] for step in range(1, 36))
        made.append(Skill.inline(name=name, description=f"Helps to {text}. Use when asked."))
    return made


def measured(works: dict[str, Callable[[], object]], rounds: int, repeat: int) -> dict[str, float]:
    """The median time of each piece of work in seconds, interleaved."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(rounds + 1):
        for name, work in works.items():
            start = time.process_time()
            for _ in range(repeat):
                work()
            if turn:  # the first one warms up
                times[name].append((time.process_time() - start) / repeat)
    return {name: statistics.median(values) for name, values in times.items()}


def listings(rounds: int) -> None:
    made = skills()
    catalog = Catalog.of(made)
    lines = [f"- {skill.name}: {skill.description}" for skill in catalog.skills]
    works: dict[str, Callable[[], object]] = {
        "joining the lines of all skills": lambda: "\n".join(lines),
        f"listing under {BUDGET:,} characters": lambda: catalog.listing(budget=BUDGET),
        "listing without a budget": lambda: catalog.listing(budget=10**9),
    }
    found = measured(works, rounds, 5)
    base = found["joining the lines of all skills"]
    print(f"\n### The listing of {SKILLS:,} skills\n\n| what | ms | × joining |\n|---|--:|--:|")
    for name, value in found.items():
        print(f"| {name} | {value * 1e3:.2f} | {value / base:.1f} |")
    report = catalog.listing(budget=BUDGET).report
    print(f"\n{report.listed} names are listed, {len(report.omitted):,} are left out, {report.chars:,} characters.")


def activations(rounds: int) -> None:
    from metier.catalog import loading

    with tempfile.TemporaryDirectory() as folder:
        body = "Do this, then that, on $ARGUMENTS.\n" + "A line of instructions, neither long nor short.\n" * (
            BODY // 48
        )
        files: list[Path] = []
        for number in range(100):
            path = Path(folder, "skills", f"big-{number}", "SKILL.md")
            path.parent.mkdir(parents=True)
            path.write_text(f"---\nname: big-{number}\ndescription: Does a big thing.\n---\n\n{body}", encoding="utf-8")
            files.append(path)
        time.sleep(2.1)  # a file that was just written proves nothing by its times, and is compared in full
        catalog = Catalog.open(folder, policy=Policy.profile("default"), cache=False)
        names = [path.parent.name for path in files]

        def read() -> None:
            for path in files:
                with open(path, encoding="utf-8") as stream:
                    stream.read()

        def activate_all() -> None:
            for name in names:
                catalog.activate(name, "x")

        def activate_anew() -> None:
            loading._kept.cache_clear()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
            activate_all()

        works: dict[str, Callable[[], object]] = {
            "reading the file: open() and read()": read,
            "activation": activate_all,
            "activation for the first time in a process": activate_anew,
            "a look at all 109 skills, at most 5 times a second": catalog.refresh,
        }
        found = measured(works, rounds, 5)
        base = found["reading the file: open() and read()"]
        print(f"\n### An activation of {len(body):,} characters\n\n| what | µs | × reading |\n|---|--:|--:|")
        for name, value in found.items():
            each = 1 if "look" in name else len(files)
            print(f"| {name} | {value * 1e6 / each:.0f} | {value * len(files) / base / each:.2f} |")
        opened: list[str] = []
        sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event in ("open", "os.scandir") else None)
        loading._kept.cache_clear()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        catalog.activate("big-7", "x")
        own = [name for name in opened if "big-7" in name]
        print(f"\nThe first activation opens {len(own)} file of the skill, once.")


def layers() -> None:
    """What the bundled skills cost, layer by layer."""
    catalog = Catalog.open(tempfile.gettempdir(), policy=Policy.profile("default"), cache=False)
    catalog = catalog.only([skill.name for skill in catalog.skills if skill.is_system])
    tools = Toolset(catalog)
    # Without the line that names the folder, whose length depends on where metier lies.
    loaded = {skill.name: catalog.activate(skill.name).activation for skill in catalog.skills}
    bodies = {name: estimate_tokens(one.body) for name, one in loaded.items() if one}
    files = 0
    for skill in catalog.skills:
        for file in catalog.files(skill.name).files:
            if file.path != "SKILL.md":
                files += estimate_tokens(catalog.read(skill.name, file.path).content)
    listing = tools.catalog.listing().report
    first = estimate_tokens(tools.system_prompt())
    schema = sum(estimate_tokens(tool.description + str(tool.parameters)) for tool in tools.tools)
    one = max(bodies, key=lambda name: bodies[name])
    print(f"\n### The {listing.total} bundled skills, in estimated tokens\n\n| what | tokens |\n|---|--:|")
    print(f"| layer 1, in every prompt: list and rules | {first:,} |")
    print(f"| the tools besides | {schema:,} |")
    print(f"| layer 2, when needed: the longest skill ({one}) | {bodies[one]:,} |")
    print(f"| layer 2, all of them | {sum(bodies.values()):,} |")
    print(f"| layer 3, when asked for: all other files | {files:,} |")
    whole = sum(bodies.values()) + files
    print(f"\nEverything at once would be {whole:,} tokens; the first layer is {100 * first / whole:.0f} % of that.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--tokens-only", action="store_true", help="no times, which differ from machine to machine")
    arguments = parser.parse_args()
    if arguments.tokens_only:
        layers()
        return
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, median of {arguments.rounds} rounds, CPU time.")
    layers()
    listings(arguments.rounds)
    activations(arguments.rounds)


if __name__ == "__main__":
    main()
