"""Paths of the published layout, the split file, and steps of plans."""

from __future__ import annotations

import pytest

from env_service.suites.actplan.dataset.labelled_plans import split_steps
from env_service.suites.actplan.dataset.published_files import (
    InstanceKey,
    PublishedError,
    natural,
    read_key,
    read_splits,
)
from env_service.suites.actplan.task import Variant

KEY = InstanceKey("Rs_int", "picking_up_take-out_food", Variant.COUNTERFACTUAL, "sample_2")


def test_an_instance_is_read_from_its_folder_and_from_a_published_path() -> None:
    assert KEY.id == "Rs_int/picking_up_take-out_food/1/sample_2"
    assert read_key(KEY.folder) == KEY
    assert read_key(f"../{KEY.folder}") == KEY


@pytest.mark.parametrize(
    "path", ["", "annotation/Rs_int", "annotation/a/b/2/sample_0", "annotation/a/b/0/sample_0/x"]
)
def test_other_paths_are_no_instance(path: str) -> None:
    assert read_key(path) is None


def test_frames_are_ordered_by_their_numbers() -> None:
    names = ["00102.png", "8.png", "00020.png", "frame_9.png", "frame_10.png"]
    ordered = ["8.png", "00020.png", "00102.png", "frame_9.png", "frame_10.png"]
    assert sorted(names, key=natural) == ordered
    assert sorted(["a.png7.png", "a.png"], key=natural) == ["a.png", "a.png7.png"]


def test_splits_are_read() -> None:
    assert read_splits("a\ttrain\r\nb_c \t val\n\n", "f") == {"a": "train", "b_c": "val"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a\ttrain\nb val\n", "f: line 2: is 'b val', not an activity, a tab and one of train"),
        ("a\tdev\n", "f: line 1: is 'a\\\\tdev'"),
        ("\ttest\n", "f: line 1: is"),
        ("a\ttrain\nb\tval\na\ttest\n", "f: line 3: lists 'a' a second time"),
    ],
)
def test_a_wrong_line_of_splits_is_named(text: str, problem: str) -> None:
    with pytest.raises(PublishedError, match=problem):
        read_splits(text, "f")


def test_steps_are_found_in_lines_and_in_one_line() -> None:
    steps = ("walk_to(hand towel)", "switch-on(sink)", "place_inside (a, b)")
    assert split_steps("\n".join(steps)) == split_steps(" ".join(steps) + " ") == steps
    assert split_steps("wait grab(cup") == ()
