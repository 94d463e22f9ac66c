"""One session with the service under test, and a record of all its answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from google.protobuf.message import Message
from houseguest.agent.v1 import action_pb2, agent_pb2, observation_pb2

from env_service.conformance.report import Judgement, Rule, failure
from env_service.conformance.server.connection import (
    Attachment,
    Connection,
    Metadata,
    RpcOutcome,
    bearer,
)


class SessionIds(TypedDict):
    """The fields that every request of a session carries."""

    session_id: str
    session_epoch: int


class BlockedError(Exception):
    """A rule cannot be checked because a precondition failed; the message says which."""


@dataclass(frozen=True, slots=True)
class SeenObservation:
    """An observation, the index that it must have, and the grant at that time."""

    observation: observation_pb2.Observation
    index: int
    episode_id: str
    granted: observation_pb2.ObservationRequest
    references: bool


@dataclass(slots=True)
class ProbeRecord:
    """What the service answered, for the rules about every answer."""

    errors: list[RpcOutcome] = field(default_factory=list)
    seen: list[SeenObservation] = field(default_factory=list)
    practice_results: int = 0


class Probe:
    """A lease, its session and the protocol's counters. It never repeats a call by itself."""

    def __init__(self, connection: Connection, tokens: Sequence[str]) -> None:
        self.connection, self.tokens = connection, tuple(tokens)
        self.record = ProbeRecord()
        self.hello = agent_pb2.HelloResponse()
        self.grant = agent_pb2.Granted()
        self.attachment: Attachment | None = None
        self.before_grant: list[str] = []
        self.episode = agent_pb2.Episode()
        self.ordinal = 0
        self.index = 0
        self.open = False
        self.references = False

    @property
    def metadata(self) -> Metadata:
        """The first session's credentials."""
        return bearer(self.tokens[0])

    def call(
        self, method: str, request: Message | bytes, metadata: Metadata | None = None
    ) -> RpcOutcome:
        """Makes one call and records its error, if any."""
        used = self.metadata if metadata is None else metadata
        return self.noted(self.connection.call(method, request, used))

    def noted(self, answer: RpcOutcome) -> RpcOutcome:
        """Records an answer."""
        if answer.code is not None:
            self.record.errors.append(answer)
        elif isinstance(answer.response, agent_pb2.StepResponse | agent_pb2.EndEpisodeResponse):
            fields = answer.response.DESCRIPTOR.fields_by_name
            disclosed = "practice_result" in fields and answer.response.HasField("practice_result")
            self.record.practice_results += disclosed
        return answer

    # --- the session

    def say_hello(self) -> agent_pb2.HelloResponse:
        """Calls Hello. Raises BlockedError."""
        answer = self.call("Hello", agent_pb2.HelloRequest(protocol_revision=1))
        if answer.code is not None:
            raise BlockedError(f"Hello failed: {answer}")
        self.hello = answer.response
        return self.hello

    def attach(
        self, *, resume_token: bytes = b"", references: bool = False
    ) -> agent_pb2.Granted | RpcOutcome | None:
        """Attaches; a grant becomes the session's current one."""
        request = agent_pb2.AttachRequest(resume_token=resume_token)
        if references:
            request.required_features.append(agent_pb2.FEATURE_FRAME_REFERENCE)
        attachment = self.connection.attach(request, self.metadata)
        before, came = attachment.until("granted")
        event: agent_pb2.Granted | RpcOutcome | None = came
        if isinstance(event, agent_pb2.Granted):
            if self.attachment is not None:
                self.attachment.cancel()
            self.attachment, self.before_grant = attachment, before
            self.grant, self.references = event, references
        elif isinstance(event, RpcOutcome):
            self.record.errors.append(event)
        return event

    def granted(self) -> agent_pb2.Granted:
        """The grant; attaches first if necessary. Raises BlockedError."""
        if not self.grant.session_id:
            event = self.attach()
            if not isinstance(event, agent_pb2.Granted):
                raise BlockedError(f"the session was not granted: {event or 'no answer'}")
        return self.grant

    @property
    def who(self) -> SessionIds:
        """The session id and epoch that every request carries. Raises BlockedError."""
        grant = self.granted()
        return SessionIds(session_id=grant.session_id, session_epoch=grant.session_epoch)

    # --- episodes

    def begin_request(self, ordinal: int) -> agent_pb2.BeginEpisodeRequest:
        """A BeginEpisode request with this ordinal."""
        return agent_pb2.BeginEpisodeRequest(**self.who, episode_ordinal=ordinal)

    def fresh(self) -> agent_pb2.Episode:
        """Begins the next episode. Raises BlockedError if there is none."""
        if self.open:
            self.end()
        answer = self.call("BeginEpisode", self.begin_request(self.ordinal))
        if answer.code is not None:
            raise BlockedError(f"no episode begins: {answer}")
        if not answer.response.HasField("episode"):
            raise BlockedError("no episode of the run is left")
        self.episode = answer.response.episode
        self.ordinal, self.index, self.open = self.ordinal + 1, 0, True
        self.see(self.episode.observation, 0)
        return self.episode

    def see(self, observation: observation_pb2.Observation, index: int) -> None:
        """Records an observation."""
        granted = self.grant.observation
        episode = self.episode.episode_id
        self.record.seen.append(
            SeenObservation(observation, index, episode, granted, self.references)
        )

    def step_request(
        self, action: action_pb2.Action, index: int | None = None, trace: str = ""
    ) -> agent_pb2.StepRequest:
        """A Step request for the latest episode, with the next index or the given one."""
        return agent_pb2.StepRequest(
            **self.who,
            episode_id=self.episode.episode_id,
            step_index=self.index if index is None else index,
            action=action,
            trace=agent_pb2.Trace(thought=trace) if trace else None,
        )

    def step(self, action: action_pb2.Action) -> agent_pb2.StepResponse:
        """Takes the next step. Raises BlockedError if it fails."""
        answer = self.call("Step", self.step_request(action))
        if answer.code is not None:
            raise BlockedError(f"a step failed: {answer}")
        self.took(answer.response)
        response: agent_pb2.StepResponse = answer.response
        return response

    def took(self, response: agent_pb2.StepResponse) -> None:
        """Updates the counters after a step."""
        self.index += 1
        self.open = response.status == agent_pb2.EPISODE_STATUS_RUNNING
        if response.HasField("observation"):
            self.see(response.observation, self.index)

    def end_request(self) -> agent_pb2.EndEpisodeRequest:
        """An EndEpisode request for the latest episode."""
        return agent_pb2.EndEpisodeRequest(
            **self.who,
            episode_id=self.episode.episode_id,
            reason=agent_pb2.END_REASON_AGENT_GAVE_UP,
        )

    def end(self) -> RpcOutcome:
        """Ends the latest episode."""
        answer = self.call("EndEpisode", self.end_request())
        self.open = self.open and answer.code is not None
        return answer

    def get_request(self) -> agent_pb2.GetEpisodeRequest:
        """A GetEpisode request for the latest episode."""
        return agent_pb2.GetEpisodeRequest(**self.who, episode_id=self.episode.episode_id)

    # --- actions

    def action(self, place: int = 0) -> action_pb2.Action:
        """A legal action of the latest episode; other places give other actions if possible."""
        skills = self.episode.action_space.skills
        if not skills:
            return action_pb2.Action(text=f"answer {place}")
        skill = skills[place % len(skills)]
        arguments = [
            action_pb2.Argument(name=each.name, value=(each.choices or ["nothing"])[0])
            for each in skill.parameters
        ]
        call = action_pb2.SkillCall(name=skill.name, arguments=arguments)
        if self.episode.mode == agent_pb2.MODE_PLAN:
            return action_pb2.Action(plan=action_pb2.Plan(steps=[call] * (1 + place)))
        return action_pb2.Action(skill=call)

    def other_action(self) -> action_pb2.Action:
        """An action that differs from `action`."""
        return action_pb2.Action(text="something else than before")


# --- A rule of the server kit

Check = Callable[[Probe], Judgement]


@dataclass(frozen=True, slots=True)
class ServerRule:
    """A rule, and the calls that check whether a service keeps it.

    ``check`` may raise BlockedError. Rules are checked in the kit's order, over one session.
    """

    rule: Rule
    check: Check


def wants_error(sent: str, answer: RpcOutcome, *reasons: str) -> Judgement:
    """Expects the call to fail for one of these reasons."""
    if any(answer.is_error(reason) for reason in reasons):
        return ()
    return failure(sent, f"an error {' or '.join(reasons)}", str(answer))


def wants_response(sent: str, answer: RpcOutcome) -> Judgement:
    """Expects the call to return a response."""
    return () if answer.code is None else failure(sent, "a response", str(answer))


def first(*judgements: Judgement) -> Judgement:
    """The first judgement with a finding."""
    return next((judgement for judgement in judgements if judgement), ())
