"""A player without a world that starts in an instant: ``python tests/support/tiny_player.py``.

It speaks AI2-THOR's FIFO protocol as the stand-in player does, and misbehaves as it is told by the
same variable (see household.player.faults), but shows the same metadata and picture whatever is
done. TINY_PLAYER_DIARY names a file to which it writes its command line, its environment and every
action, a JSON text a line; TINY_PLAYER_CHILD=1 lets it start a separate process first.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from env_service.worlds.household.player.faults import Fault, FaultAction, Faults, Start, die, hang
from env_service.worlds.household.player.fifo import ControllerGoneError, Field, Pipes, encode

DIARY, CHILD = "TINY_PLAYER_DIARY", "TINY_PLAYER_CHILD"
SCENES = ["FloorPlan1_physics", "FloorPlan2_physics"]
MUG = "Mug|+00.00|+00.00|+00.00"
PATCHED = ("GetScenesInBuild", "GetReachablePositions")


class Tiny:
    """What it shows: one agent, a mug, and a picture in one colour."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.pipes = Pipes(
            os.environ["AI2THOR_FIFO_SERVER_PIPE_PATH"], os.environ["AI2THOR_FIFO_CLIENT_PIPE_PATH"]
        )
        self.size = (300, 300)
        self.scene = "Procedural"
        self.pictures: list[tuple[Field, bytes]] = []
        self.masks = False
        self.agents = 1

    def run(self) -> None:
        self.start()
        while True:
            action = dict(self.pipes.receive())
            note(action)
            sequence, name = action["sequenceId"], action.setdefault("action", "")
            fault = self.faults.next(str(name))
            if fault is not None:
                self.before(fault)
            self.obey(action)
            pieces = encode(self.answer(action, sequence, fault))
            if fault is not None and fault.effect is FaultAction.HALF:
                whole = b"".join(pieces)
                self.pipes.send([whole[: len(whole) // 2]])
                die(fault)
            if fault is not None and fault.effect is FaultAction.GARBAGE:
                pieces = [bytes([77, 0, 0, 0, 4]), b"junk", *pieces]
            self.pipes.send(pieces)
            if fault is not None and fault.effect is FaultAction.DIE_AFTER:
                die(fault)

    def start(self) -> None:
        start = self.faults.start
        time.sleep(self.faults.start_seconds)
        if start is Start.EXIT:
            die(Fault(FaultAction.EXIT, number=3))
        if start is Start.HANG:
            hang()
        if start is not Start.FINE:
            self.pipes.open_for_sending()
        if start is Start.EXIT_AFTER_OPEN:
            die(Fault(FaultAction.EXIT, number=3))
        if start is Start.HANG_AFTER_OPEN:
            hang()
        self.pipes.send(encode(self.answer({"action": None}, 0, None)))

    def before(self, fault: Fault) -> None:
        if fault.effect in (FaultAction.EXIT, FaultAction.SIGNAL):
            die(fault)
        if fault.effect is FaultAction.HANG:
            hang()
        if fault.effect is FaultAction.SLOW:
            time.sleep(fault.seconds)
        if fault.effect is FaultAction.CLOSE:
            self.pipes.close()
            hang()

    def obey(self, action: dict[str, Any]) -> None:
        if action["action"] == "Reset":
            self.scene = action["sceneName"]
        if action["action"] == "ChangeResolution":
            self.size, self.pictures = (action["x"], action["y"]), []
        if action["action"] == "Initialize":
            self.agents = action.get("agentCount", 1)
            self.masks, self.pictures = bool(action.get("renderInstanceSegmentation")), []

    def answer(
        self, action: dict[str, Any], sequence: int, fault: Fault | None
    ) -> list[tuple[Field, bytes]]:
        metadata = self.metadata(action)
        deed = None if fault is None else fault.effect
        if str(action["action"]) in PATCHED and deed is not FaultAction.WRONG_SEQUENCE:
            keys = ("lastAction", "errorMessage", "errorCode", "lastActionSuccess", "agentId")
            patch = {key: metadata[key] for key in (*keys, "actionReturn")}
            return [(Field.METADATA_PATCH, msgpack.packb(patch))]
        top = {
            "agents": [{**metadata, "agentId": each} for each in range(self.agents)],
            "thirdPartyCameras": [],
            "activeAgentId": action.get("agentId", 0),
            "sequenceId": sequence + 1000 * (deed is FaultAction.WRONG_SEQUENCE),
        }
        shown = [] if deed is FaultAction.NO_FRAME else self.shown()
        return [(Field.METADATA, msgpack.packb(top)), *(shown * self.agents)]

    def shown(self) -> list[tuple[Field, bytes]]:
        if not self.pictures:
            pixels = self.size[0] * self.size[1]
            self.pictures = [(Field.COLOR, bytes([10, 20, 30, 255]) * pixels)]
            if self.masks:
                self.pictures.append((Field.INSTANCES, bytes([1, 2, 3, 255]) * pixels))
        return self.pictures

    def metadata(self, action: dict[str, Any]) -> dict[str, Any]:
        name = action["action"]
        planes = {"cameraNearPlane": 0.01, "cameraFarPlane": 20.0}
        returns = {"GetScenesInBuild": SCENES, "Initialize": planes, "GetReachablePositions": []}
        error = action.get("error", "")  # an action that is to be refused, and why
        point = {"x": 0.0, "y": 0.9, "z": 0.0}
        return {
            "screenWidth": self.size[0],
            "screenHeight": self.size[1],
            "thirdPartyCameras": [],
            "agentId": 0,
            "agent": {"position": point, "rotation": point, "cameraHorizon": 0.0},
            "lastAction": name,
            "lastActionSuccess": not error,
            "errorCode": action.get("code"),
            "errorMessage": error,
            "actionReturn": returns.get(str(name)),
            "sceneName": self.scene,
            "objects": [{"objectId": MUG, "objectType": "Mug", "visible": True}],
            "colors": [{"name": MUG, "color": [1, 2, 3]}],
            "depthFormat": "Meters",
        }


def note(value: object) -> None:
    if DIARY in os.environ:
        with Path(os.environ[DIARY]).open("a", encoding="utf-8") as diary:
            diary.write(json.dumps(value) + "\n")


def main() -> None:
    note(sys.argv[1:])
    note(dict(os.environ))
    if CHILD in os.environ:
        child = subprocess.Popen(["sleep", "600"])
        print(f"child {child.pid}", flush=True)
    try:
        Tiny(Faults.from_environment(os.environ)).run()
    except (ControllerGoneError, KeyboardInterrupt):
        return


if __name__ == "__main__":
    main()
