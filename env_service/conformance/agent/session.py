"""The session of one scene: applies the rules of agent.proto and records each violation.

Also the openings of episodes, the grants, and the check of actions.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field

from houseguest.agent.v1 import action_pb2, agent_pb2, observation_pb2

from env_service.conformance.agent.pictures import Painter
from env_service.conformance.agent.scene import CallJournal, EpisodeScript, SceneScript
from env_service.domain.reasons import ProtocolError, Reason
from env_service.domain.text import counted

Status = agent_pb2.EpisodeStatus.ValueType
RUNNING = agent_pb2.EPISODE_STATUS_RUNNING
TERMINATED = agent_pb2.EPISODE_STATUS_TERMINATED
VOIDED = agent_pb2.EPISODE_STATUS_VOIDED

SESSION_PREFIX = "conformance-"
AFTERSHOCKS = 2
"""Calls of an older epoch that may be in flight while the session is resumed."""


@dataclass(slots=True)
class ScriptedEpisode:
    """The latest episode: its script, its state and the actions so far."""

    script: EpisodeScript
    ordinal: int
    id: str
    opening: agent_pb2.Episode
    status: int = RUNNING
    actions: list[action_pb2.Action] = field(default_factory=list)
    answers: list[agent_pb2.StepResponse] = field(default_factory=list)


class ScriptedSession:
    """Answers the requests of one session at once; raises ProtocolError for an error.

    The service adds delays, lost answers and broken connections (see ``service``).
    """

    def __init__(self, script: SceneScript, journal: CallJournal) -> None:
        self._script, self._journal = script, journal
        self.id = SESSION_PREFIX + secrets.token_hex(6)
        self.epoch = 0
        self.ended: Reason | None = None
        self.expired = self.draining = False
        self._tokens: set[bytes] = set()
        self._used = False
        self._stale = 0
        self._episode: ScriptedEpisode | None = None
        self._painter: Painter | None = None

    # --- Attach

    def attach(self, request: agent_pb2.AttachRequest) -> agent_pb2.Granted:
        """Grants the session. Raises SEAT_TAKEN, RESUME_REFUSED, FEATURE_NOT_OFFERED and others."""
        self._check_features(request)
        if self.ended is not None:
            raise ProtocolError(self.ended)
        if request.resume_token:
            if request.resume_token not in self._tokens:
                raise ProtocolError(Reason.RESUME_REFUSED)
        elif self._used:
            # After AllDone, a new external agent may start before the scene closes.
            if not self._journal.told_all_done:
                self._journal.violate(
                    "resume-token",
                    "a connection that broke after a grant",
                    "an Attach with the resume token of the newest grant",
                    "an Attach without a resume token",
                )
            raise ProtocolError(Reason.SEAT_TAKEN)
        self._journal.attached.append(request)
        return self._grant(request)

    def _grant(self, request: agent_pb2.AttachRequest) -> agent_pb2.Granted:
        if self._used or not self.epoch:
            # Until the new holder makes a call, it may use its resume token again.
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
        running = self._episode if self._episode and self._episode.status == RUNNING else None
        grant = agent_pb2.Granted(
            session_id=self.id,
            session_epoch=self.epoch,
            resume_token=token,
            observation=self._granted,
            episodes_total=len(self._script.episodes),
            next_episode_ordinal=0 if self._episode is None else self._episode.ordinal + 1,
            open_episode_id="" if running is None else running.id,
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
        """Checks that a call is for this session and its newest epoch. Raises ProtocolError."""
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
        """Opens the next episode, or returns AllDone."""
        ordinal, episode = request.episode_ordinal, self._episode
        if request.HasField("practice"):
            self._journal.violate(
                "features",
                "a HelloResponse without FEATURE_PRACTICE",
                "no PracticeReset",
                "BeginEpisode with a PracticeReset",
            )
            raise ProtocolError(Reason.PRACTICE_ONLY)
        if episode is not None and ordinal == episode.ordinal:
            return agent_pb2.BeginEpisodeResponse(episode=episode.opening)
        latest = -1 if episode is None else episode.ordinal
        if ordinal != latest + 1:
            self._journal.violate(
                "episode-order",
                f"{counted(latest + 1, 'episode')} so far",
                f"BeginEpisode with ordinal {latest + 1}",
                f"BeginEpisode with ordinal {ordinal}",
            )
            raise ProtocolError(Reason.EPISODE_OUT_OF_ORDER)
        if episode is not None and episode.status == RUNNING:
            self._journal.violate(
                "episode-order",
                f"episode {episode.ordinal}, which is still open",
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

    def _open(self, ordinal: int) -> ScriptedEpisode:
        script = self._script.episodes[ordinal]
        painter = self._painting()
        painter.begin()
        episode_id = f"{self.id}-{ordinal}"
        first = opening(script, episode_id, painter.observe(script, 0))
        self._episode = ScriptedEpisode(script, ordinal, episode_id, first)
        self._journal.begun += 1
        self._journal.mark(f"episode {ordinal}")
        return self._episode

    def step(self, request: agent_pb2.StepRequest) -> agent_pb2.StepResponse:
        """Executes one action, or returns the stored answer to a repeat."""
        episode, index = self._latest_episode("Step", request.episode_id), request.step_index
        following = len(episode.answers)
        if index == following - 1:
            self._same(episode, request)
            return episode.answers[-1]
        if index != following:
            self._journal.violate(
                "step-order",
                f"the answers to {counted(following, 'step')} of episode {episode.ordinal}",
                f"a Step with step_index {following}",
                f"a Step with step_index {index}",
            )
            raise ProtocolError(Reason.STEP_OUT_OF_ORDER)
        self._refuse_after_the_end(episode, f"a Step with step_index {index}")
        check_action(request.action, episode.opening, self._journal)
        answer = self._execute(episode, request)
        episode.actions.append(request.action)
        episode.answers.append(answer)
        episode.status = answer.status
        self._journal.ended += answer.status != RUNNING
        self._journal.mark(f"step {len(self._journal.steps)}")
        return answer

    def _same(self, episode: ScriptedEpisode, request: agent_pb2.StepRequest) -> None:
        if not same_action(episode.actions[-1], request.action):
            self._journal.violate(
                "same-action",
                f"no answer to step {request.step_index}, which was executed nevertheless",
                f"a repeat with its first action: {_short(episode.actions[-1])}",
                f"a repeat with another action: {_short(request.action)}",
            )
            raise ProtocolError(Reason.STEP_CONFLICT)

    def _execute(
        self, episode: ScriptedEpisode, request: agent_pb2.StepRequest
    ) -> agent_pb2.StepResponse:
        script, index = episode.script, request.step_index
        answer = agent_pb2.StepResponse(episode_id=episode.id, step_index=index)
        if index == script.closed_at:
            answer.status = Status(script.ending)
            return answer
        self._journal.steps.append(request)
        once = script.mode != agent_pb2.MODE_STEPWISE
        last = once or index + 1 >= script.steps
        # A plan has one outcome for each step; an empty plan has none.
        outcomes = len(request.action.plan.steps) if request.action.HasField("plan") else 1
        code = script.outcomes[min(index, len(script.outcomes) - 1)]
        answer.status = Status(script.ending if last else RUNNING)
        if answer.status != VOIDED:
            for _ in range(outcomes):
                outcome = answer.outcomes.add(feedback=script.feedback)
                outcome.code = action_pb2.OutcomeCode.ValueType(code)
            answer.observation.CopyFrom(self._painting().observe(script, index + 1))
        if script.limit_disclosed:
            answer.remaining.steps = max(0, script.steps - index - 1)
        return answer

    def end(self, request: agent_pb2.EndEpisodeRequest) -> agent_pb2.EndEpisodeResponse:
        """Ends the episode if it is running, and returns its status."""
        episode = self._latest_episode("EndEpisode", request.episode_id)
        if episode.status == RUNNING:
            episode.status = TERMINATED
            self._journal.ended += 1
            self._journal.given_up += 1
        return agent_pb2.EndEpisodeResponse(status=Status(episode.status))

    def get_episode(self, request: agent_pb2.GetEpisodeRequest) -> agent_pb2.GetEpisodeResponse:
        """Everything about the latest episode, with complete pictures."""
        episode = self._latest_episode("GetEpisode", request.episode_id)
        found = agent_pb2.GetEpisodeResponse(
            episode=episode.opening, next_step_index=len(episode.answers)
        )
        for action, answer in zip(episode.actions, episode.answers, strict=True):
            found.history.add(action=action, outcomes=answer.outcomes)
        if episode.answers:
            last = episode.answers[-1]
            found.last_step.CopyFrom(last)
            if last.HasField("observation"):
                seen = self._painting().observe(episode.script, last.observation.index, whole=True)
                found.last_step.observation.CopyFrom(seen)
        return found

    def withdraw(self, request: agent_pb2.WithdrawRequest) -> agent_pb2.WithdrawResponse:
        """Lets the agent withdraw."""
        self._journal.withdrawn = request.message or "(no message)"
        self.ended = Reason.SESSION_WITHDRAWN
        return agent_pb2.WithdrawResponse()

    def supersede(self) -> None:
        """Acts as if another process had resumed the session."""
        self.epoch += 1
        self._tokens = set()
        # The replaced holder is not at fault for its older epoch.
        self._stale = -(10**6)

    # --- shared by the requests

    def _latest_episode(self, method: str, episode_id: str) -> ScriptedEpisode:
        """The latest episode. Raises EPISODE_NOT_OPEN if the call names another one."""
        episode = self._episode
        if episode is None or episode_id != episode.id:
            latest = "none yet" if episode is None else f"episode_id {episode.id!r}"
            self._misplaced(method, latest, f"episode_id {episode_id!r}")
            raise ProtocolError(Reason.EPISODE_NOT_OPEN)
        return episode

    def _refuse_after_the_end(self, episode: ScriptedEpisode, came: str) -> None:
        if episode.status != RUNNING:
            status = agent_pb2.EpisodeStatus.Name(Status(episode.status))
            self._journal.violate(
                "after-the-end",
                f"episode {episode.ordinal}, which ended with {status}",
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
        """Whether a picture was ever sent as a reference."""
        return self._painter is not None and self._painter.referred

    @property
    def sent_large(self) -> bool:
        """Whether a message of almost the maximum size was sent."""
        return self._painter is not None and self._painter.sent_large


def _short(action: action_pb2.Action) -> str:
    return " ".join(str(action).split())[:200] or "none"


# --- The openings of episodes, and what the service grants

RAW = observation_pb2.IMAGE_ENCODING_RAW
RAW_F32 = observation_pb2.IMAGE_ENCODING_RAW_F32


def opening(
    script: EpisodeScript, episode_id: str, observation: observation_pb2.Observation
) -> agent_pb2.Episode:
    """The Episode message that BeginEpisode returns."""
    answered = script.mode == agent_pb2.MODE_ANSWER
    episode = agent_pb2.Episode(
        episode_id=episode_id,
        suite="conformance",
        suite_version="1",
        condition={"feedback": "detailed"},
        instruction=script.instruction,
        instruction_language=script.language,
        context=script.context,
        action_space=action_pb2.ActionSpace(
            skills=() if answered else script.skills,
            json_schema="" if answered else json_schema(script.skills),
            answer_format=script.answer_format,
        ),
        agent_seed=4711,
        observation=observation,
    )
    episode.mode = agent_pb2.Mode.ValueType(script.mode)
    if script.limit_disclosed:
        episode.max_steps = script.steps
    return episode


def json_schema(skills: tuple[action_pb2.Skill, ...]) -> str:
    """JSON Schema of one skill call, as agent.proto defines it."""
    return json.dumps(
        {"oneOf": [_skill_schema(skill) for skill in skills]}, ensure_ascii=False, sort_keys=True
    )


def granted(
    request: observation_pb2.ObservationRequest, preferred: int
) -> observation_pb2.ObservationRequest:
    """What the service grants for this request: all of it.

    Each channel gets its first encoding, or ``preferred`` if the request lists that. An empty
    request gets raw colour pictures and texts. Raises ProtocolError OBSERVATION_NOT_OFFERED for a
    request that no service could grant.
    """
    grant = observation_pb2.ObservationRequest(text=request.text)
    if not request.images and not request.text:
        grant.text = True
        grant.images.add(channel=observation_pb2.CHANNEL_RGB, encodings=[RAW])
    channels = [image.channel for image in request.images]
    if len(set(channels)) < len(channels) or observation_pb2.CHANNEL_UNSPECIFIED in channels:
        raise ProtocolError(Reason.OBSERVATION_NOT_OFFERED, "One entry a channel, each of a kind.")
    for image in request.images:
        usual = RAW_F32 if image.channel == observation_pb2.CHANNEL_DEPTH else RAW
        encodings = list(image.encodings) or [usual]
        chosen = preferred if preferred in encodings else encodings[0]
        entry = grant.images.add(channel=image.channel, previous_frame=image.previous_frame)
        entry.encodings.append(observation_pb2.ImageEncoding.ValueType(chosen))
    return grant


def _skill_schema(skill: action_pb2.Skill) -> dict[str, object]:
    values: dict[str, object] = {}
    for parameter in skill.parameters:
        value: dict[str, object] = {"type": "string", "description": parameter.description}
        if parameter.choices:
            value["enum"] = list(parameter.choices)
        values[parameter.name] = value
    arguments = {
        "type": "object",
        "properties": values,
        "required": list(values),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "description": skill.description,
        "properties": {"skill": {"const": skill.name}, "arguments": arguments},
        "required": ["skill", "arguments"],
        "additionalProperties": False,
    }


# --- Whether the episode allows an action

MAX_PLAN_STEPS = 512
MAX_ACTION_BYTES = 64 * 1024


def same_action(one: action_pb2.Action, other: action_pb2.Action) -> bool:
    """Whether two actions are equal under the service's rule."""
    return one.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True)


def check_action(
    action: action_pb2.Action, episode: agent_pb2.Episode, journal: CallJournal
) -> None:
    """Records an action that does not fit; raises ProtocolError if a service refuses it."""
    kind = action.WhichOneof("kind")
    mode = agent_pb2.Mode.Name(episode.mode)
    if (kind == "plan" and episode.mode != agent_pb2.MODE_PLAN) or (
        kind == "skill" and episode.mode == agent_pb2.MODE_ANSWER
    ):
        rule = "answer-mode" if episode.mode == agent_pb2.MODE_ANSWER else "action-kind"
        journal.violate(rule, f"an episode in {mode}", "the kind of action it takes", f"a {kind}")
        raise ProtocolError(Reason.ACTION_KIND_NOT_ALLOWED)
    if kind is None:
        journal.violate(
            "action-kind", f"an episode in {mode}", "a skill, a text or a plan", "none of them"
        )
    if len(action.plan.steps) > MAX_PLAN_STEPS:
        journal.violate(
            "plan-mode",
            f"max_plan_steps {MAX_PLAN_STEPS}",
            "a plan of no more steps",
            f"a plan of {len(action.plan.steps)} steps",
        )
        raise ProtocolError(Reason.PLAN_TOO_LONG)
    calls = [action.skill] if kind == "skill" else list(action.plan.steps)
    for call in calls:
        _check_call(call, episode.action_space, journal)
    _check_size(action, journal)


def _check_call(
    call: action_pb2.SkillCall, space: action_pb2.ActionSpace, journal: CallJournal
) -> None:
    """Checks that the call names a skill of the action space, with its arguments in order."""
    skill = next((skill for skill in space.skills if skill.name == call.name), None)
    if skill is None:
        names = ", ".join(each.name for each in space.skills)[:200]
        journal.violate(
            "action-fits", f"the skills {names}", "a call of one of them", f"{call.name!r}"
        )
        return
    wanted = [parameter.name for parameter in skill.parameters]
    given = [argument.name for argument in call.arguments]
    if wanted != given:
        journal.violate(
            "action-fits",
            f"skill {skill.name!r} with the parameters {wanted}",
            "these arguments in this order",
            f"the arguments {given}",
        )
        return
    for parameter, argument in zip(skill.parameters, call.arguments, strict=True):
        if parameter.choices and argument.value not in parameter.choices:
            journal.violate(
                "action-fits",
                f"parameter {parameter.name!r} with the choices {list(parameter.choices)}",
                "one of them",
                f"{argument.value!r}",
            )


def _check_size(action: action_pb2.Action, journal: CallJournal) -> None:
    if len(action.text.encode()) > MAX_ACTION_BYTES:
        journal.violate(
            "action-fits",
            f"max_action_bytes {MAX_ACTION_BYTES}",
            "a text of no more bytes",
            f"a text of {len(action.text.encode())} bytes",
        )
