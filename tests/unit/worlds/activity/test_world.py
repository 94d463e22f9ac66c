import random
from dataclasses import replace

import pytest

from env_service.worlds.activity.actions import ActivityAction, Verb
from env_service.worlds.activity.bddl.expressions import Atom, evaluate
from env_service.worlds.activity.bddl.problem import Literal
from env_service.worlds.activity.commonsense import PROFILES
from env_service.worlds.activity.state import Reading
from env_service.worlds.activity.world import ActivityWorld
from tests.support.small_activity import action, fact, put, small_problem, small_world, taken, thing


def some_deeds(seed, count):
    """Actions on anything, also on nothing."""
    draws = random.Random(seed)
    names = [*small_problem().objects, "kitchen", "bathroom", "unicorn.n.01_1", "", "%"]
    return [
        ActivityAction(
            draws.choice(list(Verb)),
            draws.choice(names),
            draws.choice(names),
            tuple(draws.sample(names, draws.randrange(3))),
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
@pytest.mark.parametrize("seed", range(3))
def test_no_deed_is_choked_on(seed, profile):
    world = small_world(profile=profile)
    for each in some_deeds(seed, 400):
        effect = world.do(each)
        assert all(violation.text for violation in effect.violations)
        assert world.scene_text()


def test_equal_deeds_lead_to_equal_states():
    one, two = small_world(), small_world()
    for each in some_deeds(7, 300):
        one.do(each)
        two.apply(each)
    assert one.digest() == two.digest()
    assert one.key() == two.key()


def test_checking_changes_nothing_and_tells_what_doing_tells():
    world = small_world()
    for each in some_deeds(11, 200):
        before = world.digest()
        foreseen = world.check(each)
        assert world.digest() == before
        assert world.do(each).violations == foreseen


def test_a_fork_goes_its_own_way():
    world = taken(small_world(), "candle_1")
    before = world.digest()
    other = world.fork()
    assert other.digest() == before
    for each in some_deeds(3, 200):
        other.do(each)
    assert other.digest() != before
    assert world.digest() == before


def test_every_change_changes_the_digest():
    world, seen = small_world(), set()
    for each in (
        action(Verb.WALK_TO, "table_1"),
        action(Verb.GRAB, "candle_1"),
        action(Verb.OPEN, "cabinet_1"),
        action(Verb.PLACE_INSIDE, "cabinet_1", "candle_1"),
        action(Verb.CLOSE, "cabinet_1"),
    ):
        seen.add(world.digest())
        world.do(each)
    assert len(seen) == 5


def test_the_goal_is_reached_by_doing_what_it_says():
    problem = small_problem()
    world = ActivityWorld(problem)
    assert not evaluate(problem.goal, problem.objects, world.reader(Reading.RELAXED))
    put(world, Verb.PLACE_INSIDE, "basket_1", "apple_1")
    assert evaluate(problem.goal, problem.objects, world.reader(Reading.STRICT))


def test_what_was_done_is_told_in_words():
    world = small_world()
    world.do(action(Verb.WALK_TO, "table_1"))
    assert world.do(action(Verb.GRAB, "candle_1")).changes == ("candle 1 is held",)
    effect = world.do(action(Verb.CLEAN, "plate_2"))
    assert effect.changes == ("plate 2 is no longer stained",)
    assert effect.violations[0].text == "there is nothing at hand to clean plate 2 with"


def test_what_only_people_would_say_is_told_as_such():
    world = taken(small_world(), "rag_1")
    effect = world.do(action(Verb.PLACE_ON_TOP, "table_1", "rag_1"))
    assert effect.changes == (
        "rag 1 is on table 1",
        "table 1 is no longer dusty, as people read it",
    )


def test_a_phantom_is_there_and_cannot_be_carried():
    world = ActivityWorld(small_problem(), phantoms=[("shelf.n.01_1", "shelf.n.01", "kitchen")])
    put(world, Verb.PLACE_ON_TOP, "shelf.n.01_1", "candle_1")
    assert world.holds(fact("ontop candle_1 shelf.n.01_1"))
    assert world.room_of(thing("candle_1")) == "kitchen"
    assert world.check(ActivityAction(Verb.GRAB, "shelf.n.01_1"))


def test_a_phantom_of_no_room_is_where_the_agent_finds_it():
    world = ActivityWorld(small_problem(), phantoms=[("shelf.n.01_1", "shelf.n.01", "")])
    world.do(ActivityAction(Verb.WALK_TO, "shelf.n.01_1"))
    assert (world.room, world.at) == ("kitchen", "shelf.n.01_1")


def test_what_a_goal_wants_moved_opened_or_switched_can_be():
    goal = "(and (ontop ?sink.n.01_1 ?table.n.02_1) (open ?candle.n.01_1) (toggled_on ?rag.n.01_1))"
    scene = small_world(goal=goal).scene
    assert thing("sink_1") in scene.movable
    assert thing("candle_1") in scene.openable
    assert thing("rag_1") in scene.switch
    assert thing("sink_1") not in small_world().scene.movable


def test_a_goal_of_all_of_a_kind_speaks_of_each():
    goal = "(forall (?candle.n.01 - candle.n.01) (not (open ?candle.n.01)))"
    assert {thing("candle_1"), thing("candle_2")} <= small_world(goal=goal).scene.openable


def test_of_two_supports_the_floor_is_the_further_one():
    world = small_world("(onfloor rag.n.01_1 floor.n.01_1) (ontop candle.n.01_2 broom.n.01_1)")
    for words in ("ontop rag_1 countertop_1", "onfloor rag_1 floor_1", "ontop candle_2 broom_1"):
        assert world.holds(fact(words))
    taken(world, "rag_1")
    assert not world.holds(fact("onfloor rag_1 floor_1"))


def test_things_that_lie_in_one_another_are_survived():
    more = "(inside carton.n.02_1 basket.n.01_1) (inside basket.n.01_1 carton.n.02_1)"
    world = small_world(more)
    taken(world, "carton_1").scene_text()
    assert world.held == (thing("carton_1"),)


def test_what_is_beside_things_of_two_rooms_is_in_the_same_one_on_every_machine():
    problem, mat = small_problem(), "mat.n.01_1"
    beside = [Literal(Atom("nextto", (mat, thing(each)))) for each in ("sink_1", "bathtub_1")]
    objects = {**problem.objects, mat: "mat.n.01"}
    world = ActivityWorld(replace(problem, objects=objects, init=(*problem.init, *beside)))
    assert world.room_of(mat) == "bathroom"
