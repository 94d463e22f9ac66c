"""``houseguest actplan make describe``: activities in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.actplan_make_options import model_options, source_options
from env_service.cli.common import json_option, print_json
from env_service.cli.errors import PROBLEM, Misuse
from env_service.domain.english import counted

if TYPE_CHECKING:
    from env_service.making.asking import DescriptionQuestion
    from env_service.making.sources import SourceActivity

_EXAMPLES = """\b
Examples:
  houseguest actplan make describe mine/baking_a_cake/problem0.bddl
  houseguest actplan make describe --tasks 'cleaning_*' --out described
  houseguest actplan make describe --out described --parallel 4 \\
      --base-url http://127.0.0.1:8000/v1 --model Qwen/Qwen3-32B

\b
A PLACE is a BDDL file, an activity's folder, or a folder with such folders; without one, the data
pack's activities are described. With --model, answers lie in OUT/describe.state.jsonl, from which
the same command goes on after Ctrl-C or a failure.
Exit status: 0 all is done; 1 a description could not be had, or the server failed.
"""


@click.command("describe", epilog=_EXAMPLES)
@source_options
@click.option(
    "--variant",
    type=click.Choice(["normal", "counterfactual"]),
    default="normal",
    show_default=True,
    help="Which problem: problem0.bddl or problem1.bddl.",
)
@click.option("--circumstance", default="", metavar="SENTENCE", help="What is out of the ordinary.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write problems and descriptions there, as published ones.  [default: print them]",
)
@model_options
@json_option
def describe_command(**asked: Any) -> int:
    """Describe activities in English.

    By a template, which tells every thing, place and state, and the goal; or, with --model, in a
    model's words, which are checked for leaving nothing out.
    """
    from env_service.cli.actplan_make_sources import activities, told

    with told():
        questions = [_question(each, asked) for each in activities(asked)]
        if asked["dry_run"]:
            from env_service.cli.actplan_make_model import print_prompt

            print_prompt(questions[0], asked["prompts"])
            return 0
        texts = _by_model(questions, asked) if asked["model"] else dict(_by_template(questions))
        _give(questions, texts, asked)
        return 0 if len(texts) == len(questions) else PROBLEM


def _question(activity: SourceActivity, asked: dict[str, Any]) -> DescriptionQuestion:
    from env_service.making.asking import DescriptionQuestion
    from env_service.making.errors import SourceError
    from env_service.suites.actplan.task import Variant
    from env_service.worlds.activity.bddl.reading import read_problem

    variant = Variant(asked["variant"])
    text = activity.normal if variant is Variant.NORMAL else activity.counterfactual
    file = activity.folder / f"problem{variant.number}.bddl"
    if not text:
        raise SourceError(f"{file} is not there; leave {activity.name} out by --tasks")
    problem = read_problem(text, str(file))
    return DescriptionQuestion(activity.name, variant, problem, text, asked["circumstance"])


def _by_template(questions: Sequence[DescriptionQuestion]) -> Iterator[tuple[str, str]]:
    from env_service.making.describing import describe

    for each in questions:
        yield each.activity, describe(each.activity, each.problem, each.circumstance)


def _by_model(questions: Sequence[DescriptionQuestion], asked: dict[str, Any]) -> dict[str, str]:
    from env_service.cli.actplan_make_model import Asking

    if asked["out"] is None:
        raise Misuse("where to? Give --out FOLDER: what a model says is kept there")
    answers = Asking(asked, asked["out"] / "describe.state.jsonl").answers("described", questions)
    texts = {}
    for each in questions:
        made = answers.made[each.activity, each.stage, each.which]
        if made.done:
            texts[each.activity] = made.texts[0]
        else:
            click.echo(f"{each.activity}: no description: {made.problem}", err=True)
    click.echo(str(answers.usage), err=True)
    return texts


def _give(
    questions: Sequence[DescriptionQuestion], texts: dict[str, str], asked: dict[str, Any]
) -> None:
    out: Path | None = asked["out"]
    if out is not None:
        _write(questions, texts, out)
    if asked["as_json"]:
        print_json({"descriptions": texts, "out": None if out is None else str(out)})
    elif out is None:
        for name, text in texts.items():
            click.echo(text if len(texts) == 1 else f"=== {name}\n{text}")
    else:
        click.echo(
            f"{out}: {len(texts)} of {counted(len(questions), 'activity', 'activities')} described"
        )


def _write(questions: Sequence[DescriptionQuestion], texts: dict[str, str], out: Path) -> None:
    from env_service.making.folder import TaskFolder, Variation

    folder = TaskFolder(out)
    for each in questions:
        if each.activity in texts:
            text = texts[each.activity]
            folder.write(Variation(each.activity, each.variant, each.text, text))
