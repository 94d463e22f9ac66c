"""One session of a run, played by an MCP client whose calls may be lost, repeated or concurrent."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace

from houseguest_agent import (
    Channel,
    Client,
    DrainingError,
    Episode,
    HouseguestError,
    Image,
    ImageEncoding,
    ImageRequest,
    Mode,
    ObservationRequest,
    Options,
    Outcome,
    OutcomeCode,
    Plan,
    RevokedError,
    SkillCall,
    Step,
    SupersededError,
    Text,
    TokenRefusedError,
    UnreachableError,
)

from . import tools

FORMATS = {
    ImageEncoding.PNG: "image/png",
    ImageEncoding.JPEG: "image/jpeg",
    ImageEncoding.WEBP_LOSSLESS: "image/webp",
}
Action = SkillCall | Text | Plan
WANTED = (
    *(
        ObservationRequest(
            images=(ImageRequest(Channel.RGB, (ImageEncoding.PNG,), previous_frame=previous),),
            text=text,
        )
        for text in (True, False)
        for previous in (True, False)
    ),
    ObservationRequest(text=True),
    ObservationRequest(),
)
"""The observation requests, the richest first."""
_LOST = (DrainingError, RevokedError, SupersededError, TokenRefusedError, UnreachableError)
"""Errors after which the session takes no more calls."""
CONTINUE = "Call begin for the next episode."
KEPT_PICTURES = 8
"""A repeated call gets its first answer; one that is older than this many steps gets the text of it
alone."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool returns. ``images`` are files with their media types. An error names what was
    wrong and what to do; it used no step."""

    text: str
    images: tuple[tuple[bytes, str], ...] = ()
    error: bool = False


@dataclass(frozen=True, slots=True)
class _Taken:
    """A step that was executed, and its answer."""

    action: Action
    answer: Answer


class _RefusedError(Exception):
    """A call that cannot be carried out. The message names what was wrong and what to do."""


class BridgedSession:
    """Plays one session's episodes, one after another. Calls are carried out one at a time, in the
    order of their arrival; they may come from any thread."""

    def __init__(self, name: str, options: Options) -> None:
        """Does not connect yet. ``name`` introduces the client to the service."""
        self._name, self._options = name, replace(options, observation=WANTED)
        self._client: Client | None = None
        self._lock = threading.Lock()
        self._episodes: Iterator[Episode] | None = None
        self._episode: Episode | None = None
        self._taken: dict[int, _Taken] = {}
        self._first = 0
        self._lost = ""
        self.over = threading.Event()
        """Set when no episode is left, or when the session was lost."""

    @property
    def connected(self) -> bool:
        """Whether the session has been opened."""
        return self._client is not None

    def call(self, arguments: tools.Arguments) -> Answer:
        """Carries out one call of a tool. Never raises for what a client did."""
        with self._lock:
            if self._lost:
                return Answer(self._lost, error=True)
            try:
                return self._carry_out(arguments)
            except _LOST as error:
                if self._client is None and isinstance(error, UnreachableError):
                    return Answer(str(error), error=True)
                # Otherwise the next begin would report that no episode is left.
                self._lost = f"The session is lost: {error}"
                self.over.set()
                return Answer(self._lost, error=True)
            except (_RefusedError, HouseguestError) as error:
                return Answer(str(error), error=True)

    def close(self) -> None:
        """Ends the session; an open episode is given up. Idempotent."""
        with self._lock:
            self.over.set()
            if self._client is not None:
                self._client.close()

    def _carry_out(self, arguments: tools.Arguments) -> Answer:
        match arguments:
            case tools.Begin():
                return self._begin()
            case tools.Look():
                return self._look(self._open(arguments.episode))
            case tools.Act():
                action: Action = SkillCall(arguments.skill, arguments.arguments)
                return self._step(arguments.episode, arguments.step, action, arguments.thought)
            case tools.Say():
                action = Text(arguments.text)
                return self._step(arguments.episode, arguments.step, action, arguments.thought)
            case tools.Plan():
                calls = tuple(SkillCall(each.skill, each.arguments) for each in arguments.steps)
                action = Plan(calls)
                return self._step(arguments.episode, arguments.step, action, arguments.thought)
            case tools.End():
                return self._end(arguments)
            case _:
                raise TypeError(f"no tool has the arguments {type(arguments).__name__}")

    def _begin(self) -> Answer:
        episode = self._episode
        if episode is None or not episode.running:
            if self._episodes is None:
                client = Client(self._name, options=self._options)
                client.connect()
                self._client, self._episodes = client, client.episodes()
            episode = self._episode = next(self._episodes, None)
            if episode is None:
                self.over.set()
                return Answer("No episode is left. You are done; do not call begin again.")
            self._taken, self._first = {}, len(episode.history)
        return Answer(f"{_introduction(episode)}\n\n{self._situation(episode)}", _shown(episode))

    def _look(self, episode: Episode) -> Answer:
        return Answer(self._situation(episode), _shown(episode))

    def _step(self, handle: str, number: int, action: Action, thought: str) -> Answer:
        episode = self._open(handle)
        earlier = self._taken.get(number)
        if earlier is not None and earlier.action == action:
            return earlier.answer
        mend = f"The next step is {self._next}." if episode.running else CONTINUE
        if earlier is not None:
            raise _RefusedError(f"Step {number} was already taken, with other arguments. {mend}")
        if not episode.running:
            raise _RefusedError(f"The episode is over. {mend}")
        if number != self._next:
            raise _RefusedError(f"Step {number} is not the next one. {mend}")
        step = episode.act(action, trace=thought or None)
        self._taken[number] = _Taken(action, Answer(""))
        text = f"{_told(number, step)}\n\n{self._situation(episode)}"
        answer = Answer(text, _shown(episode))
        self._taken[number] = _Taken(action, answer)
        self._drop_pictures(number - KEPT_PICTURES)
        return answer

    def _drop_pictures(self, number: int) -> None:
        old = self._taken.get(number)
        if old is not None and old.answer.images:
            text = f"{old.answer.text}\n(The picture of this step is no longer available.)"
            self._taken[number] = _Taken(old.action, Answer(text))

    def _end(self, arguments: tools.End) -> Answer:
        episode = self._open(arguments.episode)
        end = episode.done if arguments.goal_reached else episode.give_up
        end(arguments.thought or None)
        return Answer(f"Recorded. {CONTINUE}")

    @property
    def _next(self) -> int:
        """The number of the next step: a resumed episode goes on after those of before."""
        return self._first + len(self._taken)

    def _situation(self, episode: Episode) -> str:
        """The newest observation, and how to continue."""
        lines = [f"Observation: {episode.observation.text}" if episode.observation.text else ""]
        if episode.running:
            steps = episode.remaining.steps
            left = "" if steps is None else f" Steps left: {steps}."
            lines.append(f"Next step: {self._next}.{left}")
        else:
            lines.append(f"The episode is over. {CONTINUE}")
        return "\n".join(filter(None, lines))

    def _open(self, handle: str) -> Episode:
        """The newest episode, if it has that handle; it may be over."""
        if self._episode is None or handle != self._episode.id:
            raise _RefusedError(
                f"There is no episode {handle[:60]!r}. Call begin: it gives the handle."
            )
        return self._episode


def _introduction(episode: Episode) -> str:
    """What an agent has to know of an episode before its first step."""
    parts = [f"Episode: {episode.id}", f"Instruction: {episode.instruction}"]
    parts += [f"{name}:\n{text}" for name, text in episode.context.items()]
    space = episode.action_space
    if space.skills:
        lines = ["Skills:"]
        for skill in space.skills:
            lines.append(f"- {skill.name}: {skill.description}")
            for parameter in skill.parameters:
                choices = f" One of: {', '.join(parameter.choices)}" if parameter.choices else ""
                lines.append(f"    {parameter.name}: {parameter.description}{choices}")
        parts.append("\n".join(lines))
    match episode.mode:
        case Mode.PLAN:
            parts.append("Send your whole plan by one call of plan.")
        case Mode.ANSWER:
            form = f" Required form: {space.answer_format}" if space.answer_format else ""
            parts.append(f"Answer by one call of say.{form}")
        case _:
            parts.append("Take one step at a time with act, or with say if you prefer words.")
    return "\n\n".join(parts)


def _told(number: int, step: Step) -> str:
    """What happened in a step."""
    if not step.outcomes:
        return f"Step {number} was not executed: the service ended the episode."
    return "\n".join(f"Step {number}: {_outcome(each)}".rstrip() for each in step.outcomes)


def _outcome(outcome: Outcome) -> str:
    if outcome.code is OutcomeCode.WITHHELD:
        return "taken."
    return f"{outcome.code.name.lower().replace('_', ' ')}. {outcome.feedback}"


def _shown(episode: Episode) -> tuple[tuple[bytes, str], ...]:
    """The observation's pictures in formats that clients accept, as files with media types."""
    return tuple(
        (image.data, FORMATS[image.encoding])
        for image in episode.observation.images
        if _is_for_people(image)
    )


def _is_for_people(image: Image) -> bool:
    return image.channel is Channel.RGB and image.encoding in FORMATS
