"""Options that several commands share, and JSON output. Imports little, for speed."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from env_service.domain.run_bounds import LIMIT, SECONDS

F = TypeVar("F", bound=Callable[..., Any])

_NAMED_KEY = f"{__name__}.named"

MOST_PIXELS = 4096
"""Maximum width or height of a picture: four times the largest that a benchmark uses."""


def json_option(command: F) -> F:
    """Adds ``--json``; the command's parameter is ``as_json: bool``."""
    return click.option(
        "--json", "as_json", is_flag=True, help="Print one JSON document and nothing else."
    )(command)


def whole_number(
    name: str, text: str, *, least: int = 0, most: int = 2**63 - 1
) -> Callable[[F], F]:
    """An option for a whole number, by default ``least``. Its help does not show the bounds."""

    def check(_context: object, _parameter: object, number: int) -> int:
        if not least <= number <= most:
            raise click.BadParameter(f"{number} is not from {least} to {most}.")
        return number

    return click.option(
        name, default=least, show_default=True, metavar="N", callback=check, help=text
    )


def names_option(name: str, metavar: str, text: str) -> Callable[[F], F]:
    """An option for comma-separated names; may be repeated. The value is a ``tuple[str, ...]``."""
    return click.option(
        name,
        multiple=True,
        metavar=metavar,
        callback=lambda _context, _parameter, given: split_names(given),
        help=text,
    )


def size_option(text: str) -> Callable[[F], F]:
    """Adds ``--size N[xM]``; the command's parameter is ``size: tuple[int, int]``, width and
    height in pixels."""
    return click.option(
        "--size",
        default="300",
        show_default=True,
        metavar="N[xM]",
        callback=lambda _context, _parameter, given: _pixels(given),
        help=text,
    )


def condition_option(command: F) -> F:
    """Adds ``--condition NAME[=VALUE]`` and ``--set NAME=VALUE``; the command's parameter is
    ``condition: dict[str, str]``.

    The value is not checked; ``settle_condition`` checks it against a suite.
    """

    def keep(context: click.Context, _parameter: object, given: Sequence[str]) -> None:
        context.meta[_NAMED_KEY] = given

    def read(context: click.Context, _parameter: object, given: Sequence[str]) -> dict[str, str]:
        named = context.meta.get(_NAMED_KEY) or ()
        names = [each for each in named if "=" not in each]
        if len(names) > 1:
            raise click.BadParameter(
                f"choose one condition, not {' and '.join(names)}.",
                param_hint="--condition",
            )
        settings = parse_condition([*(each for each in named if "=" in each), *given])
        return {**({"condition": name} if (name := "".join(names)) else {}), **settings}

    return added(
        command,
        click.option(
            "--condition",
            "named",
            multiple=True,
            metavar="NAME",
            is_eager=True,
            expose_value=False,
            callback=keep,
            help="A named condition from `houseguest suites SUITE`, which sets several settings."
            " NAME=VALUE works as in --set.",
        ),
        click.option(
            "--set",
            "condition",
            multiple=True,
            metavar="NAME=VALUE",
            callback=read,
            help="Change a setting from the suite's default; may be repeated.",
        ),
    )


def task_options(command: F) -> F:
    """Adds ``--suite``, ``--task-set``, ``--tasks`` and ``--limit``.

    The command's parameters are ``suite: str``, ``task_set: str`` (empty: the suite's
    first), ``tasks: tuple[str, ...]`` (empty: all) and ``limit: int`` (0: none).
    """
    return added(
        command,
        click.option(
            "--suite",
            required=True,
            metavar="NAME",
            help="A suite from `houseguest suites`, or MODULE:CLASS.",
        ),
        click.option(
            "--task-set",
            default="",
            metavar="NAME",
            help="A task set of the suite.  [default: the suite's first]",
        ),
        names_option(
            "--tasks",
            "PATTERN[,…]",
            "Task ids, groups, or shell patterns; may be repeated. Without --task-set, the"
            " first may be a task set.  [default: all]",
        ),
        whole_number("--limit", "Use only the first N of these tasks; 0 for all.", most=LIMIT.most),
    )


def selection_options(command: F) -> F:
    """Adds the options that select episodes: tasks, ``--world``, ``--condition`` and ``--set``.

    The command's parameters are those of ``task_options`` and ``condition_option``, and
    ``world: str`` (empty: the task set's first).
    """
    return added(
        command,
        task_options,
        click.option(
            "--world",
            default="",
            metavar="NAME",
            help="The world to play in.  [default: the task set's first]",
        ),
        condition_option,
    )


def parse_condition(given: Sequence[str]) -> dict[str, str]:
    """Reads ``name=value`` texts. Raises click.BadParameter for the first invalid one."""
    condition: dict[str, str] = {}
    for text in given:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise click.BadParameter(f"{text!r} is not NAME=VALUE, as in --set view=partial.")
        if condition.get(name, value) != value:
            raise click.BadParameter(
                f"{name!r} is given twice, as {condition[name]!r} and as {value!r}."
            )
        condition[name] = value
    return condition


def split_names(given: Sequence[str]) -> tuple[str, ...]:
    """Splits comma-separated names; drops empty and repeated ones."""
    names = (name.strip() for text in given for name in text.split(","))
    return tuple(dict.fromkeys(name for name in names if name))


def print_json(document: object) -> None:
    """Prints a JSON document; escapes other than ASCII characters unless stdout is UTF-8."""
    utf8 = (getattr(sys.stdout, "encoding", "") or "utf-8").lower().replace("-", "") == "utf8"
    click.echo(json.dumps(document, ensure_ascii=not utf8, indent=2))


def _pixels(text: str) -> tuple[int, int]:
    """Reads ``300`` or ``640x480``. Raises click.BadParameter."""
    found = re.fullmatch(r"(\d+)(?:x(\d+))?", text)
    width, height = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not (1 <= width <= MOST_PIXELS and 1 <= height <= MOST_PIXELS):
        raise click.BadParameter(
            f"{text!r} is not a size from 1 to {MOST_PIXELS} pixels, such as 300 or 640x480."
        )
    return width, height


def added(command: F, *decorators: Callable[[F], F]) -> F:
    """Applies decorators so that ``--help`` lists their options in this order."""
    for decorate in reversed(decorators):
        command = decorate(command)
    return command


# --- Options of the commands that play episodes


def budget_option(name: str, default: float, text: str) -> Callable[[F], F]:
    """An option for a number of seconds, within ``run_bounds.SECONDS``."""

    def check(_context: object, _parameter: object, seconds: float) -> float:
        if not SECONDS.holds(seconds):
            raise click.BadParameter(f"{seconds} s is not {SECONDS}.")
        return seconds

    return click.option(
        name, default=default, show_default=True, metavar="SECONDS", callback=check, help=text
    )


def run_folder_options(command: F) -> F:
    """Adds ``--out`` and ``--fresh``; the parameters are ``out: Path`` and ``fresh: bool``."""
    fresh = click.option(
        "--fresh", is_flag=True, help="Start a new run next to an earlier run of the same kind."
    )
    out = click.option(
        "--out",
        default=Path("runs"),
        show_default=True,
        type=click.Path(file_okay=False, path_type=Path),
        help="Parent folder of the run folder.",
    )
    return out(fresh(command))


def signing_key_option(signed: str) -> Callable[[F], F]:
    """Adds ``--signing-key FILE``; the command's parameter is ``signing_key: Path | None``.

    ``signed`` names the signed files for the help.
    """
    return click.option(
        "--signing-key",
        type=click.Path(dir_okay=False, path_type=Path),
        help=f"PEM file of the key that signs {signed}; created if it does not exist.",
    )


def _checked_tracker(_context: object, _parameter: object, name: str | None) -> str | None:
    if name is not None:
        from env_service.exports.formats import check_tracker

        check_tracker(name)
    return name


def track_option(command: F) -> F:
    """Adds ``--track TRACKER``; the command's parameter is ``track: str | None``."""
    return click.option(
        "--track",
        metavar="TRACKER",
        callback=_checked_tracker,
        help="Send the run to an experiment tracker while it plays: mlflow or wandb.",
    )(command)


def calling_options(caller: str, tokens: str) -> Callable[[F], F]:
    """Adds ``--listen`` and ``--seats``.

    The command's parameters are ``listen: str`` (empty: the service chooses an address) and
    ``token_folder: Path | None``. ``caller`` completes "Where …" in the help of ``--listen``;
    ``tokens`` is the help of ``--seats``.
    """
    listening = click.option(
        "--listen",
        default="",
        metavar="ADDRESS",
        help=f"Where {caller}: unix:/path or host:port.",
    )
    token_files = click.option(
        "--seats",
        "token_folder",
        metavar="FOLDER",
        type=click.Path(file_okay=False, path_type=Path),
        help=tokens,
    )
    return lambda command: listening(token_files(command))
