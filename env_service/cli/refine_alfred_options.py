"""The options of ``houseguest refine alfred``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from env_service.cli.common import names_option, split_names, whole_number
from env_service.cli.endpoint_options import (
    added,
    fresh_option,
    parallel_option,
    prompts_option,
    retries_option,
)

F = TypeVar("F", bound=Callable[..., Any])

STAGES = ("integrity", "B", "P1", "P2", "C", "K")
"""The names of `stages.Stage`, which is not imported for --help."""

_FILE = click.Path(dir_okay=False, path_type=Path)


def work_options(command: F) -> F:
    """What is refined, how, and where to. See the names of the parameters below."""
    return _what_options(_how_options(command))


def _what_options(command: F) -> F:
    return added(
        command,
        click.option(
            "--task-set",
            default="valid_seen",
            show_default=True,
            metavar="NAME",
            help="A task set of the suite alfred, as builtin.",
        ),
        click.option(
            "--from",
            "source_file",
            type=_FILE,
            metavar="FILE",
            help="In its place a file in the published format; stages left out keep its texts.",
        ),
        names_option(
            "--tasks",
            "PATTERN[,…]",
            "Task ids, types, or shell patterns; may be repeated.  [default: all]",
        ),
        whole_number("--limit", "The first N of these tasks; 0 for all."),
        click.option(
            "--stages",
            multiple=True,
            metavar="NAME[,…]",
            callback=lambda _context, _parameter, given: _stages(given),
            help=f"Of {', '.join(STAGES)}.  [default: all]",
        ),
        click.option("--out", type=_FILE, metavar="FILE", help="The records, as published ones."),
        click.option(
            "--review",
            type=_FILE,
            metavar="FILE",
            help="Take over what people wrote into this review file.",
        ),
    )


def _how_options(command: F) -> F:
    return added(
        command,
        click.option(
            "--batch",
            type=click.IntRange(1, 200),
            default=20,
            show_default=True,
            metavar="N",
            help="Commands in one request.",
        ),
        parallel_option,
        retries_option,
        click.option(
            "--korean-of",
            type=click.Choice(["B", "P1"]),
            default="B",
            show_default=True,
            help="The wording that is translated.",
        ),
        prompts_option,
        click.option("--again", is_flag=True, help="Ask again for what is marked for review."),
        fresh_option,
        click.option("--mix", is_flag=True, help="Go on though model, prompts or tasks differ."),
        click.option("--dry-run", is_flag=True, help="Print the first prompts, and ask nothing."),
    )


def _stages(given: tuple[str, ...]) -> tuple[str, ...]:
    names = split_names(given) or STAGES
    folded = {name.casefold(): name for name in STAGES}
    for name in names:
        if name.casefold() not in folded:
            raise click.BadParameter(f"there is no stage {name!r}; there are {', '.join(STAGES)}.")
    return tuple(folded[name.casefold()] for name in names)
