"""Whatever is done, the state keeps making sense."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from env_service.worlds.household.geometry import Transform
from env_service.worlds.household.simulation.contextual_rules import settle
from env_service.worlds.household.state import HouseholdState, digest
from tests.support.household_player import Player
from tests.support.household_scenes import start

KINDS = sorted({item.spec.type for item in start().objects.values()})

ON_OBJECTS = (
    "PickupObject",
    "PickupObject",
    "PutObject",
    "PutObject",
    "OpenObject",
    "CloseObject",
    "ToggleObjectOn",
    "ToggleObjectOff",
    "SliceObject",
    "BreakObject",
    "DirtyObject",
    "CleanObject",
    "EmptyLiquidFromObject",
    "CookObject",
    "UseUpObject",
    "DisableObject",
    "EnableObject",
)

steps = st.one_of(
    st.tuples(st.sampled_from(ON_OBJECTS), st.sampled_from(KINDS), st.just({})),
    st.tuples(
        st.just("FillObjectWithLiquid"),
        st.sampled_from(KINDS),
        st.fixed_dictionaries({"fillLiquid": st.sampled_from(["water", "coffee", "wine"])}),
    ),
    st.tuples(
        st.just("DirectionalPush"),
        st.sampled_from(KINDS),
        st.fixed_dictionaries(
            {"moveMagnitude": st.floats(0.0, 200.0), "pushAngle": st.floats(0.0, 360.0)}
        ),
    ),
    st.tuples(
        st.sampled_from(
            ["DropHandObject", "InitialRandomSpawn", "LookDown", "MoveAhead", "RotateRight"]
        ),
        st.none(),
        st.just({}),
    ),
    st.tuples(
        st.just("ThrowObject"),
        st.none(),
        st.fixed_dictionaries({"moveMagnitude": st.floats(0.0, 500.0)}),
    ),
    st.tuples(
        st.just("RotateHeldObject"),
        st.none(),
        st.fixed_dictionaries(
            {"rotation": st.fixed_dictionaries({axis: st.floats(0.0, 360.0) for axis in "xyz"})}
        ),
    ),
)


def plausible(state: HouseholdState) -> None:
    for item in state.objects.values():
        for key in item.parents or ():
            assert item.id in (state.objects[key].contents or ()), (item.id, key)
        for key in item.contents or ():
            assert item.id in (state.objects[key].parents or ()), (item.id, key)
        assert item.id not in (item.parents or ())
        assert item.held == (item.id == state.held)
        if item.held:
            assert item.parents is None
        if item.in_hand_of is not None:
            assert item.in_hand_of == state.held
        assert 0.0 <= item.openness <= 1.0
        turned = Transform.at(item.pose.position, item.euler).rotation
        for row, same in zip(turned.rows, item.pose.rotation.rows, strict=True):
            assert all(abs(a - b) < 1e-6 for a, b in zip(row, same, strict=True))
        assert item.extent[0].y > -0.25
    assert state.held is None or state.held in state.objects
    assert not set(state.disabled) & set(state.objects)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(steps, max_size=14))
def test_any_actions_leave_a_plausible_state(
    actions: list[tuple[str, str | None, dict[str, Any]]],
) -> None:
    player, again = Player(start()), Player(start())
    for action, kind, arguments in actions:
        for each in (player, again):
            there = kind is None or any(
                item.spec.type == kind for item in each.state.objects.values()
            )
            if there:
                before = each.state
                result = each.attempt(action, kind, **arguments)
                assert result.success or each.state is before
        plausible(player.state)
        assert settle(player.state) == player.state
    assert digest(player.state) == digest(again.state)
