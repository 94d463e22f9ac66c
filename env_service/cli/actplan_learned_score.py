"""``houseguest actplan learned score``: plans, judged by a trained classifier."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.actplan_gold import gold_cases, no_gold
from env_service.cli.actplan_learned_text import agreement_rows, print_agreement
from env_service.cli.common import json_option, print_json
from env_service.cli.errors import Failure, Misuse
from env_service.cli.output import print_table, progress

if TYPE_CHECKING:
    from env_service.suites.actplan.learned.classifier import Classifier
    from env_service.suites.actplan.learned.scoring import Judged

_EXAMPLES = """\b
Examples:
  houseguest actplan learned score --classifier judge/best
  houseguest actplan learned score --classifier judge/best --split test --json
  houseguest actplan learned score --classifier judge/best plans.jsonl
"""


@click.command("score", epilog=_EXAMPLES)
@click.argument("paths", nargs=-1, metavar="[PLANS…]", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--classifier",
    "folder",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="What `train` kept: OUT/best.",
)
@click.option("--name", default="", metavar="NAME", help="The model's name, where PLANS is one.")
@click.option(
    "--split",
    type=click.Choice(["train", "val", "test"]),
    default="val",
    show_default=True,
    help="Of the published plans, where there are no PLANS.",
)
@click.option("--device", default="auto", show_default=True, help="cpu, cuda, cuda:1 or auto.")
@json_option
def score_command(*, as_json: bool, **asked: Any) -> None:
    """Judge PLANS, each beside the gold plans of its instances; or, without any, tell how far the
    classifier agrees with what people said of the published models' plans."""
    if asked["paths"]:
        _judge(asked, as_json=as_json)
    else:
        _evaluate(asked, as_json=as_json)


def _classifier(asked: dict[str, Any]) -> Classifier:
    from env_service.suites.actplan.lcs.border import MissingPackageError
    from env_service.suites.actplan.learned.classifier import Classifier, ClassifierError

    try:
        return Classifier.load(asked["folder"], asked["device"])
    except (MissingPackageError, ClassifierError) as error:
        raise Failure(str(error), kind=type(error).__name__) from error
    except ValueError as error:
        raise Misuse(f"--device: {error}") from error


def _evaluate(asked: dict[str, Any], *, as_json: bool) -> None:
    from env_service.suites.actplan.dataset.labelled import load_labelled
    from env_service.suites.actplan.learned.evaluation import evaluate
    from env_service.suites.actplan.learned.pairs import evaluation_pairs

    split = asked["split"]
    pairs = tuple(evaluation_pairs(load_labelled().of(split=split)))
    if not pairs:
        raise Failure(f"there are no labelled plans of the {split} split here", kind="NoPlans")
    classifier = _classifier(asked)
    with progress("judging", len(pairs)) as advance:
        found = evaluate(classifier, pairs, advance)
    if as_json:
        print_json({"split": split, "agreement": agreement_rows(found)})
        return
    print_agreement(found)
    warning = "; the classifier was trained on it" if split == "train" else ""
    warning = "; it chose the classifier's epoch" if split == "val" else warning
    click.echo(f"split {split}{warning}")


def _judge(asked: dict[str, Any], *, as_json: bool) -> None:
    from env_service.suites.actplan.learned.scoring import judge_cases

    given = gold_cases(asked["paths"], asked["name"])
    if not given.cases:
        raise Failure(no_gold(given.without), kind="NothingScored")
    classifier = _classifier(asked)
    with progress("judging", sum(len(case.golds) for case in given.cases)) as advance:
        judged = judge_cases(classifier, given.cases, advance)
    if as_json:
        rows = [_record(each) for each in judged]
        print_json({"plans": rows, "without_gold": list(given.without), "models": _rates(judged)})
        return
    rates = _rates(judged)
    table = [(each["model"], str(each["plans"]), f"{each['correct']:.1%}") for each in rates]
    print_table(("model", "#plans", "#called correct"), table)
    if given.without:
        click.echo(f"without a gold plan here, and so without a verdict: {len(given.without)}")


def _rates(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    models = dict.fromkeys(each.case.model for each in judged)
    parts = {model: [each for each in judged if each.case.model == model] for model in models}
    return [
        {"model": model, "plans": len(part), "correct": sum(e.correct for e in part) / len(part)}
        for model, part in parts.items()
    ]


def _record(judged: Judged) -> dict[str, Any]:
    case = judged.case
    told = {"id": case.id, "model": case.model, "correct": judged.correct}
    return {**told, "chance": judged.chance, "chances": dict(judged.chances)}
