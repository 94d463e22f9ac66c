"""``houseguest alfred classify``: why attempts failed, by rules or by a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.errors import PROBLEM, Failure
from env_service.cli.options import json_option, print_json
from env_service.cli.output import print_table, progress
from env_service.domain.text import counted
from env_service.storage.plain_files import read_plain

if TYPE_CHECKING:
    from env_service.chat.asking import Ask
    from env_service.domain.action import Action
    from env_service.results.records import EpisodeRecord
    from env_service.results.run_reader import RunContents
    from env_service.suites.alfred.judging.logs import LoggedEpisode, LoggedStep
    from env_service.suites.alfred.task import AlfredTask
    from env_service.suites.base import EpisodeOrder


_EXAMPLES = """\b
Examples:
  houseguest alfred classify evaluate.log
  houseguest alfred classify results/trial_*.json --json
  houseguest alfred classify runs
  houseguest alfred classify runs/alfred-vlm-0f3a…
  houseguest alfred classify runs/alfred-vlm-0f3a… --base-url http://127.0.0.1:8000/v1 --model NAME

\b
Types: 1 misleading command, 2 action failure, 3 plan failure.
"""


@click.command("classify", epilog=_EXAMPLES)
@click.argument(
    "sources",
    nargs=-1,
    required=True,
    metavar="LOG…",
    type=click.Path(exists=True, path_type=Path),
)
@click.option("--model", metavar="NAME", help="Also ask this model, and show how well it agrees.")
@click.option(
    "--base-url",
    metavar="URL",
    help="Its OpenAI-compatible server.  [default: HOUSEGUEST_BASE_URL, else OPENAI_BASE_URL]",
)
@click.option("--api-key-env", default="", metavar="NAME", help="The variable with its API key.")
@click.option(
    "--temperature", type=float, metavar="T", help="Sampling temperature. [default: the server's]"
)
@json_option
def classify_command(*, sources: tuple[Path, ...], as_json: bool, **asked: Any) -> int:
    """Show why attempts failed: command, action or plan.

    LOG is a text log of LoTa-Bench, one of its result files, a run of this suite, which already
    contains the reasons, or a folder of runs, whose runs of other suites are skipped. If the data
    packs are installed, goals come from the task of the same trial. Exit status 1 if some file or
    line cannot be read; the rest is still reported.
    """
    ask = chosen_model(asked) if asked["model"] else None
    if ask is None and asked["base_url"]:
        raise click.UsageError("--base-url needs --model NAME")
    rows: list[ClassifiedRow] = []
    problems: list[str] = []
    notices: list[str] = []
    for source in _logs_and_runs(sources, problems):
        try:
            shown = _run(source, ask, notices) if source.is_dir() else _log(source, ask, problems)
            rows += shown
        except Failure as error:
            problems.append(error.message)
    for notice in notices:
        click.echo(f"Note: {notice}", err=True)
    _tell(rows, problems, as_json=as_json)
    return PROBLEM if problems else 0


def _logs_and_runs(sources: Sequence[Path], problems: list[str]) -> Iterator[Path]:
    """The logs and runs, with a folder of runs replaced by its runs of this suite."""
    from env_service.results.run_reader import find_runs, is_run

    for source in sources:
        if not source.is_dir() or is_run(source):
            yield source
        elif not (runs := find_runs(source)):
            problems.append(f"{source} is not a run folder and contains none")
        elif not (own := [run for run in runs if _is_own(run)]):
            problems.append(f"{source} contains no run of suite {SUITE}")
        else:
            yield from own


def _run(path: Path, ask: Ask | None, notices: list[str]) -> list[ClassifiedRow]:
    rows, episodes, left = run_rows(path, steps=ask is not None)
    notices += [left] if left else []
    return rows if ask is None else asked_rows(rows, episodes, ask)


def _log(path: Path, ask: Ask | None, problems: list[str]) -> list[ClassifiedRow]:
    rows, episodes, found = log_rows(path)
    problems += found
    return rows if ask is None else asked_rows(rows, episodes, ask)


def _tell(rows: Sequence[ClassifiedRow], problems: Sequence[str], *, as_json: bool) -> None:
    compared = agreement_of(rows)
    if as_json:
        document: dict[str, Any] = {
            "attempts": [each.to_json() for each in rows],
            "types": _counts(rows),
            "problems": list(problems),
        }
        print_json({**document, "agreement": compared} if compared else document)
        return
    for row in rows:
        _tell_row(row)
    _tell_counts(rows)
    if compared:
        columns = ("type", "#both", "#ours alone", "#model alone", "#neither", "#agree", "#kappa")
        print_table(columns, [_cells(each) for each in compared])
    for problem in problems:
        click.echo(f"Error: {problem}", err=True)


def _tell_row(row: ClassifiedRow) -> None:
    click.echo(f"{row.source}  {row.task}")
    if row.command:
        click.echo(f"  command: {row.command}")
    if row.success:
        click.echo("  succeeded")
        return
    types = ", ".join(map(str, row.types))
    click.echo(f"  types: {types}  codes: {', '.join(row.codes) or 'none'}")
    click.echo(f"  {row.explanation}")
    if row.model is not None:
        said = ", ".join(map(str, row.model["failure_types"])) or "nothing that can be read"
        click.echo(f"  model: {said}  {row.model.get('explanation', row.model.get('problem', ''))}")


def _counts(rows: Sequence[ClassifiedRow]) -> dict[str, int]:
    return {str(kind): sum(kind in each.types for each in rows) for kind in (1, 2, 3)}


def _tell_counts(rows: Sequence[ClassifiedRow]) -> None:
    failed = sum(not each.success for each in rows)
    counts = ", ".join(f"{number} of type {kind}" for kind, number in _counts(rows).items())
    click.echo(f"{counted(len(rows), 'attempt')}, {failed} failed: {counts}")


def _cells(found: Mapping[str, Any]) -> tuple[str, ...]:
    counts = (found["type"], found["both"], found["ours_alone"], found["model_alone"])
    kappa = "-" if found["kappa"] is None else f"{found['kappa']:.2f}"
    return (*map(str, counts), str(found["neither"]), f"{100 * found['agree']:.0f} %", kappa)


# --- What ``houseguest alfred classify`` reads: logs, result files, and runs

SUITE = "alfred"

MOST_BYTES = 256 * 1024 * 1024
"""The largest log that is read."""


@dataclass(frozen=True, slots=True)
class ClassifiedRow:
    """One attempt: its source, its command, and why it failed."""

    source: str
    task: str
    command: str
    success: bool
    types: tuple[int, ...]
    codes: tuple[str, ...]
    explanation: str
    model: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """The row as ``--json`` prints it."""
        own = {
            "source": self.source,
            "task": self.task,
            "command": self.command,
            "success": self.success,
            "failure_types": list(self.types),
            "failure_codes": list(self.codes),
            "explanation": self.explanation,
        }
        return own if self.model is None else {**own, "model": dict(self.model)}


def _is_own(path: Path) -> bool:
    """Whether a run is of this suite; also true for one that cannot be read, which says why."""
    from env_service.domain.data_node import FormatError
    from env_service.results.manifest import read_manifest

    try:
        return read_manifest(path).suite == SUITE
    except (FormatError, OSError):
        return True


def run_rows(path: Path, *, steps: bool) -> tuple[list[ClassifiedRow], list[LoggedEpisode], str]:
    """What was stored with a run's scored episodes; with ``steps`` also what was tried in each;
    and a sentence that says how many of the run's episodes were scored, empty where all were.
    Raises Failure."""
    from env_service.domain.data_node import FormatError
    from env_service.results.run_reader import read_run
    from env_service.storage.signed_journal import CorruptFileError

    try:
        run = read_run(path)
    except (FormatError, CorruptFileError, OSError) as error:
        raise Failure(f"{path}: {error}") from error
    judged = [each for each in run.episodes if each.fault is None]
    known = run.manifest.suite == SUITE or any("failure_types" in each.labels for each in judged)
    if not known:
        raise Failure(f"{path} is a run of suite {run.manifest.suite}: name one of suite {SUITE}")
    total = len(run.manifest.task_ids) * run.manifest.repeats
    if not judged:
        raise Failure(
            f"{path}: none of its episodes was scored. `houseguest show {path}` shows its progress;"
            " to resume the run, repeat the command that started it"
        )
    rows = [
        ClassifiedRow(
            source=str(path),
            task=each.task_id,
            command=each.labels.get("command", ""),
            success=each.success,
            types=tuple(map(int, _split(each.labels.get("failure_types", "")))),
            codes=_split(each.labels.get("failure_codes", "")),
            explanation=each.labels.get("explanation", ""),
        )
        for each in judged
    ]
    left = "" if len(judged) >= total else f"{path}: {len(judged)} of {total} episodes were scored"
    return rows, logged_episodes(run, judged) if steps else [], left


def _split(text: str) -> tuple[str, ...]:
    return tuple(each for each in text.split(", ") if each)


def log_rows(path: Path) -> tuple[list[ClassifiedRow], list[LoggedEpisode], list[str]]:
    """The attempts of a log or a result file that can be judged, with what was read of them, and
    why the others cannot. Raises Failure where nothing can be read."""
    from env_service.suites.alfred.judging.log_cases import read_episodes
    from env_service.suites.alfred.judging.logs import LogError

    try:
        episodes = read_episodes(_text(path), path.name)
    except LogError as error:
        raise Failure(str(error), kind="LogError") from error
    tasks = _tasks(episodes)
    rows, read, problems = [], [], []
    for each in episodes:
        try:
            rows.append(_log_row(path, each, tasks))
        except LogError as error:
            problems.append(str(error))
        else:
            read.append(each)
    return rows, read, problems


def _log_row(path: Path, episode: LoggedEpisode, tasks: Mapping[str, AlfredTask]) -> ClassifiedRow:
    from env_service.suites.alfred.judging.log_cases import analyse

    found = analyse(episode, tasks, path.name)
    return ClassifiedRow(
        source=f"{path}:{episode.line}",
        task="/".join(each for each in (episode.name, episode.trial) if each),
        command=episode.command,
        success=episode.success,
        types=found.types,
        codes=found.codes,
        explanation=found.explanation,
    )


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise Failure(f"{path} has more than {MOST_BYTES // 2**20} MiB; split it")
        return read_plain(path, MOST_BYTES).decode(errors="replace")
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from error


def _tasks(episodes: Sequence[LoggedEpisode]) -> Mapping[str, AlfredTask]:
    """The tasks of the trials that a log names, as far as this machine has the data packs."""
    from env_service.datasets.errors import DataPackError
    from env_service.suites.alfred.task import read_task
    from env_service.suites.alfred.task_sets import AlfredTaskSets

    wanted = {each.trial.partition("/")[0] for each in episodes if each.trial}
    found: dict[str, AlfredTask] = {}
    task_sets = AlfredTaskSets()
    for name in ("valid_seen", "valid_unseen") if wanted else ():
        try:
            tasks = task_sets[name].tasks
        except DataPackError:
            continue
        found |= {each.id: read_task(each) for each in tasks if each.id in wanted}
    return found


# --- Has a model judge the attempts that ``houseguest alfred classify`` reads


def chosen_model(asked: Mapping[str, Any]) -> Ask:
    """The model that the options name. Raises Misuse."""
    from houseguest_model_client.config import EndpointConfig

    from env_service.cli.endpoint_options import address_and_key
    from env_service.cli.model_work import open_model

    address, key = address_and_key(asked)
    config = EndpointConfig(
        address=address, model=asked["model"], key=key, temperature=asked["temperature"]
    )
    return open_model(config).ask


def asked_rows(
    rows: Sequence[ClassifiedRow], episodes: Sequence[LoggedEpisode], ask: Ask
) -> list[ClassifiedRow]:
    """The rows, with what a model says of those that failed. Raises Failure."""
    from env_service.chat.asking import ReplyError
    from env_service.chat.client import ModelError
    from env_service.suites.alfred.judging.model_classifier import classify

    found = []
    with progress("asking the model", sum(not each.success for each in episodes)) as advance:
        for row, episode in zip(rows, episodes, strict=True):
            if episode.success:
                found.append(row)
                continue
            try:
                said = classify(episode, ask)
                shown = {"failure_types": list(said.types), "explanation": said.explanation}
            except ReplyError as error:
                shown = {"failure_types": [], "problem": str(error)}
            except ModelError as error:
                raise Failure(str(error), kind="ModelError") from error
            found.append(replace(row, model=shown))
            advance()
    return found


def agreement_of(rows: Sequence[ClassifiedRow]) -> list[dict[str, Any]]:
    """How far the model and we agree; empty where no model was asked."""
    from env_service.suites.alfred.judging.model_classifier import agreement

    pairs = [
        (each.types, tuple(each.model["failure_types"]))
        for each in rows
        if each.model is not None and each.model["failure_types"]
    ]
    if not pairs:
        return []
    ours, theirs = zip(*pairs, strict=True)
    return [
        {
            "type": each.type,
            "both": each.both,
            "ours_alone": each.first,
            "model_alone": each.second,
            "neither": each.neither,
            "agree": each.rate,
            "kappa": each.kappa,
        }
        for each in agreement(ours, theirs)
    ]


# --- Attempts of a run of alfred in the form of recorded episodes, for a model to judge


def logged_episodes(run: RunContents, records: Sequence[EpisodeRecord]) -> list[LoggedEpisode]:
    """What was tried in these episodes of a run, and what came of each step. No data pack is
    needed: a transcript holds its task. Raises Failure where a transcript cannot be read."""
    return [_episode(run, each) for each in records]


def _episode(run: RunContents, record: EpisodeRecord) -> LoggedEpisode:
    from env_service.domain.data_node import DataNode, FormatError
    from env_service.results.domain_json import read_order
    from env_service.results.run_layout import TRANSCRIPTS
    from env_service.results.transcript import read_transcript
    from env_service.suites.alfred.judging.logs import LoggedEpisode
    from env_service.suites.alfred.task import read_task

    file = run.path / TRANSCRIPTS / f"{record.episode_id}.jsonl"
    try:
        lines = [line for _, line in read_transcript(file).lines]
        header = next(line for line in lines if line.get("kind") == "header")
        order = read_order(DataNode(header["order"], "order"))
        steps = list(_steps(order, [line for line in lines if line.get("kind") == "step"]))
        goal = read_task(order.task).goal
    except (OSError, FormatError, KeyError, StopIteration, TypeError, ValueError) as error:
        raise Failure(
            f"{file} cannot be read: `houseguest verify {run.path}` says more."
        ) from error
    done = [place for place, each in enumerate(steps) if each.said.lower() == "done"]
    return LoggedEpisode(
        trial=record.task_id,
        name="",
        repeat=None,
        command=record.labels.get("command", ""),
        steps=tuple(steps[: done[0]] if done else steps),
        said_done=bool(done),
        goal=goal,
        success=record.success,
    )


def _steps(order: EpisodeOrder, turns: Sequence[Mapping[str, Any]]) -> Iterator[LoggedStep]:
    """The steps of an episode's turns. A question is one, and what was answered its message."""
    from env_service.results.domain_json import read_action
    from env_service.suites.alfred.judging.logs import LoggedStep
    from env_service.suites.alfred.skills.plan_reader import read_step
    from env_service.suites.alfred.wording import ClarifyingQuestion

    question = ClarifyingQuestion(allowed=order.condition["ask"] == "on", answer="")
    for turn in turns:
        action = read_action(turn["action"])
        outcomes = [str(message) for _, message in turn["truth"]["outcomes"]]
        if question.answer(action) is not None:
            yield LoggedStep(read_step(action)[0], (str(turn["shown"]["text"]),))
            continue
        question.forgo()
        whole = order.condition["play"] == "plan"
        for said, message in zip(_said(action, whole=whole), outcomes, strict=True):
            yield LoggedStep(said, (message,) if message else ())


def _said(action: Action, *, whole: bool) -> Sequence[str]:
    """The words of each step that was tried; a remark if the answer is not a plan."""
    from env_service.suites.alfred.skills.plan_reader import read_plan, read_step

    if not whole:
        return (read_step(action)[0] or "(nothing)",)
    reading = read_plan(action)
    if reading.problem is not None:
        return ("(an answer that is not a plan)",)
    return [said for said, _ in reading.steps]
