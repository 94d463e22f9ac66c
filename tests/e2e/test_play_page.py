"""The page of ``houseguest play --browser`` where clicks and connections are not as they should."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from houseguest.agent.v1 import agent_pb2 as pb

from agents.human.human_guest.browser.server import PageServer
from tests.support.chromium import chromium
from tests.support.human_seat import ScriptedCourier, opening, seated


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def sit(browser: Any) -> Iterator[Any]:
    """Opens the page of one episode: the page, and what the service gets."""
    servers: list[PageServer] = []

    def sat(told: pb.Episode) -> tuple[Any, ScriptedCourier]:
        player, client = seated(told)
        servers.append(PageServer(player, "", 0))
        servers[-1].start()
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto(servers[-1].url)
        return page, client.courier

    yield sat
    for context in browser.contexts:
        context.close()
    for server in servers:
        server.stop()


def test_a_double_click_decides_once(sit: Any) -> None:
    page, service = sit(opening())
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator('[data-skill="forward"]').evaluate("each => { each.click(); each.click(); }")
    page.locator("#history .action").wait_for()
    assert len([url for url in asked if url.endswith("/act")]) == 1
    page.locator('[data-skill="forward"]:enabled').click()
    page.locator("#history .action").nth(1).wait_for()
    assert len(service.sent) == 2


def test_an_answer_that_did_not_arrive_is_kept(sit: Any) -> None:
    page, service = sit(opening(mode=pb.MODE_ANSWER))
    page.fill("#answer", "seven")
    page.route("**/act", lambda route: route.abort())
    page.click("#send-answer")
    page.get_by_text("That did not arrive").wait_for()
    assert page.locator("#answer").input_value() == "seven"
    page.unroute("**/act")
    page.click("#send-answer")
    page.locator("#history .action").wait_for()
    assert page.locator("#answer").input_value() == ""
    assert [request.action.text for request in service.sent] == ["seven"]


def test_on_a_phone_the_actions_come_right_after_the_picture(sit: Any) -> None:
    page, _ = sit(opening())
    page.locator("figure img").wait_for()
    top = "each => each.getBoundingClientRect().top"
    tops = [page.locator(each).evaluate(top) for each in ("#pictures", "#actions", "#text")]
    assert tops == sorted(tops)
    quit_button, meters = page.locator("#quit-button"), page.locator("#meters")
    assert abs(quit_button.bounding_box()["y"] - meters.bounding_box()["y"]) < 20
