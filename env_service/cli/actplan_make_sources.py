"""Where the commands of ``houseguest actplan make`` take activities from, and what they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from env_service.chat.kept import StateError
from env_service.chat.templates import TemplatesError
from env_service.cli.errors import Failure
from env_service.datasets.pack import open_pack
from env_service.making.checking import Checker
from env_service.making.errors import MakingError
from env_service.making.sources import SourceActivity, chosen, find_activities
from env_service.suites.actplan.dataset.layout import PACK, SPLIT_FILE
from env_service.worlds.activity.bddl.errors import BddlError

_NORMAL = "bddl/activity_definitions/*/problem0.bddl"


@contextmanager
def told() -> Iterator[None]:
    """Turns what can go wrong into messages for users."""
    try:
        yield
    except (MakingError, StateError, TemplatesError, BddlError) as error:
        raise Failure(str(error), kind=type(error).__name__) from error


def activities(asked: Mapping[str, Any]) -> tuple[SourceActivity, ...]:
    """Those of PLACES, or of the data pack, that ``--tasks`` and ``--limit`` leave.

    Raises MakingError and DataPackError.
    """
    places = asked["places"]
    if not places:
        pack = open_pack(PACK)
        definitions = [pack.path(each) for each in pack.require([_NORMAL])]
        places = [definitions[0].parents[1]] if definitions else [pack.path(SPLIT_FILE).parent]
    return chosen(find_activities(places), asked["tasks"], asked["limit"])


def checker(*, solving: bool) -> Checker:
    """Checks with the planner, or without."""
    from env_service.making.solving import solve, solves

    return Checker(solve, solves) if solving else Checker()
