"""``houseguest actplan make``: descriptions, circumstances, counterfactuals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.command import CommandGroup
from env_service.cli.errors import PROBLEM, Misuse
from env_service.cli.options import json_option, print_json
from env_service.domain.text import counted
from env_service.suites.actplan.commands.make_counterfactual import (
    check_command,
    counterfactual_command,
)
from env_service.suites.actplan.commands.make_options import (
    kinds_option,
    model_options,
    source_options,
)

if TYPE_CHECKING:
    from env_service.suites.actplan.making.files import SourceActivity, StatedCircumstance
    from env_service.suites.actplan.making.requests import (
        CircumstancesQuestion,
        DescriptionQuestion,
    )


# --- ``houseguest actplan make describe``: activities in words

_DESCRIBE_EXAMPLES = """\b
Examples:
  houseguest actplan make describe mine/baking_a_cake/problem0.bddl
  houseguest actplan make describe --tasks 'cleaning_*' --out described
  houseguest actplan make describe --out described --parallel 4 \\
      --base-url http://127.0.0.1:8000/v1 --model Qwen/Qwen3-32B

\b
A PLACE is a BDDL file, an activity's folder, or a folder with such folders; by default, the command
describes the data pack's activities. With --model, OUT/describe.state.jsonl stores the answers:
after Ctrl-C or a failure, the same command resumes from it.
Exit status: 0 every activity is described; 1 some are not, or the server failed.
"""


@click.command("describe", epilog=_DESCRIBE_EXAMPLES)
@source_options
@click.option(
    "--variant",
    type=click.Choice(["normal", "counterfactual"]),
    default="normal",
    show_default=True,
    help="The problem: problem0.bddl or problem1.bddl.",
)
@click.option("--circumstance", default="", metavar="SENTENCE", help="The unusual circumstance.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write problems and descriptions there, in the published layout.  [default: print them]",
)
@model_options
@json_option
def describe_command(**options: Any) -> int:
    """Describe activities in English.

    A template states every object with its place and states, and the goal. With --model, a model
    writes the description, and rules check that it is complete.
    """
    from env_service.suites.actplan.commands.make_requests import activities, failures_as_messages

    with failures_as_messages():
        questions = [_question(each, options) for each in activities(options)]
        if options["dry_run"]:
            from env_service.suites.actplan.commands.make_requests import print_prompt

            print_prompt(questions[0], options["prompts"])
            return 0
        texts = (
            _describe_by_model(questions, options)
            if options["model"]
            else dict(_by_template(questions))
        )
        _give_descriptions(questions, texts, options)
        return 0 if len(texts) == len(questions) else PROBLEM


def _question(activity: SourceActivity, options: dict[str, Any]) -> DescriptionQuestion:
    from env_service.suites.actplan.making.files import SourceError
    from env_service.suites.actplan.making.requests import DescriptionQuestion
    from env_service.suites.actplan.task import Variant
    from env_service.worlds.activity.bddl.parser import read_problem

    variant = Variant(options["variant"])
    text = activity.normal if variant is Variant.NORMAL else activity.counterfactual
    file = activity.folder / f"problem{variant.number}.bddl"
    if not text:
        raise SourceError(f"{file} does not exist; exclude {activity.name} with --tasks")
    problem = read_problem(text, str(file))
    return DescriptionQuestion(activity.name, variant, problem, text, options["circumstance"])


def _by_template(questions: Sequence[DescriptionQuestion]) -> Iterator[tuple[str, str]]:
    from env_service.suites.actplan.making.description import describe

    for each in questions:
        yield each.activity, describe(each.activity, each.problem, each.circumstance)


def _describe_by_model(
    questions: Sequence[DescriptionQuestion], options: dict[str, Any]
) -> dict[str, str]:
    from env_service.suites.actplan.commands.make_requests import ModelRequests

    if options["out"] is None:
        raise Misuse("Give --out FOLDER: it stores the model's answers")
    answers = ModelRequests(options, options["out"] / "describe.state.jsonl").answers(
        "described", questions
    )
    texts = {}
    for each in questions:
        made = answers.made[each.activity, each.stage, each.which]
        if made.done:
            texts[each.activity] = made.texts[0]
        else:
            click.echo(f"{each.activity}: no description: {made.problem}", err=True)
    click.echo(str(answers.usage), err=True)
    return texts


def _give_descriptions(
    questions: Sequence[DescriptionQuestion], texts: dict[str, str], options: dict[str, Any]
) -> None:
    out: Path | None = options["out"]
    if out is not None:
        _write(questions, texts, out)
    if options["as_json"]:
        print_json({"descriptions": texts, "out": None if out is None else str(out)})
    elif out is None:
        for name, text in texts.items():
            click.echo(text if len(texts) == 1 else f"=== {name}\n{text}")
    else:
        click.echo(
            f"{out}: {len(texts)} of {counted(len(questions), 'activity', 'activities')} described"
        )


def _write(questions: Sequence[DescriptionQuestion], texts: dict[str, str], out: Path) -> None:
    from env_service.suites.actplan.making.files import TaskFolder, WrittenVariant

    folder = TaskFolder(out)
    for each in questions:
        if each.activity in texts:
            text = texts[each.activity]
            folder.write(WrittenVariant(each.activity, each.variant, each.text, text))


# --- ``houseguest actplan make circumstances``: under which a plan has to change

_CIRCUMSTANCES_EXAMPLES = """\b
Examples:
  houseguest actplan make circumstances --tasks packing_lunches
  houseguest actplan make circumstances --number 5 --out circumstances.jsonl \\
      --base-url http://127.0.0.1:8000/v1 --model Qwen/Qwen3-32B --parallel 4

\b
Each line of the file is {"activity": …, "kind": …, "text": …}. You can add, delete or correct lines
before `make counterfactual --circumstances FILE`. With --model, FILE.state.jsonl stores the
answers, and the same command resumes from it.
Exit status: 0 the list is complete; 1 some circumstances are missing, or the server failed.
"""


@click.command("circumstances", epilog=_CIRCUMSTANCES_EXAMPLES)
@source_options
@click.option(
    "--number",
    type=click.IntRange(1, 50),
    default=3,
    show_default=True,
    metavar="N",
    help="The number of each kind to request from a model.",
)
@kinds_option
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="Seed of the rules' choices, without a model.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="JSON Lines.  [default: print them]",
)
@model_options
@json_option
def circumstances_command(**options: Any) -> int:
    """List circumstances in which an activity's usual plan fails.

    A circumstance concerns a property of an object, its function, or an event. Without --model,
    the command lists those that the built-in rules can produce.
    """
    from env_service.suites.actplan.commands.make_requests import activities, failures_as_messages

    with failures_as_messages():
        sources = activities(options)
        if options["dry_run"]:
            from env_service.suites.actplan.commands.make_requests import print_prompt

            print_prompt(_questions(sources[:1], options)[0], options["prompts"])
            return 0
        failed = 0
        if options["model"]:
            found, failed = _circumstances_by_model(sources, options)
        else:
            found = tuple(_by_rules(sources, options))
        _give_circumstances(found, options)
        return PROBLEM if failed else 0


def _questions(
    sources: Sequence[SourceActivity], options: dict[str, Any]
) -> list[CircumstancesQuestion]:
    from env_service.suites.actplan.making.description import INSTRUCTION, describe
    from env_service.suites.actplan.making.requests import CircumstancesQuestion
    from env_service.suites.actplan.task import Circumstance
    from env_service.worlds.activity.bddl.parser import read_problem

    questions = []
    for each in sources:
        problem = read_problem(each.normal, each.name)
        text = describe(each.name, problem).partition(INSTRUCTION)[0].strip()
        questions += [
            CircumstancesQuestion(each.name, text, Circumstance(kind), options["number"])
            for kind in options["kinds"]
        ]
    return questions


def _circumstances_by_model(
    sources: Sequence[SourceActivity], options: dict[str, Any]
) -> tuple[tuple[StatedCircumstance, ...], int]:
    """What a model thinks of, and how many of the questions it has no answer to."""
    from env_service.suites.actplan.commands.make_requests import ModelRequests
    from env_service.suites.actplan.making.files import StatedCircumstance
    from env_service.suites.actplan.making.requests import folded

    out: Path | None = options["out"]
    if out is None:
        raise Misuse("Give --out FILE: the model's answers are kept next to that file")
    state = out.with_name(f"{out.name.removesuffix('.jsonl')}.state.jsonl")
    questions = _questions(sources, options)
    answers = ModelRequests(options, state).answers("circumstances", questions)
    found: dict[tuple[str, str], StatedCircumstance] = {}
    failed = 0
    for each in questions:
        made = answers.made[each.activity, each.stage, each.which]
        if not made.done:
            failed += 1
            click.echo(f"{each.activity}, {each.kind.value}: none: {made.problem}", err=True)
        for text in made.texts:
            stated = StatedCircumstance(each.activity, each.kind, text, by=options["model"])
            found.setdefault((each.activity, folded(text)), stated)
    click.echo(str(answers.usage), err=True)
    return tuple(found.values()), failed


def _by_rules(
    sources: Sequence[SourceActivity], options: dict[str, Any]
) -> Iterator[StatedCircumstance]:
    from env_service.suites.actplan.making.files import StatedCircumstance
    from env_service.suites.actplan.making.problem_rules import PROBLEM_RULES, drafts
    from env_service.worlds.activity.bddl.parser import read_problem

    names = [name for name, rule in PROBLEM_RULES.items() if rule.kind.value in options["kinds"]]
    for each in sources:
        problem = read_problem(each.normal, each.name)
        for rule, draft in drafts(each.name, problem, names, options["seed"]):
            yield StatedCircumstance(each.name, rule.kind, draft.text, rule=rule.name)


def _give_circumstances(found: Sequence[StatedCircumstance], options: dict[str, Any]) -> None:
    from env_service.storage.atomic_files import write_atomically
    from env_service.suites.actplan.making.files import written

    out: Path | None = options["out"]
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(out, written(found))
    if options["as_json"]:
        print_json({"circumstances": [each.to_json() for each in found]})
    elif out is None:
        for each in found:
            click.echo(f"{each.activity}  {each.kind.value}  {each.text}")
    else:
        click.echo(f"{out}: {counted(len(found), 'circumstance')}")


_MAKE_EXAMPLES = """\b
Examples:
  houseguest actplan make describe mine/baking_a_cake
  houseguest actplan make circumstances --tasks 'packing_*' --number 3 --model NAME --out c.jsonl
  houseguest actplan make counterfactual --out made --kinds event_causality
  houseguest actplan make counterfactual --circumstances c.jsonl --model NAME --out made
  houseguest actplan make check made
"""


@click.group("make", cls=CommandGroup, epilog=_MAKE_EXAMPLES)
def make_command() -> None:
    """Describe activities, make counterfactuals, and check these.

    The commands use templates and rules, which need no model, or any model with an
    OpenAI-compatible API.
    """


for _command in (describe_command, circumstances_command, counterfactual_command, check_command):
    make_command.add_command(_command)
