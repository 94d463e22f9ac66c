from env_service.suites.asgard.action_language import (
    Verb,
    action_space,
    available_objects,
    objects_in,
)
from tests.unit.suites.asgard.builders import room, thing


def test_there_are_twelve_actions_each_on_one_object():
    space = action_space(("Apple", "Mug"))
    assert [skill.name for skill in space.skills] == [verb.value for verb in Verb]
    assert len(space.skills) == 12
    for skill in space.skills:
        assert skill.description
        (parameter,) = skill.parameters
        assert (parameter.name, parameter.choices) == ("object", ("Apple", "Mug"))


def test_two_types_are_hidden():
    assert available_objects(["StoveKnob", "Mug", "PepperShaker", "Apple", "Mug"]) == (
        *("Apple", "Mug"),
    )


def test_a_room_has_words_for_what_slicing_will_make():
    view = room(thing("Egg"), thing("Bread"), thing("StoveKnob"), thing("StoveBurner"))
    assert objects_in(view) == ("Bread", "BreadSliced", "Egg", "EggCracked", "StoveBurner")
