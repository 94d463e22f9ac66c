"""The viewer's pages in a real browser: what they show, filter, follow, and never execute."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from env_service.results.run_folder import RunFolder
from env_service.results.run_notes import RunStart, write_run_start
from env_service.storage.signing_key import SigningKey
from tests.support.chromium import chromium
from tests.support.command_line import ROOT, houseguest, until
from tests.support.played_run import (
    LAB,
    LOSING,
    WINNING,
    Player,
    episode_name,
    lab_manifest,
    play_run,
)

PATIENCE = 60_000
"""Milliseconds for what may take its time on a busy machine."""
ATTACK = (
    '<img src=x onerror="window.attacked=1">"><script>window.attacked=1</script>'
    "<svg/onload=window.attacked=1>javascript:window.attacked=1"
)
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
_SERIOUS = """async rules => {
    const found = await axe.run(document, { ...rules, resultTypes: ["violations"] });
    return found.violations.filter((each) => ["serious", "critical"].includes(each.impact))
        .map((each) => `${each.id}: ${each.nodes.map((node) => node.html).join(" | ")}`);
}"""


class Runs:
    """Three runs of the laboratory suite: one half won, a better one of hostile texts, and one
    that is being played."""

    def __init__(self, place: Path) -> None:
        self.folder, key = place / "runs", SigningKey.load_or_create(place / "key.pem")
        self.first = play_run(self.folder, key)[0].name
        self.second = _play_hostile(self.folder, key)
        manifest = replace(lab_manifest(), run_id="run-3", agent="Live/1.0")
        self.live = RunFolder.open(self.folder, manifest, key)
        self._player = Player(self.live)
        self._left = list(manifest.task_ids)
        self.play_one()

    def play_one(self) -> None:
        """Plays the next episode of the third run."""
        self._player.play(self._left.pop(0), 0, WINNING)


def _play_hostile(runs: Path, key: SigningKey) -> str:
    """A run that wins three of four tasks, with markup in all that an agent or a task writes."""
    manifest = replace(lab_manifest(), run_id="run-2", agent=ATTACK)
    folder = RunFolder.open(runs, manifest, key)
    folder.declare({"agent_name": ATTACK, "model": ATTACK})
    player = Player(folder)
    for number, task_id in enumerate(manifest.task_ids):
        player.play(task_id, 0, LOSING if number == 3 else WINNING)
    player.withdraw(manifest.task_ids[0])
    folder.write_summary()
    logs = folder.path / "logs"
    logs.mkdir(exist_ok=True)
    (logs / "guest-1.log").write_text(f"{ATTACK}\n")
    failure = {"failure": "agent_crash", "problem": ATTACK, "log_tail": ATTACK}
    (logs / "lost-guests.jsonl").write_text(json.dumps(failure) + "\n")
    folder.close()
    episodes = folder.path / "episodes.jsonl"
    records = [json.loads(line) for line in episodes.read_text().splitlines()]
    hostile = [json.dumps(record | {"group": ATTACK}) + "\n" for record in records]
    episodes.write_text("".join(hostile))
    return folder.path.name


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    made = Runs(tmp_path_factory.mktemp("viewed"))
    yield made
    made.live.close()


@pytest.fixture(scope="module")
def address(runs: Runs) -> Iterator[str]:
    """Of `houseguest view`."""
    listen = ("--listen", "127.0.0.1:0", "--no-browser")
    process = houseguest(runs.folder.parent, "view", str(runs.folder), *listen)
    try:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(2)]
        yield lines[1].partition("Viewer: ")[2].strip()
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


Open = Callable[..., Any]


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Open]:
    """Opens the viewer at a place in a browser of its own. At the end no page may have had an
    error, a dialog, or an answer from elsewhere."""
    problems: list[str] = []

    def opened(place: str = "", *, width: int = 1366, scheme: str = "light") -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
        )
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(f"dialog: {dialog.message}"))
        page.on(
            "console",
            lambda message: message.type == "error" and problems.append(message.text),
        )
        page.on(
            "request",
            lambda asked: asked.url.startswith(address) or problems.append(f"asked {asked.url}"),
        )
        page.goto(f"{address}#/{place}")
        return page

    yield opened
    for context in browser.contexts:
        context.close()
    assert problems == []


def rows(page: Any, table: str) -> list[list[str]]:
    """The texts of a table's cells, without its head."""
    found = page.get_by_role("table", name=table)
    found.wait_for()
    script = "table => [...table.tBodies[0].rows].map(r => [...r.cells].map(c => c.innerText))"
    cells: list[list[str]] = found.evaluate(script)
    return cells


def agents(page: Any) -> list[str]:
    """What the Runs page lists, by the beginnings of the agents' names."""
    return [row[0].partition("\n")[0][:10] for row in rows(page, "Runs")]


def test_the_runs_page_shows_filters_and_sorts(visit: Open, runs: Runs) -> None:
    page = visit("")
    table = {row[0].split("\n")[-1]: row for row in rows(page, "Runs")}
    assert set(table) == {runs.first, runs.second, runs.live.path.name}
    assert "50.0 %" in table[runs.first][2]
    assert "Complete" in table[runs.first][9]
    assert "1 of 4" in table[runs.live.path.name][4]
    assert "Running" in table[runs.live.path.name][9]

    page.get_by_role("button", name="Success").click()
    page.wait_for_url("**sort=rate**order=desc**")
    until(lambda: agents(page) == ["Live/1.0", ATTACK[:10], "scripted"])
    page.get_by_role("button", name="Success").click()
    page.wait_for_url("**order=asc**")
    until(lambda: agents(page)[0] == "scripted")

    page.keyboard.press("/")
    page.keyboard.type("live")
    page.wait_for_url("**search=live**")
    page.get_by_text("1 run", exact=True).wait_for()
    assert agents(page) == ["Live/1.0"]
    # The address alone brings the same rows.
    page.reload()
    page.get_by_text("1 run", exact=True).wait_for()
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_text("3 runs", exact=True).wait_for()

    page.locator("summary", has_text="Status").click()
    page.get_by_role("checkbox", name="complete").check()
    page.wait_for_url("**status=complete**")
    page.get_by_text("2 runs", exact=True).wait_for()
    page.go_back()
    page.get_by_text("3 runs", exact=True).wait_for()


def test_the_way_back_leads_to_the_same_place_of_a_list(visit: Open, runs: Runs) -> None:
    page = visit("episodes")
    page.set_viewport_size({"width": 390, "height": 400})
    last = page.locator(".card-link").last
    last.scroll_into_view_if_needed()
    until(lambda: page.evaluate("history.state?.y") == page.evaluate("window.scrollY"))
    before, link = page.evaluate("window.scrollY"), last.get_attribute("href")
    assert before > 400
    last.click()
    page.locator(".ep h1").wait_for()
    assert page.evaluate("window.scrollY") == 0
    page.go_back()
    until(lambda: abs(page.evaluate("window.scrollY") - before) < 2)
    assert page.evaluate("document.activeElement.getAttribute('href')") == link


def test_keys_turn_the_pages_of_a_list(visit: Open, runs: Runs) -> None:
    page = visit(f"episodes?run={runs.first}&offset=3")
    page.get_by_text("4 to 4 of 4").wait_for()
    page.keyboard.press("]")
    page.keyboard.press("[")
    page.wait_for_url(f"**episodes?run={runs.first}")
    until(lambda: page.locator(".card").count() == 4)


def test_a_typed_filter_is_that_of_the_menus_and_names_its_errors(visit: Open, runs: Runs) -> None:
    page = visit("runs")
    field = page.get_by_role("combobox", name="Filter runs")
    said = page.locator(".filter-note")
    page.get_by_text("3 runs", exact=True).wait_for()
    field.fill("agent:Live/1.0 status:running")
    page.wait_for_url("**agent=Live**status=running**")
    page.get_by_text("1 run", exact=True).wait_for()
    page.locator("summary", has_text="Status").click()
    assert page.get_by_role("checkbox", name="running").is_checked()
    # The menu changes the text, and the text the menu.
    page.get_by_role("checkbox", name="running").uncheck()
    until(lambda: field.input_value() == "agent:Live/1.0")

    for wrong, problem in (
        ("agnet:Live/1.0", "There is no filter “agnet”: use suite, set,"),
        ("status:done", "“done” is not possible: use complete, running"),
        ("since:yesterday", "since: give a day, such as 2026-11-23."),
    ):
        field.fill(wrong)
        said.filter(has_text=problem).wait_for()
        assert field.get_attribute("aria-invalid") == "true"
        assert "agent=Live" in page.url
    field.fill("agent:Nobody")
    said.filter(has_text="Nothing here has agent “Nobody”. There is ").wait_for()
    page.get_by_text("No run matches these filters.").wait_for()
    field.fill('"status:done" live')
    page.wait_for_url("**search=status%3Adone+live**")
    page.reload()
    until(lambda: field.input_value() == '"status:done live"')


def test_a_typed_filter_of_episodes_has_ranges_and_labels(visit: Open, runs: Runs) -> None:
    page = visit(f"episodes?run={runs.first}")
    field = page.get_by_role("combobox", name="Filter episodes")
    until(lambda: field.input_value() == f"run:{runs.first}")
    page.get_by_text("4 episodes").wait_for()
    field.fill(f"run:{runs.first} outcome:success")
    page.get_by_text("2 episodes").wait_for()
    field.fill(f"run:{runs.first} steps:..0")
    page.get_by_text("No episode matches these filters.").wait_for()
    assert "steps_to=0" in page.url
    field.fill(f"run:{runs.first} steps>=1")
    page.get_by_text("4 episodes").wait_for()
    field.fill("steps:few")
    page.get_by_text("steps: give a number or a range, such as steps:10..40").wait_for()
    field.fill("label:easy")
    page.get_by_text("label: give a label, as name=value.").wait_for()
    page.locator("summary[title='What the filter understands']").click()
    page.get_by_text("Write words to search for").wait_for()


def test_columns_of_the_runs_are_chosen(visit: Open) -> None:
    page = visit("runs")
    before = len(rows(page, "Runs")[0])
    page.locator("summary", has_text="Columns").click()
    page.get_by_role("checkbox", name="Tokens").uncheck()
    page.wait_for_url("**hide=tokens**")
    until(lambda: len(rows(page, "Runs")[0]) == before - 1)
    page.reload()
    assert len(rows(page, "Runs")[0]) == before - 1


def test_the_leaderboard_ranks_complete_runs(visit: Open) -> None:
    page = visit("leaderboard")
    # One board alone: all runs have one setting.
    page.get_by_text("4 tasks").wait_for()
    cells = rows(page, re.compile("Agents on"))  # type: ignore[arg-type]
    # The run that still plays is no complete one.
    assert [row[1] for row in cells] == ["75.0 %", "50.0 %"]
    assert cells[1][0].startswith("scripted")
    # Failed episodes, and repeats.
    assert cells[1][4:6] == ["2", "1"]


def test_a_run_shows_its_results_and_each_leads_to_its_episodes(visit: Open, runs: Runs) -> None:
    page = visit(f"runs/{runs.first}")
    page.get_by_role("heading", name="scripted").wait_for()
    groups = rows(page, "Results by group")
    assert sum(int(row[2]) for row in groups) == 2
    assert sum(int(row[3]) for row in groups) == 2
    lost = rows(page, "Attempts without a result")
    assert [row[1] for row in lost] == ["simulator crash", "withdrawn"]
    page.get_by_role("link", name="goal not reached").or_(
        page.locator(".tally a").first
    ).first.click()
    page.wait_for_url("**failure=**")
    page.get_by_text("2 episodes").wait_for()
    until(lambda: page.locator(".card").count() == 2)


def test_episodes_are_filtered_and_show_their_pictures(visit: Open, runs: Runs) -> None:
    page = visit(f"episodes?run={runs.first}")
    page.get_by_text("4 episodes").wait_for()
    shown = "[...document.querySelectorAll('.card img')].filter(i => i.naturalWidth).length"
    until(lambda: page.evaluate(shown) == 8)
    page.locator("summary", has_text="Outcome").click()
    page.get_by_role("checkbox", name="success").check()
    page.wait_for_url("**outcome=success**")
    page.get_by_text("2 episodes").wait_for()

    page.get_by_role("button", name="Table").click()
    assert [row[2] for row in rows(page, "Episodes")] == ["Success", "Success"]
    page.locator("summary", has_text="Columns").click()
    page.get_by_role("checkbox", name="Group").uncheck()
    page.wait_for_url("**hide=group**")
    assert [row[1] for row in rows(page, "Episodes")] == ["Success", "Success"]
    page.get_by_role("button", name="Hardest tasks").click()
    tasks = rows(page, "Tasks")
    rates = [float(row[3].split()[0]) for row in tasks]
    assert len(rates) == 4
    assert rates == sorted(rates)

    page.goto(page.url.partition("#")[0] + f"#/episodes?run={runs.first}")
    page.locator(".card-link").first.click()
    page.wait_for_url(f"**/runs/{runs.first}/episodes/**")


def test_failures_of_several_runs_are_counted_and_chosen(visit: Open, runs: Runs) -> None:
    page = visit("episodes")
    reasons = page.get_by_role("group", name="Why episodes failed")
    reasons.wait_for()
    counts = [int(each.split()[-1]) for each in reasons.get_by_role("button").all_inner_texts()]
    # Two episodes of the first run, and one of the second.
    assert sum(counts) == 3
    reasons.get_by_role("button").first.click()
    page.wait_for_url("**failure=**")
    until(lambda: page.locator(".card").count() == counts[0])
    reasons.get_by_role("button", pressed=True).click()
    until(lambda: page.locator(".card").count() >= 8)

    page.locator("summary", has_text="Group").click()
    page.get_by_role("checkbox").first.check()
    page.wait_for_url("**group=**")


def test_numbers_of_an_agent_lead_to_its_episodes(visit: Open, runs: Runs) -> None:
    page = visit("leaderboard")
    board = page.get_by_role("table", name=re.compile("Agents on"))
    board.get_by_role("link", name="2 of 4").click()
    page.wait_for_url(f"**/episodes?run={runs.first}&outcome=success")
    page.get_by_text("2 episodes").wait_for()


def test_two_picked_runs_are_compared(visit: Open, runs: Runs) -> None:
    page = visit("runs")
    for run in (runs.first, runs.second):
        page.get_by_role("checkbox", name=f"Pick {run} to compare it").check()
    page.get_by_role("link", name="Compare", exact=True).last.click()
    page.wait_for_url(f"**/compare?first={runs.first}&second={runs.second}")
    page.get_by_text("+25.0").wait_for()
    assert len(rows(page, "Episodes of the same task")) == 4
    cells = page.locator(".flip").all_inner_texts()
    assert cells == ["2", "0", "1", "1"]
    page.locator(".flip").nth(2).click()
    page.wait_for_url("**flip=only_second**")
    until(lambda: len(rows(page, "Episodes of the same task")) == 1)
    (pair,) = rows(page, "Episodes of the same task")
    assert (pair[2], pair[3]) == ("Failure", "Success")


def test_pages_follow_a_run_while_it_plays(visit: Open, runs: Runs) -> None:
    live = runs.live.path.name
    table, run = visit("runs"), visit(f"runs/{live}")
    table.get_by_role("link", name="1 of 4").wait_for()
    run.get_by_text("1 of 4 episodes").wait_for()
    runs.play_one()
    table.get_by_role("link", name="2 of 4").wait_for()
    run.get_by_text("2 of 4 episodes").wait_for()
    until(lambda: run.locator(".card").count() == 2)


def test_a_verified_run_has_a_badge_until_it_changes(visit: Open, runs: Runs) -> None:
    path = runs.folder / runs.first
    table, run = visit("runs"), visit(f"runs/{runs.first}")
    run.locator("h1").wait_for()
    assert run.locator(".badge", has_text="Verified").count() == 0
    verified = houseguest(runs.folder.parent, "verify", str(path), "--suite", LAB, "--no-replay")
    assert verified.wait(60) == 0
    run.locator("h1 .badge", has_text="Verified").wait_for()
    table.goto(f"{table.url.partition('#')[0]}#/runs?verified=passed")
    until(lambda: len(rows(table, "Runs")) == 1)
    summary = (path / "summary.json").read_bytes()
    (path / "summary.json").write_bytes(summary + b"\n")
    run.locator("h1 .badge", has_text="Changed").wait_for()
    (path / "summary.json").write_bytes(summary)
    run.locator("h1 .badge", has_text="Verified").wait_for()


def test_the_leaderboard_says_which_runs_are_verified(visit: Open, runs: Runs) -> None:
    command = ("verify", str(runs.folder / runs.first), "--suite", LAB, "--no-replay")
    assert houseguest(runs.folder.parent, *command).wait(60) == 0
    page = visit("leaderboard")
    page.get_by_text("4 tasks").wait_for()
    page.locator("td .badge", has_text="Verified").wait_for()
    cells = rows(page, "Agents on")
    assert cells[0][6] == "no" and "✓" in cells[1][6]
    field = page.get_by_role("combobox", name="Filter runs")
    field.fill("verified:passed")
    until(lambda: len(rows(page, "Agents on")) == 1)


def test_the_page_of_a_live_run_shows_its_limits_rate_and_agents(visit: Open, runs: Runs) -> None:
    live = runs.live.path
    logs = live / "logs"
    write_run_start(logs, RunStart(max_cost_usd=2.5, max_tokens=40_000))
    log = logs / "guest-1.log"
    log.write_text("".join(f"turn {turn}\n" for turn in range(400)))
    failure = {"failure": "agent_crash", "seats": [1], "problem": "out of memory"}
    (logs / "lost-guests.jsonl").write_text(json.dumps(failure) + "\n")
    shown = live / "transcripts" / f"{episode_name('lab/3', 0)}.jsonl"
    played = (live / "transcripts" / f"{episode_name('lab/0', 0)}.jsonl").read_text()
    shown.write_text("".join(played.splitlines(keepends=True)[:-1]))
    page = visit(f"runs/{live.name}")
    now = page.get_by_role("region", name="Now")
    now.get_by_text("of 4 episodes").wait_for()
    rate = float(now.get_by_text("per minute in the last 5 minutes").inner_text().split()[0])
    assert 0 < rate < 60 * 4
    figures = page.locator(".figures")
    figures.get_by_text(" of $2.50").wait_for()
    figures.get_by_text(" of 40.0 k").wait_for()
    now.get_by_role("link", name=shown.stem).wait_for()
    now.get_by_role("heading", name="Agent 1").wait_for()
    now.get_by_text("agent crash").wait_for()
    now.get_by_text("out of memory").wait_for()
    tail = now.get_by_label("End of guest-1.log")
    assert tail.inner_text().endswith("turn 399")
    assert "turn 0\n" not in tail.inner_text(), "only the end of a log is shown"
    with log.open("a") as file:
        file.write("turn 400\n")
    until(lambda: tail.inner_text().endswith("turn 400"))
    bottom = "box => box.scrollHeight - box.scrollTop - box.clientHeight"
    assert tail.evaluate(bottom) < 20
    shown.unlink()


def places(runs: Runs) -> list[str]:
    """An address of every page."""
    return [
        *("runs", "leaderboard", "episodes", "episodes?view=table", "episodes?view=tasks"),
        *(f"runs/{run}" for run in (runs.first, runs.second, runs.live.path.name)),
        f"compare?first={runs.first}&second={runs.second}",
        "compare",
        f"runs/{runs.second}/episodes/{episode_name('lab/0', 0)}?step=2",
        "no/such/page",
    ]


def settle(page: Any) -> None:
    """Waits until a page shows its data."""
    page.locator("main h1").wait_for()
    page.wait_for_load_state("load")
    page.wait_for_timeout(300)


def go(page: Any, place: str) -> None:
    page.evaluate("place => { location.hash = '#/' + place }", place)
    settle(page)


def test_hostile_texts_are_shown_and_never_run(visit: Open, runs: Runs) -> None:
    page = visit("runs")
    seen = 0
    for place in places(runs):
        go(page, place)
        seen += ATTACK in page.locator("main").inner_text()
        assert page.evaluate("window.attacked") is None, place
        assert page.locator("[src=x], [onerror], [onload], main script").count() == 0, place
        hrefs = page.eval_on_selector_all("a", "all => all.map(a => a.getAttribute('href'))")
        assert [href for href in hrefs if not href.startswith("#/")] == [], place
    # Names, groups, problems and logs.
    assert seen >= 5
    go(page, f"runs/{runs.second}")
    assert page.locator("main").inner_text().count(ATTACK) >= 5


def test_a_narrow_window_never_scrolls_sideways(visit: Open, runs: Runs) -> None:
    page = visit("runs", width=390)
    for place in places(runs):
        go(page, place)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, place


def test_the_keyboard_is_enough(visit: Open, runs: Runs) -> None:
    page = visit("runs")
    page.get_by_role("table").wait_for()
    focused = "document.activeElement.textContent"
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.tagName") == "MAIN"
    for keys, place in (("gl", "leaderboard"), ("ge", "episodes"), ("gc", "compare")):
        page.keyboard.type(keys)
        page.wait_for_url(f"**#/{place}")
    page.keyboard.type("gr")
    page.wait_for_url("**#/runs")
    page.keyboard.press("?")
    page.get_by_role("dialog").get_by_text("Go to Leaderboard").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")

    # A menu opens, and closes with Escape; its choice is made with the space bar.
    page.locator("summary", has_text="Status").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.wait_for_url("**status=**")
    page.keyboard.press("Escape")
    assert page.evaluate(focused).startswith("Status")
    page.get_by_role("link", name="scripted").or_(page.locator(".row-name").first).first.focus()
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert page.evaluate(outline) == "solid"
    page.keyboard.press("Enter")
    page.wait_for_url("**#/runs/*")


def test_the_colours_are_the_readers_choice(visit: Open) -> None:
    page = visit("runs", scheme="dark")
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    dark = page.evaluate(colour)
    page.get_by_role("button", name="Colours: system").click()
    light = page.evaluate(colour)
    assert light != dark
    page.reload()
    page.get_by_role("button", name="Colours: light").wait_for()
    assert page.evaluate(colour) == light
    page.get_by_role("button", name="Colours: light").click()
    assert page.evaluate(colour) == dark


def test_axe_finds_nothing_serious(visit: Open, runs: Runs) -> None:
    if not AXE.exists():
        if os.environ.get("REQUIRE_NODE") == "1":
            pytest.fail("REQUIRE_NODE=1, but axe-core is not installed: make web")
        pytest.skip("axe-core is not installed: make web")
    page = visit("runs")
    page.evaluate(AXE.read_text("utf-8"))
    narrow = {"runOnly": ["color-contrast", "target-size", "scrollable-region-focusable"]}
    found = []
    for place in places(runs):
        go(page, place)
        for scheme, width, rules in (("light", 1366, {}), ("dark", 390, narrow)):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 900})
            found += [f"{place}, {scheme}: {each}" for each in page.evaluate(_SERIOUS, rules)]
    assert found == []
