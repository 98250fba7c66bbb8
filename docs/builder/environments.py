"""The page of the environments of the package."""

from dpbandits.contracts.display import environment_title
from dpbandits.settings.groups import about, names_in

from .markdown import listing, paragraphs, table

GROUPS = {"env": "Environments", "population": "Populations"}
INTRODUCTION = """\
This page shows the files that you choose by `env=NAME` and `population=NAME`.
[environments.md](../environments.md) describes every law of rewards with its keys, and how to write
your own environment. In Python, each law is a function of [dpbandits](../api.md#environments), and
`dp.environments()` returns this list."""


def pages() -> dict[str, str]:
    """The page."""
    parts = ["# Named environments", INTRODUCTION]
    for group, heading in GROUPS.items():
        rows = [(f"[`{n}`](#{group}-{n})", about(group, n)) for n in names_in(group)]
        parts += [f"## {heading}", table((f"`{group}=`", "what it is"), rows)]
    for group in GROUPS:
        for name in names_in(group):
            title = environment_title(name) if group == "env" else name
            parts += [
                f"({group}-{name})=\n### {title} (`{group}={name}`)",
                listing(f"conf/{group}/{name}.yaml", "yaml"),
            ]
    return {"named_environments": paragraphs(*parts)}
