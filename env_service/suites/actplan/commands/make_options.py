"""The options that the commands of ``houseguest actplan make`` share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from env_service.cli.endpoint_options import (
    endpoint_options,
    fresh_option,
    parallel_option,
    prompts_option,
    retries_option,
)
from env_service.cli.options import added, names_option, split_names, whole_number

F = TypeVar("F", bound=Callable[..., Any])

KIND_NAMES = ("object_property", "object_function", "event_causality")
"""The values of `making.files.KINDS`, which --help does not import."""


def source_options(command: F) -> F:
    """Adds PLACES, ``--tasks`` and ``--limit``: `make_requests.activities` reads them."""
    return added(
        command,
        click.argument(
            "places", nargs=-1, metavar="[PLACE]…", type=click.Path(exists=True, path_type=Path)
        ),
        names_option(
            "--tasks", "PATTERN[,…]", "Activities by name or shell pattern.  [default: all]"
        ),
        whole_number("--limit", "The first N of these activities; 0 for all."),
    )


def model_options(command: F) -> F:
    """Adds the model's server, and how it is asked; without ``--model`` none is."""
    shown_options = added(
        command,
        prompts_option,
        parallel_option,
        retries_option,
        fresh_option,
        click.option("--mix", is_flag=True, help="Continue even if model or prompts differ."),
        click.option("--dry-run", is_flag=True, help="Print the first prompt and send nothing."),
    )
    return endpoint_options(shown_options)


def kinds_option(command: F) -> F:
    """Adds ``--kinds``; the command's parameter is ``kinds: tuple[str, ...]``, all by default."""
    return click.option(
        "--kinds",
        multiple=True,
        metavar="KIND[,…]",
        callback=lambda _context, _parameter, given: _kinds(given),
        help=f"Of {', '.join(KIND_NAMES)}.  [default: all]",
    )(command)


def solve_option(command: F) -> F:
    """Adds ``--solve/--no-solve``."""
    return click.option(
        "--solve/--no-solve",
        default=True,
        show_default=True,
        help="Look for a plan, and check whether the normal problem's plan still works.",
    )(command)


def _kinds(given: tuple[str, ...]) -> tuple[str, ...]:
    names = split_names(given) or KIND_NAMES
    for name in names:
        if name not in KIND_NAMES:
            raise click.BadParameter(
                f"unknown kind {name!r}; the kinds are {', '.join(KIND_NAMES)}."
            )
    return tuple(name for name in KIND_NAMES if name in names)
