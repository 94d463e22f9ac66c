"""What action sequences branch into, and which branches are shown."""

from __future__ import annotations

from env_service.results.recorded_episode import RecordedAction, RecordedEpisode
from env_service.results.report.action_trees import grow, lay_out, walk
from env_service.results.report.content import Branch


def played(words: str, *, won: bool = False, task: str = "t", who: str = "") -> RecordedEpisode:
    """An episode of one-letter actions; a capital letter was refused."""
    actions = tuple(RecordedAction(word.lower(), word.isupper()) for word in words)
    return RecordedEpisode(task, won, actions, who)


def rows(*episodes: RecordedEpisode, most: int = 48) -> tuple[Branch, ...]:
    return lay_out(grow(episodes), most)


def test_equal_beginnings_are_one_row_up_to_the_first_difference() -> None:
    first, *rest = rows(played("abcd", won=True), played("abxy"), played("abxz"))
    assert first == Branch(None, 0, ("a", "b"), 3, 1)
    assert rest == [
        Branch(0, 1, ("x",), 2, 0),
        Branch(1, 2, ("y",), 1, 0, "t"),
        Branch(1, 2, ("z",), 1, 0, "t"),
        Branch(0, 1, ("c", "d"), 1, 1, "t"),
    ]


def test_where_beginnings_differ_the_first_row_has_no_action() -> None:
    assert [row.actions for row in rows(played("a"), played("b"))] == [(), ("a",), ("b",)]


def test_alike_episodes_end_together_and_say_who_they_are() -> None:
    same = [played("ab", task="one", who="A", won=True), played("ab", task="one", who="B")]
    assert rows(*same) == (Branch(None, 0, ("a", "b"), 2, 1, "A, B · one"),)
    other = played("ab", task="two")
    assert rows(same[0], other)[0].end == "A · 2 tasks"


def test_an_episode_that_ends_where_others_go_on_has_a_row_of_its_own() -> None:
    found = rows(played("ab", task="short"), played("abc"), played("abc"))
    assert [(row.actions, row.episodes, row.end) for row in found] == [
        (("a", "b"), 3, ""),
        (("c",), 2, "t"),
        ((), 1, "short"),
    ]


def test_repeated_actions_are_counted_and_refused_ones_are_marked() -> None:
    (row,) = rows(played("aaabB"), played("aaabB"))
    assert row.actions == ("a ×3", "b", "b ✗")
    (row,) = rows(played("aB"), played("ab"))
    assert row.actions == ("a", "b"), "it worked once"


def test_no_more_rows_than_asked_for_and_none_of_the_episodes_is_lost() -> None:
    episodes = [played(f"{first}{second}") for first in "abcd" for second in "xyz"]
    for most in range(2, 20):
        found = rows(*episodes, most=most)
        assert len(found) <= most
        for number, row in enumerate(found):
            below = [other for other in found if other.parent == number]
            assert not below or sum(other.episodes for other in below) == row.episodes
            assert bool(below) + bool(row.end) + bool(row.more) == 1
    assert not any(row.more for row in found)


def test_the_busiest_branches_are_shown_first() -> None:
    episodes = [played("ax"), played("ay"), played("az"), played("b"), played("c")]
    first, kept, rest = rows(*episodes, most=3)
    assert (first.episodes, kept.actions, kept.more) == (5, ("a",), 3)
    assert (rest.actions, rest.episodes, rest.more) == ((), 2, 2)


def test_the_whole_tree_can_be_walked() -> None:
    root = grow([played("ab", won=True), played("ac")])
    found = [(number, parent, node.step, node.words) for number, parent, node in walk(root)]
    assert found == [(1, 0, 1, "a"), (2, 1, 2, "b"), (3, 1, 2, "c")]


def test_an_episode_in_which_nothing_was_done_is_a_row() -> None:
    assert rows(played("", won=True)) == (Branch(None, 0, (), 1, 1, "t"),)
