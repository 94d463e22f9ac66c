import pytest

from env_service.suites.asgard.plan import Family, PlanName, read_name


@pytest.mark.parametrize(
    ("name", "family", "conditions", "scene"),
    [
        ("turn_on_tv__FloorPlan202_V1", Family.TURN_ON_TV, (), "FloorPlan202"),
        ("coffee__has_coffee_FloorPlan3_V1", Family.COFFEE, ("has_coffee",), "FloorPlan3"),
        ("settable__Mug(d)_FloorPlan19_V1", Family.SET_TABLE, ("Mug(d)",), "FloorPlan19"),
        ("cook__Bread_FloorPlan2_V1", Family.MAKE_TOAST, (), "FloorPlan2"),
        (
            "cook__PotatoSliced_Pan(d)_Plate(d)_FloorPlan14_V1",
            Family.FRY_POTATO_SLICE,
            ("Pan(d)", "Plate(d)"),
            "FloorPlan14",
        ),
        (
            "putaway__Dishes_Cup(d)_FloorPlan2_V1-Cup Bowl Pot Mug",
            Family.PUT_AWAY_DISHES,
            ("Cup(d)",),
            "FloorPlan2",
        ),
        (
            "distribute__Lettuce_Plate_Pan_Pot_household-kitchen-1_V1",
            Family.SLICE_AND_DISTRIBUTE,
            ("Plate", "Pan", "Pot"),
            "household-kitchen-1",
        ),
    ],
)
def test_a_name_says_family_conditions_and_scene(name, family, conditions, scene):
    assert read_name(name) == PlanName(family, conditions, scene)


@pytest.mark.parametrize("name", ["", "egg", "cook__Egg", "cook_Egg_FloorPlan2_V1", "__A_V1"])
def test_other_names_are_refused(name):
    with pytest.raises(ValueError, match="is not of the form"):
        read_name(name)


@pytest.mark.parametrize("name", ["cook__Fish_FloorPlan2_V1", "cook__FloorPlan2_V1", "dig__A_V1"])
def test_other_families_are_refused(name):
    with pytest.raises(ValueError, match="names the unknown family"):
        read_name(name)
