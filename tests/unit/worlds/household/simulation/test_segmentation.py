"""Colours, masks and boxes of a picture of instance numbers."""

from __future__ import annotations

import numpy as np
import pytest

from env_service.worlds.household.simulation.segmentation import (
    ClassBoxes,
    InstanceBoxes,
    Legend,
    Masks,
    colors_of,
)

MUG, OTHER, SINK, BASIN, WALL = "Mug|1|2|3", "Mug|4|5|6", "Sink|1", "Sink|1|SinkBasin", "Wall"
LEGEND = Legend(
    {0: MUG, 1: OTHER, 2: SINK, 3: BASIN, 7: WALL},
    {0: "Mug", 1: "Mug", 2: "Sink", 3: "SinkBasin", 7: "Wall"},
)
PICTURE = np.array([[-1, 7, 7, 7], [0, 0, 3, 7], [0, 2, 3, -1]], np.int32)


def masks() -> Masks:
    return Masks(PICTURE, LEGEND.by_object)


def test_every_name_has_its_own_colour_and_none_is_black() -> None:
    names = [f"Thing|{k}" for k in range(3000)]
    colors = colors_of(names)
    assert len(set(colors.values())) == len(names)
    assert (0, 0, 0) not in colors.values()


def test_a_colour_depends_on_the_name_alone() -> None:
    assert colors_of([MUG])[MUG] == colors_of([OTHER, SINK, MUG])[MUG]


def test_pictures_show_objects_by_id_structure_by_kind_and_black_for_nothing() -> None:
    picture = LEGEND.painted(PICTURE, LEGEND.names)
    assert picture.dtype == np.uint8
    assert picture.shape == (3, 4, 3)
    assert tuple(picture[1, 0]) == LEGEND.colors[MUG]
    assert tuple(picture[0, 1]) == LEGEND.colors[WALL]
    assert tuple(picture[0, 0]) == (0, 0, 0)
    classes = LEGEND.painted(PICTURE, LEGEND.types)
    assert tuple(classes[1, 2]) == LEGEND.colors["SinkBasin"]


def test_the_table_names_objects_and_types() -> None:
    names = [entry["name"] for entry in LEGEND.table]
    assert {MUG, OTHER, "Mug", "SinkBasin", WALL} <= set(names)
    assert len(names) == len(set(names))


def test_masks_are_of_what_is_in_the_picture() -> None:
    found = masks()
    assert set(found) == {MUG, SINK, BASIN}
    assert len(found) == 3
    assert OTHER not in found
    assert WALL not in found
    np.testing.assert_array_equal(found[MUG], PICTURE == 0)
    assert not found[MUG].flags.writeable
    with pytest.raises(KeyError):
        found[OTHER]


def test_boxes_include_their_last_row_and_column() -> None:
    boxes = InstanceBoxes(masks())
    assert boxes[MUG] == (0, 1, 1, 2)
    assert boxes[BASIN] == (2, 1, 2, 2)
    assert OTHER not in boxes
    with pytest.raises(KeyError):
        boxes[OTHER]


def test_classes_are_what_stands_before_the_first_bar() -> None:
    found = Masks(PICTURE, LEGEND.by_class)
    np.testing.assert_array_equal(found["Sink"], (PICTURE == 2) | (PICTURE == 3))
    np.testing.assert_array_equal(found["background"], PICTURE == -1)
    assert "SinkBasin" not in found
    boxes = ClassBoxes(found)
    assert boxes["Sink"] == ((1, 2, 1, 2), (2, 1, 2, 2))
    assert "background" not in set(boxes)
    assert len(boxes) == 3
