"""Find the skills of a project, and see what is wrong with them."""

from metier import Catalog

catalog = Catalog.open(".")

for skill in catalog.skills:
    print(skill.name, "-", skill.description)

for problem in catalog.diagnostics:
    print(problem.path, problem.line, problem.code, problem.message)
