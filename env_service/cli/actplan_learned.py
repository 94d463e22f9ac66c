"""``houseguest actplan learned``: a classifier of plans, trained on people's verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.actplan_learned_score import score_command
from env_service.cli.actplan_learned_text import agreement_rows, epoch_line, print_agreement
from env_service.cli.common import json_option, print_json
from env_service.cli.errors import Failure, Interrupted, Misuse
from env_service.cli.groups import CommandGroup
from env_service.cli.output import progress

if TYPE_CHECKING:
    from env_service.suites.actplan.learned.recipe import Recipe
    from env_service.suites.actplan.learned.training import Training

_EXAMPLES = """\b
Examples:
  houseguest actplan learned train --encoder bert-large-uncased --out judge
  houseguest actplan learned score --classifier judge/best
  houseguest actplan learned score --classifier judge/best plans/ --name my-model
"""

_TRAIN_EXAMPLES = """\b
Examples:
  houseguest actplan learned train --encoder bert-base-uncased --out judge
  houseguest actplan learned train --encoder ./bleurt-large --out judge --learning-rate 1e-6
  houseguest actplan learned train --encoder ./bleurt-large --out judge --epochs 90

\b
OUT gets `best`, the classifier of the best epoch on val; `last.pt`, from which the same command
goes on after Ctrl-C; and `log.jsonl`, a line an epoch.
"""


@click.group("learned", cls=CommandGroup, epilog=_EXAMPLES)
def learned_command() -> None:
    """Train a classifier of plans on people's verdicts, and judge plans with it."""


@click.command("train", epilog=_TRAIN_EXAMPLES)
@click.option(
    "--encoder",
    required=True,
    metavar="FOLDER|NAME",
    help="An encoder of the library transformers: a folder, or its name on the hub.",
)
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Where the training is kept.",
)
@click.option(
    "--epochs",
    type=click.IntRange(1),
    default=70,
    show_default=True,
    metavar="N",
    help="Each draws a pair from every instance.",
)
@click.option(
    "--batch",
    type=click.IntRange(1),
    default=12,
    show_default=True,
    metavar="N",
    help="Pairs in one step of the optimiser.",
)
@click.option(
    "--learning-rate",
    type=click.FloatRange(0, min_open=True),
    default=5e-6,
    show_default=True,
    metavar="X",
    help="Of AdamW, the same throughout.",
)
@click.option(
    "--most-tokens",
    type=click.IntRange(8),
    default=512,
    show_default=True,
    metavar="N",
    help="Of a pair of plans; longer ones are cut, the longer plan first.",
)
@click.option(
    "--cut",
    type=click.Choice(["end", "start"]),
    default="end",
    show_default=True,
    help="Which end of a plan that is too long is cut off.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="N",
    help="Of every draw.",
)
@click.option("--device", default="auto", show_default=True, help="cpu, cuda, cuda:1 or auto.")
@click.option("--fresh", is_flag=True, help="Begin anew, whatever is in OUT.")
@json_option
def train_command(*, as_json: bool, **asked: Any) -> None:
    """Train a classifier on the plans of the train split that people judged.

    It sees pairs of plans for the same instance, and learns whether the second is correct where the
    first is. The epoch with the best Matthews' coefficient on val is kept; the constant answer's
    accuracy stands beside each accuracy. Plans of the test split are not looked at.
    """
    with explained():
        training = _training(asked)
        resumed = not asked["fresh"] and training.resume()
        if asked["fresh"]:
            training.begin_anew()
        if resumed:
            click.echo(f"going on after epoch {training.done}", err=True)
        _run(training, asked["out"])
    _tell(training, as_json=as_json)


@contextmanager
def explained() -> Iterator[None]:
    """Turns what can go wrong with encoders and classifiers into errors for users."""
    from env_service.suites.actplan.lcs.border import MissingPackageError
    from env_service.suites.actplan.lcs.sources import EncoderError
    from env_service.suites.actplan.learned.classifier import ClassifierError
    from env_service.suites.actplan.learned.training import TrainingError

    try:
        yield
    except (MissingPackageError, EncoderError, ClassifierError, TrainingError) as error:
        raise Failure(str(error), kind=type(error).__name__) from error


def _training(asked: dict[str, Any]) -> Training:
    from env_service.suites.actplan.dataset.labelled import load_labelled
    from env_service.suites.actplan.lcs.sources import find_source
    from env_service.suites.actplan.learned.classifier import Classifier
    from env_service.suites.actplan.learned.pairs import evaluation_pairs, group_of
    from env_service.suites.actplan.learned.training import Material, Training, Watch

    labelled = load_labelled()
    material = Material(
        tuple(map(group_of, labelled.of(split="train"))),
        tuple(evaluation_pairs(labelled.of(split="val"))),
    )
    try:
        made = Classifier.fresh(find_source(asked["encoder"]), _recipe(asked), asked["device"])
    except ValueError as error:
        raise Misuse(f"--device: {error}") from error
    watch = Watch(lambda epoch: click.echo(epoch_line(epoch), err=True), progress)
    return Training(asked["out"], made, material, watch)


def _recipe(asked: dict[str, Any]) -> Recipe:
    from env_service.suites.actplan.learned.recipe import Cut, Recipe

    names = ("epochs", "batch", "learning_rate", "most_tokens", "seed")
    return Recipe(**{name: asked[name] for name in names}, cut=Cut(asked["cut"]))


def _run(training: Training, out: Path) -> None:
    try:
        training.run()
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted after {training.done} epochs, which are kept in {out}; the same command"
            " goes on from there"
        ) from None


def _tell(training: Training, *, as_json: bool) -> None:
    from env_service.suites.actplan.learned.classifier import Classifier
    from env_service.suites.actplan.learned.evaluation import evaluate
    from env_service.suites.actplan.learned.training import BEST

    best = training.folder / BEST
    with explained():
        kept = Classifier.load(best, training.classifier.device)
        found = evaluate(kept, training.material.val)
    if as_json:
        told = {"classifier": str(best), "best_epoch": training.best_epoch, "epochs": training.done}
        print_json({**told, "split": "val", "agreement": agreement_rows(found)})
        return
    click.echo(f"{best}: epoch {training.best_epoch} of {training.done}, which val chose")
    print_agreement(found)


for _command in (train_command, score_command):
    learned_command.add_command(_command)
