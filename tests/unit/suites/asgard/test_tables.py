import pytest

from env_service.suites.asgard.object_types import compatible, object_tables, whole_type
from env_service.worlds.ai2thor_api.object_types import object_types


@pytest.mark.parametrize(
    ("held", "receptacle"),
    [
        ("EggCracked", "Plate"),
        ("BreadSliced", "Toaster"),
        ("Mug", "CoffeeMachine"),
        ("Pan", "StoveBurner"),
        ("Knife", "CoffeeTable"),
        ("ButterKnife", "Cup"),
        ("DishSponge", "SinkBasin"),
        ("WineBottle", "Fridge"),
        ("ToiletPaper", "ToiletPaperHanger"),
    ],
)
def test_things_go_where_the_benchmark_lets_them(held, receptacle):
    assert compatible(held, receptacle)


@pytest.mark.parametrize(
    ("held", "receptacle"),
    [
        ("Bread", "Plate"),
        ("Apple", "Shelf"),
        ("Mug", "Floor"),
        ("Bowl", "CoffeeMachine"),
        ("SoapBottle", "SinkBasin"),
        ("WineBottle", "GarbageCan"),
        ("Statue", "Cabinet"),
        ("Pillow", "Drawer"),
        ("Book", "Safe"),
        ("Boots", "CounterTop"),
        ("CounterTop", "Mug"),
        ("Nonsense", "Mug"),
    ],
)
def test_things_go_nowhere_else(held, receptacle):
    assert not compatible(held, receptacle)


def test_ai2thors_table_decides_on_what_the_benchmarks_scenes_do_not_have():
    assert compatible("Book", "Desk")
    assert compatible("AlarmClock", "Dresser")
    assert not compatible("Mug", "Bed")


def test_every_type_is_one_of_ai2thors():
    known, found = set(object_types()) | {"Cart"}, object_tables()
    listed = set(found.fits) | found.receptacles | found.openable | found.elsewhere
    listed |= set().union(*found.fits.values(), *found.classes.values())
    for homes in (found.first_homes, found.second_homes, found.paper_homes):
        listed |= set(homes).union(*homes.values())
    for pairs in (found.slices, found.serve_dishes, found.cook_devices):
        listed |= set(pairs) | set(pairs.values())
    listed |= found.surface_aliases | found.may_be_in_a_running_sink | found.drained
    assert listed - known == set()


def test_classes_that_do_not_exist_have_no_members():
    assert object_tables().members(("Cookware", "Plate", "Dishes")) == (
        *("Pan", "Pot", "Kettle"),
        *("Bowl", "Plate", "Cup", "Mug"),
    )


def test_pieces_know_what_they_are_of():
    assert whole_type("EggCracked") == "Egg"
    assert whole_type("AppleSliced") == "Apple"
    assert whole_type("Apple") is None


def test_thirty_receptacles_six_of_them_with_a_door():
    assert len(object_tables().receptacles) == 30
    assert len(object_tables().openable) == 6
    assert object_tables().openable < object_tables().receptacles
