import pytest

from env_service.suites.babybench.scoring import (
    help_class,
    level_labels,
    level_metrics,
    subject_labels,
)
from tests.unit.suites.babybench.builders import known, subject


@pytest.mark.parametrize(
    ("count", "name"),
    [
        (0, "0-2"),
        (2, "0-2"),
        (3, "3-4"),
        (5, "5-6"),
        (7, "7-9"),
        (9, "7-9"),
        (10, "10+"),
        (37, "10+"),
    ],
)
def test_help_falls_into_classes(count, name):
    assert help_class(count) == name


def test_help_is_counted_with_the_translation_and_without():
    level = known("PutNextLocal/2")
    assert level_labels(level) == {"help_class": "3-4", "help_added_class": "0-2"}
    metrics = level_metrics(level)
    assert (metrics["help_count"], metrics["help_initial"], metrics["help_added"]) == (4, 4, 0)
    assert metrics["objects"] == 8


def test_levels_and_rooms_have_labels_of_their_own():
    assert subject_labels(subject("predict:BossLevel/2")) == {
        "question": "predict",
        "grid": "22x22",
        "difficulty": "Very Hard",
    }
    assert subject_labels(subject("plan:Medium-60Dists/2")) == {
        "question": "plan",
        "grid": "16x16",
        "size": "Medium",
        "obstacles": "60",
    }
