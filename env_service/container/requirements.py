"""What the service depends on, one requirement a line, from the pyproject.toml files here.

    python requirements.py [EXTRA[,…]]

An image installs it in a layer of its own, which stays while only the service's code changes. It
needs Python alone.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

OURS = "houseguest"
PROJECTS = ("pyproject.toml", "proto/python/pyproject.toml", "agents/sdk_python/pyproject.toml")


def requirements(root: Path, extras: Iterable[str]) -> Iterator[str]:
    """The requirements of the service with these extras, without the parts of Houseguest itself.

    Raises KeyError for an extra that does not exist.
    """
    for place in PROJECTS:
        document = tomllib.loads((root / place).read_text(encoding="utf-8"))
        yield from _others(document["project"]["dependencies"])
    optional = tomllib.loads((root / PROJECTS[0]).read_text(encoding="utf-8"))["project"]
    for extra in extras:
        yield from _others(optional["optional-dependencies"][extra])


def _others(given: Iterable[str]) -> Iterator[str]:
    return (each for each in given if not each.startswith(OURS))


def main() -> None:
    """Prints them."""
    extras = (sys.argv[1:] or [""])[0].split(",")
    wanted = requirements(Path(), [extra for extra in extras if extra])
    sys.stdout.write("".join(f"{each}\n" for each in dict.fromkeys(wanted)))


if __name__ == "__main__":
    main()
