"""Plays a recorded session in a world, and compares every event with the recorded one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from env_service.storage.atomic_files import write_atomically
from env_service.worlds.ai2thor_api.capture.sidecar import (
    FORMAT,
    SCHEMA,
    digest,
    json_bytes,
    sidecar_path,
)
from env_service.worlds.ai2thor_api.controller import ThorController, ThorEvent, ThorStart
from env_service.worlds.ai2thor_api.floor_plans import VARIABLE
from env_service.worlds.ai2thor_api.parity.comparison import Comparison, Row, compare_pictures
from env_service.worlds.ai2thor_api.parity.recorded_sessions import (
    RecordedController,
    RecordedSession,
)
from env_service.worlds.ai2thor_api.parity.records import Record
from env_service.worlds.ai2thor_api.parity.script_play import (
    START,
    PlayOptions,
    Side,
    blank_record,
    moment,
    opened,
)
from env_service.worlds.ai2thor_api.parity.states import (
    SCENE_BOUNDS,
    Snapshot,
    Thing,
    distance,
    turn,
)
from env_service.worlds.ai2thor_api.world_registry import open_world

RECORDED = "recorded"
"""The name of the reference."""

UNKNOWN_ACTION = "InvalidAction"
"""The code with which a world refuses an action that it lacks."""

PLACED, BOX, PICTURE, LEFT_OUT, BEGUN = "placed", "box", "picture", "left out", "begun"
"""Keys that `play_recorded` adds to a row."""


def play_recorded(session: RecordedSession, world: str, options: PlayOptions) -> Record:
    """Plays a session once.

    A row has, in addition to what `Comparison.after` gives:

    - "placed", for an action that took an object out of the hand: {"id", "metres", "degrees",
      "surface"}, how far apart and turned its two places are, and whether its parents agree, the
      floor not counted;
    - "box", for an action that opens or closes: {"id", "centre", "size"}, metres between the two
      boxes' centres and sizes;
    - "picture", the mean difference of the colours, of 255;
    - "begun", in the first row of a session that starts with Initialize: {"position", "yaw",
      "bounds"}, metres and degrees between the agent's start and the scene's bounds in the
      recording and in the world's own scene of that name.

    An action that the world lacks is "left out": the world is opened anew in the state that was
    recorded after it.

    Raises:
        Voided: the world broke, or the first event's metadata make no scene.
        SessionError: a picture cannot be read.
        WorldUnavailableError: this machine cannot run the world.
    """
    script = session.script
    comparing = Comparison(options.tolerances, without=session.lacking)
    rows: list[Row] = []
    with ExitStack() as stack:
        ours, theirs = _sides(session, world, 0)
        one = stack.enter_context(opened(ours, script))
        other = stack.enter_context(opened(theirs, script))
        for index, action in enumerate(({"action": START}, *script.actions)):
            left = moment(world, one, (action, index), options)
            right = moment(RECORDED, other, (action, index), options)
            if left.answer.code == UNKNOWN_ACTION and right.answer.success:
                rows.append({"action": action["action"], LEFT_OUT: left.answer.message})
                ours, _ = _sides(session, world, index)
                one = stack.enter_context(opened(ours, script))
                comparing.start_again()
                continue
            row = comparing.after(action, left, right)
            before = session.events[max(index - 1, 0)]
            rows.append(row | _measured(action, before, (one.last_event, other.last_event)))
            if options.pictures:
                rows[-1] |= _pictured(one.last_event, other.last_event)
    begun = _begun(session, world)
    if begun and rows:
        rows[0] |= {BEGUN: begun}
    return replace(blank_record(script), rows=tuple(rows), tallies=comparing.tallies.to_json())


def _measured(
    action: Mapping[str, Any], before: Mapping[str, Any], events: tuple[ThorEvent, ThorEvent]
) -> Row:
    left, right = (Snapshot.of(event.metadata) for event in events)
    row: Row = {}
    for held in before["inventoryObjects"][:1] if action["action"] != START else ():
        id_ = held["objectId"]
        things = left.objects.get(id_), right.objects.get(id_)
        if all(things) and id_ not in right.agent["inventory"]:
            row[PLACED] = _placed(id_, things[0] or {}, things[1] or {})
    if action["action"] in ("OpenObject", "CloseObject"):
        id_ = str(action.get("objectId"))
        if id_ in left.objects and id_ in right.objects:
            row[BOX] = _boxes(id_, left.objects[id_], right.objects[id_])
    return row


def _pictured(left: ThorEvent, right: ThorEvent) -> Row:
    colour = compare_pictures(left, right).colour
    return {} if colour is None else {PICTURE: round(colour, 2)}


def _placed(id_: str, left: Thing, right: Thing) -> dict[str, Any]:
    # The floor is a parent of what is low enough above it, whatever it is in.
    parents = [
        {key for key in each.get("parentReceptacles") or () if not key.startswith("Floor|")}
        for each in (left, right)
    ]
    return {
        "id": id_,
        "metres": round(distance(left["position"], right["position"]), 3),
        "degrees": round(turn(left["rotation"], right["rotation"]), 1),
        "surface": parents[0] == parents[1],
    }


def _boxes(id_: str, left: Thing, right: Thing) -> dict[str, Any]:
    one, other = left["axisAlignedBoundingBox"], right["axisAlignedBoundingBox"]
    return {
        "id": id_,
        "centre": round(distance(one["center"], other["center"]), 3),
        "size": round(distance(one["size"], other["size"]), 3),
    }


def _begun(session: RecordedSession, world: str) -> dict[str, float]:
    """How far the world's own start of the scene is from the recorded one; empty where the world
    lacks the scene, or the session starts later."""
    if session.actions[0]["action"] != "Initialize":
        return {}
    try:
        controller = open_world(world, session.scene, session.script.start)
    except ValueError:
        return {}
    try:
        ours, theirs = controller.last_event.metadata, session.events[0]
        found = {
            "position": distance(ours["agent"]["position"], theirs["agent"]["position"]),
            "yaw": turn(ours["agent"]["rotation"], theirs["agent"]["rotation"]),
        }
        one, other = ours.get(SCENE_BOUNDS), theirs.get(SCENE_BOUNDS)
        if one and other:
            found["bounds"] = max(distance(one[k], other[k]) for k in ("center", "size"))
    finally:
        controller.stop()
    return {name: round(value, 3) for name, value in found.items()}


def _sides(session: RecordedSession, world: str, at: int) -> tuple[Side, Side]:
    """The world in the state of an event, and the recording from that event on."""
    return (
        Side(world, partial(_open_as_recorded, world, session.events[at])),
        Side(RECORDED, lambda _scene, _start: RecordedController(session, at)),
    )


def _open_as_recorded(
    world: str, metadata: Mapping[str, Any], scene: str, start: ThorStart
) -> ThorController:
    """A world in the state that an event's metadata show: its objects are the scene, and what the
    agent held is in its hand."""
    with TemporaryDirectory(prefix="houseguest-recorded-") as name:
        _write_capture(Path(name), scene, metadata)
        with _floor_plans_from(name):
            controller = open_world(world, scene, start)
    for held in metadata["inventoryObjects"][:1]:
        controller.step("PickupObject", objectId=held["objectId"], forceAction=True)
    return controller


def _write_capture(folder: Path, scene: str, metadata: Mapping[str, Any]) -> None:
    """The files of a captured scene (docs/scenes.md)."""
    path = folder / f"{scene}.json"
    written = json_bytes({each["objectId"]: each for each in metadata["objects"]})
    write_atomically(path, written)
    sidecar: dict[str, Any] = {
        "format": FORMAT,
        "schema": SCHEMA,
        "objects": {"sha256": digest(written)},
        "agent": metadata["agent"],
    }
    if isinstance(metadata.get("sceneBounds"), Mapping):
        sidecar["sceneBounds"] = metadata["sceneBounds"]
    write_atomically(sidecar_path(path), json_bytes(sidecar))


@contextmanager
def _floor_plans_from(folder: str) -> Iterator[None]:
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = folder
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before
