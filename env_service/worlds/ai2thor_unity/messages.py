"""The player's answers: from the bytes of AI2-THOR's FIFO protocol to metadata and pictures.

What would make the package `ai2thor` raise something, or
show a picture that is none, is refused here, with a reason.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Any

import msgpack
import numpy as np
from numpy.typing import NDArray

from env_service.domain.text import with_article
from env_service.worlds.ai2thor_unity.player import GoneError, LateError, NonsenseError, Pipes

HEADER = struct.Struct("!BI")
METADATA, METADATA_PATCH, END = 1, 11, 255
PICTURES: Mapping[int, str] = {
    4: "image",
    5: "image_depth",
    6: "image_normals",
    7: "image_flow",
    8: "image_classes",
    9: "image_ids",
    10: "image-thirdParty-camera",
    12: "image_thirdParty_depth",
    13: "image_thirdParty_normals",
    14: "image_thirdParty_image_ids",
    15: "image_thirdParty_classes",
    16: "image_thirdParty_flow",
}
"""The package's names of what a field of each type holds."""

LARGEST = 1 << 30
"""Bytes of a whole message beyond which it is taken for nonsense: sixteen pictures of
4096x4096."""

MOST = 1 << 12
"""Fields of a message beyond which it is taken for nonsense: six kinds of pictures of hundreds of
cameras."""

AGENT_KEYS: Mapping[str, type | UnionType] = {
    "screenWidth": int,
    "screenHeight": int,
    "thirdPartyCameras": list | None,
    "lastAction": object,
    "lastActionSuccess": bool,
    "errorCode": str | int | None,
    "errorMessage": str | None,
    "actionReturn": object,
    "sceneName": str | None,
    "objects": list | None,
}
"""What the package, or a suite, reads of each agent in any case."""

_TRACE = re.compile(r"\.?\s+trace:.*", re.DOTALL)
"""What the engine appends to the text of an exception in an action."""

Body = NDArray[np.uint8]
Files = Mapping[str, Sequence[Body]]


@dataclass(frozen=True)
class PlayerAnswer:
    """A message, decoded: the package's form of metadata, and pictures by the package's names.

    Bodies are read-only. ``patched``: only part of the metadata is new, and ``files`` is that of
    the answer before.
    """

    metadata: dict[str, Any]
    files: Files
    patched: bool


def read(
    pipes: Pipes, before: PlayerAnswer | None, sequence: int, until: float, *, shown: bool = True
) -> PlayerAnswer:
    """The next answer.

    Args:
        pipes: where it comes from.
        before: the answer before, which a patch is about.
        sequence: the number that it has to carry.
        until: the deadline, by time.monotonic.
        shown: whether the pictures are used. If not, as while the player changes its size,
            malformed pictures are left out.

    Raises:
        LateError, GoneError: see `Pipes.read`; with what had come until then.
        NonsenseError: it does not answer the request.
    """
    metadata: dict[str, Any] | None = None
    files: dict[str, list[Body]] = {}
    patched = False
    for kind, body in _fields(pipes, until):
        if kind in PICTURES:
            files.setdefault(PICTURES[kind], []).append(body)
        elif kind == METADATA_PATCH:
            metadata, patched = _patch(_unpacked(body), before, sequence), True
        else:
            metadata = _checked(_unpacked(body), sequence)
    if metadata is None:
        raise NonsenseError("a message without metadata")
    if patched and before is not None:
        return PlayerAnswer(metadata, before.files, patched=True)
    wrong = _wrong_picture(metadata["agents"], files)
    if wrong and shown:
        raise NonsenseError(wrong)
    return PlayerAnswer(metadata, {} if wrong else files, patched=False)


def _fields(pipes: Pipes, until: float) -> list[tuple[int, Body]]:
    header = bytearray(HEADER.size)
    pipes.read(memoryview(header), until=until)
    fields: list[tuple[int, Body]] = []
    total = 0
    while header[0] != END:
        kind, length = HEADER.unpack(header)
        total += length
        if kind not in PICTURES and kind not in (METADATA, METADATA_PATCH):
            raise NonsenseError(f"a field of the unknown type {kind}")
        if total > LARGEST:
            raise NonsenseError(f"a field of {length} bytes")
        if len(fields) == MOST:
            raise NonsenseError(f"more than {MOST} fields")
        body = np.empty(length, np.uint8)
        try:
            # The next header comes along: one call of the kernel less for each field.
            pipes.read(body.data, memoryview(header), until=until)
        except (GoneError, LateError) as error:
            raise type(error)("in the middle of an answer") from error
        body.flags.writeable = False
        fields.append((kind, body))
    return fields


def _unpacked(body: Body) -> dict[str, Any]:
    try:
        value = msgpack.unpackb(body, raw=False, strict_map_key=False)
    except Exception as error:
        raise NonsenseError(
            f"metadata that are not msgpack: {error or type(error).__name__}"
        ) from (error)
    if not isinstance(value, dict):
        raise NonsenseError(f"metadata that are not a map but {with_article(type(value).__name__)}")
    return value


def _checked(metadata: dict[str, Any], sequence: int) -> dict[str, Any]:
    for key in ("agents", "sequenceId", "activeAgentId", "thirdPartyCameras"):
        if key not in metadata:
            raise NonsenseError(f"metadata without {key!r}")
    if metadata["sequenceId"] != sequence:
        raise NonsenseError(
            f"an answer to another action: number {metadata['sequenceId']!r}, not {sequence}"
        )
    agents = metadata["agents"]
    if not (isinstance(agents, list) and agents and all(isinstance(a, dict) for a in agents)):
        raise NonsenseError("metadata whose 'agents' is not a list of maps")
    if len(agents) > 1 and metadata["activeAgentId"] not in range(len(agents)):
        raise NonsenseError(f"metadata of an agent {metadata['activeAgentId']!r} that is not there")
    for agent in agents:
        _check_agent(agent)
        agent["errorMessage"] = without_trace(agent["errorMessage"])
    return metadata


def _check_agent(agent: Mapping[str, Any]) -> None:
    for key, kind in AGENT_KEYS.items():
        if key not in agent:
            raise NonsenseError(f"metadata of an agent without {key!r}")
        if not isinstance(agent[key], kind):
            raise NonsenseError(f"metadata whose {key!r} is {str(agent[key])[:60]!r}")
    if agent["screenWidth"] < 1 or agent["screenHeight"] < 1:
        size = f"{agent['screenWidth']}x{agent['screenHeight']}"
        raise NonsenseError(f"metadata of a picture of {size} pixels")


def _patch(patch: dict[str, Any], before: PlayerAnswer | None, sequence: int) -> dict[str, Any]:
    if before is None:
        raise NonsenseError("a change of metadata before there were any")
    agents = [dict(agent) for agent in before.metadata["agents"]]
    active = patch.get("agentId")
    if not (isinstance(active, int) and active in range(len(agents))):
        raise NonsenseError(f"a change of metadata of an agent {active!r} that is not there")
    agents[active].update(patch)
    _check_agent(agents[active])
    agents[active]["errorMessage"] = without_trace(agents[active]["errorMessage"])
    cameras = before.metadata["thirdPartyCameras"]
    return {
        "agents": agents,
        "thirdPartyCameras": cameras,
        "sequenceId": sequence,
        "activeAgentId": active,
    }


def without_trace(text: str | None) -> str | None:
    """An error's text without the engine's stack trace."""
    return text if not text or " trace:" not in text else _TRACE.sub("", text)


def _wrong_picture(agents: Sequence[Mapping[str, Any]], files: Files) -> str:
    cameras = max(len(agent["thirdPartyCameras"] or ()) for agent in agents)
    pixels = agents[0]["screenWidth"] * agents[0]["screenHeight"]
    for name, bodies in files.items():
        wanted = cameras if "thirdParty" in name else len(agents)
        if len(bodies) < wanted:
            return f"{len(bodies)} of {wanted} pictures of the kind {name!r}"
        for body in bodies:
            if "flow" not in name and len(body) not in (3 * pixels, 4 * pixels):
                size = f"{agents[0]['screenWidth']}x{agents[0]['screenHeight']}"
                return f"a {name!r} of {size} pixels in {len(body)} bytes"
    return ""
