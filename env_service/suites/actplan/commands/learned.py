"""``houseguest actplan learned``: a classifier of plans, trained on people's verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.command import CommandGroup
from env_service.cli.errors import Failure, Interrupted, Misuse
from env_service.cli.options import json_option, print_json
from env_service.cli.output import print_table, progress
from env_service.suites.actplan.commands.lcs import gold_cases, no_gold

if TYPE_CHECKING:
    from env_service.suites.actplan.learned.classifier import (
        Agreement,
        Classifier,
        JudgedPair,
        TrainingRecipe,
    )
    from env_service.suites.actplan.learned.training import Epoch, Training


# --- ``houseguest actplan learned score``: plans, judged by a trained classifier

_SCORE_EXAMPLES = """\b
Examples:
  houseguest actplan learned score --classifier judge/best
  houseguest actplan learned score --classifier judge/best --split test --json
  houseguest actplan learned score --classifier judge/best plans.jsonl
"""


@click.command("score", epilog=_SCORE_EXAMPLES)
@click.argument("paths", nargs=-1, metavar="[PLANS…]", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--classifier",
    "folder",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="The result of `train`: OUT/best.",
)
@click.option(
    "--name", default="", metavar="NAME", help="The model's name, if PLANS is from one model."
)
@click.option(
    "--split",
    type=click.Choice(["train", "val", "test"]),
    default="val",
    show_default=True,
    help="Split of the published plans to judge if you give no PLANS.",
)
@click.option("--device", default="auto", show_default=True, help="cpu, cuda, cuda:1 or auto.")
@json_option
def score_command(*, as_json: bool, **options: Any) -> None:
    """Judge PLANS, each with the gold plans of its instance. Without PLANS, show how well the
    classifier agrees with people on the published models' plans."""
    if options["paths"]:
        _judge(options, as_json=as_json)
    else:
        _evaluate(options, as_json=as_json)


def _classifier(options: dict[str, Any]) -> Classifier:
    from env_service.suites.actplan.lcs.encoder import MissingPackageError
    from env_service.suites.actplan.learned.classifier import Classifier, ClassifierError

    try:
        return Classifier.load(options["folder"], options["device"])
    except (MissingPackageError, ClassifierError) as error:
        raise Failure(str(error), kind=type(error).__name__) from error
    except ValueError as error:
        raise Misuse(f"--device: {error}") from error


def _evaluate(options: dict[str, Any], *, as_json: bool) -> None:
    from env_service.suites.actplan.dataset.labelled_plans import load_labelled
    from env_service.suites.actplan.learned.classifier import evaluate, evaluation_pairs

    split = options["split"]
    pairs = tuple(evaluation_pairs(load_labelled().of(split=split)))
    if not pairs:
        raise Failure(f"The data pack has no labelled plans of the {split} split", kind="NoPlans")
    classifier = _classifier(options)
    with progress("judging", len(pairs)) as advance:
        found = evaluate(classifier, pairs, advance)
    if as_json:
        print_json({"split": split, "agreement": agreement_rows(found)})
        return
    print_agreement(found)
    warning = "; the classifier was trained on it" if split == "train" else ""
    warning = "; it chose the classifier's epoch" if split == "val" else warning
    click.echo(f"split {split}{warning}")


def _judge(options: dict[str, Any], *, as_json: bool) -> None:
    from env_service.suites.actplan.learned.classifier import judge_cases

    given = gold_cases(options["paths"], options["name"])
    if not given.cases:
        raise Failure(no_gold(given.without), kind="NothingScored")
    classifier = _classifier(options)
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


def _rates(judged: Sequence[JudgedPair]) -> list[dict[str, Any]]:
    models = dict.fromkeys(each.case.model for each in judged)
    parts = {model: [each for each in judged if each.case.model == model] for model in models}
    return [
        {"model": model, "plans": len(part), "correct": sum(e.correct for e in part) / len(part)}
        for model, part in parts.items()
    ]


def _record(judged: JudgedPair) -> dict[str, Any]:
    case = judged.case
    record = {"id": case.id, "model": case.model, "correct": judged.correct}
    return {**record, "chance": judged.chance, "chances": dict(judged.chances)}


# --- What the commands of ``houseguest actplan learned`` tell


def epoch_line(epoch: Epoch) -> str:
    """One epoch on a line."""
    confusion = epoch.agreement.confusion
    return (
        f"epoch {epoch.number}: loss {epoch.loss:.3f}; val MCC {confusion.mcc:.3f}, accuracy"
        f" {confusion.accuracy:.1%} (constant answer {confusion.baseline:.1%}); {epoch.cut} of"
        f" {epoch.examples} pairs cut"
    )


def agreement_rows(found: Sequence[Agreement]) -> list[dict[str, Any]]:
    """As JSON."""
    return [each.to_json() for each in found]


def print_agreement(found: Sequence[Agreement]) -> None:
    """Prints how far people and classifier agree, with the constant answer's accuracy."""
    columns = ("plans of", "#plans", "#MCC", "#accuracy", "#constant", "#ROC area", "#TP", "#FP")
    print_table((*columns, "#FN", "#TN"), [_cells(each) for each in found])


def _cells(found: Agreement) -> tuple[str, ...]:
    confusion = found.confusion
    counts = (
        confusion.true_positives,
        confusion.false_positives,
        confusion.false_negatives,
        confusion.true_negatives,
    )
    return (
        found.model,
        str(confusion.count),
        f"{confusion.mcc:.3f}",
        f"{confusion.accuracy:.1%}",
        f"{confusion.baseline:.1%}",
        "-" if found.roc is None else f"{found.roc:.3f}",
        *map(str, counts),
    )


_LEARNED_EXAMPLES = """\b
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
OUT then contains `best`, the classifier of the best epoch on val; `last.pt`, from which the same
command resumes after Ctrl-C; and `log.jsonl`, with one line per epoch.
"""


@click.group("learned", cls=CommandGroup, epilog=_LEARNED_EXAMPLES)
def learned_command() -> None:
    """Judge plans with a classifier trained on people's verdicts."""


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
    help="The folder for the training.",
)
@click.option(
    "--epochs",
    type=click.IntRange(1),
    default=70,
    show_default=True,
    metavar="N",
    help="Number of epochs; each draws one pair from every instance.",
)
@click.option(
    "--batch",
    type=click.IntRange(1),
    default=12,
    show_default=True,
    metavar="N",
    help="Pairs per step of the optimiser.",
)
@click.option(
    "--learning-rate",
    type=click.FloatRange(0, min_open=True),
    default=5e-6,
    show_default=True,
    metavar="X",
    help="AdamW's learning rate, which is constant.",
)
@click.option(
    "--most-tokens",
    type=click.IntRange(8),
    default=512,
    show_default=True,
    metavar="N",
    help="Maximum tokens of a pair of plans; longer pairs are cut, the longer plan first.",
)
@click.option(
    "--cut",
    type=click.Choice(["end", "start"]),
    default="end",
    show_default=True,
    help="The end at which to cut a plan that is too long.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of all random draws.",
)
@click.option("--device", default="auto", show_default=True, help="cpu, cuda, cuda:1 or auto.")
@click.option(
    "--fresh", is_flag=True, help="Start again, even if OUT contains unfinished training."
)
@json_option
def train_command(*, as_json: bool, **options: Any) -> None:
    """Train a classifier on the judged plans of the train split.

    The classifier gets pairs of plans for the same instance, of which the first is correct, and
    learns whether the second is correct too. The result is the epoch with the best Matthews'
    coefficient on val. Next to each accuracy, the command shows that of always giving the same
    answer. It does not use the test split.
    """
    with explained():
        training = _training(options)
        resumed = not options["fresh"] and training.resume()
        if options["fresh"]:
            training.begin_anew()
        if resumed:
            click.echo(f"resuming after epoch {training.done}", err=True)
        _run(training, options["out"])
    _print_summary(training, as_json=as_json)


@contextmanager
def explained() -> Iterator[None]:
    """Turns what can go wrong with encoders and classifiers into errors for users."""
    from env_service.suites.actplan.lcs.encoder import EncoderError, MissingPackageError
    from env_service.suites.actplan.learned.classifier import ClassifierError
    from env_service.suites.actplan.learned.training import TrainingError

    try:
        yield
    except (MissingPackageError, EncoderError, ClassifierError, TrainingError) as error:
        raise Failure(str(error), kind=type(error).__name__) from error


def _training(options: dict[str, Any]) -> Training:
    from env_service.suites.actplan.dataset.labelled_plans import load_labelled
    from env_service.suites.actplan.lcs.encoder import find_source
    from env_service.suites.actplan.learned.classifier import Classifier, evaluation_pairs, group_of
    from env_service.suites.actplan.learned.training import Material, Training, Watch

    labelled = load_labelled()
    material = Material(
        tuple(map(group_of, labelled.of(split="train"))),
        tuple(evaluation_pairs(labelled.of(split="val"))),
    )
    try:
        made = Classifier.fresh(
            find_source(options["encoder"]), _recipe(options), options["device"]
        )
    except ValueError as error:
        raise Misuse(f"--device: {error}") from error
    watch = Watch(lambda epoch: click.echo(epoch_line(epoch), err=True), progress)
    return Training(options["out"], made, material, watch)


def _recipe(options: dict[str, Any]) -> TrainingRecipe:
    from env_service.suites.actplan.learned.classifier import Cut, TrainingRecipe

    names = ("epochs", "batch", "learning_rate", "most_tokens", "seed")
    return TrainingRecipe(**{name: options[name] for name in names}, cut=Cut(options["cut"]))


def _run(training: Training, out: Path) -> None:
    try:
        training.run()
    except KeyboardInterrupt:
        raise Interrupted(
            f"Interrupted after {training.done} epochs, which are kept in {out}; run the same"
            " command again to resume"
        ) from None


def _print_summary(training: Training, *, as_json: bool) -> None:
    from env_service.suites.actplan.learned.classifier import Classifier, evaluate
    from env_service.suites.actplan.learned.training import BEST

    best = training.folder / BEST
    with explained():
        kept = Classifier.load(best, training.classifier.device)
        found = evaluate(kept, training.material.val)
    if as_json:
        record = {
            "classifier": str(best),
            "best_epoch": training.best_epoch,
            "epochs": training.done,
        }
        print_json({**record, "split": "val", "agreement": agreement_rows(found)})
        return
    click.echo(f"{best}: epoch {training.best_epoch} of {training.done}, which val chose")
    print_agreement(found)


for _command in (train_command, score_command):
    learned_command.add_command(_command)
