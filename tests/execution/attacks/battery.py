"""Tries every attack in one tier, as whoever runs this, and prints what became of each as JSON.

python battery.py WORKSPACE TIER [ATTACK...]
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import cast

from metier import Catalog, Policy
from metier.execution.runner import Runner
from metier.execution.sandbox import Sandbox, Tier, probe

HERE = Path(__file__).parent
MANIFEST = """name: probe
description: Tries something.
runtime: python
entry: main.py
timeout_s: 30
limits: {cpu_s: 3}
parameters:
  - {name: attack, type: string, required: true}
  - {name: target, type: string, required: true}
"""


def running(command: str) -> bool:
    """Whether a process with this command line is there."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
                state = Path(f"/proc/{name}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
            except OSError:
                continue
            if command.encode() in words and state not in "ZX":
                return True
    return False


def echo_datagrams(server: socket.socket) -> None:
    while True:
        try:
            data, sender = server.recvfrom(10)
            server.sendto(data, sender)
        except OSError:
            return


def main(workspace: Path, tier: str, attacks: list[str]) -> dict[str, str]:
    skill_dir = workspace / "skills" / "probe"
    skill_dir.mkdir(parents=True, exist_ok=True)
    (skill_dir / "skill.yaml").write_text(MANIFEST, encoding="utf-8")
    shutil.copy(HERE / "program.py", skill_dir / "main.py")
    outside = Path(tempfile.mkdtemp(dir=workspace.parent))
    (outside / "id_rsa").write_text("secret", encoding="utf-8")
    os.environ["METIER_TEST_SECRET"] = "x"
    catalog = Catalog.open(workspace, policy=Policy.profile("omega"), cache=False)
    skill = catalog.require("probe")
    found = probe()
    bounded = found.has_groups and tier != "T0"
    sandbox = (
        found if tier == found.tier else Sandbox(tier=cast("Tier", tier), enforced=(), missing=(), has_groups=bounded)
    )
    runner = Runner(
        str(workspace), catalog.policy, cache=str(outside), environ=dict(os.environ), trust=True, sandbox=sandbox
    )
    victim = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)"], env={"SECRET": "x", "PATH": "/usr/bin:/bin"}
    )
    tcp, datagrams = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind(("127.0.0.1", 0))
    threading.Thread(target=echo_datagrams, args=(datagrams,), daemon=True).start()
    by_path, abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    by_path.bind(str(outside / "s"))
    by_path.listen()
    name = f"metier-{os.getpid()}"
    abstract.bind("\0" + name)
    abstract.listen()
    time.sleep(0.2)
    report: dict[str, str] = {}
    try:
        for attack in attacks:
            target = {
                "tcp": tcp.getsockname()[1],
                "udp": datagrams.getsockname()[1],
                "unix": str(outside / "s"),
                "abstract": name,
                "outside": str(outside),
                "victim": victim.pid,
                "tier": tier,
                "sleep": f"3{os.getpid()}.{len(report)}",
            }
            result = runner.call(skill, skill.tools[0], {"attack": attack, "target": json.dumps(target)})
            through = result.content == "went through"
            if attack == "leave_a_daemon":
                time.sleep(0.2)
                through = running(str(target["sleep"]))
            report[attack] = "went through" if through else f"blocked ({result.summary()[:160]})"
    finally:
        victim.kill()
        victim.wait()
        for one in (tcp, datagrams, by_path, abstract):
            one.close()
        shutil.rmtree(outside, ignore_errors=True)
    return {"tier": runner.sandbox.tier, **report}


if __name__ == "__main__":
    chosen = sys.argv[3:]
    if not chosen:
        text = (HERE / "program.py").read_text(encoding="utf-8")
        chosen = [line.split("(")[0][4:] for line in text.splitlines() if line.startswith("def ")]
        chosen.remove("must")
    print(json.dumps(main(Path(sys.argv[1]), sys.argv[2], chosen), indent=1))
