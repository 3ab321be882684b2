"""Skills without files, and an agent that may see only some of them."""

from metier import Catalog, Skill

catalog = Catalog.of(
    [
        Skill.inline(name="greet", description="Greets people by name.", body="Say hello."),
        Skill.inline(name="deploy", description="Deploys the site. Use when asked to release."),
    ]
)

helper = catalog.only(["greet"])
print([skill.name for skill in helper.skills])
print(helper.get("deploy"))
print(catalog.document("greet").body)
