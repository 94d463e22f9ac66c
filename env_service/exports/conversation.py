"""An episode as a conversation: what the agent saw, and what it said and did.

Every format of chats and trajectories is written from this form. It contains only what the agent
received; true outcomes are in ``Turn.true``, apart.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from env_service.domain.usage import Usage
from env_service.results.episode_reader import (
    BeginView,
    OutcomeView,
    Said,
    Shot,
    StepView,
    read_outline,
    read_steps_page,
)
from env_service.results.pictures import Picture, RecordingError, read_picture
from env_service.results.records import EpisodeRecord
from env_service.results.run_reader import RunContents

_RESULTS = {
    "SUCCEEDED": "Your action worked.",
    "UNPARSABLE": "Your answer was not understood.",
}
"""Outcomes in words; any other code is a failure."""
_PAGE = 1000
"""Steps that are read at once."""


class UnreadableEpisodeError(Exception):
    """An episode's transcript or one of its pictures is missing or damaged."""


def unreadable(run: RunContents, record: EpisodeRecord, problem: str) -> UnreadableEpisodeError:
    """The error that names the episode."""
    return UnreadableEpisodeError(
        f"{run.path}: episode {record.episode_id} of task {record.task_id}: {problem}."
        f" `houseguest verify {run.path}` checks the whole run."
    )


@dataclass(frozen=True, slots=True)
class Call:
    """One skill that the agent called, with its arguments by name."""

    name: str
    arguments: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Request:
    """A request to the agent's model. ``prompt`` is as the transcript stores it, None if the agent
    did not send it; ``reply`` is empty if the agent reports none, or if the service has cut it."""

    prompt: Mapping[str, Any] | None
    reply: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One step: the agent's message, then the environment's answer.

    ``step`` counts from 0. ``message`` is the model's reply, or the text that the agent sent if it
    reports no reply; ``thought`` is empty if it reports none. ``request`` is what the model was
    sent and replied. ``calls`` has one entry for a skill, several for a plan, none for a text.
    ``shown`` are the outcomes as the agent received them, ``text`` and ``shots`` the new
    observation. ``true`` are the true outcomes, which the agent may not have seen. ``usage`` is
    zero if the agent reports none.
    """

    step: int
    thought: str
    message: str
    request: Request
    calls: tuple[Call, ...]
    usage: Usage
    shown: tuple[OutcomeView, ...]
    text: str
    shots: tuple[Shot, ...]
    true: tuple[OutcomeView, ...]
    status: str
    agent_seconds: float
    environment_seconds: float

    @property
    def answer(self) -> str:
        """The environment's answer as one text: what came of the actions, as far as the agent
        received it, then the observation's text."""
        return "\n".join(each for each in (*map(_in_words, self.shown), self.text) if each)


class Conversation:
    """One recorded episode of a run, read from its transcript."""

    def __init__(self, run: RunContents, record: EpisodeRecord) -> None:
        """Raises UnreadableEpisodeError if the transcript's beginning cannot be read."""
        self.run, self.record = run, record
        try:
            outline = read_outline(run.path, record.episode_id)
        except RecordingError as error:
            raise unreadable(run, record, str(error)) from error
        if outline.begin is None:
            raise unreadable(run, record, "the transcript has no beginning")
        self.begin: BeginView = outline.begin
        self.closing: Request | None = _request(outline.end.said) if outline.end else None
        """The request with which the agent ended the episode itself."""

    @property
    def opening(self) -> str:
        """The instruction, the task's context and the first observation's text."""
        context = (f"{name}: {value}" for name, value in self.begin.context.items() if value)
        parts = (self.begin.instruction, *context, self.begin.text)
        return "\n\n".join(part for part in parts if part)

    @property
    def shots(self) -> tuple[Shot, ...]:
        """The pictures of the first observation."""
        return self.begin.pictures

    def turns(self) -> Iterator[Turn]:
        """Every step, in order. Raises UnreadableEpisodeError at a damaged line."""
        offset: int | None = 0
        while offset is not None:
            try:
                page = read_steps_page(self.run.path, self.record.episode_id, offset, _PAGE)
            except RecordingError as error:
                raise unreadable(self.run, self.record, str(error)) from error
            for step in page.rows:
                if step.problem:
                    problem = f"line {step.line}: {step.problem}"
                    raise unreadable(self.run, self.record, problem)
                yield _turn(step)
            offset = page.next

    def picture(self, shot: Shot) -> Picture:
        """A picture's bytes and media type. Raises UnreadableEpisodeError."""
        try:
            return read_picture(self.run.path, shot.sha256, shot.encoding, shot.width)
        except RecordingError as error:
            problem = f"picture {shot.sha256[:12]}…: {error}"
            raise unreadable(self.run, self.record, problem) from error


def _turn(step: StepView) -> Turn:
    calls, text = _calls(step.action), step.action.get("text")
    return Turn(
        step=step.place,
        thought=step.said.thought,
        message=step.said.raw_reply or (text if isinstance(text, str) else ""),
        request=_request(step.said),
        calls=calls,
        usage=Usage() if step.said.usage is None else Usage.from_json(dict(step.said.usage)),
        shown=step.shown,
        text=step.text,
        shots=step.pictures,
        true=step.true,
        status=step.status,
        agent_seconds=step.agent_seconds,
        environment_seconds=step.environment_seconds,
    )


def _request(said: Said) -> Request:
    whole = "cut_from_bytes" not in (said.trace or {})
    return Request(said.prompt, said.raw_reply if whole else "")


def _in_words(outcome: OutcomeView) -> str:
    if outcome.code == "WITHHELD":
        return outcome.feedback
    did = _RESULTS.get(outcome.code, "Your action did not work.")
    return f"{did} {outcome.feedback}".strip()


def _calls(action: Mapping[str, Any]) -> tuple[Call, ...]:
    plan = action.get("plan")
    steps = plan if isinstance(plan, list) else [action]
    return tuple(
        Call(each["skill"], {str(name): str(value) for name, value in each.get("arguments", ())})
        for each in steps
        if isinstance(each, dict) and isinstance(each.get("skill"), str)
    )
