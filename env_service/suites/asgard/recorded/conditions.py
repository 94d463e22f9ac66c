"""Which settings recorded pictures can follow."""

from __future__ import annotations

from env_service.suites.asgard.conditions import SETTINGS, check_condition
from env_service.suites.asgard.pictures import PICTURE
from env_service.suites.base import Condition, ConditionError

_HAND = next(setting for setting in SETTINGS if setting.name == "hand")
_NO_HAND = "0"


def check_recorded(condition: Condition) -> None:
    """Raises ConditionError where settings do not go together, or ask for a hand: there is none in
    the recorded pictures. The default of ``hand`` is taken for none, so that a run needs no
    settings."""
    check_condition(condition)
    if condition["hand"] not in (_HAND.default, _NO_HAND):
        raise ConditionError(
            f"hand={condition['hand']} cannot be had in recorded pictures, which show no hand;"
            f" leave the setting out, or set hand={_NO_HAND}"
        )


def pixels_of(condition: Condition) -> int:
    """The most pixels of a picture's side under a condition: smaller ones are never enlarged."""
    return int(condition[PICTURE.name])
