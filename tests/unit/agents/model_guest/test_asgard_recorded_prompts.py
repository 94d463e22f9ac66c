"""What a model is shown of a question about a recorded solution."""

from __future__ import annotations

from houseguest_agent import Episode

from tests.unit.agents.model_guest.asgard_episodes import (
    OBJECTS,
    SKILLS,
    asgard_episode,
    condition,
    converse,
    system_of,
    turn_of,
)
from tests.unit.agents.model_guest.episodes import PNG, episode

HISTORY = "1. FIND Mug  Success\n2. PICKUP Mug  Success"
QUESTION = "Answer with the one action that comes next."
HAND = "a hand is drawn over it"
FIRST = "This is your first turn"


def recorded(history: str = HISTORY) -> Episode:
    """A question of the house, by default after two actions."""
    return episode(
        suite="asgard",
        pictures=(PNG,),
        skills=SKILLS,
        instruction="Store the Mug",
        condition=condition(),
        context={
            "available_objects": ", ".join(OBJECTS),
            "question": QUESTION,
            **({"history": history} if history else {}),
        },
    )


def test_the_history_stands_where_that_of_an_episode_stands() -> None:
    text = turn_of(converse(recorded()).messages())
    asked = text.index("# Available objects"), text.index(QUESTION), text.index(HISTORY)
    assert list(asked) == sorted(asked)
    assert f"# What you have done so far\n\n{HISTORY}" in text
    assert FIRST not in text


def test_at_the_first_step_nothing_has_been_done() -> None:
    text = turn_of(converse(recorded("")).messages())
    assert QUESTION in text
    assert FIRST in text
    assert "What you have done so far" not in text


def test_no_hand_is_spoken_of_as_none_is_in_the_pictures() -> None:
    assert HAND in system_of(converse(asgard_episode()).messages())
    assert HAND not in system_of(converse(recorded()).messages())


def test_an_episode_in_a_house_is_told_of_no_question() -> None:
    assert "# The question" not in turn_of(converse(asgard_episode()).messages())
