"""The page's server: who may ask it, and what it answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import pytest

from agents.human.human_guest.browser.server import PageServer, has_desktop, refusal
from agents.human.human_guest.player import Leave, Player
from tests.support.human_seat import ScriptedClient, opening, seated

HOST = {"host": "127.0.0.1:4000"}
JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/s3cret/", HOST, None),
        ("GET", "/s3cret/state?after=3", {"host": "localhost:4000"}, None),
        ("POST", "/s3cret/act", {**HOST, **JSON, "origin": "http://127.0.0.1:4000"}, None),
        ("GET", "/", HOST, 404),
        ("GET", "/wrong/", HOST, 404),
        ("GET", "/s3cret/", {"host": "evil.example:4000"}, 403),
        ("GET", "/s3cret/", {"host": "127.0.0.1.evil.example"}, 403),
        ("GET", "/s3cret/", {}, 403),
        ("GET", "/s3cret/", {**HOST, "origin": "http://evil.example"}, 403),
        ("POST", "/s3cret/act", {**HOST, **JSON, "origin": "null"}, 403),
        ("POST", "/s3cret/act", {**HOST, **JSON, "sec-fetch-site": "cross-site"}, 403),
        ("POST", "/s3cret/act", {**HOST, "content-type": "text/plain"}, 415),
    ],
)
def test_only_the_own_page_is_answered(
    method: str, path: str, headers: dict[str, str], status: int | None
) -> None:
    assert refusal(method, path, headers, "s3cret") == status


class Page:
    """A page without a browser."""

    def __init__(self, player: Player, client: ScriptedClient) -> None:
        self.player, self.client = player, client
        self.server = PageServer(player, "ada", 0)
        self.server.start()

    def ask(self, method: str, name: str, body: object = None) -> tuple[int, bytes, Any]:
        link = HTTPConnection("127.0.0.1", self.server.server_port, timeout=30)
        content = None if body is None else json.dumps(body)
        headers = {"Content-Type": "application/json"} if content else {}
        link.request(method, f"/{self.server.secret}/{name}", content, headers)
        answer = link.getresponse()
        return answer.status, answer.read(), answer.headers

    def state(self, query: str = "") -> dict[str, Any]:
        status, body, _ = self.ask("GET", f"state{query}")
        assert status == 200
        return dict(json.loads(body))

    def act(self, **decision: object) -> tuple[int, dict[str, Any]]:
        turn = self.player.settled(30).turn
        status, body, _ = self.ask("POST", "act", {"turn": turn, **decision})
        self.player.settled(30)
        return status, json.loads(body)


@pytest.fixture
def page() -> Iterator[Page]:
    made = Page(*seated(opening(), opening(1)))
    made.player.settled(30)
    yield made
    made.server.stop()


def test_the_page_comes_with_a_policy_that_lets_nobody_else_in(page: Page) -> None:
    status, body, headers = page.ask("GET", "")
    assert status == 200
    assert b"<!doctype html>" in body
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("name", ["../face.py", "..%2fface.py", "page/main.js", "none.js", "act"])
def test_nothing_but_the_page_is_served(page: Page, name: str) -> None:
    assert page.ask("GET", name)[0] == 404


def test_the_state_has_the_episode_and_pictures_that_can_be_fetched(page: Page) -> None:
    state = page.state()
    assert (state["phase"], state["player"]) == ("deciding", "ada")
    assert state["episode"]["skills"][1]["parameters"][0]["choices"][0] == "Mug"
    assert 0 < state["seconds_left"]["step"] <= 3600
    (picture,) = state["scene"]["pictures"]
    status, body, headers = page.ask("GET", f"picture/{picture['name']}")
    assert (status, body[:4], headers["Content-Type"]) == (200, b"\x89PNG", "image/png")
    assert page.ask("GET", "picture/none")[0] == 404


def test_a_step_is_taken_and_told(page: Page) -> None:
    arguments = {"object": "Mug", "where": "sink"}
    status, _ = page.act(kind="skill", skill="PUT", arguments=arguments)
    assert status == 200
    (past,) = page.state()["history"]
    assert past["action"] == "PUT Mug, sink"
    assert past["outcomes"][0]["feedback"] == "hands full"


def test_news_are_waited_for(page: Page) -> None:
    before = page.state()
    page.act(kind="say", text="forward")
    assert page.state(f"?after={before['version']}")["version"] > before["version"]


def test_a_second_window_is_told_that_it_is_late(page: Page) -> None:
    turn = page.player.view.turn
    page.act(kind="skill", skill="forward", arguments={})
    status, answer = page.act(kind="skill", skill="forward", arguments={}, turn=turn)
    assert status == 409
    assert "another window" in answer["error"]
    assert len(page.client.courier.sent) == 1


def test_an_episode_ends_and_the_next_one_comes(page: Page) -> None:
    page.act(kind="end", done=False)
    assert page.state()["phase"] == "ended"
    page.act(kind="next")
    assert page.state()["episode"]["instruction"] == "goal 1"
    page.act(kind="plan", steps=[{"skill": "forward", "arguments": {}}])
    page.act(kind="leave")
    assert page.state()["phase"] == "left"
    page.server.wait_until_shown(30)


@pytest.mark.parametrize(
    "decision",
    [
        {},
        {"kind": "dance"},
        {"kind": "end"},
        {"kind": "skill", "skill": "forward"},
        {"kind": "skill", "skill": "forward", "arguments": {"a": 1}},
        {"kind": "plan", "steps": ["forward"]},
    ],
)
def test_what_is_no_decision_is_refused(page: Page, decision: dict[str, object]) -> None:
    status, answer = page.act(**decision)
    assert status == 400
    assert answer["error"]
    assert page.client.courier.sent == []


def test_a_window_is_opened_only_where_there_are_windows() -> None:
    assert has_desktop({"DISPLAY": ":0"})
    assert has_desktop({"WAYLAND_DISPLAY": "wayland-0"})


def test_leaving_by_the_terminal_is_told_to_the_page(page: Page) -> None:
    page.player.send(Leave(), 0)
    page.player.settled(30)
    assert page.state()["phase"] == "left"


def test_the_server_waits_until_every_page_is_told_the_end(page: Page) -> None:
    page.player.settled(30)
    page.server.asks("one")
    page.server.asks("two")
    page.player.send(Leave(), 0)
    last = page.player.settled(30)
    page.server.mark_shown("one", last)
    waiting = threading.Thread(target=page.server.wait_until_shown, args=(30,))
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    page.server.mark_shown("two", last)
    waiting.join(30)
    assert not waiting.is_alive()
