"""Rules of episodes: openings and ends, steps exactly once, and the same over Play."""

from __future__ import annotations

import json

import grpc
from houseguest.agent.v1 import action_pb2, agent_pb2
from houseguest.agent.v1 import agent_pb2 as pb

from env_service.conformance.report import Judgement, NotApplicable, Rule, failure
from env_service.conformance.server.connection import PlayStream, RpcOutcome, read_error
from env_service.conformance.server.probe import (
    Check,
    Probe,
    ServerRule,
    first,
    wants_error,
    wants_response,
)
from env_service.conformance.server.session_rules import NO_MESSAGE

RUNNING = agent_pb2.EPISODE_STATUS_RUNNING
UNSPECIFIED = agent_pb2.EPISODE_STATUS_UNSPECIFIED


def opening(probe: Probe) -> Judgement:
    """An Episode has every required field."""
    episode = probe.fresh()
    answered = episode.mode == agent_pb2.MODE_ANSWER
    space = episode.action_space
    wrong = {
        "an episode_id": not episode.episode_id,
        "a mode": episode.mode == agent_pb2.MODE_UNSPECIFIED,
        "an instruction": not episode.instruction,
        "a suite and its version": not (episode.suite and episode.suite_version),
        "skills exactly where the mode is not MODE_ANSWER": answered == bool(space.skills),
        "a JSON Schema exactly where there are skills": bool(space.skills) != _is_json(space),
        "an answer format exactly in MODE_ANSWER": answered != bool(space.answer_format),
        "descriptions of skills": not all(each.description for each in space.skills),
        "skills of different names": len({each.name for each in space.skills}) != len(space.skills),
    }
    missing = [name for name, is_wrong in wrong.items() if is_wrong]
    return failure("BeginEpisode", ", ".join(missing), "an Episode without") if missing else ()


def _is_json(space: object) -> bool:
    text = getattr(space, "json_schema", "")
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def begin_again(probe: Probe) -> Judgement:
    """A repeated BeginEpisode returns the same episode."""
    episode = probe.fresh()
    again = probe.call("BeginEpisode", probe.begin_request(probe.ordinal - 1))
    sent = "BeginEpisode with the same ordinal, again"
    if again.code is not None or again.response.episode != episode:
        return failure(sent, "the same episode", str(again))
    return ()


def still_open(probe: Probe) -> Judgement:
    """BeginEpisode fails while an episode is open."""
    probe.fresh()
    answer = probe.call("BeginEpisode", probe.begin_request(probe.ordinal))
    return wants_error("BeginEpisode while an episode is open", answer, "EPISODE_STILL_OPEN")


def ordinals(probe: Probe) -> Judgement:
    """BeginEpisode fails for an episode that is not next."""
    probe.fresh()
    answer = probe.call("BeginEpisode", probe.begin_request(probe.ordinal + 7))
    return wants_error("BeginEpisode with a later ordinal", answer, "EPISODE_OUT_OF_ORDER")


def end_again(probe: Probe) -> Judgement:
    """A repeated EndEpisode returns the same status."""
    probe.fresh()
    once, again = probe.end(), probe.end()
    refused = first(wants_response("EndEpisode", once), wants_response("EndEpisode again", again))
    if refused:
        return refused
    if once.response.status in (RUNNING, UNSPECIFIED):
        return failure("EndEpisode", "a status of an ended episode", str(once))
    if again.response != once.response:
        return failure("EndEpisode again", f"the same: {once}", str(again))
    return ()


def after_the_end(probe: Probe) -> Judgement:
    """A step in an episode that has ended fails."""
    probe.fresh()
    probe.end()
    answer = probe.call("Step", probe.step_request(probe.action()))
    return wants_error("Step in an episode that has ended", answer, "EPISODE_NOT_OPEN")


def other_episode(probe: Probe) -> Judgement:
    """Calls that name an episode other than the latest fail."""
    probe.fresh()
    step = probe.step_request(probe.action())
    step.episode_id = "another"
    get = probe.get_request()
    get.episode_id = "another"
    sent = "with another episode_id"
    return first(
        wants_error(f"Step {sent}", probe.call("Step", step), "EPISODE_NOT_OPEN"),
        wants_error(f"GetEpisode {sent}", probe.call("GetEpisode", get), "EPISODE_NOT_OPEN"),
    )


def get_episode(probe: Probe) -> Judgement:
    """GetEpisode returns everything about the latest episode."""
    episode = probe.fresh()
    action = probe.action()
    step = probe.step(action)
    answer = probe.call("GetEpisode", probe.get_request())
    refused = wants_response("GetEpisode", answer)
    if refused:
        return refused
    found = answer.response
    wrong = {
        "the episode as BeginEpisode gave it": found.episode.instruction != episode.instruction
        or found.episode.episode_id != episode.episode_id,
        "the one step in the history, with its action and outcomes": len(found.history) != 1
        or found.history[0].action != action
        or list(found.history[0].outcomes) != list(step.outcomes),
        "the last answer": found.last_step.step_index != step.step_index
        or found.last_step.status != step.status,
        "next_step_index 1": found.next_step_index != 1,
        "no step in flight": found.step_in_flight,
        "complete pictures": any(
            image.WhichOneof("content") == "same_as_observation"
            for image in found.last_step.observation.images
        ),
    }
    missing = [name for name, is_wrong in wrong.items() if is_wrong]
    return failure("GetEpisode after one step", ", ".join(missing), str(answer)) if missing else ()


EPISODE_RULES = (
    ServerRule(
        Rule("opening", "An Episode contains its id, mode, suite, instruction, and an action space"
             " that fits the mode.", "agent.proto, Episode"),
        opening,
    ),
    ServerRule(
        Rule("begin-repeats", "BeginEpisode with the same ordinal returns the same episode again.",
             "agent.proto, BeginEpisode"),
        begin_again,
    ),
    ServerRule(
        Rule("episode-still-open", "BeginEpisode fails with EPISODE_STILL_OPEN while an episode is"
             " open.", "agent.proto, BeginEpisode"),
        still_open,
    ),
    ServerRule(
        Rule("episode-out-of-order", "BeginEpisode with an ordinal that is neither the latest nor"
             " the next fails with EPISODE_OUT_OF_ORDER.", "agent.proto, BeginEpisode"),
        ordinals,
    ),
    ServerRule(
        Rule("end-repeats", "EndEpisode ends the episode; a repeat returns the same status.",
             "agent.proto, EndEpisode"),
        end_again,
    ),
    ServerRule(
        Rule("episode-not-open", "A new step in an episode that has ended fails with"
             " EPISODE_NOT_OPEN.", "agent.proto, Step"),
        after_the_end,
    ),
    ServerRule(
        Rule("other-episode", "Calls that name an episode other than the latest fail with"
             " EPISODE_NOT_OPEN.", "agent.proto, Step and GetEpisode"),
        other_episode,
    ),
    ServerRule(
        Rule("get-episode", "GetEpisode returns the opening, every step, the last answer, and the"
             " next index.", "agent.proto, GetEpisodeResponse"),
        get_episode,
    ),
)  # fmt: skip


# --- Steps: exactly once and in order, whatever is sent

SUCCEEDED, REFUSED, WITHHELD, UNPARSABLE, UNKNOWN_SKILL = 1, 2, 3, 4, 5
CLOAKED = (REFUSED, WITHHELD)
"""The codes that replace any refusal if the condition does not disclose which one."""

_SAME_CALLS = 4


def repeat(probe: Probe) -> Judgement:
    """A repeated step gets the first answer: with another trace, and after the episode's end."""
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
    """Another action under a used index fails."""
    probe.fresh()
    probe.step(probe.action())
    answer = probe.call("Step", probe.step_request(probe.other_action(), 0))
    return wants_error("another action under the index of a step", answer, "STEP_CONFLICT")


def out_of_order(probe: Probe) -> Judgement:
    """A step with an index that is not next fails."""
    probe.fresh()
    answer = probe.call("Step", probe.step_request(probe.action(), 3))
    return wants_error("Step with index 3 in place of 0", answer, "STEP_OUT_OF_ORDER")


def join(probe: Probe) -> Judgement:
    """The same step sent several times at once is executed once."""
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
    after = probe.call("GetEpisode", probe.get_request())
    if after.code is None and after.response.next_step_index != 1:
        came = f"next_step_index {after.response.next_step_index}"
        return failure(f"the same Step {_SAME_CALLS} times at once", "one step", came)
    return ()


def unparsable(probe: Probe) -> Judgement:
    """Text that names no action, an action of no kind, and one that is too long."""
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


def _turn(probe: Probe, sent: str, answer: RpcOutcome, code: int) -> Judgement:
    """Expects an ordinary answer with this outcome, or with a code that replaces it."""
    refused = wants_response(sent, answer)
    if refused:
        return refused
    probe.took(answer.response)
    codes = [outcome.code for outcome in answer.response.outcomes]
    if len(codes) == 1 and codes[0] in (code, *CLOAKED):
        return ()
    expected = f"one outcome of code {code}, or {REFUSED} or {WITHHELD} if that is not disclosed"
    return failure(sent, expected, f"the codes {codes}")


def kind(probe: Probe) -> Judgement:
    """A plan or skill that the mode does not allow fails and costs no step."""
    probe.fresh()
    skill = action_pb2.SkillCall(name="anything")
    if probe.episode.mode == agent_pb2.MODE_ANSWER:
        action, sent = action_pb2.Action(skill=skill), "a skill in MODE_ANSWER"
    elif probe.episode.mode == agent_pb2.MODE_STEPWISE:
        plan = action_pb2.Plan(steps=[skill])
        action, sent = action_pb2.Action(plan=plan), "a plan in MODE_STEPWISE"
    else:
        return NotApplicable("MODE_PLAN allows every kind")
    answer = probe.call("Step", probe.step_request(action))
    found = wants_error(sent, answer, "ACTION_KIND_NOT_ALLOWED")
    if found:
        return found
    after = probe.call("GetEpisode", probe.get_request())
    if after.code is None and after.response.next_step_index != 0:
        return failure(sent, "that it costs no step", str(after))
    return ()


def long_plan(probe: Probe) -> Judgement:
    """A plan with one step too many fails."""
    probe.fresh()
    if probe.episode.mode != agent_pb2.MODE_PLAN:
        return NotApplicable("the run has no episodes in MODE_PLAN")
    most = probe.say_hello().limits.max_plan_steps
    calls = [probe.action().plan.steps[0]] * (most + 1)
    action = action_pb2.Action(plan=action_pb2.Plan(steps=calls))
    answer = probe.call("Step", probe.step_request(action))
    return wants_error(f"a plan of {most + 1} steps", answer, "PLAN_TOO_LONG")


def large_message(probe: Probe) -> Judgement:
    """A message over the limit fails, and the session survives it."""
    probe.fresh()
    size = probe.say_hello().limits.max_message_bytes
    action = action_pb2.Action(text="x" * (size + 1))
    # Not probe.call: an error that gRPC itself raises carries no reason.
    answer = probe.connection.call("Step", probe.step_request(action), probe.metadata)
    if answer.code is not grpc.StatusCode.RESOURCE_EXHAUSTED:
        return failure("a message over max_message_bytes", "RESOURCE_EXHAUSTED", str(answer))
    after = probe.call("GetEpisode", probe.get_request())
    return wants_response("GetEpisode after a message that was too large", after)


def old_epoch(probe: Probe) -> Judgement:
    """A call with an older epoch fails."""
    probe.fresh()
    request = probe.step_request(probe.action())
    request.session_epoch -= 1
    answer = probe.call("Step", request)
    return first(wants_error("Step of an older epoch", answer, "SESSION_SUPERSEDED"))


def _result(call: grpc.Future[agent_pb2.StepResponse]) -> RpcOutcome:
    try:
        return RpcOutcome("Step", call.result())
    except grpc.RpcError as error:
        return read_error("Step", error)


STEP_RULES = (
    ServerRule(
        Rule("step-repeats", "A repeated step gets the first answer again, whatever its trace, and"
             " also after the episode's end.", "agent.proto, AgentService: Idempotency"),
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
        Rule("step-joins", "The same step sent several times at once is executed once, and every"
             " call gets the same answer.", "agent.proto, AgentService: Idempotency"),
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
        Rule("action-kind", "An action of a kind that the mode does not allow fails with"
             " ACTION_KIND_NOT_ALLOWED, and costs no step.", "action.proto, Action"),
        kind,
    ),
    ServerRule(
        Rule("plan-too-long", "A plan over max_plan_steps fails with PLAN_TOO_LONG.",
             "action.proto, Plan"),
        long_plan,
    ),
    ServerRule(
        Rule("large-message", "A message over max_message_bytes fails with RESOURCE_EXHAUSTED, and"
             " the session continues.", "agent.proto, Limits.max_message_bytes"),
        large_message,
    ),
)  # fmt: skip


# --- Play: the same requests and answers on one stream

NOT_OFFERED = NotApplicable("the service does not offer FEATURE_STREAMING_PLAY")


def _where_offered(check: Check) -> Check:
    def checked(probe: Probe) -> Judgement:
        offered = pb.FEATURE_STREAMING_PLAY in probe.say_hello().features
        return check(probe) if offered else NOT_OFFERED

    return checked


@_where_offered
def alike(probe: Probe) -> Judgement:
    """The stream and the calls answer the same requests alike."""
    probe.fresh()
    step = probe.step_request(probe.action())
    begin = probe.begin_request(probe.ordinal - 1)
    stream = probe.connection.play(probe.metadata)
    try:
        began = stream.ask(pb.PlayRequest(request_id=7, begin_episode=begin))
        stepped = stream.ask(pb.PlayRequest(request_id=2**63, step=step))
        unary = probe.call("Step", step)
        if unary.code is None:
            probe.took(unary.response)
        end = pb.EndEpisodeRequest(**probe.who, episode_id=probe.episode.episode_id)
        ended = stream.ask(pb.PlayRequest(request_id=0, end_episode=end))
        probe.open = False
        unary_end = probe.call("EndEpisode", end)
    finally:
        stream.close()
    return _compare(
        (7, "begin_episode", began, RpcOutcome("BeginEpisode", _begun(probe))),
        (2**63, "step", stepped, unary),
        (0, "end_episode", ended, unary_end),
    )


def _begun(probe: Probe) -> pb.BeginEpisodeResponse:
    return pb.BeginEpisodeResponse(episode=probe.episode)


def _compare(*pairs: tuple[int, str, pb.PlayResponse | RpcOutcome, RpcOutcome]) -> Judgement:
    for request_id, kind, streamed, unary in pairs:
        sent = f"{kind} on Play, and the same as a call"
        if isinstance(streamed, RpcOutcome) or unary.code is not None:
            return failure(sent, "the same response twice", f"{streamed} and {unary}")
        if streamed.request_id != request_id:
            came = f"request_id {streamed.request_id}"
            return failure(sent, f"request_id {request_id} in the answer", came)
        if streamed.WhichOneof("response") != kind or getattr(streamed, kind) != unary.response:
            came = f"{' '.join(str(streamed).split())[:160]} and {unary}"
            return failure(sent, "the same response twice", came)
    return ()


@_where_offered
def refusals(probe: Probe) -> Judgement:
    """Requests that fail, as calls and on the stream."""
    probe.fresh()
    late = probe.step_request(probe.action(), 5)
    soon = probe.begin_request(probe.ordinal)
    stream = probe.connection.play(probe.metadata)
    try:
        pairs = (
            (stream.ask(pb.PlayRequest(request_id=1, step=late)), probe.call("Step", late)),
            (
                stream.ask(pb.PlayRequest(request_id=2, begin_episode=soon)),
                probe.call("BeginEpisode", soon),
            ),
        )
        for streamed, unary in pairs:
            found = _refused_alike(streamed, unary)
            if found:
                return found
        return _malformed(stream)
    finally:
        stream.close()


def _refused_alike(streamed: pb.PlayResponse | RpcOutcome, unary: RpcOutcome) -> Judgement:
    sent = f"a {unary.method} that fails with {unary.reason}, on Play"
    refusal = streamed.error if isinstance(streamed, pb.PlayResponse) else pb.Refusal()
    same = unary.code is not None and refusal.code == unary.code.value[0]
    if same and refusal.reason == (unary.reason or unary.info):
        return ()
    return failure(sent, "a Refusal of the same code and reason", str(streamed))


def _malformed(stream: PlayStream) -> Judgement:
    for sent, request in (
        ("a PlayRequest without a request", pb.PlayRequest(request_id=3)),
        ("bytes that are not a PlayRequest", NO_MESSAGE),
    ):
        came = stream.ask(request)
        if isinstance(came, RpcOutcome) or came.error.reason != "MALFORMED_REQUEST":
            expected = "a Refusal MALFORMED_REQUEST, on a stream that stays open"
            return failure(sent, expected, " ".join(str(came).split()))
    return ()


STREAM_RULES = (
    ServerRule(
        Rule("play-answers-alike", "Play answers a request as the call does, with the request's"
             " id.", "agent.proto, Play"),
        alike,
    ),
    ServerRule(
        Rule("play-stays-open", "A request on Play that fails, or is malformed, is answered with a"
             " Refusal, and the stream stays open.", "agent.proto, Play and PlayRequest"),
        refusals,
    ),
)  # fmt: skip
