import pytest

from tests.unit.suites.asgard.builders import room, thing


def kinds(found):
    return [each["objectType"] for each in found]


def test_objects_are_found_by_id_name_and_type():
    view = room(thing("Mug", objectId="Mug|1", name="Mug_aa"), thing("Mug", objectId="Mug|2"))
    assert view.by_id("Mug|2") is view.objects[1]
    assert view.by_name("Mug_aa") is view.objects[0]
    assert list(view.of_type("Mug")) == list(view.objects)
    assert view.first("Mug") is view.objects[0]
    assert view.types == {"Mug"}
    assert view.by_id("Mug|3") is view.by_name("Cup_1") is view.first("Cup") is None
    assert list(view.of_type("Cup")) == []


def test_the_agents_pose_and_eye():
    view = room()
    assert view.agent.position == (1.0, 0.9, -2.0)
    assert (view.agent.yaw, view.agent.horizon, view.agent.standing) == (90.0, 30.0, True)
    assert view.camera.y == 1.575


def test_the_held_object():
    view = room(thing("Mug"), thing("Cup"), held="Mug")
    assert view.held is view.first("Mug")
    assert view.is_held(view.first("Mug"))
    assert not view.is_held(view.first("Cup"))
    assert room(thing("Mug")).held is None


def test_either_side_may_know_of_a_relation():
    view = room(
        thing("Apple", parentReceptacles=["Bowl"]),
        thing("Bowl"),
        thing("Plate", receptacleObjectIds=["Egg"]),
        thing("Egg"),
    )
    assert kinds(view.contents(view.first("Bowl"))) == ["Apple"]
    assert kinds(view.parents(view.first("Egg"))) == ["Plate"]


def test_contents_that_ai2thor_forgot_are_remembered():
    view = room(thing("Egg"), thing("Plate"), held="Plate", remembered={"Plate": ["Egg", "Gone"]})
    assert kinds(view.contents(view.first("Plate"))) == ["Egg"]


def test_what_is_held_lies_nowhere():
    view = room(thing("Mug", parentReceptacles=["Shelf"]), thing("Shelf"), held="Mug")
    assert kinds(view.contents(view.first("Shelf"))) == []
    assert view.container(view.first("Mug")) is None


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        ("Faucet", "SinkBasin"),
        ("SinkBasin", "CounterTop"),
        ("Microwave", "CounterTop"),
        ("Cabinet", "CounterTop"),
        ("Pan", "Plate"),
    ],
)
def test_some_relations_are_not_believed(inner, outer):
    view = room(thing(inner, parentReceptacles=[outer]), thing(outer, receptacleObjectIds=[inner]))
    assert kinds(view.contents(view.first(outer))) == []


def test_the_container_is_the_smallest_thing_that_is_no_surface():
    view = room(
        thing("Fridge", size=(1.0, 2.0, 1.0)),
        thing("Bowl", size=(0.2, 0.1, 0.2), parentReceptacles=["Fridge"]),
        thing("CounterTop", size=(0.01, 0.01, 0.01)),
        thing("Apple", parentReceptacles=["Fridge", "Bowl", "CounterTop"]),
    )
    apple = view.first("Apple")
    assert view.container(apple) is view.first("Bowl")
    assert view.surface_types(apple) == {"CounterTop"}
    assert kinds(view.parents(apple)) == ["Fridge", "Bowl", "CounterTop"]


def test_a_burner_is_a_surface():
    view = room(thing("StoveBurner"), thing("Pan", parentReceptacles=["StoveBurner"]))
    assert view.container(view.first("Pan")) is None
    assert view.surface_types(view.first("Pan")) == {"StoveBurner"}


def test_a_closed_container_around_an_object_is_found():
    def inside(**fridge):
        view = room(thing("Fridge", **fridge), thing("Egg", parentReceptacles=["Fridge"]))
        return view.closed_parent(view.first("Egg"))

    assert inside(openable=True)["objectType"] == "Fridge"
    assert inside(openable=True, isOpen=True) is None
    assert inside() is None


def test_an_object_is_visible_through_what_it_contains_and_in_the_hand():
    bowl = thing("Bowl", visible=False)
    seen = thing("Apple", parentReceptacles=["Bowl"])
    unseen = thing("Apple", parentReceptacles=["Bowl"], visible=False)
    assert room(bowl, seen).visible(bowl)
    assert not room(bowl, unseen).visible(bowl)
    assert room(bowl, unseen, held="Bowl").visible(bowl)
    assert room(seen).visible(seen)
