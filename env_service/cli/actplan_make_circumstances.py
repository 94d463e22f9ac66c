"""``houseguest actplan make circumstances``: under which a plan has to change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.actplan_make_options import kinds_option, model_options, source_options
from env_service.cli.common import json_option, print_json
from env_service.cli.errors import PROBLEM, Misuse
from env_service.domain.english import counted

if TYPE_CHECKING:
    from env_service.making.asking import CircumstancesQuestion
    from env_service.making.sources import SourceActivity
    from env_service.making.stated import Stated

_EXAMPLES = """\b
Examples:
  houseguest actplan make circumstances --tasks packing_lunches
  houseguest actplan make circumstances --number 5 --out circumstances.jsonl \\
      --base-url http://127.0.0.1:8000/v1 --model Qwen/Qwen3-32B --parallel 4

\b
Each line of the file is {"activity": …, "kind": …, "text": …}: write, strike out or mend what you
like before `make counterfactual --circumstances FILE`. With --model, answers lie beside it in
FILE.state.jsonl, from which the same command goes on.
Exit status: 0 all is done; 1 some could not be had, or the server failed.
"""


@click.command("circumstances", epilog=_EXAMPLES)
@source_options
@click.option(
    "--number",
    type=click.IntRange(1, 50),
    default=3,
    show_default=True,
    metavar="N",
    help="How many of each kind a model is asked for.",
)
@kinds_option
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Of the rules' choices, without a model."
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="JSON Lines.  [default: print them]",
)
@model_options
@json_option
def circumstances_command(**asked: Any) -> int:
    """Think of circumstances under which the usual plan of an activity fails.

    Of three kinds: what a thing is like, what it is for, what has happened. Without --model those
    that the built-in rules can make.
    """
    from env_service.cli.actplan_make_sources import activities, told

    with told():
        sources = activities(asked)
        if asked["dry_run"]:
            from env_service.cli.actplan_make_model import print_prompt

            print_prompt(_questions(sources[:1], asked)[0], asked["prompts"])
            return 0
        failed = 0
        if asked["model"]:
            found, failed = _by_model(sources, asked)
        else:
            found = tuple(_by_rules(sources, asked))
        _give(found, asked)
        return PROBLEM if failed else 0


def _questions(
    sources: Sequence[SourceActivity], asked: dict[str, Any]
) -> list[CircumstancesQuestion]:
    from env_service.making.asking import CircumstancesQuestion
    from env_service.making.describing import INSTRUCTION, describe
    from env_service.suites.actplan.task import Circumstance
    from env_service.worlds.activity.bddl.reading import read_problem

    questions = []
    for each in sources:
        problem = read_problem(each.normal, each.name)
        text = describe(each.name, problem).partition(INSTRUCTION)[0].strip()
        questions += [
            CircumstancesQuestion(each.name, text, Circumstance(kind), asked["number"])
            for kind in asked["kinds"]
        ]
    return questions


def _by_model(
    sources: Sequence[SourceActivity], asked: dict[str, Any]
) -> tuple[tuple[Stated, ...], int]:
    """What a model thinks of, and how many of the questions it has no answer to."""
    from env_service.cli.actplan_make_model import Asking
    from env_service.making.replies import folded
    from env_service.making.stated import Stated

    out: Path | None = asked["out"]
    if out is None:
        raise Misuse("where to? Give --out FILE: what a model says is kept beside it")
    state = out.with_name(f"{out.name.removesuffix('.jsonl')}.state.jsonl")
    questions = _questions(sources, asked)
    answers = Asking(asked, state).answers("circumstances", questions)
    found: dict[tuple[str, str], Stated] = {}
    failed = 0
    for each in questions:
        made = answers.made[each.activity, each.stage, each.which]
        if not made.done:
            failed += 1
            click.echo(f"{each.activity}, {each.kind.value}: none: {made.problem}", err=True)
        for text in made.texts:
            stated = Stated(each.activity, each.kind, text, by=asked["model"])
            found.setdefault((each.activity, folded(text)), stated)
    click.echo(str(answers.usage), err=True)
    return tuple(found.values()), failed


def _by_rules(sources: Sequence[SourceActivity], asked: dict[str, Any]) -> Iterator[Stated]:
    from env_service.making.rules.shelf import RULES, drafts
    from env_service.making.stated import Stated
    from env_service.worlds.activity.bddl.reading import read_problem

    names = [name for name, rule in RULES.items() if rule.kind.value in asked["kinds"]]
    for each in sources:
        problem = read_problem(each.normal, each.name)
        for rule, draft in drafts(each.name, problem, names, asked["seed"]):
            yield Stated(each.name, rule.kind, draft.text, rule=rule.name)


def _give(found: Sequence[Stated], asked: dict[str, Any]) -> None:
    from env_service.making.stated import written
    from env_service.results.atomic import write_atomically

    out: Path | None = asked["out"]
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(out, written(found))
    if asked["as_json"]:
        print_json({"circumstances": [each.to_json() for each in found]})
    elif out is None:
        for each in found:
            click.echo(f"{each.activity}  {each.kind.value}  {each.text}")
    else:
        click.echo(f"{out}: {counted(len(found), 'circumstance')}")
