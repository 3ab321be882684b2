"""Skills for any agent: four things to pass on."""

from metier import Catalog, Toolset

skills = Toolset(Catalog.open("."))
print(skills.system_prompt())  # goes into your system prompt
for tool in skills.tools:  # go into the list of tools
    print(tool.name, tool.parameters["required"])

result = skills.call("Skill", {"name": "code-review", "args": "src/app.py"})  # the model calls one
print(skills.render(result))  # goes back as the tool's answer
print(skills.news())  # before each turn: what has changed on disk; mostly nothing
