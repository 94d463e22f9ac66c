"""One attempt at one task, as the agent plays it."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from houseguest.agent.v1 import agent_pb2

from .action import (
    Action,
    ActionSpace,
    Plan,
    SkillCall,
    Text,
    Trace,
    as_calls,
    decode_action,
    encode_action,
    encode_trace,
)
from .enums import EndReason, EpisodeStatus, Mode
from .errors import EpisodeOverError
from .observation import Album
from .step import (
    Budget,
    Outcome,
    PastStep,
    PracticeResult,
    Step,
    read_budget,
    read_outcomes,
    read_result,
    seconds,
)
from .transport import RequestSender
from .zero_copy import StepAnswer


class Episode:
    """One attempt at one task. Made by ``Client.episodes``; use it from one thread.

    These attributes are fixed; each is None if the service does not disclose it:

    - ``id`` (opaque), ``suite``, ``suite_version``, ``mode``,
    - ``condition``: the experimental setting, by name,
    - ``instruction``, ``language`` (BCP 47), ``context`` (named texts of the task),
    - ``action_space``, ``max_steps``, ``agent_time_budget`` (seconds),
    - ``opening``: the observation that opened it,
    - ``seed``: for the agent's own draws. It is the same for the same opening, whoever plays it
      and when, but differs in each repeat of a run; 0 if not disclosed.

    These attributes change:

    - ``observation``: the newest,
    - ``history``: every executed step, oldest first,
    - ``status``, ``remaining`` (budgets after the newest step),
    - ``result``: the result of an ended episode; only on a practice lease,
    - ``random``: a `random.Random` for the agent's own draws in this episode, seeded with
      ``seed``. An agent that draws from it acts the same way when the run is repeated with the
      same seed. It starts from the beginning in a resumed episode.
    """

    def __init__(self, opening: agent_pb2.Episode, sender: RequestSender, album: Album) -> None:
        self._sender, self._album = sender, album
        self._next_index = 0
        self.id = opening.episode_id
        self.suite, self.suite_version = opening.suite, opening.suite_version
        self.mode = Mode(opening.mode)
        self.condition = dict(opening.condition)
        self.instruction = opening.instruction
        self.language = opening.instruction_language
        self.context = dict(opening.context)
        self.action_space = ActionSpace.from_proto(opening.action_space)
        self.max_steps = opening.max_steps if opening.HasField("max_steps") else None
        timed = opening.HasField("agent_time_budget")
        self.agent_time_budget = seconds(opening.agent_time_budget) if timed else None
        self.seed = opening.agent_seed
        self.random = Random(self.seed)
        self.opening = self.observation = album.read(opening.observation)
        self.history: list[PastStep] = []
        self.status = EpisodeStatus.RUNNING
        self.remaining = Budget()
        self.result: PracticeResult | None = None

    @property
    def running(self) -> bool:
        """Whether you may send another action. False also once the service closed the episode."""
        return self.status is EpisodeStatus.RUNNING

    def act(
        self,
        action: str | Action,
        /,
        *,
        trace: Trace | str | None = None,
        **arguments: object,
    ) -> Step:
        """Takes one action: ``act("forward")``, ``act("pickup", object="mug")``.

        A string is the name of a skill, and ``arguments`` are the skill's arguments. Raises
        EpisodeOverError if the episode has ended, and what RequestSender raises.
        """
        if isinstance(action, str):
            words = {name: str(value) for name, value in arguments.items()}
            action = SkillCall(action, words)
        elif arguments:
            raise TypeError("arguments go into the action, or the action is a skill's name")
        return self._take(action, trace)

    def say(self, text: str, /, *, trace: Trace | str | None = None) -> Step:
        """Sends text: an answer, or an action for the service to parse."""
        return self._take(Text(text), trace)

    def plan(
        self, steps: Iterable[SkillCall | str], /, *, trace: Trace | str | None = None
    ) -> Step:
        """Sends a whole plan, if ``mode`` is PLAN."""
        return self._take(Plan(as_calls(steps)), trace)

    def done(self, trace: Trace | str | None = None) -> EpisodeStatus:
        """Ends the episode because the agent believes that it has reached the goal."""
        return self.end(EndReason.AGENT_DONE, trace)

    def give_up(self, trace: Trace | str | None = None) -> EpisodeStatus:
        """Ends the episode because the agent does not know how to continue."""
        return self.end(EndReason.AGENT_GAVE_UP, trace)

    def fail(self, trace: Trace | str | None = None) -> EpisodeStatus:
        """Ends the episode because the agent failed: its model server is down, its code raised."""
        return self.end(EndReason.AGENT_ERROR, trace)

    def end(self, reason: EndReason, trace: Trace | str | None = None) -> EpisodeStatus:
        """Ends the episode; does nothing if it has already ended."""
        if self.running:
            request = agent_pb2.EndEpisodeRequest(
                episode_id=self.id,
                reason=agent_pb2.EndReason.ValueType(reason),
                trace=encode_trace(trace, prompts=self._sender.stores_prompts),
            )
            answer = self._sender.end_episode(request)
            self.status, self.result = EpisodeStatus(answer.status), read_result(answer)
        return self.status

    def forget(self) -> None:
        """Marks a withdrawn episode: it is over and does not count. For internal use."""
        if self.running:
            self.status = EpisodeStatus.VOIDED

    def _take(self, action: Action, trace: Trace | str | None) -> Step:
        if not self.running:
            raise EpisodeOverError(
                f"The episode is over ({self.status.name.lower()}): act only while"
                " episode.running, then take the next one."
            )
        request = agent_pb2.StepRequest(
            episode_id=self.id,
            step_index=self._next_index,
            action=encode_action(action, self.action_space),
            trace=encode_trace(trace, prompts=self._sender.stores_prompts),
        )
        answer = self._sender.step(request)
        self._next_index += 1
        outcomes = self._absorb(answer)
        if outcomes or answer.response.HasField("observation"):
            self.history.append(PastStep(action, outcomes))
        return Step(outcomes, self.observation, self.status, self.remaining)

    def _absorb(self, answer: StepAnswer) -> tuple[Outcome, ...]:
        response = answer.response
        self.status = EpisodeStatus(response.status)
        self.remaining = read_budget(response)
        self.result = read_result(response)
        if response.HasField("observation"):
            self.observation = self._album.read(response.observation, answer.pictures)
        return read_outcomes(response.outcomes)

    def restore(self, response: agent_pb2.GetEpisodeResponse) -> None:
        """Restores the state of a resumed episode from the service's answer. For internal use."""
        self.history = [
            PastStep(decode_action(past.action), read_outcomes(past.outcomes))
            for past in response.history
        ]
        if response.HasField("last_step"):
            self._absorb(StepAnswer(response.last_step))
        self._next_index = response.next_step_index
