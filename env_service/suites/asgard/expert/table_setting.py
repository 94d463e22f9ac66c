"""Setting the table: a mug of coffee, toast on a plate, and nothing else."""

from __future__ import annotations

from env_service.suites.asgard.expert.brewing import MUG, brew, has_coffee
from env_service.suites.asgard.expert.carrying import fetch, put, stow
from env_service.suites.asgard.expert.frying import is_cooked
from env_service.suites.asgard.expert.heating import TOAST, toast
from env_service.suites.asgard.expert.house import foreign
from env_service.suites.asgard.expert.play import Play, StuckError
from env_service.suites.asgard.expert.serving import is_served, serve
from env_service.suites.asgard.expert.washing import wash
from env_service.suites.asgard.plan import ContentsGoal
from env_service.suites.asgard.view import ThorObject

PLATE = "Plate"


def table_to_set(play: Play, goal: ContentsGoal) -> ThorObject:
    """The table that takes the least clearing; the first one where only that counts.

    Raises:
        StuckError: there is none.
    """
    tables = play.view.of_type(goal.container_type)
    if not tables:
        raise StuckError(f"there is no {goal.container_type}")
    if play.charge.rules.first_instance_only:
        return tables[0]
    return min(tables, key=lambda each: len(_in_the_way(play, each, goal)))


def clear_table(play: Play, goal: ContentsGoal) -> None:
    """Takes away what does not belong on the table. Raises StuckError."""
    for each in _in_the_way(play, table_to_set(play, goal), goal):
        fetch(play, each["objectType"])
        stow(play)


def is_clear(play: Play, goal: ContentsGoal) -> bool:
    """Whether nothing is on the table that does not belong there."""
    return not _in_the_way(play, table_to_set(play, goal), goal)


def make_coffee(play: Play, goal: ContentsGoal) -> None:
    """Coffee on the table. Raises StuckError."""
    brew(play)
    _to_table(play, MUG, goal)


def coffee_is_served(play: Play, goal: ContentsGoal) -> bool:
    """Whether a mug of coffee is on the table."""
    return has_coffee(play) and on_table(play, MUG, goal)


def lay_plate(play: Play, goal: ContentsGoal) -> None:
    """A clean plate on the table. Raises StuckError."""
    wash(play, [PLATE])
    _to_table(play, PLATE, goal)


def on_table(play: Play, kind: str, goal: ContentsGoal) -> bool:
    """Whether an object of a type is on the table."""
    table = table_to_set(play, goal)
    return any(each["objectType"] == kind for each in play.view.contents(table))


def serve_toast(play: Play, *, toasted: bool) -> None:
    """A slice of bread, toasted if it has to be, on the plate. Raises StuckError."""
    if toasted:
        toast(play)
        serve(play, TOAST, PLATE, is_cooked)
    else:
        serve(play, TOAST, PLATE)


def toast_is_served(play: Play, *, toasted: bool) -> bool:
    """Whether a slice of bread lies on the plate, a toasted one if it has to be."""
    return is_served(play, TOAST, PLATE, is_cooked if toasted else lambda _: True)


def _in_the_way(play: Play, table: ThorObject, goal: ContentsGoal) -> list[ThorObject]:
    return foreign(play.view, table, goal.contents)


def _to_table(play: Play, kind: str, goal: ContentsGoal) -> None:
    if on_table(play, kind, goal):
        return
    table = table_to_set(play, goal)
    fetch(play, kind)
    put(play, goal.container_type, onto=table["name"])
