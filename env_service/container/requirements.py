"""What parts of Houseguest depend on, one requirement a line, from their pyproject.toml files.

    python requirements.py [EXTRA[,…] [PROJECT…]]

PROJECT is the path of such a file; without one, the service's is read. The extras are those of
the first project. An image installs the requirements in a separate layer, which Docker reuses while
only Houseguest's code changes. This script needs only Python.
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
