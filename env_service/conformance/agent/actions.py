"""Whether an action is one that the episode takes."""

from __future__ import annotations

from houseguest.agent.v1 import action_pb2, agent_pb2

from env_service.conformance.agent.journal import Journal
from env_service.domain.reasons import ProtocolError, Reason

MAX_PLAN_STEPS = 512
MAX_ACTION_BYTES = 64 * 1024


def same_action(one: action_pb2.Action, other: action_pb2.Action) -> bool:
    """Whether two actions are equal, as the house compares them."""
    return one.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True)


def check_action(action: action_pb2.Action, episode: agent_pb2.Episode, journal: Journal) -> None:
    """Notes an action that does not fit; raises ProtocolError for one that a house refuses."""
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
    call: action_pb2.SkillCall, space: action_pb2.ActionSpace, journal: Journal
) -> None:
    """Whether the call names a skill of the action space, with its arguments in order."""
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


def _check_size(action: action_pb2.Action, journal: Journal) -> None:
    if len(action.text.encode()) > MAX_ACTION_BYTES:
        journal.violate(
            "action-fits",
            f"max_action_bytes {MAX_ACTION_BYTES}",
            "a text of no more bytes",
            f"a text of {len(action.text.encode())} bytes",
        )
