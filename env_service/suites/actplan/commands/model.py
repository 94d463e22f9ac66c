"""``houseguest actplan model``: a language model as the judge of plans."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from env_service.cli.command import CommandGroup
from env_service.cli.endpoint_options import (
    endpoint_options,
    fresh_option,
    parallel_option,
)
from env_service.cli.options import added, json_option, whole_number

F = TypeVar("F", bound=Callable[..., Any])

_FILE = click.Path(dir_okay=False, path_type=Path)
_PRICE = click.FloatRange(min=0)

_EXAMPLES = """\b
Examples:
  houseguest actplan model calibrate --model NAME --out calibration.json --parallel 8
  houseguest actplan model judge plans/ --model NAME --out judged.json \\
      --calibration calibration.json
  houseguest actplan model judge plans/ --dry-run
"""

_CALIBRATE = """\b
Examples:
  houseguest actplan model calibrate --model NAME --out calibration.json --parallel 8
  houseguest actplan model calibrate --model NAME --out small.json --limit 60
  houseguest actplan model calibrate --model NAME --out c.json --price-read 2.5 --price-written 10

\b
OUT.state.jsonl stores the answers: after Ctrl-C or a failure, the same command resumes from it.
Exit status: 0 every plan has a verdict; 1 some have none, or the server failed.
"""

_JUDGE = """\b
Examples:
  houseguest actplan model judge plans/ --model NAME --out judged.json
  houseguest actplan model judge plans.jsonl --model NAME --calibration calibration.json \\
      --out judged.json

\b
PLANS is a folder with files ACTIVITY/0.txt and ACTIVITY/1.txt; a folder in the published layout,
SCENE/ACTIVITY/0/sample_0/plan_NAME.txt; a .jsonl file with lines {"task": …, "plan": …}; the
published .jsonl file, with --name gpt-4v, gemini, gold_1 or gold_2; or a .json object that maps
tasks to plans.
"""


def work_options(command: F) -> F:
    """What a model is shown, how many requests at a time, and what they cost."""
    return added(
        command,
        click.option("--out", type=_FILE, metavar="FILE", help="The results, as JSON."),
        click.option(
            "--show",
            type=click.Choice(["goal", "none"]),
            default="goal",
            show_default=True,
            help="What to show with the description: the definition's goal in words, or nothing.",
        ),
        click.option(
            "--pictures/--no-pictures",
            default=True,
            show_default=True,
            help="Whether to send pictures, if there are any.",
        ),
        parallel_option,
        click.option(
            "--price-read", type=_PRICE, metavar="X", help="Price of a million input tokens."
        ),
        click.option(
            "--price-written", type=_PRICE, metavar="X", help="Price of a million output tokens."
        ),
        fresh_option,
        click.option("--dry-run", is_flag=True, help="Print the first question and send nothing."),
    )


@click.group("model", cls=CommandGroup, epilog=_EXAMPLES)
def model_command() -> None:
    """Judge plans with a language model, and measure its agreement."""


@click.command("calibrate", epilog=_CALIBRATE)
@whole_number("--limit", "Use N plans of each split, spread over activities; 0 for all.")
@work_options
@endpoint_options
@json_option
def calibrate_command(**options: Any) -> int:
    """Calibrate a model on published plans that people have judged.

    The command fits a temperature and a threshold on the train split. For every split in the data
    pack, it shows the agreement before and after, and the accuracy of always giving the same
    answer.
    """
    from env_service.suites.actplan.commands.model_run import calibrate

    return calibrate(options)


@click.command("judge", epilog=_JUDGE)
@click.argument("path", metavar="PLANS", type=click.Path(exists=True, path_type=Path))
@click.option("--name", default="", metavar="NAME", help="The model that wrote the plans.")
@click.option(
    "--calibration",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The file that `calibrate` wrote for the same model.",
)
@work_options
@endpoint_options
@json_option
def judge_command(**options: Any) -> int:
    """Let a model judge PLANS: whether each is correct, and if not, why.

    Reasons are the paper's classes of errors. If pictures are sent, they include image
    understanding, which no other judge decides.
    """
    from env_service.suites.actplan.commands.model_run import judge

    return judge(options)


for _command in (calibrate_command, judge_command):
    model_command.add_command(_command)
