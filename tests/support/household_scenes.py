"""A small kitchen made by hand: every appliance that a rule is about, dishes and food on a table.

The room is that of `small_home`: x from -2.5 to 2.5, z from -2 to 2. The counter stands along the
wall at +z, the table in front of the agent's back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from env_service.worlds.household.scene.spec import ObjectSpec, SceneSpec, StartState, Temperature
from env_service.worlds.household.state import HouseholdState, ObjectState
from tests.support.small_home import home, thing
from tests.support.turns import Told

COUNTER_TOP = 0.91
TABLE_TOP = 0.75
COLD = StartState(temperature=Temperature.COLD)


def kitchen(*more: ObjectSpec, on: Mapping[str, str] | None = None) -> SceneSpec:
    """The kitchen, with more objects if wanted.

    Args:
        more: further objects.
        on: name of the type of a further object -> of the type of what holds it.
    """
    basin = thing("SinkBasin", (-1.9, 0.78, 1.6), (0.4, 0.12, 0.34), yaw=180.0)
    sink = thing("Sink", (-1.9, 0.76, 1.6), (0.5, 0.15, 0.44), yaw=180.0)
    basin = replace(basin, object_id=f"{sink.object_id}|SinkBasin")
    burners = [thing("StoveBurner", (1.9, 0.9, z), (0.22, 0.02, 0.22)) for z in (1.4, 1.8)]
    knobs = [
        replace(
            thing("StoveKnob", (x, 0.86, 1.2), (0.05, 0.05, 0.03)), controls=(burner.object_id,)
        )
        for x, burner in zip((1.8, 2.0), burners, strict=True)
    ]
    fixed = (
        thing("CounterTop", (0.0, COUNTER_TOP - 0.03, 1.6), (3.0, 0.03, 0.7), yaw=180.0),
        sink,
        basin,
        thing("Faucet", (-1.9, 0.91, 1.78), (0.05, 0.26, 0.24), yaw=180.0),
        *burners,
        *knobs,
        thing("Fridge", (-2.05, 0.0, -1.2), (0.8, 1.8, 0.8), yaw=90.0),
        thing("Drawer", (0.6, 0.6, 1.6), (0.45, 0.2, 0.6), yaw=180.0),
        thing("Cabinet", (1.15, 0.1, 1.6), (0.5, 0.7, 0.6), yaw=180.0),
        thing("LightSwitch", (2.49, 1.2, 0.0), (0.08, 0.12, 0.02), yaw=270.0,
              start=StartState(toggled=True)),
        thing("DiningTable", (0.6, 0.0, -0.9), (1.8, TABLE_TOP, 1.0)),
    )  # fmt: skip
    things = _on_counter() + _on_table() + more
    holders = {
        **{spec.type: "CounterTop" for spec in _on_counter()},
        **{spec.type: "DiningTable" for spec in _on_table()},
        **(on or {}),
    }
    return home(*_related((*fixed, *things), holders))


def _on_counter() -> tuple[ObjectSpec, ...]:
    return (
        thing("Microwave", (-1.1, COUNTER_TOP, 1.7), (0.5, 0.3, 0.36), yaw=180.0),
        thing("Toaster", (-0.5, COUNTER_TOP, 1.75), (0.3, 0.2, 0.2), yaw=180.0),
        thing("CoffeeMachine", (0.0, COUNTER_TOP, 1.75), (0.25, 0.36, 0.3), yaw=180.0),
    )


def _on_table() -> tuple[ObjectSpec, ...]:
    def at(column: int, row: int) -> tuple[float, float, float]:
        return (-0.1 + column * 0.28, TABLE_TOP, -1.25 + row * 0.3)

    return (
        thing("Mug", at(0, 0), (0.12, 0.1, 0.09)),
        thing("Plate", at(1, 0), (0.24, 0.02, 0.24)),
        thing("Bowl", at(2, 0), (0.19, 0.09, 0.19)),
        thing("Pan", at(3, 0), (0.26, 0.05, 0.4)),
        thing("Pot", at(4, 0), (0.24, 0.15, 0.22)),
        thing("Apple", at(0, 1), (0.08, 0.08, 0.08)),
        thing("Bread", at(1, 1), (0.25, 0.12, 0.13)),
        thing("Egg", at(2, 1), (0.045, 0.045, 0.06)),
        thing("Potato", at(3, 1), (0.08, 0.06, 0.1)),
        thing("Knife", at(4, 1), (0.03, 0.01, 0.28)),
        thing("Fork", at(0, 2), (0.03, 0.01, 0.2)),
        thing("CellPhone", at(1, 2), (0.07, 0.01, 0.14)),
        thing("Candle", at(2, 2), (0.06, 0.1, 0.06)),
        thing("DishSponge", at(3, 2), (0.1, 0.03, 0.07)),
        thing("Book", at(4, 2), (0.16, 0.03, 0.22)),
    )


def _related(specs: tuple[ObjectSpec, ...], holders: Mapping[str, str]) -> tuple[ObjectSpec, ...]:
    """The objects, each in its holder by type, both ways."""
    by_type = {spec.type: spec.object_id for spec in specs}
    parents = {
        spec.object_id: by_type[holders[spec.type]] for spec in specs if spec.type in holders
    }
    return tuple(
        replace(
            spec,
            parents=(parents[spec.object_id],) if spec.object_id in parents else None,
            contents=None
            if spec.contents is None
            else tuple(key for key, holder in parents.items() if holder == spec.object_id),
        )
        for spec in specs
    )


def the(state: HouseholdState, kind: str, number: int = 0) -> ObjectState:
    """The object of a type, the first of them unless another is asked for."""
    return [item for item in state.objects.values() if item.spec.type == kind][number]


def all_of(state: HouseholdState, kind: str) -> list[ObjectState]:
    """Every object of a type."""
    return [item for item in state.objects.values() if item.spec.type == kind]


def everything(state: HouseholdState) -> Told:
    """A sight that sees all there is."""
    return Told(*state.objects)


def start() -> HouseholdState:
    """The kitchen as it loads."""
    return HouseholdState.at_start(kitchen())
