"""Where the actions of ``houseguest parity`` come from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from env_service.cli.errors import Misuse, broken
from env_service.cli.parity_options import ParityRequest
from env_service.plain_files import MOST_GIVEN, read_plain

if TYPE_CHECKING:
    from env_service.domain.action import Action
    from env_service.parity.exploring import Exploration
    from env_service.parity.playing import Side
    from env_service.parity.scripts import Script
    from env_service.parity.session import Play

SCRIPTS = "scripts.jsonl"
"""In the report's folder: the scripts that were made."""


def source_of(request: ParityRequest) -> dict[str, Any]:
    """What a report says of its source; records of equal sources belong together."""
    given = request.given
    if request.source == "scripts":
        return {"scripts": given["scripts"].name}
    if request.source == "scenes":
        exploration = _exploration(request)
        return {
            "made": {
                "seed": exploration.seed,
                "length": exploration.length,
                "size": list(given["size"]),
                "quality": exploration.start.quality,
                "initialization": dict(exploration.start.initialization),
            }
        }
    return _suite_source(request)


def plays_of(request: ParityRequest) -> list[Play]:
    """What is to be played, in order. Scripts that have to be made are made.

    Raises Misuse, Failure, and what suites raise for unknown names.
    """
    from env_service.parity.playing import Side
    from env_service.parity.session import script_play
    from env_service.suites.scenes import share_floor_plans

    if request.source == "suite":
        return _tasks(request)
    share_floor_plans()
    sides = (Side.of(request.left), Side.of(request.right))
    scripts = _read(request.given["scripts"]) if request.source == "scripts" else made(request)
    return [script_play(script, sides, request.manner) for script in scripts]


def made(request: ParityRequest) -> list[Script]:
    """The scripts for the scenes that were named: those of the report's folder where it has them,
    fresh ones else."""
    from env_service.cli.output import progress
    from env_service.parity.playing import Side
    from env_service.parity.scripts import ScriptError, read_scripts, write_scripts
    from env_service.suites.scenes import share_floor_plans
    from env_service.worlds.thor.capture.session import listed_scenes
    from env_service.worlds.thor.selection import select_scenes

    share_floor_plans()
    exploration, side = _exploration(request), Side.of(request.left)
    kept, plays = request.out / SCRIPTS, not request.given["no_play"]
    try:
        scenes = select_scenes(
            request.given["scenes"], lambda: listed_scenes(side.name, exploration.start)
        )
        there = read_scripts(kept) if plays and kept.exists() else []
    except ScriptError as error:
        raise Misuse(f"{error}. Remove {request.out}, or choose another --out.") from None
    except ValueError as error:
        raise Misuse(str(error)) from None
    known = {script.scene: script for script in there}
    with progress("exploring", len(scenes)) as advance:
        for scene in scenes:
            if scene not in known:
                known[scene] = _explored(side, scene, exploration)
                if plays:
                    write_scripts(kept, known.values())
            advance()
    scripts = [known[scene] for scene in scenes]
    if request.given["save_scripts"]:
        write_scripts(request.given["save_scripts"], scripts)
    return scripts


def _explored(side: Side, scene: str, exploration: Exploration) -> Script:
    from env_service.domain.failure import WorldFault
    from env_service.parity.session import explored
    from env_service.worlds.thor.errors import first_line

    try:
        return explored(side, scene, exploration)
    except WorldFault as error:
        raise broken(side.name, error) from error
    except ValueError as error:
        told = f"--scenes: {first_line(str(error))} `houseguest scenes list --world {side.name}`"
        raise Misuse(f"{told} tells what there is.") from error


def _exploration(request: ParityRequest) -> Exploration:
    from env_service.parity.exploring import ASGARD, Exploration
    from env_service.worlds.thor.start import ThorStart

    width, height = request.given["size"]
    initialization = {**ASGARD, "renderInstanceSegmentation": request.manner.pictures}
    start = ThorStart(width, height, "High", initialization)
    return Exploration(request.given["seed"], request.given["length"], start)


def _read(path: Path) -> list[Script]:
    from env_service.parity.scripts import ScriptError, read_scripts

    try:
        return read_scripts(path)
    except ScriptError as error:
        raise Misuse(str(error), kind="ScriptError") from None


def _suite_source(request: ParityRequest) -> dict[str, Any]:
    from env_service.cli.selecting import Chosen
    from env_service.suites.selection import pick_world, settle_condition

    given = request.given
    chosen = Chosen.read(given)
    for world in (request.left, request.right):
        pick_world(chosen.suite, chosen.task_set.name, world)
    return {
        "suite": chosen.suite.name,
        "suite_version": chosen.suite.version,
        "task_set": chosen.task_set.name,
        "digest": chosen.digest,
        "condition": settle_condition(chosen.suite, given["condition"]),
        "seed": given["seed"],
        "actions": given["actions"].name if given["actions"] else "expert",
    }


def _tasks(request: ParityRequest) -> list[Play]:
    from env_service.cli.selecting import Chosen
    from env_service.domain.observation import ObservationRequest
    from env_service.parity.session import task_play
    from env_service.parity.tasks import TaskPlay

    given = request.given
    chosen = Chosen.read(given)
    orders = chosen.orders({**given, "world": request.left}, given["seed"])
    if not request.manner.pictures:  # which are slow to draw
        orders = [replace(order, request=ObservationRequest()) for order in orders]
    known = _actions(given["actions"]) if given["actions"] else {}
    if given["actions"]:
        orders = [order for order in orders if order.task.id in known]
        if not orders:
            raise Misuse(f"{given['actions']} has actions for none of these tasks.")
    return [
        task_play(
            chosen.suite, TaskPlay(order, request.right, known.get(order.task.id)), request.manner
        )
        for order in orders
    ]


def _actions(path: Path) -> Mapping[str, tuple[Action, ...]]:
    """By task, from a file of `houseguest expert --out`."""
    from env_service.cli.expert_play import action_of

    found = {}
    for number, line in enumerate(read_plain(path, MOST_GIVEN).splitlines(), 1):
        try:
            value = json.loads(line)
            found[str(value["task"])] = tuple(map(action_of, value["actions"]))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Misuse(f"{path}, line {number} is no line of an expert: {error}") from None
    return found
