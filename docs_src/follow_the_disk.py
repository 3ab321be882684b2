"""A catalog follows the disk: a refresh tells just what has changed."""

import tempfile
from pathlib import Path

from metier import Catalog

with tempfile.TemporaryDirectory() as folder:
    skill = Path(folder, "notes", "SKILL.md")
    skill.parent.mkdir()
    skill.write_text("---\nname: notes\ndescription: Takes notes. Use in meetings.\n---\n", encoding="utf-8")
    catalog = Catalog.open(folder, roots=[folder])
    skill.write_text("---\nname: notes\ndescription: Takes better notes.\n---\n", encoding="utf-8")
    delta = catalog.refresh()
    print([changed.description for changed in delta.changed])
