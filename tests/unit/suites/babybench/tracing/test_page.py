"""The page that steps through an answer: one file, whatever was answered."""

import json
import re

import pytest

from env_service.suites.babybench.tracing.answer_trace import Piece, pieces, trace_answer
from env_service.suites.babybench.tracing.page import as_page, story_json
from tests.unit.suites.babybench.builders import grader

HOSTILE = "</script><script>alert(1)</script>\x00 <img src=x onerror=y> ((1, 2), 3)"


def page(task, answer, thoughts=""):
    return as_page(
        "A title", trace_answer(grader(task), answer), [("agent", "<b>me</b>")], thoughts
    )


def data(text):
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])


def test_places_and_states_are_found_in_a_text():
    text = "From (3, 4) to ((5,6), 1), not (40, 2) nor ((1, 2), 9)."
    assert list(pieces(text, 22)) == [
        Piece("From "),
        Piece("(3, 4)", (3, 4)),
        Piece(" to "),
        Piece("((5,6), 1)", (5, 6), 1),
        Piece(", not (40, 2) nor ("),
        Piece("(1, 2)", (1, 2)),
        Piece(", 9)."),
    ]
    assert "".join(piece.text for piece in pieces(text, 22)) == text


@pytest.mark.parametrize(
    "task", ["predict:GoToObj/2", "plan:Small-4Dists/2", "decompose:GoToObj/2"]
)
def test_an_answer_cannot_break_the_page(task):
    text = page(task, HOSTILE, HOSTILE)
    assert "<img" not in text
    assert "alert(1)</script>" not in text
    assert "\x00" not in text
    assert text.count("<script") == 2
    assert "<b>me" not in text


def test_the_page_needs_no_other_file():
    text = page("decompose:GoToObjMaze/3", "<START>\n(GoNextToSubgoal, (3, 4))\n<END>")
    links = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?([^"')\s>]+)""", text)
    assert links == []
    assert re.findall(r"https?://[^\s\"'`]+", text) == ["http://www.w3.org/2000/svg"]
    assert "default-src &#39;none&#39;" in text


def test_steps_say_what_they_change_and_stacks_stand_once():
    trace = trace_answer(
        grader("decompose:GoToObjMaze/3"), "<START>\n(GoNextToSubgoal, (3, 4))\n<END>"
    )
    told = story_json(trace)
    assert told == data(as_page("A title", trace, []))
    own = told["tracks"][0]["steps"]
    assert len(own) == len(trace.tracks[0].steps)
    assert own[0]["stack"] == [["GoNextToSubgoal (3, 4)", "planned"]]
    assert sum(step["stack"] is not None for step in own) < len(own)
    cells = {(x, y): thing for x, y, thing in told["cells"]}
    for step in own:
        if step["change"]:
            x, y, thing = step["change"]
            assert cells[x, y] != thing
            cells[x, y] = thing


def test_the_state_that_an_answer_says_is_drawn_also_where_it_is_nonsense():
    text = page("predict:GoToObj/2", "The agent's final state is: ((99, -3), 7)")
    assert data(text)["claim"] == {"x": 99, "y": -3, "d": 7}
