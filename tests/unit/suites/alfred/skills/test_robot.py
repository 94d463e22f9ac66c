from __future__ import annotations

import pytest

from env_service.domain.failure import FaultClass, WorldFault
from env_service.domain.outcome import OutcomeCode
from env_service.suites.alfred.skills.steps import Cause
from tests.unit.suites.alfred.skills.paper_world import PaperWorld, thing
from tests.unit.suites.alfred.skills.playing import does, robot, table


def test_whatever_is_put_down_is_what_is_held():
    player = robot(PaperWorld([thing("Mug", (0, 0.9, 0.5)), table()]))
    told = does(player, "pick up the mug", "find a dining table", "put down the sliced cup")
    assert told.worked


def test_what_cannot_be_found_is_no_way_back_to_what_was_found_before():
    world = PaperWorld([thing("Mug", (0, 0.9, 0.5)), table()])
    player = robot(world)
    told = does(player, "pick up the mug", "find a dining table", "find a couch")
    assert (told.message, told.cause) == ("Cannot find Couch", Cause.UNKNOWN_WORDS)
    assert told.code is OutcomeCode.UNKNOWN_SKILL
    told = does(player, "put down the mug")
    assert (told.message, told.cause) == ("Cannot find Couch", Cause.NO_SUCH_OBJECT)
    assert world.held


@pytest.mark.parametrize(
    "said", ["", "dance", "put down", "put down ", "open a couch", "\x00", "ß"]
)
def test_nothing_that_is_said_raises(said):
    told = does(robot(PaperWorld([table()])), said)
    assert told.cause is Cause.UNKNOWN_WORDS
    assert told.message


def test_a_world_that_breaks_is_not_the_guests_affair():
    class Broken(PaperWorld):
        def step(self, action, **arguments):
            raise WorldFault(FaultClass.SIMULATOR_CRASH, "gone")

    with pytest.raises(WorldFault):
        does(robot(Broken([thing("Mug", (9, 1, 1))])), "find a mug")
