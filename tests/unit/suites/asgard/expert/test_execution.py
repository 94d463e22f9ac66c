from __future__ import annotations

from env_service.suites.asgard.action_language import Verb
from env_service.suites.asgard.actions.executor import ActionOutcome
from env_service.suites.asgard.expert.play import Experience
from env_service.suites.asgard.expert.solver import MOST_DEAD_ENDS
from env_service.suites.asgard.expert.subgoals import subgoals
from env_service.suites.asgard.plan import (
    ContentsGoal,
    EventGoal,
    LocationGoal,
    PutAwayGoal,
    RequiredEvent,
    State,
    StateGoal,
)
from tests.unit.suites.asgard.expert.kitchen import (
    CABINET,
    COUNTER,
    FIXTURES,
    NEVER,
    house,
    mug,
    solve_in,
    texts,
)
from tests.unit.suites.asgard.expert.toy_house import ToyHouse, fixture, item

MUG_CLEAN = StateGoal("Mug", State.DIRTY, value=False)


def test_a_play_ends_with_its_last_goal() -> None:
    attempt = solve_in(house(mug()), [PutAwayGoal("Mug")])
    assert attempt.won
    assert attempt.steps[-1].text == "PUT Cabinet"


def test_after_a_dead_end_the_other_duties_are_done_all_the_same() -> None:
    goals = [PutAwayGoal("Kettle"), PutAwayGoal("Mug")]
    actor = house(mug())
    attempt = solve_in(actor, goals)
    assert not attempt.won
    assert actor.inside("Mug", "Cabinet")
    assert "put away Kettle" in attempt.dead_ends[0]


def test_what_cannot_be_done_is_given_up() -> None:
    attempt = solve_in(house(), NEVER)
    assert len(attempt.dead_ends) == MOST_DEAD_ENDS
    assert not attempt.steps


def test_a_play_ends_at_the_limit_of_steps() -> None:
    attempt = solve_in(house(mug(isDirty=True)), [PutAwayGoal("Mug"), MUG_CLEAN], most_steps=3)
    assert not attempt.won
    assert len(attempt.steps) == 3


def test_a_play_with_a_refused_action_is_not_flawless() -> None:
    actor = house(mug(), item("Apple", COUNTER), refuse=[("Mug", CABINET["name"])])
    attempt = solve_in(actor, [PutAwayGoal("Mug")])
    assert not attempt.is_flawless
    assert attempt.refused


def test_the_mug_is_washed_after_the_coffee() -> None:
    names = [each.name for each in subgoals([MUG_CLEAN, EventGoal(RequiredEvent.DRINK_COFFEE)])]
    assert names.index("drink coffee") < names.index("wash Mug")


def test_what_is_dirty_is_washed_before_it_is_served_on() -> None:
    clean = StateGoal("Plate", State.DIRTY, value=False)
    names = [each.name for each in subgoals([LocationGoal("AppleSliced", "Plate"), clean])]
    assert names == ["wash Plate", "slice Apple", "serve AppleSliced on Plate"]


def test_a_table_is_cleared_last() -> None:
    goal = ContentsGoal("DiningTable", ("Mug", "Plate", "BreadSliced"))
    assert [each.name for each in subgoals([goal])][-1] == "clear the table"


def test_experience_keeps_what_failed_until_it_is_forgotten_or_works() -> None:
    experience, cabinet = Experience(), FIXTURES[6]
    actor = house(mug(visible=True), refuse=[("Mug", CABINET["name"])])
    actor.the("Cabinet").update(isOpen=True, visible=True)
    actor.do(Verb.PICKUP, "Mug")
    experience.note(Verb.PUT, actor.do(Verb.PUT, "Cabinet"))
    assert experience.hopeless(Verb.PUT, "Mug", cabinet)
    assert not experience.hopeless(Verb.PUT, "Plate", cabinet)
    actor.refuse.clear()
    experience.note(Verb.PUT, actor.do(Verb.PUT, "Cabinet"))
    assert not experience.hopeless(Verb.PUT, "Mug", cabinet)


class ShutIn(ToyHouse):
    """In it nothing can be taken while the drawer is open."""

    def do(self, verb: Verb, object_type: str) -> ActionOutcome:
        done = super().do(verb, object_type)
        if verb is Verb.CLOSE and done.success:
            self.refuse.clear()
        return done


def test_after_a_dead_end_what_stands_open_beside_is_closed() -> None:
    drawer = fixture("Drawer", 0.5, openable=True, isOpen=True)
    locked = [("", "Mug_0123abcd")]
    actor = ShutIn(*FIXTURES, drawer, mug(), refuse=locked)
    attempt = solve_in(actor, [PutAwayGoal("Mug")])
    assert attempt.won, attempt.dead_ends
    assert "CLOSE Drawer" in texts(attempt)


def test_what_stands_open_elsewhere_stays_so() -> None:
    drawer = fixture("Drawer", 30.0, openable=True, isOpen=True)
    actor = house(mug(), drawer, refuse=[("", "Mug_0123abcd")])
    attempt = solve_in(actor, [PutAwayGoal("Mug")])
    assert not attempt.won
    assert "CLOSE Drawer" not in texts(attempt)
