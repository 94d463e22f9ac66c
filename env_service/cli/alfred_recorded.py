"""Attempts of a run of alfred, told as recorded sessions: for a model that is to judge them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from env_service.cli.errors import Failure

if TYPE_CHECKING:
    from env_service.domain.action import Action
    from env_service.results.reading import RunText
    from env_service.results.records import EpisodeRecord
    from env_service.suites.alfred.judging.session import LoggedStep, Session
    from env_service.suites.base import EpisodeOrder


def recorded_sessions(run: RunText, records: Sequence[EpisodeRecord]) -> list[Session]:
    """What was tried in these episodes of a run, and what came of each step. No data pack is
    needed: a transcript holds its task. Raises Failure where a transcript cannot be read."""
    return [_session(run, each) for each in records]


def _session(run: RunText, record: EpisodeRecord) -> Session:
    from env_service.results.envelope import read_order
    from env_service.results.fields import Fields, FormatError
    from env_service.results.layout import TRANSCRIPTS
    from env_service.results.transcript import read_transcript
    from env_service.suites.alfred.judging.session import Session
    from env_service.suites.alfred.task import read_task

    file = run.path / TRANSCRIPTS / f"{record.episode_id}.jsonl"
    try:
        lines = [line for _, line in read_transcript(file).lines]
        header = next(line for line in lines if line.get("kind") == "header")
        order = read_order(Fields(header["order"], "order"))
        steps = list(_steps(order, [line for line in lines if line.get("kind") == "step"]))
        goal = read_task(order.task).goal
    except (OSError, FormatError, KeyError, StopIteration, TypeError, ValueError) as error:
        raise Failure(
            f"{file} cannot be read: `houseguest verify {run.path}` says more."
        ) from error
    done = [place for place, each in enumerate(steps) if each.said.lower() == "done"]
    return Session(
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
    from env_service.results.envelope import read_action
    from env_service.suites.alfred.judging.session import LoggedStep
    from env_service.suites.alfred.question import Question
    from env_service.suites.alfred.skills.plan_reading import read_step

    question = Question(allowed=order.condition["ask"] == "on", answer="")
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
    """The words of each step that was tried; of an answer that is no plan that it is none."""
    from env_service.suites.alfred.skills.plan_reading import read_plan, read_step

    if not whole:
        return (read_step(action)[0] or "(nothing)",)
    reading = read_plan(action)
    if reading.problem is not None:
        return ("(an answer that is no plan)",)
    return [said for said, _ in reading.steps]
