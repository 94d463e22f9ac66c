"""What ``houseguest actplan model`` does: asks about plans, calibrates, judges."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from houseguest_model_client.config import EndpointConfig

from env_service.chat.client import RefusedError
from env_service.chat.completion import Usage
from env_service.chat.concurrency import run_concurrently
from env_service.chat.model_state import StateError, set_aside
from env_service.cli.endpoint_options import endpoint_config
from env_service.cli.errors import PROBLEM, Failure, Misuse
from env_service.cli.model_work import model_for, sampling_settings
from env_service.cli.options import print_json
from env_service.cli.output import print_table, progress
from env_service.datasets.errors import DataPackError
from env_service.domain.task import Task
from env_service.domain.text import counted
from env_service.storage.atomic_files import document, write_atomically
from env_service.storage.plain_files import read_plain_text
from env_service.suites.actplan.dataset.labelled_plans import load_labelled
from env_service.suites.actplan.judges.calibration import (
    AnsweredQuestion,
    Calibration,
    CalibrationError,
    Measure,
    MeasureOptions,
    fit,
)
from env_service.suites.actplan.judges.model_judge import (
    AnswerStore,
    LabelledQuestion,
    ModelAnswer,
    PlanQuestion,
    Prices,
    QuestionOptions,
    Shown,
    ask_about,
    given_questions,
    labelled_questions,
    messages,
    prompt_digest,
)
from env_service.suites.actplan.judges.plan_files import PlanFileError, read_plans
from env_service.suites.actplan.task_sets import ActPlanTaskSets


def asking_of(options: Mapping[str, Any]) -> QuestionOptions:
    """What a model is shown."""
    return QuestionOptions(Shown(options["show"]), pictures=options["pictures"])


def settings_of(config: EndpointConfig, shown_options: QuestionOptions) -> dict[str, Any]:
    """What has to be the same for verdicts to go together."""
    return {
        "model": config.model,
        "rubric": prompt_digest(),
        "shown": shown_options.shown.value,
        "pictures": shown_options.pictures,
        "corrections": shown_options.corrections,
        **sampling_settings(config),
    }


def out_of(options: Mapping[str, Any]) -> Path:
    """Where results go. Raises Misuse."""
    out: Path | None = options["out"]
    if out is None:
        raise Misuse("Give --out FILE, such as --out judged.json")
    return out


def open_answers(options: Mapping[str, Any], settings: Mapping[str, Any]) -> AnswerStore:
    """The state file next to the results. Raises Misuse and Failure."""
    path = _state_of(out_of(options))
    if options["fresh"]:
        set_aside(path)
    try:
        return AnswerStore(path, settings)
    except StateError as error:
        raise Failure(str(error), kind="StateError") from error


def _state_of(out: Path) -> Path:
    return out.with_name(f"{out.name}.state.jsonl")


def ask_all(
    questions: Sequence[PlanQuestion], config: EndpointConfig, state: AnswerStore, parallel: int
) -> None:
    """Asks all that has no verdict yet, and keeps what comes. Raises Failure and Interrupted."""
    different = {question.key: question for question in questions}
    left = [each for each in different.values() if not _answered(state, each)]
    if not left:
        return
    with (
        model_for(config, state, lambda: _kept(state)) as model,
        progress("asking the model", len(left)) as advance,
    ):

        def keep(answer: ModelAnswer) -> None:
            state.keep([answer])
            advance()

        try:
            run_concurrently(left, lambda each: [ask_about(each, model.ask)], parallel, keep)
        except RefusedError as error:
            if not any(each.pictures for each in left):
                raise
            hint = "If the model takes no pictures, give --no-pictures."
            raise RefusedError(f"{error}\n{hint}") from error


def without_verdict(questions: Sequence[PlanQuestion], state: AnswerStore) -> list[str]:
    """Each question that no reply could be read to, and why."""
    return [
        f"{each.task} ({each.source}): {state.entries[each.key].problem}"
        for each in questions
        if each.key in state.entries and not _answered(state, each)
    ]


def cost_line(usage: Usage, options: Mapping[str, Any]) -> str:
    """What all runs took, and cost where prices are given."""
    cost = cost_of(usage, options)
    cost_text = "" if cost is None else f"; cost {cost:.4f} at the prices given"
    return f"{usage}{cost_text}"


def cost_of(usage: Usage, options: Mapping[str, Any]) -> float | None:
    """None if no price is given, or the server reported no token counts."""
    read, written = options["price_read"], options["price_written"]
    if read is None and written is None:
        return None
    return Prices(read or 0.0, written or 0.0).of(usage)


def print_question(question: PlanQuestion | None) -> None:
    """What a model would be asked."""
    for message in messages(question) if question is not None else ():
        count = len(message.pictures)
        more = f" (and {counted(count, 'picture')})" if count else ""
        click.echo(f"--- {message.role}{more}\n{message.text}\n")


def _answered(state: AnswerStore, question: PlanQuestion) -> bool:
    entry = state.entries.get(question.key)
    return entry is not None and entry.verdict is not None


def _kept(state: AnswerStore) -> str:
    done = sum(entry.verdict is not None for entry in state.entries.values())
    return f"{done} verdicts are kept; run the same command again to resume."


# --- Does what ``houseguest actplan model calibrate`` is asked for

FORMAT = "houseguest-actplan-calibration-1"
TRAIN = "train"


def calibrate(options: Mapping[str, Any]) -> int:
    """The exit status. Raises Misuse, Failure and Interrupted."""
    shown_options = asking_of(options)
    labelled = _spread_out(_labelled(shown_options), options["limit"])
    if options["dry_run"]:
        print_question(labelled[0].question)
        return 0
    config = endpoint_config(options)
    settings = settings_of(config, shown_options)
    questions = [each.question for each in labelled]
    out_of(options)
    with open_answers(options, settings) as state:
        ask_all(questions, config, state, options["parallel"])
        rows = _answered_labels(labelled, state)
        problems = without_verdict(questions, state)
        calibration, why = _fitted(rows)
        found = MeasureOptions(calibration or Calibration()).measures(rows)
        made = {
            "format": FORMAT,
            "settings": settings,
            "calibration": None if calibration is None else asdict(calibration),
            "fitted_on": sum(row.labelled.split == TRAIN for row in rows),
            "agreement": [each.to_json() for each in found],
            "without_verdict": problems,
            "usage": {**asdict(state.usage), "cost": cost_of(state.usage, options)},
        }
        write_atomically(out_of(options), document(made))
        if options["as_json"]:
            print_json(made)
        else:
            _print_calibration(made, found, problems, cost_line(state.usage, options))
    if why:
        click.echo(f"not calibrated: {why}", err=True)
    return PROBLEM if problems or why else 0


def _labelled(shown_options: QuestionOptions) -> list[LabelledQuestion]:
    plans, tasks = load_labelled(), ActPlanTaskSets()["labelled"].tasks
    found = list(labelled_questions(plans, tasks, shown_options))
    if not found:
        raise Failure("The data pack has no labelled plans", kind="NoPlans")
    return found


def _spread_out(labelled: Sequence[LabelledQuestion], limit: int) -> Sequence[LabelledQuestion]:
    """So many of each split, evenly over models and activities."""
    if not limit:
        return labelled
    chosen: list[LabelledQuestion] = []
    for split in dict.fromkeys(each.split for each in labelled):
        own = [each for each in labelled if each.split == split]
        part = sorted(own, key=lambda each: each.question.source)
        count = min(limit, len(part))
        chosen += [part[at * len(part) // count] for at in range(count)]
    return chosen


def _answered_labels(
    labelled: Sequence[LabelledQuestion], state: AnswerStore
) -> list[AnsweredQuestion]:
    found = ((each, state.entries.get(each.question.key)) for each in labelled)
    return [
        AnsweredQuestion(each, entry.verdict)
        for each, entry in found
        if entry is not None and entry.verdict is not None
    ]


def _fitted(rows: Sequence[AnsweredQuestion]) -> tuple[Calibration | None, str]:
    """The calibration, or why there is none."""
    if not rows:
        raise Failure("The model gave no verdict that could be read", kind="NoVerdict")
    train = [row for row in rows if row.labelled.split == TRAIN]
    said, labels = [r.verdict.probability for r in train], [r.labelled.label for r in train]
    try:
        return fit(said, labels), ""
    except CalibrationError as error:
        return None, str(error)


def _print_calibration(
    made: Mapping[str, Any], found: Sequence[Measure], problems: Sequence[str], cost: str
) -> None:
    columns = ("split", "plans of", "#plans", "#MCC said", "#MCC", "95 % interval", "#accuracy")
    print_table(
        (*columns, "#constant", "#Brier said", "#Brier", "#ROC area"),
        [_cells(each) for each in found],
    )
    fitted = made["calibration"]
    if fitted is not None:
        click.echo(
            f"temperature {fitted['temperature']:.3f}, threshold {fitted['threshold']:.3f}, fitted"
            f" on {made['fitted_on']} plans of {TRAIN}; the numbers for {TRAIN} are too good"
        )
    click.echo(cost)
    for each in problems:
        click.echo(f"no verdict: {each}", err=True)


def _cells(found: Measure) -> tuple[str, ...]:
    return (
        found.split,
        found.plans,
        str(found.raw.count),
        f"{found.raw.mcc:.3f}",
        f"{found.calibrated.mcc:.3f}",
        f"{found.interval.low:.3f} to {found.interval.high:.3f}",
        f"{found.calibrated.accuracy:.1%}",
        f"{found.raw.baseline:.1%}",
        f"{found.brier_raw:.3f}",
        f"{found.brier_calibrated:.3f}",
        "-" if found.roc is None else f"{found.roc:.3f}",
    )


# --- Does what ``houseguest actplan model judge`` is asked for


def judge(options: Mapping[str, Any]) -> int:
    """The exit status. Raises Misuse, Failure and Interrupted."""
    shown_options = asking_of(options)
    questions = _questions(options, shown_options)
    if options["dry_run"]:
        print_question(questions[0])
        return 0
    config = endpoint_config(options)
    settings = settings_of(config, shown_options)
    known = _calibration(options["calibration"], settings)
    out_of(options)
    with open_answers(options, settings) as state:
        ask_all(questions, config, state, options["parallel"])
        problems = without_verdict(questions, state)
        records = _records(questions, state, known)
        made = {
            "settings": settings,
            "calibration": known and known["calibration"],
            "agreement": known and known["agreement"],
            "plans": records,
            "without_verdict": problems,
            "usage": {**asdict(state.usage), "cost": cost_of(state.usage, options)},
        }
        write_atomically(out_of(options), document(made))
        if options["as_json"]:
            print_json(made)
        else:
            _print_judgement(made, problems, cost_line(state.usage, options))
    return PROBLEM if problems else 0


def _questions(options: Mapping[str, Any], shown_options: QuestionOptions) -> list[PlanQuestion]:
    tasks = _tasks()
    path: Path = options["path"]
    problems = [name for name, task in tasks.items() if not task.data["scene"]]
    try:
        plans = read_plans(path, problems, options["name"])
    except PlanFileError as error:
        raise Misuse(str(error), kind="PlanFileError") from error
    return list(
        given_questions(plans, options["name"] or path.resolve().stem, tasks, shown_options)
    )


def _tasks() -> dict[str, Task]:
    """Problems, and the data pack's instances, by id."""
    sets = ActPlanTaskSets()
    found = {task.id: task for task in sets["problems"].tasks}
    for name in ("labelled", "archive"):
        try:
            found |= {task.id: task for task in sets[name].tasks}
        except DataPackError:
            # Instances show pictures; without them a problem's description has to do.
            continue
    return found


def _calibration(path: Path | None, settings: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What `calibrate` wrote; None where no file is given, or it says that nothing was fitted.

    Raises Misuse if the file is of another kind, or of another model or rubric.
    """
    if path is None:
        return None
    try:
        found = json.loads(read_plain_text(path))
        sound = found["format"] == FORMAT and isinstance(found["settings"], dict)
        if found["calibration"] is not None:
            Calibration(**found["calibration"])
    except (OSError, ValueError, KeyError, TypeError):
        sound, found = False, {}
    if not sound:
        raise Misuse(
            f"--calibration {path} was not written by `houseguest actplan model calibrate`"
        )
    other = [
        f"{name} was {found['settings'].get(name)!r}, now {value!r}"
        for name, value in settings.items()
        if found["settings"].get(name) != value
    ]
    if other:
        raise Misuse(f"--calibration {path} is of another judge: {'; '.join(other)}")
    if found["calibration"] is None:
        raise Misuse(f"--calibration {path} has no calibration: too few plans of train were judged")
    calibrated: Mapping[str, Any] = found
    return calibrated


def _records(
    questions: Sequence[PlanQuestion], state: AnswerStore, known: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    calibration = Calibration(**known["calibration"]) if known else None
    found = ((each, state.entries[each.key].verdict) for each in questions)
    return [
        {
            "task": question.task,
            "source": question.source,
            "pictures": len(question.pictures),
            "correct": calibration.verdict(verdict.probability) if calibration else verdict.correct,
            "said": verdict.correct,
            "probability": calibration.probability(verdict.probability)
            if calibration
            else verdict.probability,
            "errors": [each.value for each in verdict.errors],
            "explanation": verdict.explanation,
        }
        for question, verdict in found
        if verdict is not None
    ]


def _print_judgement(made: Mapping[str, Any], problems: Sequence[str], cost: str) -> None:
    plans = made["plans"]
    right = sum(each["correct"] for each in plans)
    share = f" ({right / len(plans):.1%})" if plans else ""
    click.echo(
        f"{right} of {counted(len(plans), 'plan')} are called correct{share} by"
        f" {made['settings']['model']}"
    )
    wrong = Counter(name for each in plans if not each["correct"] for name in each["errors"])
    if wrong:
        print_table(("why not", "#plans"), [(name, str(n)) for name, n in wrong.most_common()])
    for each in made["agreement"] or ():
        if each["split"] != "train" and each["plans_of"] == "all":
            calibrated = each["calibrated"]
            click.echo(
                f"agreement with people on {each['split']}: MCC {calibrated['mcc']:.3f}, accuracy"
                f" {calibrated['accuracy']:.1%} (constant answer {each['baseline']:.1%})"
            )
    if made["calibration"] is None:
        click.echo("not calibrated: how far this model agrees with people is not known")
    click.echo(cost)
    for each in problems:
        click.echo(f"no verdict: {each}", err=True)
