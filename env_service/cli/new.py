"""``houseguest new``: create a distribution with a working suite, world or agent."""

from __future__ import annotations

import keyword
import re
import shlex
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

import click

import env_service
from env_service.cli.errors import Misuse
from env_service.cli.options import json_option, print_json
from env_service.plugins import Group, installed
from env_service.sandbox.agents import EXTERNAL

KINDS = {"suite": Group.SUITES, "world": Group.WORLDS, "agent": Group.AGENTS}
_KINDS = {"suite": "a suite", "world": "a world", "agent": "an agent"}
TEMPLATES = Path(env_service.__file__).parent / "templates"
"""One folder per kind. The name ``my_suite`` in its files and paths becomes the new name."""

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")

_EXAMPLES = """\b
Examples:
  houseguest new suite parcels
  houseguest new world dusk --out ~/worlds/dusk
  houseguest new agent careful --json

\b
Then:
  pip install -e ./parcels
  houseguest run --suite parcels --agent AGENT

docs/extend.md describes suites, worlds and agents.
"""


@click.command("new", epilog=_EXAMPLES)
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.argument("name")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Output folder, new or empty.  [default: ./NAME]",
)
@json_option
def new_command(kind: str, name: str, out: Path | None, *, as_json: bool) -> None:
    """Create your own suite, world or agent.

    Writes a distribution: a pyproject.toml with the entry point, a small working example, a test
    that runs the conformance kit, and a README with the next steps. NAME is its name in Houseguest
    and in Python, such as my_suite.
    """
    check_name(kind, name)
    folder = out or Path(name)
    written = write_distribution(kind, name, folder)
    following = next_commands(kind, name, folder)
    if as_json:
        files = [str(path) for path in written]
        print_json(
            {"kind": kind, "name": name, "folder": str(folder), "files": files, "next": following}
        )
        return
    click.echo(f"Wrote the {kind} {name} in {folder}:")
    click.echo("".join(f"  {path}\n" for path in written))
    click.echo("Next:")
    click.echo("".join(f"  {command}\n" for command in following), nl=False)


def check_name(kind: str, name: str) -> None:
    """Raises Misuse with the reason if a new distribution cannot have this name."""
    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise Misuse(
            f"{name!r} cannot be the name of {_KINDS[kind]}. It becomes a Python package: use"
            " lower-case letters, digits and single underscores, start with a letter, and choose no"
            f" keyword of Python, such as my_{kind}.",
            kind="NameError",
        )
    if taken := _holder(kind, name):
        raise Misuse(
            f"The name {name!r} is taken: {taken}. Choose another, such as my_{name}.",
            kind="NameTakenError",
        )


def _holder(kind: str, name: str) -> str:
    """What already has the name; empty if nothing."""
    plugin = installed(KINDS[kind]).get(name)
    if plugin is not None:
        return f"it is {_KINDS[kind]} of the distribution {' and '.join(plugin.distributions)}"
    if kind == "agent" and name == EXTERNAL:
        return f"`--agent {name}` is an agent that you start yourself"
    if name in sys.stdlib_module_names:
        return "it is a module of Python's standard library"
    try:
        distribution(name)
    except PackageNotFoundError:
        pass
    else:
        return "a distribution of that name is installed"
    spec = find_spec(name)
    # A plain folder of that name, such as one in the current folder, has no origin.
    return f"`import {name}` finds {spec.origin}" if spec is not None and spec.origin else ""


@dataclass(frozen=True, slots=True)
class Renaming:
    """Replaces ``my_KIND`` by ``name`` in the texts and paths of a template."""

    kind: str
    name: str

    def __call__(self, text: str) -> str:
        """The text with the new names of the package, the distribution and the classes."""
        title = self.kind.title()
        words = "".join(word.title() for word in self.name.split("_")).removesuffix(title)
        return (
            text.replace(f"my_{self.kind}", self.name)
            .replace(f"my-{self.kind}", self.name.replace("_", "-"))
            .replace(f"My{title}", f"{words}{title}")
        )


def write_distribution(kind: str, name: str, folder: Path) -> list[Path]:
    """Writes the template of a kind under a new name into a new or empty folder.

    Returns the files, relative to the folder. Raises Misuse for a folder that is not empty, and
    OSError.
    """
    if folder.exists() and not folder.is_dir():
        raise Misuse(
            f"{folder} is a file. Pass a new folder with --out FOLDER.", kind="FileExistsError"
        )
    if folder.is_dir() and any(folder.iterdir()):
        raise Misuse(
            f"{folder} is not empty, and no file in it is overwritten. Pass a new folder with"
            " --out FOLDER.",
            kind="FileExistsError",
        )
    renamed = Renaming(kind, name)
    written = []
    for source in sorted((TEMPLATES / kind).rglob("*")):
        inside = source.relative_to(TEMPLATES / kind)
        if source.is_dir() or inside.suffix == ".pyc":
            continue
        target = folder / renamed(str(inside))
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(renamed(source.read_text(encoding="utf-8")))
        written.append(target.relative_to(folder))
    return written


def next_commands(kind: str, name: str, folder: Path) -> list[str]:
    """The next commands to type in the current folder."""
    where = shlex.quote(str(folder) if folder.is_absolute() else f"./{folder}")
    agent = _plain_agent()
    play = {
        "suite": f"houseguest run --suite {name} --agent {agent}",
        "world": f"houseguest run --suite SUITE --world {name} --agent {agent}",
        "agent": f"houseguest run --suite SUITE --agent {name}",
    }
    return [f"pip install -e {where}", play[kind], f"pytest {where}"]


def _plain_agent() -> str:
    """The first installed agent that plays without help or options; "AGENT" if there is none."""
    from env_service.sandbox.agent_manifest import read_manifest
    from env_service.sandbox.agents import agent_folders
    from env_service.sandbox.errors import AgentSpecError

    for agent, folder in sorted(agent_folders().items()):
        with suppress(AgentSpecError, OSError):
            manifest = read_manifest(folder)
            if manifest.plays_alone and not any(option.required for option in manifest.options):
                return agent
    return "AGENT"
