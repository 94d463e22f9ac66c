"""``houseguest play --browser``: whole episodes, clicked through in a real browser."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from houseguest.agent.v1 import agent_pb2 as pb

from agents.human.human_guest.browser.server import PageServer
from tests.support.chromium import chromium
from tests.support.command_line import finish, houseguest, lines, run_folder
from tests.support.human_seat import opening, seated

WALK = ("right", "forward", "forward", "forward", "right", "forward")
"""To the grey ball of GoToLocal/2."""
PATIENCE = 150_000
"""Milliseconds for what may take its time on a busy machine."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


class Desk:
    """One person's page, and the house behind it. ``hosts`` are all that the browser asked."""

    def __init__(self, process: subprocess.Popen[str], url: str, browser: Any) -> None:
        self.process, self.url, self._browser = process, url, browser
        self.hosts: set[str] = set()
        self.problems: list[str] = []
        self.page = self.window()

    def window(self, width: int = 1280, height: int = 800) -> Any:
        """Another window on the same page."""
        page = self._browser.new_page(viewport={"width": width, "height": height})
        page.set_default_timeout(PATIENCE)
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.goto(self.url)
        return page

    def act(self, skill: str, at: int) -> None:
        """Clicks a skill without arguments, the ``at``-th action of the episode (from 0)."""
        self.page.click(f'[data-skill="{skill}"]:enabled')
        self.page.locator("#history .action").nth(at).wait_for()


@contextmanager
def desk(browser: Any, place: Path, *arguments: str) -> Iterator[Desk]:
    process = houseguest(place, "play", *arguments, "--browser", "--no-open")
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Play here: "), line
        made = Desk(process, line.split()[-1], browser)
        yield made
        assert made.problems == []
        assert made.hosts == {urlsplit(made.url).netloc}
    finally:
        for context in browser.contexts:
            context.close()
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=180)


def episodes(place: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(run_folder(place) / "episodes.jsonl")]


def status_of(url: str, **headers: str) -> int:
    try:
        with urlopen(Request(url, headers=headers), timeout=30) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


def check_strangers(url: str) -> None:
    """Nobody gets in without the secret, by another name, or from another page."""
    parts = urlsplit(url)
    home = f"{parts.scheme}://{parts.netloc}"
    assert status_of(f"{url}state") == 200
    assert status_of(f"{home}/") == 404
    assert status_of(f"{home}/{'x' * 32}/state") == 404
    assert status_of(f"{url}state", Origin="http://evil.example") == 403
    assert status_of(f"{url}state", Host="evil.example") == 403


def test_an_episode_of_babyai_is_clicked_through(browser: Any, place: Path) -> None:
    with desk(browser, place, "babyai", "GoToLocal/2", "--player", "ada") as seat:
        page = seat.page
        page.get_by_text("go to the grey ball").wait_for()
        assert page.locator("#where").inner_text() == "babyai · episode 1 of 1 · ada"
        seat.act("forward", 0)
        assert page.locator("#history li").first.inner_text().split() == [
            *("1", "forward", "refused")
        ]
        assert page.locator("#last").inner_text().split() == ["forward", "refused"]
        seat.act("right", 1)
        assert "looking south" in page.locator("#text").inner_text()

        check_strangers(seat.url)
        page.click("#give-up")
        page.get_by_role("button", name="Back").click()

        page.reload()
        page.locator("#history .action").nth(1).wait_for()
        assert page.locator("#meters").inner_text().split()[:3] == ["Steps", "left", "62"]
        other = seat.window(390, 844)
        other.locator('[data-skill="forward"]:enabled').click()
        page.locator("#history .action").nth(2).wait_for()
        width = other.evaluate("document.documentElement.scrollWidth")
        assert width == 390

        page.keyboard.press("ArrowUp")
        page.locator("#history .action").nth(3).wait_for()
        for at, skill in enumerate(WALK[3:], start=4):
            seat.act(skill, at)
        page.get_by_role("heading", name="This episode is over").wait_for()
        assert "success" not in page.inner_text("#close")
        page.click("#next")
        page.get_by_text("Everything is played").wait_for()
        finish(seat.process)
    (episode,) = episodes(place)
    assert (episode["success"], episode["steps"]) == (True, len(WALK) + 1)


def test_a_question_of_babybench_is_answered(browser: Any, place: Path) -> None:
    words = ("babybench", "--task-set", "predict", "--limit", "1")
    with desk(browser, place, *words) as seat:
        page = seat.page
        page.locator("#answer:enabled").wait_for()
        page.fill("#answer", "It walks.\nThe agent's final state is: ((1, 1), 2)")
        page.reload()
        assert page.locator("#answer").input_value().startswith("It walks.")
        page.click("#send-answer")
        page.get_by_role("heading", name="This episode is over").wait_for()
        page.click("#next")
        finish(seat.process)
    (episode,) = episodes(place)
    assert episode["steps"] == 1


def test_a_house_is_seen_and_things_are_found_by_typing(browser: Any, place: Path) -> None:
    words = ("asgard", "--task-set", "builtin-1", "--limit", "1", "--set", "picture=300")
    with desk(browser, place, *words) as seat:
        page = seat.page
        page.locator("figure.current img").wait_for()
        assert page.locator("figure").count() == 1
        page.keyboard.press("1")
        page.keyboard.type("counter")
        page.keyboard.press("Enter")
        assert page.locator(".go").inner_text() == "Do FIND CounterTop"
        page.keyboard.press("Enter")
        page.locator("figure.previous img").wait_for()
        images = page.locator("figure img")
        decoded = "image => image.decode().then(() => image.naturalWidth)"
        assert [images.nth(at).evaluate(decoded) for at in range(2)] == [300, 300]
        assert page.locator("#history .action").inner_text() == "FIND CounterTop"

        light = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.emulate_media(color_scheme="dark")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light

        page.click("figure.current button")
        page.locator("dialog img").wait_for()
        page.keyboard.press("Escape")
        page.click("#quit-button")
        page.click("#agree")
        page.get_by_text("You left").wait_for()
        finish(seat.process)
    assert episodes(place) == []


def test_a_plan_is_put_together_and_outlives_a_reload(browser: Any) -> None:
    player, client = seated(opening(mode=pb.MODE_PLAN))
    server = PageServer(player, "", 0)
    server.start()
    page = browser.new_page()
    page.goto(server.url)
    page.click('[data-skill="PUT"]')
    page.get_by_role("button", name="Bread", exact=True).click()
    assert page.locator(".go").is_disabled()
    page.get_by_label("where").fill("the sink")
    page.keyboard.press("Enter")
    page.click('[data-skill="forward"]')
    page.get_by_label("Move step 2 up").click()
    page.click('[data-skill="forward"]')
    page.reload()
    steps = page.locator(".plan li span")
    steps.nth(2).wait_for()
    assert steps.all_inner_texts() == ["1. forward", "2. PUT Bread, the sink", "3. forward"]
    page.get_by_label("Remove step 3").click()
    page.click("#send-plan")
    page.get_by_role("heading", name="This episode is over").wait_for()
    page.close()
    server.stop()
    (request,) = client.courier.sent
    names = [
        (step.name, [each.value for each in step.arguments]) for step in request.action.plan.steps
    ]
    assert names == [("forward", []), ("PUT", ["Bread", "the sink"])]
