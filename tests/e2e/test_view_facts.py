"""What a replay found, in a real browser: a room, a board, a judged plan, a compared answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from env_service.domain.action import Text
from env_service.suites.registry import load_suite
from tests.support.chromium import chromium
from tests.support.command_line import until
from tests.support.viewed import played_suite, viewer

PATIENCE = 60_000
TEXT_ONLY = {"text_only": "on", "previous_image": "none", "hand": "0"}
WASHED = 14
"""The step of the expert's coffee that opens the faucet over the mug."""
ANSWER = """The door at (3, 4), from ((1, 2), 1), to ((10, 10), 1).
<START>
(GoNextToSubgoal, (10, 11))
<END>"""
PLAN = "walk_to(kitchenette)\ngrab(knife)\nfrobnicate(cup)"

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def episodes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, str]]:
    """A run's folder and an episode's id, by suite."""
    runs = tmp_path_factory.mktemp("facts") / "runs"
    made = {
        "asgard": (("builtin-1-0",), {"short": 2, **TEXT_ONLY}),
        "babyai": (("evaluation",), {}),
        "actplan": (("builtin-1", (Text(PLAN),)), {"pictures": "off"}),
        "babybench": (("decompose:GoToObjMaze:2", (Text(ANSWER),)), {}),
    }
    return {
        name: played_suite(runs, load_suite(name), *given, **more)  # type: ignore[arg-type]
        for name, (given, more) in made.items()
    }


@pytest.fixture(scope="module")
def address(
    episodes: dict[str, tuple[Path, str]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    runs = episodes["asgard"][0].parent
    with viewer(runs, tmp_path_factory.mktemp("index")) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def visit(browser: Any, address: str, episodes: dict[str, tuple[Path, str]]) -> Iterator[Open]:
    """Opens a suite's episode at a step; no page may have raised an error."""
    page = browser.new_page(viewport={"width": 1366, "height": 844})
    page.set_default_timeout(PATIENCE)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))

    def opened(suite: str, step: int, query: str = "") -> Any:
        run, episode = episodes[suite]
        with page.expect_response(_replayed):
            page.goto(f"{address}#/runs/{quote(run.name)}/episodes/{episode}?step={step}{query}")
        page.get_by_text("being replayed").wait_for(state="detached")
        return page

    yield opened
    page.close()
    assert problems == []


def _replayed(answer: Any) -> bool:
    """Whether an answer of the service has the facts of an episode."""
    return answer.url.endswith("/facts") and answer.json()["state"] == "ready"


def _jumps(page: Any, goal: str) -> list[str]:
    """The steps that met and lost a goal condition."""
    row = page.locator(".goal-name", has_text=goal)
    row.first.wait_for()
    found: list[str] = row.locator(".goal-jumps button").all_inner_texts()
    return found


def test_a_room_shows_the_path_the_view_and_what_changed(visit: Open) -> None:
    page = visit("asgard", WASHED)
    room = page.get_by_role("img", name="The room from above, with the agent's path")
    room.wait_for()
    assert room.locator(".shape.furniture").count() > 5
    assert room.locator(".view").count() == 1, "where the agent looks"
    done, ahead = (
        len(room.locator(path).get_attribute("points").split())
        for path in (".path:not(.ahead)", ".path.ahead")
    )
    assert done == WASHED + 1
    assert ahead == WASHED + 3, "it has two more steps"
    changes = page.locator(".changes").inner_text()
    assert "Mug dirty: yes → no" in changes
    assert "Goal condition met: Mug is clean" in changes
    assert "Goal condition lost: Faucet is off" in changes
    assert room.locator(".dot-thing.changed title", has_text="Mug").count() == 1


def test_goal_conditions_name_the_step_that_met_each_and_why_it_failed(visit: Open) -> None:
    page = visit("asgard", WASHED)
    until(lambda: _jumps(page, "Mug is clean") == ["✗ 11", "✓ 14"])
    assert _jumps(page, "Mug is put away") == []
    flags = page.locator(f'.step-row[data-at="{WASHED}"] .goal-flag').all_inner_texts()
    assert sorted(each.split()[0] for each in flags) == ["+1", "−1", "−1"]
    why = page.get_by_role("region", name="How it ended").inner_text()
    assert "Failed. The agent gave up, after 16 steps; not met: “Mug is put away”" in why


def test_what_was_true_can_be_hidden(visit: Open) -> None:
    page = visit("asgard", WASHED)
    room = page.get_by_role("img", name="The room from above")
    room.wait_for()
    assert page.get_by_text("True outcome").is_visible()
    page.keyboard.press("t")
    room.wait_for(state="detached")
    assert page.locator(".changes").count() == 0
    assert page.get_by_text("Outcome shown to the agent").is_visible()
    assert "true=no" in page.url or "truth=no" in page.url


def test_steps_are_searched_and_the_episode_is_saved(visit: Open) -> None:
    page = visit("asgard", WASHED)
    assert page.locator(".step-row").count() == 16
    page.get_by_role("searchbox", name="Search the steps").fill("pickup")
    page.wait_for_url(re.compile("find=pickup"))
    page.locator(".steps [role=status]", has_text="4 steps").wait_for(state="attached")
    texts = page.locator(".step-row .step-action").all_inner_texts()
    assert len(texts) == 4
    assert all("PICKUP" in each for each in texts)
    with page.expect_download() as begun:
        page.get_by_role("button", name="Save as JSON").click()
    saved = json.loads(Path(begun.value.path()).read_text(encoding="utf-8"))
    assert len(saved["steps"]) == 16
    assert saved["record"]["episode"]["success"] is False
    assert len(saved["facts"]["moments"]) == 17


def test_a_board_shows_the_path_and_what_is_ahead(visit: Open) -> None:
    page = visit("babyai", 7)
    board = page.get_by_role("img", name="The board from above, with the agent's path")
    board.wait_for()
    assert board.locator("g.thing.green .solid").count() == 1, "the green ball"
    assert len(board.locator(".path:not(.ahead)").get_attribute("points").split()) == 8
    assert "Ahead: ball green. It carries nothing." in page.locator(".map figcaption").inner_text()
    until(lambda: _jumps(page, "go to the green ball") == ["✓ 7"])


def test_a_plan_stands_beside_the_verdict_on_each_step(visit: Open) -> None:
    page = visit("actplan", 1)
    parts = page.locator(".part-row")
    parts.first.wait_for()
    texts = parts.all_inner_texts()
    assert "nothing in this activity is called kitchenette" in texts[0]
    assert "knife 1 is out of reach" in texts[1]
    assert "unknown action frobnicate" in texts[2]
    assert "Not correct, by the automatic judge: missing actions" in texts[3]
    assert "left undone for" in texts[3]
    parts.nth(1).click()
    assert "read as take knife 1" in parts.nth(1).inner_text()
    assert parts.nth(1).get_attribute("aria-current") == "step"


def test_an_answer_is_followed_action_by_action(visit: Open) -> None:
    page = visit("babybench", 1)
    page.get_by_role("button", name="The answer's subgoals").click()
    texts = page.locator(".part-row").all_inner_texts()
    assert any("OpenSubgoal (added)" in each for each in texts)
    assert any("subgoals added so far: 2" in each for each in texts)
    page.get_by_role("button", name="result").click()
    verdict = page.locator(".part-row").first.inner_text()
    assert "The mission is fulfilled, with 2 subgoals added" in verdict
    assert "read as: (GoNextToSubgoal, (10, 11))" in verdict


def test_places_of_an_answer_lead_to_the_board(visit: Open) -> None:
    page = visit("babybench", 1, "&track=" + quote("The answer's subgoals") + "&part=1.1")
    cell = page.get_by_role("button", name="(3, 4)", exact=True)
    cell.click()
    assert cell.get_attribute("aria-pressed") == "true"
    box = page.locator(".board-chosen")
    assert (box.get_attribute("x"), box.get_attribute("y")) == ("2.52", "3.52")
    never = page.get_by_role("button", name="((1, 2), 1)", exact=True)
    assert "never in it" in never.get_attribute("title")
    page.get_by_role("button", name="((10, 10), 1)", exact=True).click()
    caption = page.locator(".map figcaption").inner_text()
    assert "The agent is at ((10, 10), 1), heading south. Ahead: key blue." in caption
