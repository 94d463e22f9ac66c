"""The options of ``houseguest refine alfred``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from env_service.cli.common import names_option, split_names, whole_number

F = TypeVar("F", bound=Callable[..., Any])

STAGES = ("integrity", "B", "P1", "P2", "C", "K")
"""The names of `stages.Stage`, which is not imported for --help."""

_FILE = click.Path(dir_okay=False, path_type=Path)
_OWN = ("messages", "model", "stream")


def work_options(command: F) -> F:
    """What is refined, how, and where to. See the names of the parameters below."""
    return _what_options(_how_options(command))


def _what_options(command: F) -> F:
    return _added(
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
    return _added(
        command,
        click.option(
            "--batch",
            type=click.IntRange(1, 200),
            default=20,
            show_default=True,
            metavar="N",
            help="Commands in one request.",
        ),
        click.option(
            "--parallel",
            type=click.IntRange(1, 256),
            default=1,
            show_default=True,
            metavar="N",
            help="Requests at a time.",
        ),
        click.option(
            "--retries",
            type=click.IntRange(0, 20),
            default=2,
            show_default=True,
            metavar="N",
            help="How often to ask again for what will not do.",
        ),
        click.option(
            "--korean-of",
            type=click.Choice(["B", "P1"]),
            default="B",
            show_default=True,
            help="The wording that is translated.",
        ),
        click.option(
            "--prompts",
            type=click.Path(file_okay=False, path_type=Path),
            metavar="FOLDER",
            help="Prompts of your own.",
        ),
        click.option("--again", is_flag=True, help="Ask again for what is marked for review."),
        click.option(
            "--fresh", is_flag=True, help="Begin anew; the old state file is kept as .old."
        ),
        click.option("--mix", is_flag=True, help="Go on though model, prompts or tasks differ."),
        click.option("--dry-run", is_flag=True, help="Print the first prompts, and ask nothing."),
    )


def endpoint_options(command: F) -> F:
    """The model's server, and what is sent to it: as those of the guest vlm."""
    return _added(
        command,
        click.option("--model", default="", metavar="NAME", help="As the server knows it."),
        click.option(
            "--base-url",
            default="",
            metavar="URL",
            help="As http://127.0.0.1:8000/v1.  [default: HOUSEGUEST_BASE_URL]",
        ),
        click.option(
            "--api-key-env",
            default="",
            metavar="NAME",
            help="The variable with the API key.  [default: HOUSEGUEST_API_KEY, OPENAI_API_KEY]",
        ),
        click.option(
            "--header",
            "headers",
            multiple=True,
            metavar="NAME:VALUE",
            callback=lambda _context, _parameter, given: dict(map(_header, given)),
            help="Sent with each request; may be repeated.",
        ),
        click.option("--temperature", type=float, metavar="T", help="Not sent unless it is given."),
        click.option("--reasoning-effort", default="", metavar="EFFORT", help="Sent as given."),
        click.option(
            "--reply-tokens",
            type=click.IntRange(min=0),
            default=8192,
            show_default=True,
            metavar="N",
            help="The longest reply; 0 sends no bound.",
        ),
        click.option(
            "--extra-body",
            metavar="JSON",
            default="{}",
            callback=lambda _context, _parameter, given: _object(given),
            help="Merged into each request.",
        ),
        _seconds("--timeout", 300.0, "For one request, seconds."),
        _seconds("--patience", 600.0, "How long to wait for a server that is away, seconds."),
    )


def _seconds(name: str, default: float, text: str) -> Callable[[F], F]:
    kind = click.FloatRange(min=0, min_open=True)
    return click.option(name, type=kind, default=default, show_default=True, metavar="S", help=text)


def _stages(given: tuple[str, ...]) -> tuple[str, ...]:
    names = split_names(given) or STAGES
    folded = {name.casefold(): name for name in STAGES}
    for name in names:
        if name.casefold() not in folded:
            raise click.BadParameter(f"there is no stage {name!r}; there are {', '.join(STAGES)}.")
    return tuple(folded[name.casefold()] for name in names)


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip() or not name.isascii() or "\n" in text:
        raise click.BadParameter("a header has to be of the form NAME:VALUE.")
    return name.strip().lower(), value.strip()


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise click.BadParameter(f"this is no JSON: {error}.") from error
    if not isinstance(value, dict):
        raise click.BadParameter("this has to be a JSON object.")
    for name in _OWN:
        if name in value:
            raise click.BadParameter(f"{name!r} is not yours to set.")
    return value


def _added(command: F, *decorators: Callable[[F], F]) -> F:
    """Applies decorators so that ``--help`` lists their options in this order."""
    for decorate in reversed(decorators):
        command = decorate(command)
    return command
