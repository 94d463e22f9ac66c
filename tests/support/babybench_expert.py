"""Compares the omniscient expert with LLM-BabyBench's, as the reference data record it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from env_service.worlds.babyai.levels import find_any_level
from env_service.worlds.babyai.omnibot.records import (
    Assistance,
    ExpertMode,
    ExpertRecord,
    InitialSubgoal,
    PlannedSubgoal,
    SubgoalName,
)
from env_service.worlds.babyai.omnibot.solver import assist, solve, solve_world
from env_service.worlds.babyai.simulator import is_published, load_simulator
from env_service.worlds.babyai.state import Snapshot
from env_service.worlds.babyai.world import BabyAiWorld
from tests.support.data import reference_data

COMPAT, FIXED = ExpertMode.COMPAT, ExpertMode.FIXED

_LINE = re.compile(r"\(?(\w+)(?:, \((-?\d+),\s*(-?\d+)\))?\)?")

Differences = dict[str, tuple[Any, Any]]
"""By what differs: the reference's value, and ours."""


def reference() -> dict[str, Any]:
    """The reference data; skips the calling test where they are absent.

    What the installed minigrid generates otherwise is left out.
    """
    found: dict[str, Any] = json.loads(reference_data("babybench/reference.json").read_text())
    return {
        key: [each for each in records if _is_comparable(each)]
        if isinstance(records, list)
        else records
        for key, records in found.items()
    }


def _is_comparable(record: dict[str, Any]) -> bool:
    return is_published(find_any_level(record["level"]).name, record["seed"])


def compact_rows(data: dict[str, Any]) -> dict[tuple[str, int], list[Any]]:
    """The short rows, whatever seeds there are, by level and seed."""
    (key,) = (key for key in data if key.startswith("compact"))
    return {
        (level, int(seed)): row
        for level, rows in data[key].items()
        for seed, row in rows.items()
        if is_published(find_any_level(level).name, int(seed))
    }


def compare_record(record: dict[str, Any]) -> Differences:
    """A full record with what we generate and what our expert does there."""
    level = find_any_level(record["level"])
    with _rejections() as rejections:
        world = BabyAiWorld(level, record["seed"])
    ours: dict[str, Any] = _start(world) | {"rejections": len(rejections)}
    ours |= {"rooms": [level.rooms] * 2, "room_size": level.room_size}
    ours |= _outcome(solve_world(world, mode=COMPAT))
    theirs = dict(record, objects=sorted(record["objects"]), reward=record["reward"] or 0.0)
    return _differences(theirs, ours | {"level": record["level"], "seed": record["seed"]})


def compare_row(level: str, seed: int, row: list[Any]) -> Differences:
    """A short row: digest of the actions, steps, success, help, pose at the end."""
    record = solve(find_any_level(level), seed, mode=COMPAT)
    digest = hashlib.md5(", ".join(record.actions).encode()).hexdigest()[:10]
    pose = [*record.final_position, int(record.final_heading)]
    ours = [digest, record.steps, int(record.success), record.help_count, pose]
    names = ("digest", "steps", "success", "help_count", "pose")
    return _differences(dict(zip(names, row, strict=True)), dict(zip(names, ours, strict=True)))


def compare_miss(miss: dict[str, Any]) -> Differences:
    """A level that the published expert does not solve, which FIXED has to."""
    level = find_any_level(miss["level"])
    record = solve(level, miss["seed"], mode=COMPAT)
    fixed = solve(level, miss["seed"], mode=FIXED)
    ours = {
        "stack_empty_at": record.steps - record.done_padding,
        "help_count": record.help_count,
        "mission": record.mission,
        "level": miss["level"],
        "seed": record.seed,
        "solved": record.success,
        "solved when fixed": fixed.success,
    }
    return _differences({**miss, "solved": False, "solved when fixed": True}, ours)


def compare_case(case: dict[str, Any]) -> Differences:
    """How a plan fares with help, and how much help the mission takes by itself."""
    level = find_any_level(case["level"])
    ours = assist(level, case["seed"], read_plan(case["plan"]), mode=COMPAT)
    most = solve(level, case["seed"], mode=COMPAT).help_count
    return _differences(case["result"], score(ours, most))


def compare_crash(case: dict[str, Any]) -> Differences:
    """A plan on which the published evaluator raises; FIXED has to tell why it gives up."""
    level, plan = find_any_level(case["level"]), read_plan(case["plan"])
    compat = assist(level, case["seed"], plan, mode=COMPAT)
    ours = {"error": compat.problem.published_error if compat.problem else ""}
    return _differences({"error": case["error"]}, ours)


def score(ours: Assistance, most: int) -> dict[str, float]:
    """LLM-BabyBench's scores of one plan; ``most`` is the help that the mission takes."""
    done = ours.terminated
    return {
        "CR": float(done),
        "PR": float(done and ours.help_added == 0),
        "ACI": max(0.0, (most - ours.help_added) / most) if done else 0.0,
        "help": ours.help_added,
        "max_help": most,
        "steps": ours.steps,
    }


def read_plan(text: str) -> list[PlannedSubgoal]:
    """A plan of the reference data, which are all well-formed."""
    plan = []
    for line in text.split("\n"):
        found = _LINE.fullmatch(line.strip())
        assert found, line
        place = (int(found[2]), int(found[3])) if found[2] else None
        plan.append(PlannedSubgoal(SubgoalName(found[1]), place))
    return plan


def translate(record: ExpertRecord, start: Snapshot) -> list[PlannedSubgoal]:
    """The mission as a plan with places: where "put" is wanted, an adjacent free cell."""
    return [_translated(initial, start) for initial in record.initial_subgoals]


def _translated(initial: InitialSubgoal, start: Snapshot) -> PlannedSubgoal:
    place = initial.chosen
    if initial.entry.reason == "PutNext" and place is not None:
        around = ((place[0] + dx, place[1] + dy) for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)))
        place = next((cell for cell in around if start.at(cell) is None), place)
    return PlannedSubgoal(initial.entry.name, place)


def _differences(theirs: dict[str, Any], ours: dict[str, Any]) -> Differences:
    return {
        name: (theirs.get(name), ours.get(name))
        for name in theirs.keys() | ours.keys()
        if theirs.get(name) != ours.get(name)
    }


def _start(world: BabyAiWorld) -> dict[str, Any]:
    start = world.snapshot()
    listed = [
        [thing.kind, thing.color, x, y, *([thing.state] if thing.state else [])]
        for (x, y), thing in start.things()
    ]
    return {
        "mission": world.mission,
        "agent_pos": list(start.agent),
        "agent_dir": int(start.heading),
        "grid": [start.width, start.height],
        "max_steps": world.max_steps,
        "objects": sorted(listed),
    }


def _outcome(record: ExpertRecord) -> dict[str, Any]:
    return {
        "actions": ", ".join(record.actions),
        "steps": record.steps,
        "success": record.success,
        "truncated": record.truncated,
        "n_done_padding": record.done_padding,
        "final_pos": list(record.final_position),
        "final_dir": int(record.final_heading),
        "help_count": record.help_count,
        "help_initial": record.help_initial,
        "reward": record.reward,
        "initial_subgoals": [_listed(initial) for initial in record.initial_subgoals],
    }


def _listed(initial: InitialSubgoal) -> dict[str, Any]:
    listed: dict[str, Any] = {"type": initial.entry.name.value}
    listed["reason"] = initial.entry.reason or None
    if initial.chosen is not None:
        words = initial.entry.target.split()
        loc = words.pop() if words[-1] in ("left", "right", "front", "behind") else None
        kind = words.pop()
        listed["desc"] = {"type": kind, "color": words[0] if words else None, "loc": loc}
        listed["matches"] = [list(position) for position in initial.matches]
        listed["chosen_at_reset"] = list(initial.chosen)
    return listed


@contextmanager
def _rejections() -> Iterator[list[object]]:
    """Collects what minigrid says of each layout that it rejects meanwhile."""
    load_simulator()
    generator = import_module("minigrid.envs.babyai.core.roomgrid_level").__dict__
    silent, said = generator["print"], []
    generator["print"] = lambda *words: said.append(words)
    try:
        yield said
    finally:
        generator["print"] = silent
