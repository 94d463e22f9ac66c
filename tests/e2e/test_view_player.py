"""The viewer's player in a real browser: an episode, and two side by side."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from env_service.domain.action import Action, SkillCall, Text
from tests.support.chromium import chromium
from tests.support.viewed import HOSTILE, played, prompt_of, viewer

PATIENCE = 60_000
NOOP = SkillCall("noop")
BLOCKED = SkillCall("refuse", (("code", "PHYSICALLY_BLOCKED"),))
SHORT: tuple[Action, ...] = (NOOP, BLOCKED, NOOP, SkillCall("lose"))
OTHER: tuple[Action, ...] = (NOOP, BLOCKED, Text("win"))
HOSTILE_ACTIONS: tuple[Action, ...] = (
    Text(HOSTILE),
    SkillCall(HOSTILE, ((HOSTILE, HOSTILE),)),
    SkillCall("lose"),
)
AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
KEPT = frozenset({"url", "sha256", "run", "episode_id", "encoding", "path", "state", "track"})
"""Fields that hold no text: the page asks with them, or chooses by them."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Folders of runs by agent."""
    folder = tmp_path_factory.mktemp("player") / "runs"
    made = {
        "one": played(folder, "one", {"lab/0": SHORT, "lab/1": HOSTILE_ACTIONS, "lab/2": OTHER}),
        "two": played(folder, "two", {"lab/0": OTHER, "lab/1": SHORT}),
    }
    return {"folder": str(folder), **{name: path.name for name, path in made.items()}}


@pytest.fixture(scope="module")
def address(runs: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with viewer(Path(runs["folder"]), tmp_path_factory.mktemp("index")) as found:
        yield found


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Any]:
    """Opens a place of the viewer; no page may have raised an error."""
    context = browser.new_context()
    problems: list[str] = []

    def open_at(place: str, width: int = 1366, before: Any = None, **options: Any) -> Any:
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 844})
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: problems.append(str(error)))
        if options:
            page.emulate_media(**options)
        if before is not None:
            before(page)
        page.goto(address + place)
        page.locator(".ep h1").wait_for()
        return page

    yield open_at
    for page in context.pages:
        page.unroute_all(behavior="ignoreErrors")
    context.close()
    assert problems == []


def _episode(runs: dict[str, str], agent: str = "one", task: int = 0, query: str = "") -> str:
    return f"#/runs/{quote(runs[agent])}/episodes/ep-lab-{task}-0{query}"


def _where(page: Any) -> str:
    return str(page.locator(".where").inner_text())


def _at(page: Any, step: int, of: int = 4) -> None:
    words = f"Step {step} of {of}" if step else f"Beginning of {of}"
    page.locator(".where", has_text=words).wait_for()


def _until(page: Any, truth: str) -> None:
    """Waits for an expression. The page's policy forbids Playwright's own way, which evaluates."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(truth):
        assert time.monotonic() < deadline, truth
        page.wait_for_timeout(30)


def _picture(page: Any) -> str:
    return str(page.locator(".stage .shot img").first.get_attribute("src"))


@pytest.mark.parametrize("query", ["", "?step=3"])
def test_data_is_asked_once_and_before_the_script_has_come(
    browser: Any, address: str, runs: dict[str, str], query: str
) -> None:
    place = _episode(runs, query=query)
    data = f"api/runs/{quote(runs['one'])}/episodes/ep-lab-0-0"
    early = {data, f"{data}/steps?offset=0&limit=100", "api/service"}
    asked: list[str] = []
    with closing(browser.new_page()) as page:
        page.on("request", lambda each: asked.append(each.url.removeprefix(address)))
        page.route("**/app.js", lambda route: route.abort())
        page.goto(address + place)
        assert early <= set(asked)
        page.unroute("**/app.js")
        asked.clear()
        page.reload()
        page.locator(".step-row").first.wait_for()
        page.get_by_text("Result, labels and metrics").wait_for()
        page.wait_for_load_state("networkidle")
    questions = [each for each in asked if each.startswith("api/") and "/pictures/" not in each]
    assert early <= set(questions)
    assert sorted(questions) == sorted(set(questions))


def test_the_prompt_is_shown_as_it_was_sent(open_page: Any, runs: dict[str, str]) -> None:
    page = open_page(_episode(runs, query="?step=3"))
    _at(page, 3)
    assert page.locator(".prompt").count() == 0
    page.keyboard.press("q")
    prompt = page.get_by_role("region", name="Prompt")
    prompt.wait_for()
    _until(page, "location.hash.includes('prompt=yes')")
    assert "6 messages, 3 of them as in the prompt before." in prompt.inner_text()
    messages = prompt.locator(".prompt-message")
    roles = messages.locator(".prompt-role").all_inner_texts()
    assert roles == ["system", "user", "assistant", "user", "assistant", "user", "2 parameters"]
    opened = [messages.nth(place).get_attribute("open") is not None for place in range(6)]
    assert opened == [False, False, False, True, True, True]
    expected = [said["parts"][0]["text"] for said in prompt_of(2, "")["messages"]]
    shown = [messages.nth(place).locator(".said").text_content() for place in range(6)]
    assert shown == expected
    assert messages.nth(6).locator(".said").text_content().startswith("response_format: {")
    _until(page, "document.querySelector('.prompt-picture img').naturalWidth > 0")
    page.keyboard.press("q")
    _until(page, "document.querySelector('.prompt') === null")


def test_a_prompt_that_cannot_be_read_is_said_to_be_so(
    open_page: Any, runs: dict[str, str]
) -> None:
    def change(page: Any) -> None:
        def answer(route: Any) -> None:
            found = route.fetch().json()
            found["rows"][1]["said"]["prompt"]["messages"] = [{"same": [0, 99]}]
            route.fulfill(json=found)

        page.route("**/steps?*", answer)

    page = open_page(_episode(runs, query="?step=2&prompt=yes"), before=change)
    prompt = page.get_by_role("region", name="Prompt")
    prompt.get_by_text("It cannot be read: the prompt before has too few messages.").wait_for()
    page.keyboard.press("ArrowLeft")
    prompt.get_by_text("2 messages").wait_for()


def test_scrubbing_moves_the_picture_the_step_and_the_address(
    open_page: Any, runs: dict[str, str]
) -> None:
    page = open_page(_episode(runs))
    _at(page, 0)
    first = _picture(page)
    assert "Win." in page.locator("h1").inner_text()
    slider = page.get_by_role("slider", name="Step")
    slider.fill("2")
    _at(page, 2)
    assert _picture(page) != first
    assert "refuse(PHYSICALLY_BLOCKED)" in page.locator(".side").inner_text()
    _until(page, "location.hash.includes('step=2')")

    page.reload()
    _at(page, 2)
    page.locator(".step-row").nth(3).click()
    _at(page, 4)
    _until(page, "location.hash.includes('step=4')")
    assert page.locator(".step-row[aria-current]").count() == 1
    page.evaluate("location.hash = location.hash.replace('step=4', 'step=1')")
    _at(page, 1)


def test_keys_alone_reach_everything(open_page: Any, runs: dict[str, str]) -> None:
    page = open_page(_episode(runs))
    _at(page, 0)
    press = page.keyboard.press
    for key, step in (("ArrowRight", 1), ("End", 4), ("ArrowLeft", 3), ("Home", 0)):
        press(key)
        _at(page, step)
    press(" ")
    page.get_by_role("button", name="Pause").wait_for()
    press(" ")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    press("?")
    help_text = page.get_by_role("dialog").inner_text()
    for words in ("Step on", "Play or pause", "What was true", "Next episode"):
        assert words in help_text
    press("Escape")
    press("n")
    _until(page, "location.hash.includes('ep-lab-1-0')")
    page.locator("a[rel=prev]").wait_for()
    press("p")
    _until(page, "location.hash.includes('ep-lab-0-0')")
    page.get_by_role("slider", name="Step").focus()
    press("ArrowRight")
    _at(page, 1)


def test_it_plays_to_the_end(open_page: Any, runs: dict[str, str]) -> None:
    page = open_page(_episode(runs))
    _at(page, 0)
    page.get_by_label("Speed").select_option("20")
    page.get_by_role("button", name="Play", exact=True).click()
    _at(page, 4)
    page.get_by_role("button", name="Play", exact=True).wait_for()


def test_why_it_failed_is_said_in_a_sentence(open_page: Any, runs: dict[str, str]) -> None:
    page = open_page(_episode(runs))
    verdict = page.locator(".verdict").inner_text()
    assert verdict.startswith("Failed. ")
    assert "“won”" in verdict and "1 of 4 steps did not work" in verdict
    page = open_page(_episode(runs, task=2))
    assert page.locator(".verdict").inner_text().startswith("Success. ")


def test_only_failed_steps_are_listed(open_page: Any, runs: dict[str, str]) -> None:
    page = open_page(_episode(runs))
    page.locator(".step-row").nth(3).wait_for()
    page.get_by_label("failed (1)").check()
    _until(page, "document.querySelectorAll('.step-row').length === 1")
    page.locator(".step-row").click()
    _at(page, 2)


def test_what_was_true_is_told_beside_what_was_shown(open_page: Any, runs: dict[str, str]) -> None:
    page = open_page(_episode(runs, query="?step=2"))
    side = page.locator(".side")
    side.get_by_text("physically blocked", exact=True).wait_for()
    assert "refused: PHYSICALLY_BLOCKED" in side.inner_text()
    page.keyboard.press("t")
    side.get_by_text("Outcome shown to the agent").wait_for()
    assert "PHYSICALLY_BLOCKED" not in side.locator(".outcome").inner_text().upper()
    assert page.locator(".goal-name").count() == 0
    assert "truth=no" in page.evaluate("location.hash")
    page.keyboard.press("t")
    page.locator(".goal-name").first.wait_for()

    for key, words in (("h", "Thought"), ("r", "Model's reply")):
        side.get_by_role("heading", name=words).wait_for()
        page.keyboard.press(key)
        side.get_by_role("heading", name=words).wait_for(state="detached")
    page.keyboard.press("m")
    side.get_by_role("heading", name="Metadata").wait_for()
    page.keyboard.press("b")
    page.get_by_text("before step 2").wait_for()


def test_the_replay_command_and_a_link_are_copied(open_page: Any, runs: dict[str, str]) -> None:
    page = open_page(_episode(runs, query="?step=3"))
    _at(page, 3)
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text }")
    page.get_by_role("button", name="Copy replay command").click()
    page.get_by_role("button", name="Copied").wait_for()
    command = f"houseguest verify runs/{runs['one']} --episode ep-lab-0-0"
    assert page.evaluate("window.copied") == command
    page.get_by_role("button", name="Copy link to this step").click()
    _until(page, "window.copied.includes('step=3')")


def _attack(value: object, name: str = "") -> object:
    """The answer with every text turned hostile."""
    match value:
        case dict():
            return {
                key if key in _names() else key + HOSTILE: _attack(each, key)
                for key, each in value.items()
            }
        case list():
            return [_attack(each, name) for each in value]
        case str() if value and name not in KEPT:
            return value + HOSTILE
    return value


def _names() -> frozenset[str]:
    """Fields of answers; other keys come from suites and agents."""
    types = Path(__file__).parents[2] / "web" / "src" / "api_types.ts"
    found = re.findall(r"readonly (\w+)\??:", types.read_text("utf-8"))
    return frozenset({*found, "skill", "arguments", "plan", "text", "skills", "answer_format"})


def _poisoned(page: Any) -> None:
    def answer(route: Any) -> None:
        response = route.fetch()
        kind = response.headers.get("content-type", "")
        if "json" not in kind:
            route.fulfill(response=response)
            return
        route.fulfill(response=response, body=json.dumps(_attack(response.json())))

    page.route(re.compile(r"/api/(?!events)"), answer)


@pytest.mark.parametrize("poisoned", [False, True])
def test_whatever_agents_and_tasks_write_is_text(
    open_page: Any, runs: dict[str, str], *, poisoned: bool
) -> None:
    before = _poisoned if poisoned else None
    page = open_page(_episode(runs, task=1, query="?step=1&meta=yes&before=yes"), before=before)
    page.locator(".step-row").first.wait_for()
    page.locator(".side .deed").wait_for()
    assert "<script>" in page.locator(".side").inner_text()
    for summary in page.locator("summary").all():
        summary.click()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    _at(page, 3, of=3)
    query = f"first={runs['one']}&first_episode=ep-lab-1-0&second={runs['two']}"
    two = open_page(f"#/compare/play?{query}&second_episode=ep-lab-1-0&step=1", before=before)
    two.locator(".side .deed").nth(1).wait_for()
    for each in (page, two):
        each.wait_for_timeout(500)
        assert each.evaluate("window.hurt") is None
        assert each.locator("main script, main [onerror], main [onload]").count() == 0


def test_a_phone_needs_no_scrolling_sideways(open_page: Any, runs: dict[str, str]) -> None:
    places = [
        _episode(runs, query="?step=2&meta=yes&before=yes"),
        _episode(runs, task=1, query="?step=1"),
        f"#/compare/play?first={runs['one']}&first_episode=ep-lab-0-0"
        f"&second={runs['two']}&second_episode=ep-lab-0-0&step=2",
    ]
    for place in places:
        page = open_page(place, 390)
        page.locator(".side .deed").first.wait_for()
        for summary in page.locator("summary").all():
            summary.click()
        assert page.evaluate("document.documentElement.scrollWidth") == 390, place


def test_two_follow_one_another_and_say_where_they_part(
    open_page: Any, runs: dict[str, str]
) -> None:
    query = f"first={runs['one']}&first_episode=ep-lab-0-0&second={runs['two']}"
    page = open_page(f"#/compare/play?{query}&second_episode=ep-lab-0-0")
    page.get_by_text("They take the same actions until step 2, and part at step 3.").wait_for()
    page.get_by_role("button", name="Go to step 3").click()
    _at(page, 3)
    sides = page.locator(".side .action")
    assert [each.inner_text() for each in sides.all()] == ["noop", "win"]
    page.get_by_role("slider", name="4 steps").fill("1")
    _at(page, 1)
    assert [each.inner_text() for each in sides.all()] == ["noop", "noop"]
    page.keyboard.press("End")
    page.get_by_text("ended after 3 steps").wait_for()
    _until(page, "location.hash.includes('step=4')")


def test_the_same_task_elsewhere_opens_beside(open_page: Any, runs: dict[str, str]) -> None:
    page = open_page(_episode(runs, query="?step=2"))
    page.locator(".others a").click()
    page.get_by_text("part at step 3").wait_for()
    _at(page, 2)


def test_a_note_is_added_followed_and_deleted(open_page: Any, runs: dict[str, str]) -> None:
    page = open_page(_episode(runs, query="?step=3"))
    _at(page, 3)
    page.locator(".annotations summary").click()
    page.get_by_label("Tag").fill("odd")
    page.get_by_label("Comment").fill(HOSTILE)
    page.get_by_role("button", name="Add note").click()
    page.get_by_text("Notes (1)").wait_for()
    assert HOSTILE in page.locator(".notes").inner_text()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="To the beginning").click()
    page.locator(".notes").get_by_role("button", name="step 3", exact=True).click()
    _at(page, 3)
    page.get_by_role("button", name="Delete the note odd").click()
    page.locator(".notes").wait_for(state="detached")
    assert page.evaluate("window.hurt") is None


@pytest.mark.skipif(not AXE.exists(), reason="needs axe-core: run make web")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_page: Any, runs: dict[str, str], scheme: str) -> None:
    query = f"first={runs['one']}&first_episode=ep-lab-0-0&second={runs['two']}"
    for place in (
        _episode(runs, query="?step=2&meta=yes&before=yes"),
        f"#/compare/play?{query}&second_episode=ep-lab-0-0&step=2",
    ):
        page = open_page(place, color_scheme=scheme)
        page.locator(".side .deed").first.wait_for()
        page.evaluate(AXE.read_text("utf-8"))
        found = page.evaluate("axe.run({exclude: [['.skip']]}).then((result) => result.violations)")
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
