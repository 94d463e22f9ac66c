"""Episodes: their openings, their order, their ends."""

from __future__ import annotations

import json

from houseguest.agent.v1 import agent_pb2

from env_service.conformance.judgement import Judgement
from env_service.conformance.report import failure
from env_service.conformance.rules import Rule
from env_service.conformance.server.probe import Probe
from env_service.conformance.server.rule import ServerRule, first, wants_error, wants_response

RUNNING = agent_pb2.EPISODE_STATUS_RUNNING
UNSPECIFIED = agent_pb2.EPISODE_STATUS_UNSPECIFIED


def opening(probe: Probe) -> Judgement:
    """What an Episode has to hold."""
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
    """BeginEpisode, repeated."""
    episode = probe.fresh()
    again = probe.call("BeginEpisode", probe.begin_request(probe.ordinal - 1))
    sent = "BeginEpisode with the same ordinal, again"
    if again.code is not None or again.response.episode != episode:
        return failure(sent, "the same episode", str(again))
    return ()


def still_open(probe: Probe) -> Judgement:
    """The next episode, too early."""
    probe.fresh()
    answer = probe.call("BeginEpisode", probe.begin_request(probe.ordinal))
    return wants_error("BeginEpisode while an episode is open", answer, "EPISODE_STILL_OPEN")


def ordinals(probe: Probe) -> Judgement:
    """An episode that is not next."""
    probe.fresh()
    answer = probe.call("BeginEpisode", probe.begin_request(probe.ordinal + 7))
    return wants_error("BeginEpisode with a later ordinal", answer, "EPISODE_OUT_OF_ORDER")


def end_again(probe: Probe) -> Judgement:
    """EndEpisode, twice."""
    probe.fresh()
    once, again = probe.end(), probe.end()
    refused = first(wants_response("EndEpisode", once), wants_response("EndEpisode again", again))
    if refused:
        return refused
    if once.response.status in (RUNNING, UNSPECIFIED):
        return failure("EndEpisode", "a status that tells of an end", str(once))
    if again.response != once.response:
        return failure("EndEpisode again", f"the same: {once}", str(again))
    return ()


def after_the_end(probe: Probe) -> Judgement:
    """A step in an episode that has ended."""
    probe.fresh()
    probe.end()
    answer = probe.call("Step", probe.step_request(probe.action()))
    return wants_error("Step in an episode that has ended", answer, "EPISODE_NOT_OPEN")


def other_episode(probe: Probe) -> Judgement:
    """Calls that name an episode that is not the latest."""
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
    """All about the latest episode."""
    episode = probe.fresh()
    action = probe.action()
    step = probe.step(action)
    answer = probe.call("GetEpisode", probe.get_request())
    refused = wants_response("GetEpisode", answer)
    if refused:
        return refused
    told = answer.response
    wrong = {
        "the episode as BeginEpisode gave it": told.episode.instruction != episode.instruction
        or told.episode.episode_id != episode.episode_id,
        "the one step in the history, with its action and outcomes": len(told.history) != 1
        or told.history[0].action != action
        or list(told.history[0].outcomes) != list(step.outcomes),
        "the last answer": told.last_step.step_index != step.step_index
        or told.last_step.status != step.status,
        "next_step_index 1": told.next_step_index != 1,
        "no step in flight": told.step_in_flight,
        "pictures that are whole": any(
            image.WhichOneof("content") == "same_as_observation"
            for image in told.last_step.observation.images
        ),
    }
    missing = [name for name, is_wrong in wrong.items() if is_wrong]
    return failure("GetEpisode after one step", ", ".join(missing), str(answer)) if missing else ()


RULES = (
    ServerRule(
        Rule("opening", "An Episode tells its id, mode, suite, instruction, and an action space"
             " that fits the mode.", "agent.proto, Episode"),
        opening,
    ),
    ServerRule(
        Rule("begin-repeats", "BeginEpisode with the same ordinal brings the same episode again.",
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
        Rule("end-repeats", "EndEpisode ends the episode, and tells the same status again.",
             "agent.proto, EndEpisode"),
        end_again,
    ),
    ServerRule(
        Rule("episode-not-open", "A new step in an episode that has ended fails with"
             " EPISODE_NOT_OPEN.", "agent.proto, Step"),
        after_the_end,
    ),
    ServerRule(
        Rule("other-episode", "Calls that name another episode than the latest fail with"
             " EPISODE_NOT_OPEN.", "agent.proto, Step and GetEpisode"),
        other_episode,
    ),
    ServerRule(
        Rule("get-episode", "GetEpisode tells the opening, every step, the last answer, and the"
             " next index.", "agent.proto, GetEpisodeResponse"),
        get_episode,
    ),
)  # fmt: skip
