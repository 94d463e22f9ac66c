"""The session of one scene: the rules of agent.proto, and a note of each that is broken."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from houseguest.agent.v1 import action_pb2, agent_pb2

from env_service.conformance.agent.actions import check_action, same_action
from env_service.conformance.agent.journal import Journal
from env_service.conformance.agent.openings import granted, opening
from env_service.conformance.agent.pictures import Painter
from env_service.conformance.agent.script import EpisodeScript, Script
from env_service.domain.english import counted
from env_service.domain.reasons import ProtocolError, Reason

Status = agent_pb2.EpisodeStatus.ValueType
RUNNING = agent_pb2.EPISODE_STATUS_RUNNING
TERMINATED = agent_pb2.EPISODE_STATUS_TERMINATED
VOIDED = agent_pb2.EPISODE_STATUS_VOIDED

SESSION_PREFIX = "conformance-"
AFTERSHOCKS = 2
"""Calls of an older epoch that may be on their way while the session is resumed."""


@dataclass(slots=True)
class Table:
    """The latest episode: what it is, how it stands, and what was played."""

    script: EpisodeScript
    ordinal: int
    id: str
    opening: agent_pb2.Episode
    status: int = RUNNING
    actions: list[action_pb2.Action] = field(default_factory=list)
    answers: list[agent_pb2.StepResponse] = field(default_factory=list)


class Seat:
    """Answers the requests of one session at once; raises ProtocolError for an error.

    Delays, lost answers and broken links are the house's (see ``house``).
    """

    def __init__(self, script: Script, journal: Journal) -> None:
        self._script, self._journal = script, journal
        self.id = SESSION_PREFIX + secrets.token_hex(6)
        self.epoch = 0
        self.ended: Reason | None = None
        self.expired = self.draining = False
        self._tokens: set[bytes] = set()
        self._used = False
        self._stale = 0
        self._table: Table | None = None
        self._painter: Painter | None = None

    # --- Attach

    def attach(self, request: agent_pb2.AttachRequest) -> agent_pb2.Granted:
        """Grants the seat, or raises SEAT_TAKEN, RESUME_REFUSED, FEATURE_NOT_OFFERED and so on."""
        self._check_features(request)
        if self.ended is not None:
            raise ProtocolError(self.ended)
        if request.resume_token:
            if request.resume_token not in self._tokens:
                raise ProtocolError(Reason.RESUME_REFUSED)
        elif self._used:
            self._journal.violate(
                "resume-token",
                "a link that broke after a grant",
                "an Attach with the resume token of the newest grant",
                "an Attach without a resume token",
            )
            raise ProtocolError(Reason.SEAT_TAKEN)
        self._journal.attached.append(request)
        return self._grant(request)

    def _grant(self, request: agent_pb2.AttachRequest) -> agent_pb2.Granted:
        if self._used or not self.epoch:
            # Until the new holder calls, the token that it came with is good for another try.
            self._tokens = {request.resume_token} if request.resume_token else set()
            self._used = False
        self.epoch += 1
        self._stale = 0
        self.expired = False
        token = secrets.token_bytes(8)
        self._tokens.add(token)
        if self._painter is None:
            seen = granted(request.observation, self._script.encoding)
            self._painter = Painter(seen, references=False, strange=self._script.strange)
            self._granted = seen
        self._painter.references = agent_pb2.FEATURE_FRAME_REFERENCE in request.required_features
        self._painter.begin()
        grant = agent_pb2.Granted(
            session_id=self.id,
            session_epoch=self.epoch,
            resume_token=token,
            observation=self._granted,
            episodes_total=len(self._script.episodes),
            next_episode_ordinal=0 if self._table is None else self._table.ordinal + 1,
            open_episode_id=self._table.id if self._table and self._table.status == RUNNING else "",
        )
        grant.lease_time_left.FromSeconds(60)
        self._journal.granted.append(grant)
        return grant

    def _check_features(self, request: agent_pb2.AttachRequest) -> None:
        for feature in request.required_features:
            if feature not in self._script.features:
                self._journal.violate(
                    "features",
                    f"a HelloResponse with the features {list(self._script.features)}",
                    "an Attach that requires none but these",
                    f"an Attach that requires feature {feature}",
                )
                raise ProtocolError(Reason.FEATURE_NOT_OFFERED)

    # --- the requests of the session

    def check(self, method: str, session_id: str, epoch: int) -> None:
        """Whether a call is this session's, under its newest epoch. Raises ProtocolError."""
        if session_id != self.id or not self.epoch:
            if not session_id.startswith(SESSION_PREFIX) or session_id == self.id:
                self._misplaced(method, f"session_id {self.id!r}", f"session_id {session_id!r}")
            raise ProtocolError(Reason.SESSION_FOREIGN)
        if self.ended is not None:
            raise ProtocolError(self.ended)
        if epoch != self.epoch:
            self._stale += 1
            if epoch > self.epoch or self._stale > AFTERSHOCKS:
                self._misplaced(method, f"session_epoch {self.epoch}", f"session_epoch {epoch}")
            raise ProtocolError(Reason.SESSION_SUPERSEDED)
        if self.expired:
            raise ProtocolError(Reason.LEASE_EXPIRED)
        if not self._used:
            self._used = True
            newest = self._journal.granted[-1].resume_token
            self._tokens = {newest}

    def _misplaced(self, method: str, expected: str, came: str) -> None:
        sent = f"a grant of session {self.id!r}, epoch {self.epoch}"
        self._journal.violate("session", sent, f"{method} with {expected}", f"{method} with {came}")

    def begin(self, request: agent_pb2.BeginEpisodeRequest) -> agent_pb2.BeginEpisodeResponse:
        """Opens the next episode, or says that none is left."""
        ordinal, table = request.episode_ordinal, self._table
        if request.HasField("practice"):
            self._journal.violate(
                "features",
                "a HelloResponse without FEATURE_PRACTICE",
                "no PracticeReset",
                "BeginEpisode with a PracticeReset",
            )
            raise ProtocolError(Reason.PRACTICE_ONLY)
        if table is not None and ordinal == table.ordinal:
            return agent_pb2.BeginEpisodeResponse(episode=table.opening)
        latest = -1 if table is None else table.ordinal
        if ordinal != latest + 1:
            self._journal.violate(
                "episode-order",
                f"{counted(latest + 1, 'episode')} so far",
                f"BeginEpisode with ordinal {latest + 1}",
                f"BeginEpisode with ordinal {ordinal}",
            )
            raise ProtocolError(Reason.EPISODE_OUT_OF_ORDER)
        if table is not None and table.status == RUNNING:
            self._journal.violate(
                "episode-order",
                f"episode {table.ordinal}, which is still open",
                "a Step, or EndEpisode before the next BeginEpisode",
                f"BeginEpisode with ordinal {ordinal}",
            )
            raise ProtocolError(Reason.EPISODE_STILL_OPEN)
        if self.draining:
            raise ProtocolError(Reason.DRAINING)
        if ordinal >= len(self._script.episodes):
            self._journal.told_all_done = True
            self._journal.mark("all done")
            return agent_pb2.BeginEpisodeResponse(all_done=agent_pb2.AllDone())
        return agent_pb2.BeginEpisodeResponse(episode=self._open(ordinal).opening)

    def _open(self, ordinal: int) -> Table:
        script = self._script.episodes[ordinal]
        painter = self._painting()
        painter.begin()
        episode_id = f"{self.id}-{ordinal}"
        told = opening(script, episode_id, painter.observe(script, 0))
        self._table = Table(script, ordinal, episode_id, told)
        self._journal.begun += 1
        self._journal.mark(f"episode {ordinal}")
        return self._table

    def step(self, request: agent_pb2.StepRequest) -> agent_pb2.StepResponse:
        """Executes one action, or answers a repeat again."""
        table, index = self._open_table("Step", request.episode_id), request.step_index
        following = len(table.answers)
        if index == following - 1:
            self._same(table, request)
            return table.answers[-1]
        if index != following:
            self._journal.violate(
                "step-order",
                f"the answers to {counted(following, 'step')} of episode {table.ordinal}",
                f"a Step with step_index {following}",
                f"a Step with step_index {index}",
            )
            raise ProtocolError(Reason.STEP_OUT_OF_ORDER)
        self._refuse_after_the_end(table, f"a Step with step_index {index}")
        check_action(request.action, table.opening, self._journal)
        answer = self._execute(table, request)
        table.actions.append(request.action)
        table.answers.append(answer)
        table.status = answer.status
        self._journal.ended += answer.status != RUNNING
        self._journal.mark(f"step {len(self._journal.steps)}")
        return answer

    def _same(self, table: Table, request: agent_pb2.StepRequest) -> None:
        if not same_action(table.actions[-1], request.action):
            self._journal.violate(
                "same-action",
                f"no answer to step {request.step_index}, which was executed all the same",
                f"a repeat with the action that it carried: {_short(table.actions[-1])}",
                f"a repeat with another action: {_short(request.action)}",
            )
            raise ProtocolError(Reason.STEP_CONFLICT)

    def _execute(self, table: Table, request: agent_pb2.StepRequest) -> agent_pb2.StepResponse:
        script, index = table.script, request.step_index
        answer = agent_pb2.StepResponse(episode_id=table.id, step_index=index)
        if index == script.closed_at:
            answer.status = Status(script.ending)
            return answer
        self._journal.steps.append(request)
        once = script.mode != agent_pb2.MODE_STEPWISE
        last = once or index + 1 >= script.steps
        # A plan brings an outcome for each of its steps; an empty one brings none.
        outcomes = len(request.action.plan.steps) if request.action.HasField("plan") else 1
        code = script.outcomes[min(index, len(script.outcomes) - 1)]
        answer.status = Status(script.ending if last else RUNNING)
        if answer.status != VOIDED:
            for _ in range(outcomes):
                outcome = answer.outcomes.add(feedback=script.feedback)
                outcome.code = action_pb2.OutcomeCode.ValueType(code)
            answer.observation.CopyFrom(self._painting().observe(script, index + 1))
        if script.told:
            answer.remaining.steps = max(0, script.steps - index - 1)
        return answer

    def end(self, request: agent_pb2.EndEpisodeRequest) -> agent_pb2.EndEpisodeResponse:
        """Ends the episode where it runs, and tells its status."""
        table = self._open_table("EndEpisode", request.episode_id)
        if table.status == RUNNING:
            table.status = TERMINATED
            self._journal.ended += 1
            self._journal.given_up += 1
        return agent_pb2.EndEpisodeResponse(status=Status(table.status))

    def tell(self, request: agent_pb2.GetEpisodeRequest) -> agent_pb2.GetEpisodeResponse:
        """All about the latest episode, its pictures whole."""
        table = self._open_table("GetEpisode", request.episode_id)
        told = agent_pb2.GetEpisodeResponse(
            episode=table.opening, next_step_index=len(table.answers)
        )
        for action, answer in zip(table.actions, table.answers, strict=True):
            told.history.add(action=action, outcomes=answer.outcomes)
        if table.answers:
            last = table.answers[-1]
            told.last_step.CopyFrom(last)
            if last.HasField("observation"):
                seen = self._painting().observe(table.script, last.observation.index, whole=True)
                told.last_step.observation.CopyFrom(seen)
        return told

    def withdraw(self, request: agent_pb2.WithdrawRequest) -> agent_pb2.WithdrawResponse:
        """Lets the guest leave."""
        self._journal.withdrawn = request.message or "(no message)"
        self.ended = Reason.SESSION_WITHDRAWN
        return agent_pb2.WithdrawResponse()

    def supersede(self) -> None:
        """As if another process had resumed the session."""
        self.epoch += 1
        self._tokens = set()
        # Whoever was thrown out is not to be blamed for its older epoch.
        self._stale = -(10**6)

    # --- what they share

    def _open_table(self, method: str, episode_id: str) -> Table:
        """The latest episode. Raises EPISODE_NOT_OPEN where another one is meant."""
        table = self._table
        if table is None or episode_id != table.id:
            latest = "none yet" if table is None else f"episode_id {table.id!r}"
            self._misplaced(method, latest, f"episode_id {episode_id!r}")
            raise ProtocolError(Reason.EPISODE_NOT_OPEN)
        return table

    def _refuse_after_the_end(self, table: Table, came: str) -> None:
        if table.status != RUNNING:
            status = agent_pb2.EpisodeStatus.Name(Status(table.status))
            self._journal.violate(
                "after-the-end",
                f"episode {table.ordinal}, which ended with {status}",
                "BeginEpisode, or nothing more",
                came,
            )
            raise ProtocolError(Reason.EPISODE_NOT_OPEN)

    def _painting(self) -> Painter:
        if self._painter is None:
            raise ProtocolError(Reason.SESSION_FOREIGN)
        return self._painter

    @property
    def referred(self) -> bool:
        """Whether a picture ever went as a reference."""
        return self._painter is not None and self._painter.referred

    @property
    def sent_large(self) -> bool:
        """Whether a message of almost the greatest size was sent."""
        return self._painter is not None and self._painter.sent_large


def _short(action: action_pb2.Action) -> str:
    return " ".join(str(action).split())[:200] or "none"
