"""Rules of every answer. The kit judges them last, over all answers of the service."""

from __future__ import annotations

import io
from collections.abc import Iterator

from houseguest.agent.v1 import observation_pb2 as pb
from PIL import Image as Pictures
from PIL import UnidentifiedImageError

from env_service.conformance.report import (
    Judgement,
    NotApplicable,
    Rule,
    RuleBreach,
    failure,
    merged,
)
from env_service.conformance.server.connection import RpcOutcome
from env_service.conformance.server.probe import Probe, SeenObservation, ServerRule
from env_service.domain.reasons import Reason

NOTHING_SEEN = NotApplicable("no episode was begun")
_BYTES = {pb.IMAGE_ENCODING_RAW: 3, pb.IMAGE_ENCODING_RAW_F32: 4}
_FORMATS = {
    pb.IMAGE_ENCODING_PNG: "PNG",
    pb.IMAGE_ENCODING_WEBP_LOSSLESS: "WEBP",
    pb.IMAGE_ENCODING_JPEG: "JPEG",
}


def errors(probe: Probe) -> Judgement:
    """Every error has the right form."""
    return merged(filter(None, map(_error, probe.record.errors)))


def _error(answer: RpcOutcome) -> RuleBreach | None:
    if answer.code is None:
        return None
    sent, came = f"a call of {answer.method} that fails", str(answer)
    listed = Reason.__members__.get(answer.info or answer.reason)
    if not answer.info or answer.info != answer.reason:
        expected = "one reason, in google.rpc.ErrorInfo and in houseguest-reason"
        return RuleBreach(sent, expected, f"{came} (ErrorInfo: {answer.info or 'none'})")
    if listed is None:
        return RuleBreach(sent, "a reason of docs/protocol.md", came)
    if listed.status.value != answer.code.value[0]:
        return RuleBreach(sent, f"status {listed.status.name} for {listed.name}", came)
    return None


def order(probe: Probe) -> Judgement:
    """Observation n comes after step n - 1."""
    wrong = [
        RuleBreach(
            f"step {seen.index - 1}" if seen.index else "BeginEpisode",
            f"observation {seen.index}",
            f"observation {seen.observation.index}",
        )
        for seen in probe.record.seen
        if seen.observation.index != seen.index
    ]
    return merged(wrong) if probe.record.seen else NOTHING_SEEN


def granted_alone(probe: Probe) -> Judgement:
    """Every picture and text was granted."""
    return merged(finding for seen in probe.record.seen for finding in _ungranted(seen))


def _ungranted(seen: SeenObservation) -> Iterator[RuleBreach]:
    granted = {image.channel: list(image.encodings) for image in seen.granted.images}
    for image in seen.observation.images:
        encodings = granted.get(image.channel)
        if encodings is None or image.encoding not in encodings:
            came = f"channel {image.channel} in encoding {image.encoding}"
            yield RuleBreach("an observation", f"the channels and encodings {granted}", came)
    if seen.observation.text and not seen.granted.text:
        yield RuleBreach("an observation", "no text: none was granted", "a text")


def pictures(probe: Probe) -> Judgement:
    """Every picture has a consistent size, role and name."""
    images = [image for seen in probe.record.seen for image in seen.observation.images]
    if not images:
        return NotApplicable("no picture was sent")
    return merged(filter(None, map(_picture, images)))


def _picture(image: pb.Image) -> RuleBreach | None:
    sent = f"a picture of {image.width} × {image.height} pixels"
    if image.role == pb.IMAGE_ROLE_UNSPECIFIED:
        return RuleBreach(sent, "a role", "none")
    if (image.role == pb.IMAGE_ROLE_VIEW) != bool(image.view):
        return RuleBreach(sent, "a view's name exactly in IMAGE_ROLE_VIEW", f"{image.view!r}")
    if image.WhichOneof("content") != "data":
        return None
    if image.encoding in _BYTES:
        size = image.width * image.height * _BYTES[image.encoding]
        came = f"{len(image.data)} bytes"
        return None if len(image.data) == size else RuleBreach(sent, f"{size} bytes", came)
    return _file(image, sent)


def _file(image: pb.Image, sent: str) -> RuleBreach | None:
    wanted = _FORMATS.get(image.encoding)
    try:
        with Pictures.open(io.BytesIO(image.data)) as picture:
            same = picture.size == (image.width, image.height) and picture.format == wanted
            came = f"{picture.format} of {picture.size}"
    except (UnidentifiedImageError, OSError):
        same, came = False, "bytes that are not a picture"
    return None if same else RuleBreach(sent, f"{wanted} of this size", came)


def no_references(probe: Probe) -> Judgement:
    """A holder that did not ask for references gets none."""
    sent = "no FEATURE_FRAME_REFERENCE in Attach"
    for seen in probe.record.seen:
        for image in seen.observation.images:
            if image.WhichOneof("content") == "same_as_observation" and not seen.references:
                return failure(sent, "complete pictures", "a same_as_observation")
    return () if probe.record.seen else NOTHING_SEEN


def no_results(probe: Probe) -> Judgement:
    """Only practice reports the results of episodes."""
    if probe.record.practice_results:
        sent = "steps and ends of episodes of a run"
        return failure(sent, "no practice_result", f"{probe.record.practice_results} of them")
    return ()


RULES = (
    ServerRule(
        Rule("error-details", "Every error carries its reason in google.rpc.ErrorInfo and in"
             " houseguest-reason, with the status that the protocol lists for it.",
             "agent.proto, AgentService: Errors"),
        errors,
    ),
    ServerRule(
        Rule("observation-order", "Observation 0 opens an episode, and n comes after step n - 1.",
             "observation.proto, Observation.index"),
        order,
    ),
    ServerRule(
        Rule("granted-alone", "Observations hold the channels, encodings and texts that were"
             " granted, and no others.", "agent.proto, Granted.observation"),
        granted_alone,
    ),
    ServerRule(
        Rule("pictures", "Every picture has the size, encoding and role that it declares.",
             "observation.proto, Image"),
        pictures,
    ),
    ServerRule(
        Rule("references-asked-for", "References to pictures go only to holders that named"
             " FEATURE_FRAME_REFERENCE.", "agent.proto, AttachRequest.required_features"),
        no_references,
    ),
    ServerRule(
        Rule("no-results", "No answer outside practice contains an episode's result.",
             "agent.proto, StepResponse.practice_result"),
        no_results,
    ),
)  # fmt: skip
