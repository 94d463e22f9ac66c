"""Steps: exactly once, in order, whatever is sent."""

from __future__ import annotations

import grpc
from houseguest.agent.v1 import action_pb2, agent_pb2

from env_service.conformance.judgement import Judgement, NotApplicable
from env_service.conformance.report import failure
from env_service.conformance.rules import Rule
from env_service.conformance.server.answers import Answer, read_error
from env_service.conformance.server.probe import Probe
from env_service.conformance.server.rule import ServerRule, first, wants_error, wants_response

SUCCEEDED, REFUSED, WITHHELD, UNPARSABLE, UNKNOWN_SKILL = 1, 2, 3, 4, 5
CLOAKED = (REFUSED, WITHHELD)
"""What stands for any refusal where the condition does not tell which."""

_SAME_CALLS = 4


def repeat(probe: Probe) -> Judgement:
    """A step, again: under another trace, and after the episode's end."""
    probe.fresh()
    action = probe.action()
    step = probe.step(action)
    again = probe.call("Step", probe.step_request(action, 0, trace="another trace"))
    probe.end()
    later = probe.call("Step", probe.step_request(action, 0))
    for sent, answer in (
        ("the same Step with another trace", again),
        ("the same Step after the episode's end", later),
    ):
        if answer.code is not None or answer.response.outcomes != step.outcomes:
            return failure(sent, "the first answer again", str(answer))
        if answer.response.status != step.status or answer.response.step_index != 0:
            return failure(sent, "the first answer again", str(answer))
    return ()


def conflict(probe: Probe) -> Judgement:
    """Another action under a used index."""
    probe.fresh()
    probe.step(probe.action())
    answer = probe.call("Step", probe.step_request(probe.other_action(), 0))
    return wants_error("another action under the index of a step", answer, "STEP_CONFLICT")


def out_of_order(probe: Probe) -> Judgement:
    """An index that is not next."""
    probe.fresh()
    answer = probe.call("Step", probe.step_request(probe.action(), 3))
    return wants_error("Step with index 3 in place of 0", answer, "STEP_OUT_OF_ORDER")


def join(probe: Probe) -> Judgement:
    """The same step, several times at once."""
    probe.fresh()
    request = probe.step_request(probe.action())
    calls = [probe.connection.begin("Step", request, probe.metadata) for _ in range(_SAME_CALLS)]
    answers = [_result(call) for call in calls]
    for answer in answers:
        probe.noted(answer)
        if answer.code is not None or answer.response != answers[0].response:
            sent = f"the same Step {_SAME_CALLS} times at once"
            return failure(sent, "one and the same response to all", str(answer))
    probe.took(answers[0].response)
    told = probe.call("GetEpisode", probe.get_request())
    if told.code is None and told.response.next_step_index != 1:
        came = f"next_step_index {told.response.next_step_index}"
        return failure(f"the same Step {_SAME_CALLS} times at once", "one step", came)
    return ()


def unparsable(probe: Probe) -> Judgement:
    """Words that name no action, an action of no kind, and one that is too long."""
    longest = probe.say_hello().limits.max_action_bytes
    turns = {
        "a text that names no action": action_pb2.Action(text="¿? &%$ zzz"),
        "an action without a kind": action_pb2.Action(),
        "a text longer than max_action_bytes": action_pb2.Action(text="x" * (longest + 1)),
    }
    for sent, action in turns.items():
        probe.fresh()
        if probe.episode.mode != agent_pb2.MODE_STEPWISE:
            return NotApplicable("the run has no episodes in MODE_STEPWISE")
        answer = probe.call("Step", probe.step_request(action))
        found = _turn(probe, sent, answer, UNPARSABLE)
        if found:
            return found
    return ()


def unknown_skill(probe: Probe) -> Judgement:
    """A skill that is not in the action space."""
    probe.fresh()
    if probe.episode.mode != agent_pb2.MODE_STEPWISE:
        return NotApplicable("the run has no episodes in MODE_STEPWISE")
    call = action_pb2.SkillCall(name="no such skill")
    answer = probe.call("Step", probe.step_request(action_pb2.Action(skill=call)))
    return _turn(probe, "a skill that is not in the action space", answer, UNKNOWN_SKILL)


def _turn(probe: Probe, sent: str, answer: Answer, code: int) -> Judgement:
    """An ordinary answer, with this outcome or what stands for it."""
    refused = wants_response(sent, answer)
    if refused:
        return refused
    probe.took(answer.response)
    codes = [outcome.code for outcome in answer.response.outcomes]
    if len(codes) == 1 and codes[0] in (code, *CLOAKED):
        return ()
    expected = f"one outcome of code {code}, or {REFUSED} or {WITHHELD} where that is not told"
    return failure(sent, expected, f"the codes {codes}")


def kind(probe: Probe) -> Judgement:
    """A plan where none is taken, or a skill where words are."""
    probe.fresh()
    skill = action_pb2.SkillCall(name="anything")
    if probe.episode.mode == agent_pb2.MODE_ANSWER:
        action, sent = action_pb2.Action(skill=skill), "a skill in MODE_ANSWER"
    elif probe.episode.mode == agent_pb2.MODE_STEPWISE:
        plan = action_pb2.Plan(steps=[skill])
        action, sent = action_pb2.Action(plan=plan), "a plan in MODE_STEPWISE"
    else:
        return NotApplicable("MODE_PLAN takes every kind")
    answer = probe.call("Step", probe.step_request(action))
    found = wants_error(sent, answer, "ACTION_KIND_NOT_ALLOWED")
    if found:
        return found
    told = probe.call("GetEpisode", probe.get_request())
    if told.code is None and told.response.next_step_index != 0:
        return failure(sent, "that it costs no step", str(told))
    return ()


def long_plan(probe: Probe) -> Judgement:
    """A plan of one step too many."""
    probe.fresh()
    if probe.episode.mode != agent_pb2.MODE_PLAN:
        return NotApplicable("the run has no episodes in MODE_PLAN")
    most = probe.say_hello().limits.max_plan_steps
    calls = [probe.action().plan.steps[0]] * (most + 1)
    action = action_pb2.Action(plan=action_pb2.Plan(steps=calls))
    answer = probe.call("Step", probe.step_request(action))
    return wants_error(f"a plan of {most + 1} steps", answer, "PLAN_TOO_LONG")


def large_message(probe: Probe) -> Judgement:
    """A message over the limit."""
    probe.fresh()
    size = probe.say_hello().limits.max_message_bytes
    action = action_pb2.Action(text="x" * (size + 1))
    # Not probe.call: what gRPC refuses by itself carries no reason.
    answer = probe.connection.call("Step", probe.step_request(action), probe.metadata)
    if answer.code is not grpc.StatusCode.RESOURCE_EXHAUSTED:
        return failure("a message over max_message_bytes", "RESOURCE_EXHAUSTED", str(answer))
    told = probe.call("GetEpisode", probe.get_request())
    return wants_response("GetEpisode after a message that was too large", told)


def old_epoch(probe: Probe) -> Judgement:
    """A call of an older epoch."""
    probe.fresh()
    request = probe.step_request(probe.action())
    request.session_epoch -= 1
    answer = probe.call("Step", request)
    return first(wants_error("Step of an older epoch", answer, "SESSION_SUPERSEDED"))


def _result(call: grpc.Future[agent_pb2.StepResponse]) -> Answer:
    try:
        return Answer("Step", call.result())
    except grpc.RpcError as error:
        return read_error("Step", error)


RULES = (
    ServerRule(
        Rule("step-repeats", "A repeated step gets the first answer again, whatever its trace, also"
             " after the episode's end.", "agent.proto, AgentService: Idempotency"),
        repeat,
    ),
    ServerRule(
        Rule("step-conflict", "Another action under the index of a step fails with STEP_CONFLICT.",
             "agent.proto, Step"),
        conflict,
    ),
    ServerRule(
        Rule("step-out-of-order", "An index that is neither the last nor the next fails with"
             " STEP_OUT_OF_ORDER.", "agent.proto, Step"),
        out_of_order,
    ),
    ServerRule(
        Rule("step-joins", "The same step several times at once is executed once, and answered"
             " alike.", "agent.proto, AgentService: Idempotency"),
        join,
    ),
    ServerRule(
        Rule("old-epoch", "A call of an older epoch fails with SESSION_SUPERSEDED.",
             "agent.proto, AgentService: Epochs"),
        old_epoch,
    ),
    ServerRule(
        Rule("unparsable", "A text that names no action, an action without a kind, and one over"
             " max_action_bytes are answered as unparsable turns.", "action.proto, Action"),
        unparsable,
    ),
    ServerRule(
        Rule("unknown-skill", "A skill that does not exist is answered with an outcome, not an"
             " error.", "action.proto, SkillCall"),
        unknown_skill,
    ),
    ServerRule(
        Rule("action-kind", "An action of a kind that the mode does not take fails with"
             " ACTION_KIND_NOT_ALLOWED, and costs nothing.", "action.proto, Action"),
        kind,
    ),
    ServerRule(
        Rule("plan-too-long", "A plan over max_plan_steps fails with PLAN_TOO_LONG.",
             "action.proto, Plan"),
        long_plan,
    ),
    ServerRule(
        Rule("large-message", "A message over max_message_bytes fails with RESOURCE_EXHAUSTED, and"
             " the session lives on.", "agent.proto, Limits.max_message_bytes"),
        large_message,
    ),
)  # fmt: skip
