"""Writes the tables of docs/household-actions.md, or checks that they are up to date.

python docs/generate_household_actions.py            # writes them
python docs/generate_household_actions.py --check    # exit code 1 when they are stale

Each table follows ``<!-- actions -->`` or ``<!-- absent -->`` and ends at ``<!-- end -->``. People
write the rest of the page. Names and arguments come from the table by which the simulator finds an
action, the differences from NOTES.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from env_service.worlds.household.render.selection import choose
from env_service.worlds.household.scene.library import standard_library
from env_service.worlds.household.simulation.absent_actions import ABSENT
from env_service.worlds.household.simulation.action import ActionDefinition
from env_service.worlds.household.simulation.actions.targeting import TARGET
from env_service.worlds.household.simulator import HouseholdSimulator

PAGE = Path(__file__).resolve().parent / "household-actions.md"

NO_EFFECT: Mapping[str, tuple[str, ...]] = {
    "autoSimulation": (),
    "autoSyncTransforms": (),
    "angularDrag": (),
    "brightness": (),
    "drag": (),
    "enablePhysicsJitter": (),
    "forceAction": ("Move", "SetState", "Teleport"),
    "forceKinematic": ("Teleport",),
    "forceRigidbodySleep": (),
    "forceVisible": ("InitialRandomSpawn",),
    "hue": (),
    "manualInteract": ("PickupObject",),
    "noise": (),
    "numPlacementAttempts": (),
    "placeStationary": ("SetObjectPoses",),
    "rotation": ("AddThird", "Place", "Rotate", "Teleport", "Update"),
    "saturation": (),
    "simplifyPhysics": (),
    "skyboxColor": (),
    "synchronized": (),
}
"""Arguments that are checked and change nothing, and how the actions begin in which they do."""

LOOSE = "things that can be picked up or moved"
DRAWN = "`randomSeed` is ours"
AT_ONCE = "rests at once"

NOTES: Mapping[str, str] = {
    "AddThirdPartyCamera": "far plane at 20 m",
    "AdvancePhysicsStep": "lets time pass; nothing moves",
    "ChangeQuality": "pictures stay the same",
    "CloseObject": "refuses what is closed already",
    "DirectionalPush": "slides without physics; a negative `pushAngle` counts counterclockwise",
    "DropHandObject": AT_ONCE,
    "DropHeldObject": AT_ONCE,
    "DropHeldObjectAhead": AT_ONCE,
    "Get2DSemanticHulls": "hulls of our shapes",
    "Get2DSemanticHull": "hulls of our shapes",
    "GetShortestPath": "on our floor plan; misses of 0.15 m are allowed",
    "GetShortestPathToPoint": "on our floor plan; misses of 0.15 m are allowed",
    "GetMapViewCameraProperties": "height of our ceiling",
    "HideAllObjects": "floors stay",
    "InitialRandomSpawn": "our generator; only compatible receptacles",
    "Initialize": "`agentMode` default and `agentCount` 1 only; ignores unknown arguments",
    "Look": "keeps the limits of LookUp and LookDown",
    "MakeAllObjectsMoveable": "changes nothing, as everything rests",
    "ObjectNavExpertAction": "quarter turns only",
    "OpenObject": "refuses the present openness; nothing blocks a door",
    "PausePhysicsAutoSim": "changes nothing, as everything rests",
    "UnpausePhysicsAutoSim": "changes nothing, as everything rests",
    "PickupObject": "nothing in front blocks the hand",
    "PlaceObjectAtPoint": f"only {LOOSE}",
    "PullObject": "slides without physics",
    "PushObject": "slides without physics",
    "PutObject": "prefers spots that the agent reaches again",
    "RandomizeColors": f"same as RandomizeMaterials; {DRAWN}",
    "RandomizeLighting": DRAWN,
    "RandomizeMaterials": f"one set of materials for all splits; {DRAWN}",
    "ResetColors": "same as ResetMaterials",
    "RotateLook": "keeps the limits of LookUp and LookDown",
    "SetMassProperties": f"only {LOOSE}",
    "SetObjectPoses": "each object falls onto what is below it unless `placeStationary`",
    "SetRandomSeed": "holds until the next Reset; not for InitialRandomSpawn",
    "SliceObject": "refuses what is sliced already",
    "TeleportObject": f"only {LOOSE}; {AT_ONCE}",
    "ThrowHeldObject": "flies without physics",
    "ThrowObject": "flies without physics",
    "ToggleMapView": "walls stay; the agent has no body to see",
    "TouchThenApplyForce": "only the level part of the force counts",
}
"""What differs from AI2-THOR 5.0.0, by action."""


def page(text: str) -> str:
    """The page with its tables as they should be."""
    for name, lines in (("actions", action_table()), ("absent", absent_table())):
        start, end = f"<!-- {name} -->\n", "<!-- end -->"
        if text.count(start) != 1:
            raise SystemExit(f"{PAGE} has to hold the line {start.strip()!r} once")
        before, _, rest = text.partition(start)
        text = f"{before}{start}\n" + "\n".join(lines) + f"\n\n{end}{rest.partition(end)[2]}"
    return text


def actions() -> Mapping[str, ActionDefinition]:
    """Every action of the simulator, by name."""
    simulator = HouseholdSimulator(
        standard_library(), "household-bathroom-1", pictures=choose("none")
    )
    found = simulator.actions
    simulator.close()
    return found


def action_table() -> Iterator[str]:
    """A row for the actions that share their arguments and their differences."""
    known = actions()
    unknown = sorted(NOTES.keys() - known.keys()) + sorted(ABSENT.keys() & known.keys())
    if unknown:
        raise SystemExit(f"notes of actions that are not there: {', '.join(unknown)}")
    yield "| Action | Arguments | Difference |"
    yield "| --- | --- | --- |"
    rows: dict[tuple[str, str], list[str]] = {}
    for name in sorted(known):
        rows.setdefault((arguments(known[name]), NOTES.get(name, "")), []).append(name)
    for (taken, note), names in rows.items():
        yield f"| {', '.join(names)} | {taken} | {note} |"


def arguments(action: ActionDefinition) -> str:
    """The names of an action's arguments; *target* for those that choose an object."""
    names = [parameter.name for parameter in action.parameters]
    target = [parameter.name for parameter in TARGET]
    head = []
    if names[: len(target)] == target:
        head, names = ["*target*"], names[len(target) :]
    return ", ".join([*head, *(f"{name}{_mark(action.name, name)}" for name in names)])


def _mark(action: str, argument: str) -> str:
    works_in = NO_EFFECT.get(argument, ("",))
    return "" if action.startswith(works_in) else "°"


def absent_table() -> Iterator[str]:
    """A row for each reason, with its actions."""
    yield "| Action | Reason |"
    yield "| --- | --- |"
    for reason in dict.fromkeys(ABSENT.values()):
        names = [name for name, why in ABSENT.items() if why == reason]
        yield f"| {', '.join(names)} | {reason} |"


def main() -> None:
    """Writes the page, or compares it."""
    parser = argparse.ArgumentParser(description="Writes docs/household-actions.md's tables.")
    parser.add_argument("--check", action="store_true", help="compare only")
    check = parser.parse_args().check
    now = PAGE.read_text(encoding="utf-8")
    wanted = page(now)
    if check and now != wanted:
        sys.exit(f"{PAGE} is stale: run `python docs/generate_household_actions.py`")
    if not check:
        PAGE.write_text(wanted, encoding="utf-8")


if __name__ == "__main__":
    main()
