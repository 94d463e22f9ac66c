"""What a step costs through the stand-in player and AI2-THOR's own `Controller`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ai2thor.controller import Controller

from benchmarks.household_measures import KITCHENS, SIDE, Row
from env_service.worlds.ai2thor_api.floor_plans import floor_plan_folder
from env_service.worlds.household.player.stand_in_build import command

ROUNDS = 4
"""Of which the best counts, because other work shares the machine."""
STEPS = 60
LIMIT = 240.0
"""Seconds after which a round counts as failed: a player that dies at its start would let the
controller wait for ever."""

STILL: tuple[dict[str, Any], ...] = ({"action": "Pass"},)
TURNING: tuple[dict[str, Any], ...] = (
    {"action": "RotateRight", "degrees": 30},
    {"action": "LookDown", "degrees": 15},
    {"action": "RotateRight", "degrees": 30},
    {"action": "LookUp", "degrees": 15},
)


def rows() -> list[Row]:
    """All rows; every round is a separate process with a separate home folder."""
    found = []
    for timeout in ("100", "none"):
        for kind, aim in (("still", 200.0), ("turning", 25.0)):
            each = _child(kind, timeout)
            spent = each["player"] + each["controller"]
            more = (
                f"CPU ms a step: player {each['player']:.2f}, controller {each['controller']:.2f}; "
                f"by the clock {each['clock']:.0f} steps/s"
            )
            what = f"stand-in player, {SIDE} x {SIDE}, view {kind}, server_timeout {timeout}"
            found.append(Row(what, aim, 1000 / spent, "steps/s of CPU", more))
    return found


def play(kind: str, timeout: float | None) -> Mapping[str, float]:
    """Plays in this process: CPU milliseconds a step of both processes, and steps per second by
    the clock; the best round."""
    actions = {"still": STILL, "turning": TURNING}[kind]
    folder = floor_plan_folder()
    words = ["--scenes", str(folder)] if folder else []
    controller = Controller(
        local_executable_path=command(*words),
        x_display="0",
        scene=KITCHENS[0],
        width=SIDE,
        height=SIDE,
        server_timeout=timeout,
        server_start_timeout=60,
    )
    try:
        step: Callable[[dict[str, Any]], Any] = controller.step
        for number in range(8):
            step(actions[number % len(actions)])
        stat = Path(f"/proc/{controller.server.unity_proc.pid}/stat")
        rounds = [_round(step, actions, stat) for _ in range(ROUNDS)]
    finally:
        controller.stop()
    return min(rounds, key=lambda spent: spent["player"] + spent["controller"])


def _round(
    step: Callable[[dict[str, Any]], Any], actions: Sequence[dict[str, Any]], stat: Path
) -> dict[str, float]:
    before = (_ticks(stat), time.process_time(), time.perf_counter())
    for number in range(STEPS):
        event = step(actions[number % len(actions)])
        if not event.metadata["lastActionSuccess"] or event.frame.shape != (SIDE, SIDE, 3):
            raise RuntimeError(f"a step failed: {event.metadata['errorMessage']}")
    after = (_ticks(stat), time.process_time(), time.perf_counter())
    player, own, clock = (b - a for a, b in zip(before, after, strict=True))
    return {
        "player": 1000 * player / STEPS,
        "controller": 1000 * own / STEPS,
        "clock": STEPS / clock,
    }


def _ticks(stat: Path) -> float:
    """CPU seconds of another process."""
    fields = stat.read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _child(kind: str, timeout: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="player-") as home:
        kept = {"DISPLAY", "CUDA_VISIBLE_DEVICES", "AI2THOR_VISIBILITY_DISTANCE"}
        environment = {key: value for key, value in os.environ.items() if key not in kept}
        folder = floor_plan_folder()
        if folder:
            environment["HOUSEGUEST_ITHOR_SCENES"] = str(folder)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.household_player", kind, timeout],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            timeout=LIMIT,
            env={**environment, "HOME": home},
        )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=("still", "turning"))
    parser.add_argument("timeout", help="seconds or none")
    given = parser.parse_args()
    limit = None if given.timeout == "none" else float(given.timeout)
    print(json.dumps(play(given.kind, limit)))
