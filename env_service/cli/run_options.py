"""Options that the commands which play share. Imports little, for speed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from env_service.domain.bounds import SECONDS

F = TypeVar("F", bound=Callable[..., Any])


def budget_option(name: str, default: float, text: str) -> Callable[[F], F]:
    """An option for a number of seconds, within ``bounds.SECONDS``."""

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
        "--fresh", is_flag=True, help="Begin anew beside an earlier run of the same kind."
    )
    out = click.option(
        "--out",
        default=Path("runs"),
        show_default=True,
        type=click.Path(file_okay=False, path_type=Path),
        help="Where the run's folder goes.",
    )
    return out(fresh(command))


def signing_key_option(signed: str) -> Callable[[F], F]:
    """An option ``--signing-key FILE``, which says what is signed; the command's parameter is
    ``signing_key: Path | None``."""
    return click.option(
        "--signing-key",
        type=click.Path(dir_okay=False, path_type=Path),
        help=f"PEM file of the key that signs {signed}; made where it does not exist.",
    )


def calling_options(caller: str, seats: str) -> Callable[[F], F]:
    """Options ``--listen`` and ``--seats``, which say who calls and what is written; the command's
    parameters are ``listen: str`` (empty: the house chooses) and ``seats: Path | None``.
    """
    listening = click.option(
        "--listen",
        default="",
        metavar="ADDRESS",
        help=f"Where {caller}: unix:/path or host:port.",
    )
    handing = click.option(
        "--seats",
        metavar="FOLDER",
        type=click.Path(file_okay=False, path_type=Path),
        help=seats,
    )
    return lambda command: listening(handing(command))
