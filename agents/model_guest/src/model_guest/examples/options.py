"""What a user chooses about the examples in a prompt."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path

from .mix import EVEN, Mix


@dataclass(frozen=True, slots=True)
class ExampleOptions:
    """Which examples a prompt shows, where its prompt set has some.

    ``file``: a pool in place of the prompt set's own. ``count``: how many; None: as the prompt
    set says. ``seed``: of the draw. ``wording``: which of a task's commands is shown; empty: the
    first of each.
    """

    file: Path | None = None
    count: int | None = None
    mix: Mix = field(default_factory=Mix)
    seed: int = 0
    wording: str = ""


def add_example_options(group: argparse._ArgumentGroup) -> None:
    """Adds all that ``read_examples`` reads."""
    group.add_argument(
        "--example-count",
        type=_whole_number,
        metavar="N",
        help="alfred: how many worked examples the prompt holds; default: 14",
    )
    group.add_argument(
        "--example-mix",
        type=_mix,
        default=EVEN,
        metavar="MIX",
        help="alfred: as many of each type (even), whatever their type (any), or TYPE=N,TYPE=N;"
        " default: even",
    )
    group.add_argument(
        "--example-seed",
        type=_whole_number,
        default=0,
        metavar="N",
        help="alfred: the seed by which examples are drawn; default: 0",
    )
    group.add_argument(
        "--example-wording",
        default="",
        metavar="NAME",
        help="alfred: how the examples' commands are worded, such as P1; default: the pool's first",
    )
    group.add_argument(
        "--example-file",
        type=Path,
        metavar="FILE",
        help="alfred: draw examples from this file, as `houseguest alfred examples` writes it;"
        " default: the guest's own",
    )


def read_examples(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> ExampleOptions:
    """The options that were chosen; two that contradict each other end the program with status
    2."""
    mix, count = arguments.example_mix, arguments.example_count
    if mix.total is not None and count not in (None, mix.total):
        parser.error(
            f"--example-mix {mix.kind} makes {mix.total} examples, and --example-count asks for"
            f" {count}: leave the count out"
        )
    return ExampleOptions(
        file=arguments.example_file,
        count=count,
        mix=mix,
        seed=arguments.example_seed,
        wording=arguments.example_wording,
    )


def _mix(text: str) -> Mix:
    try:
        return Mix.read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _whole_number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0")
    return int(text)
