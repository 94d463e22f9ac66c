"""Resuming a session, and references to earlier pictures."""

from __future__ import annotations

from houseguest.agent.v1 import agent_pb2

from env_service.conformance.judgement import Judgement, NotApplicable
from env_service.conformance.report import failure
from env_service.conformance.rules import Rule
from env_service.conformance.server.answers import Answer
from env_service.conformance.server.probe import Probe
from env_service.conformance.server.rule import ServerRule, first, wants_error

_STILL_STEPS = 4


def resume(probe: Probe) -> Judgement:
    """Attach with the resume token, in the middle of an episode."""
    probe.fresh()
    if probe.step(probe.action()).status != agent_pb2.EPISODE_STATUS_RUNNING:
        probe.fresh()
    old, index = probe.grant, probe.index
    event = probe.attach(resume_token=old.resume_token)
    sent = "Attach with the resume token"
    if not isinstance(event, agent_pb2.Granted):
        return failure(sent, "a grant", str(event))
    wrong = {
        "the same session": event.session_id != old.session_id,
        "the next epoch": event.session_epoch != old.session_epoch + 1,
        "a new resume token": event.resume_token in (b"", old.resume_token),
        "what was granted to see": event.observation != old.observation,
        "the open episode": event.open_episode_id != probe.episode.episode_id,
        "the next ordinal": event.next_episode_ordinal != probe.ordinal,
    }
    missing = [name for name, is_wrong in wrong.items() if is_wrong]
    if missing:
        return failure(sent, f"a grant with {', '.join(missing)}", str(event))
    told = probe.call("GetEpisode", probe.get_request())
    if told.code is not None or told.response.next_step_index != index:
        return failure(f"{sent}, then GetEpisode", f"next_step_index {index}", str(told))
    return ()


def superseded(probe: Probe) -> Judgement:
    """The older holder's next call."""
    probe.fresh()
    request = probe.step_request(probe.action())
    if not isinstance(probe.attach(resume_token=probe.grant.resume_token), agent_pb2.Granted):
        return NotApplicable("the session cannot be resumed")
    answer = probe.call("Step", request)
    return wants_error("the older holder's Step after a resume", answer, "SESSION_SUPERSEDED")


def good_once(probe: Probe) -> Judgement:
    """Resume tokens that are spent, made up, or whose grant was lost."""
    probe.fresh()
    token = probe.grant.resume_token
    once = probe.attach(resume_token=token)
    twice = probe.attach(resume_token=token)
    if not isinstance(once, agent_pb2.Granted) or not isinstance(twice, agent_pb2.Granted):
        sent = "Attach with one resume token twice, without a call in between"
        came = str(twice if isinstance(once, agent_pb2.Granted) else once)
        return failure(sent, "two grants: the first may have been lost on its way", came)
    probe.call("GetEpisode", probe.get_request())
    spent = _resumed(probe, token)
    made_up = _resumed(probe, b"made up")
    return first(
        wants_error("Attach with a resume token that is spent", spent, "RESUME_REFUSED"),
        wants_error("Attach with a resume token that was made up", made_up, "RESUME_REFUSED"),
    )


def _resumed(probe: Probe, token: bytes) -> Answer:
    """An Attach that must fail."""
    event = probe.attach(resume_token=token)
    return event if isinstance(event, Answer) else Answer("Attach", event or agent_pb2.Granted())


def references(probe: Probe) -> Judgement:
    """Pictures that do not change, for a holder that takes references."""
    if agent_pb2.FEATURE_FRAME_REFERENCE not in probe.say_hello().features:
        return NotApplicable("the house does not offer FEATURE_FRAME_REFERENCE")
    probe.seat()
    if not isinstance(
        probe.attach(resume_token=probe.grant.resume_token, references=True), agent_pb2.Granted
    ):
        return NotApplicable("the session cannot be resumed")
    try:
        return _referred(probe)
    finally:
        # What follows is to see whole pictures again.
        probe.attach(resume_token=probe.grant.resume_token)


def _referred(probe: Probe) -> Judgement:
    probe.fresh()
    whole: dict[tuple[int, int, str], int] = {}
    observation = probe.episode.observation
    for _ in range(_STILL_STEPS):
        for image in observation.images:
            kind = (image.channel, image.role, image.view)
            if image.WhichOneof("content") == "same_as_observation":
                if whole.get(kind) != image.same_as_observation:
                    expected = f"observation {whole.get(kind)}, the latest with it whole"
                    came = f"same_as_observation {image.same_as_observation}"
                    return failure("a picture that has not changed", expected, came)
            else:
                whole[kind] = observation.index
        if not probe.open:
            break
        observation = probe.step(probe.other_action()).observation
    return () if whole else NotApplicable("the run's condition shows no pictures")


RULES = (
    ServerRule(
        Rule("resumes", "An Attach with the resume token brings the same session under the next"
             " epoch, in the middle of its episode.", "agent.proto, AttachRequest.resume_token"),
        resume,
    ),
    ServerRule(
        Rule("superseded", "After a resume the older holder's calls fail with SESSION_SUPERSEDED.",
             "agent.proto, AgentService: Epochs"),
        superseded,
    ),
    ServerRule(
        Rule("resume-once", "A resume token is good until the first call under the grant that it"
             " won; a spent or unknown one fails with RESUME_REFUSED.",
             "agent.proto, AttachRequest.resume_token"),
        good_once,
    ),
    ServerRule(
        Rule("references", "A reference to a picture names the latest observation that carried it"
             " whole.", "observation.proto, Image.same_as_observation"),
        references,
    ),
)  # fmt: skip
