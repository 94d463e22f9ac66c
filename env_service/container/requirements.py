"""What parts of Houseguest depend on, one requirement a line, from their pyproject.toml files.

    python requirements.py [EXTRA[,…] [PROJECT…]]

Without a PROJECT, a path of such a file, these are the service's. The extras are the first one's.
An image installs it all in a layer of its own, which stays while only our code changes. It needs
Python alone.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

OURS = "houseguest"
PROJECTS = (
    "pyproject.toml",
    "proto/python/pyproject.toml",
    "agents/sdk_python/pyproject.toml",
    "agents/model_client/pyproject.toml",
)


def requirements(
    root: Path, extras: Iterable[str], projects: Sequence[str] = PROJECTS
) -> Iterator[str]:
    """The requirements of these projects, without the parts of Houseguest itself.

    ``extras`` are of the first project. Raises KeyError for one that does not exist.
    """
    for place in projects:
        document = tomllib.loads((root / place).read_text(encoding="utf-8"))
        yield from _others(document["project"]["dependencies"])
    optional = tomllib.loads((root / projects[0]).read_text(encoding="utf-8"))["project"]
    for extra in extras:
        yield from _others(optional["optional-dependencies"][extra])


def _others(given: Iterable[str]) -> Iterator[str]:
    return (each for each in given if not each.startswith(OURS))


def main() -> None:
    """Prints them."""
    listed, *projects = sys.argv[1:] or [""]
    extras = [extra for extra in listed.split(",") if extra]
    wanted = requirements(Path(), extras, projects or PROJECTS)
    sys.stdout.write("".join(f"{each}\n" for each in dict.fromkeys(wanted)))


if __name__ == "__main__":
    main()
