"""The same folder, seen by the rules of different programs."""

import tempfile
from pathlib import Path

from metier import Catalog, Policy

with tempfile.TemporaryDirectory() as folder:
    skill = Path(folder, "skills", "Big-Report", "SKILL.md")
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: Big-Report\ndescription: Writes the big report.\n---\n", encoding="utf-8")
    for profile in ("default", "strict", "mycodeagent"):
        catalog = Catalog.open(folder, policy=Policy.profile(profile))
        own = [skill.name for skill in catalog.skills if skill.scope == "project"]
        print(profile, own, [problem.code for problem in catalog.diagnostics])
