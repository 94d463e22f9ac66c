"""The published split of activities: a line "ACTIVITY<TAB>train" each (spec: actplan.md section
1.1)."""

from __future__ import annotations

from collections.abc import Mapping

from env_service.suites.actplan.dataset.layout import SPLITS
from env_service.suites.actplan.dataset.reading import PublishedError


def read_splits(text: str, source: str) -> Mapping[str, str]:
    """The split of each activity, in the file's order: "train", "val" or "test".

    Raises:
        PublishedError: a line has another form, or an activity is there twice. It names the line.
    """
    splits: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        activity, _, split = map(str.strip, line.partition("\t"))
        if not activity or split not in SPLITS:
            wanted = f"an activity, a tab and one of {', '.join(SPLITS)}"
            raise PublishedError(source, f"line {number}", f"is {line!r:.60}, not {wanted}")
        if activity in splits:
            raise PublishedError(source, f"line {number}", f"lists {activity!r} a second time")
        splits[activity] = split
    return splits
