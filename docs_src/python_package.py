"""A skill in Python: one function, and two calls of it as an agent makes them."""

from typing import Annotated

from metier import Catalog, ProjectSkill, ToolFailed, Tools, Workspace

# Text — https://docs.python.org/3/library/stdtypes.html
text = ProjectSkill(
    "text",
    description="Counts what is in text files. Use when asked how long a text is.",
    library="https://docs.python.org/3/library/stdtypes.html",
    version="3.11",
)


@text.tool(
    when_to_use=["the length of a text is asked for"],
    when_not_to_use=["the text itself is needed: read the file"],
    examples=[("Count the lines of a log", {"path": "server.log", "unit": "lines"})],
)
def text_count(
    path: Annotated[str, "The file, UTF-8 text of at most 20 MB, relative to the workspace. Example: notes.txt"],
    unit: Annotated[str, "What to count, words or lines, by default words. Example: lines"] = "words",
    *,
    workspace: Workspace,
) -> str:
    """Count the words or lines of a text file of at most 20 MB."""
    if unit not in ("words", "lines"):
        raise ToolFailed("this cannot be counted", unit, "use words or lines")
    with open(workspace.existing(path), encoding="utf-8") as file:
        content = file.read()
    return f"{len(content.split() if unit == 'words' else content.splitlines())} {unit}"


tools = Tools(Catalog.open(".", skills=[text.skill]))
print(tools.call_blocking("text_count", {"path": "notes.txt"}).text)
print(tools.call_blocking("text_count", {"path": "../notes.txt"}).text)
