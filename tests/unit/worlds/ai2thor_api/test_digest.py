import pytest

from env_service.suites.asgard.metadata_view import AsgardView
from env_service.suites.asgard.plan import RequiredEvent
from env_service.worlds.ai2thor_api.scene_digest import scene_digest
from tests.unit.suites.asgard.builders import room, thing


def digest(view, events=()):
    return scene_digest(view.metadata, events)


def test_equal_houses_have_equal_digests_in_whatever_order_they_are_listed():
    mug, plate = thing("Mug"), thing("Plate")
    assert digest(room(mug, plate)) == digest(room(plate, mug))
    assert len(digest(room(mug))) == 64


@pytest.mark.parametrize(
    "change",
    [
        {"isDirty": True},
        {"fillLiquid": "coffee"},
        {"isPickedUp": True},
        {"parentReceptacles": ["Plate"]},
        {"center": (1.0, 1.0, 1.01)},
        {"objectId": "Mug|2"},
    ],
)
def test_what_changes_the_house_changes_its_digest(change):
    assert digest(room(thing("Mug", **change))) != digest(room(thing("Mug")))


def test_the_agent_counts_and_so_do_its_deeds():
    view = room(thing("Mug"))
    moved = AsgardView({**view.metadata, "agent": {**view.metadata["agent"], "cameraHorizon": 0.0}})
    assert digest(moved) != digest(view)
    assert digest(view, {RequiredEvent.SPRAY_MIRROR}) != digest(view)


@pytest.mark.parametrize("change", [{"visible": False}, {"center": (9.0, 0.1, 9.00001)}])
def test_what_is_seen_and_the_last_bits_of_a_place_do_not_count(change):
    assert digest(room(thing("Mug", **change))) == digest(room(thing("Mug")))
