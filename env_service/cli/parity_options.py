"""What ``houseguest parity`` is told: its options, and what they come to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from env_service.cli.common import (
    condition_option,
    json_option,
    size_option,
    split_names,
    whole_number,
)

if TYPE_CHECKING:
    from env_service.parity.judging import Limits
    from env_service.parity.playing import Manner

F = TypeVar("F", bound=Callable[..., Any])

SOURCES = ("scripts", "scenes", "suite")

DEFAULT_LENGTH = 100
"""Actions of a script that is made."""

_BELONGING = {
    "--length": ("scenes",),
    "--size": ("scenes",),
    "--save-scripts": ("scenes",),
    "--no-play": ("scenes",),
    "--seed": ("scenes", "suite"),
    "--settle": ("scenes", "scripts"),
    "--task-set": ("suite",),
    "--tasks": ("suite",),
    "--limit": ("suite",),
    "--set": ("suite",),
    "--actions": ("suite",),
}
"""Options that mean something for these sources alone."""


def _file(name: str, text: str, *, exists: bool) -> Callable[[F], F]:
    return click.option(
        name, type=click.Path(dir_okay=False, exists=exists, path_type=Path), metavar="FILE",
        help=text,
    )  # fmt: skip


def _names(name: str, metavar: str, text: str) -> Callable[[F], F]:
    return click.option(
        name, multiple=True, metavar=metavar, help=text,
        callback=lambda _context, _parameter, given: split_names(given),
    )  # fmt: skip


def _numbers(_context: object, _parameter: object, given: tuple[str, ...]) -> dict[str, float]:
    found = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            raise click.BadParameter(f"{text!r} is not NAME=NUMBER.") from None
        if bool(equals) != bool(name.strip()):
            raise click.BadParameter(f"{text!r} is not NAME=NUMBER.")
    return found


_OPTIONS = (
    click.option("--left", default="household", show_default=True, metavar="WORLD",
                 help="The world that is measured; it makes the scripts."),
    click.option("--right", default="ai2thor", show_default=True, metavar="WORLD",
                 help="The world that it is measured by."),
    _file("--scripts", "Play these scripts, JSON Lines.", exists=True),
    _names("--scenes", "NAME[,…]", "Make a script for each: names, ranges as FloorPlan1-5, shell"
           " patterns, kitchens, living-rooms, bedrooms, bathrooms, all."),
    whole_number("--seed", "Of the scripts that are made, or of the tasks' run."),
    click.option("--length", type=click.IntRange(min=1), default=DEFAULT_LENGTH, show_default=True,
                 metavar="N", help="Actions of a script that is made."),
    size_option("Pixels of the pictures of a script that is made."),
    _file("--save-scripts", "Write the scripts that are made there too.", exists=False),
    click.option("--no-play", is_flag=True, help="Make scripts, and play none."),
    click.option("--suite", metavar="NAME", help="Play tasks of a suite that knows both worlds."),
    click.option("--task-set", default="", metavar="NAME", help="Its task set.  [default: first]"),
    _names("--tasks", "PATTERN[,…]", "Task ids, groups, or shell patterns.  [default: all]"),
    whole_number("--limit", "The first N of these tasks; 0 for all."),
    condition_option,
    _file("--actions", "Play these actions, of `houseguest expert --out`, not the expert's.",
          exists=True),
    click.option("--tolerance", "tolerances", multiple=True, metavar="NAME=NUMBER",
                 callback=_numbers, help="Such as position=0.1 (metres) or rotation=10 (degrees)."),
    click.option("--least", multiple=True, metavar="[NAME=]RATE", callback=_numbers,
                 help="The least rate that is no disagreement, for all or for one.  [default: 1]"),
    click.option("--settle", type=click.IntRange(0, 100), default=2, show_default=True, metavar="N",
                 help="Pass actions after each action of a script, before the state is read."),
    click.option("--pictures", is_flag=True, help="Compare masks and colours too."),
    click.option("--stop-at-divergence", is_flag=True,
                 help="Leave out what follows when the worlds part."),
    click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
                 help="Folder of the report; an interrupted comparison goes on there."
                 "  [default: parity-LEFT-RIGHT]"),
    json_option,
)  # fmt: skip


def parity_options(command: F) -> F:
    """Adds all options of the comparison; `ParityRequest.read` reads them."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class ParityRequest:
    """What is compared. ``given`` are all options by the names of their parameters."""

    left: str
    right: str
    source: str
    out: Path
    manner: Manner
    limits: Limits
    given: Mapping[str, Any]

    @staticmethod
    def read(context: click.Context, given: Mapping[str, Any]) -> ParityRequest:
        """Raises click.UsageError, UnknownNameError."""
        from env_service.domain.names import UnknownNameError
        from env_service.worlds.thor.opening import thor_worlds

        left, right = given["left"], given["right"]
        for world in (left, right):
            if world not in thor_worlds():
                raise UnknownNameError("world", world, thor_worlds())
        source = _source(context, given)
        try:
            manner, limits = _manner(given), _limits(given["least"])
        except UnknownNameError:
            raise
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        out = given["out"] or Path(f"parity-{left}-{right}")
        return ParityRequest(left, right, source, out, manner, limits, given)


def _source(context: click.Context, given: Mapping[str, Any]) -> str:
    named = [name for name in SOURCES if given[name]]
    if len(named) != 1:
        options = ", ".join(f"--{name}" for name in SOURCES)
        raise click.UsageError(f"name one of {options}: where the actions come from.")
    (source,) = named
    for option in _typed(context):
        whose = _BELONGING.get(option, SOURCES)
        if source not in whose:
            owners = " or ".join(f"--{name}" for name in whose)
            raise click.UsageError(f"{option} goes with {owners}.")
    if given["no_play"] and not given["save_scripts"]:
        raise click.UsageError("--no-play goes with --save-scripts.")
    return source


def _typed(context: click.Context) -> Iterator[str]:
    """The options that were given, even if with their default."""
    for parameter in context.command.params:
        where = context.get_parameter_source(parameter.name or "")
        if where is not click.core.ParameterSource.DEFAULT:
            yield parameter.opts[0]


def _manner(given: Mapping[str, Any]) -> Manner:
    from env_service.parity.playing import Manner
    from env_service.parity.tolerances import Tolerances

    return Manner(
        Tolerances().changed(given["tolerances"]),
        given["settle"],
        pictures=given["pictures"],
        stop_at_divergence=given["stop_at_divergence"],
    )


def _limits(least: Mapping[str, float]) -> Limits:
    from env_service.parity.judging import Limits

    return Limits(least.get("", 1.0), {name: rate for name, rate in least.items() if name})
