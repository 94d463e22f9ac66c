"""The viewer as files: its pages in a real browser, from a file and below a path of a web server,
and its answers next to the service's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from starlette.testclient import TestClient

from env_service.index.annotations import NewAnnotation, add_annotation
from env_service.index.episode_queries import EpisodeFilter
from env_service.index.store import Index
from env_service.results.run_folder import RunFolder
from env_service.storage.signing_key import SigningKey
from env_service.view.app import make_app
from env_service.view.export import export_view
from env_service.view.trace_file import make_trace
from tests.support.chromium import chromium
from tests.support.indexed import new_index
from tests.support.played_run import LOSING, WINNING, lab_manifest, play_run
from tests.support.viewed import HOSTILE, Talking, played, quiet_stage

PATIENCE = 30_000


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """Four runs of the laboratory: one with lost attempts and labels, two of one agent in one
    setting, and one whose agent writes markup wherever it can."""
    place = tmp_path_factory.mktemp("exported")
    runs = place / "runs"
    play_run(runs, SigningKey.load_or_create(place / "key.pem"))
    tasks = lab_manifest().task_ids
    _repeated(runs, "one", seed=1, won=1)
    _repeated(runs, "two", seed=2, won=3)
    before = Talking.trace
    Talking.trace = {"thought": HOSTILE, "raw_model_output": HOSTILE + "</script>\u2028<!--"}
    try:
        hostile = played(runs, HOSTILE, {tasks[0]: WINNING, tasks[1]: LOSING})
    finally:
        Talking.trace = before
    logs = hostile / "logs"
    logs.mkdir(exist_ok=True)
    (logs / "guest-1.log").write_text(HOSTILE)
    with new_index(runs, place / "index.sqlite3") as made:
        made.sync()
        with made.read() as read:
            first = read.episodes().rows[0]
        for step in (None, 1):
            add_annotation(made, NewAnnotation(first.run, first.episode_id, step, "odd", HOSTILE))
        yield made


def _repeated(runs: Path, name: str, *, seed: int, won: int) -> None:
    manifest = replace(lab_manifest(), run_id=f"run-{name}", agent="Again/1.0", seed=seed)
    key = SigningKey.load_or_create(runs.parent / "key.pem")
    folder = RunFolder.open(runs, manifest, key)
    player = Talking(folder)
    for number, task_id in enumerate(manifest.task_ids):
        player.play(task_id, 0, WINNING if number < won else LOSING)
    folder.write_summary()
    folder.close()


@pytest.fixture(scope="module")
def site(index: Index, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Below a folder, as on a web server that has more than this."""
    folder = tmp_path_factory.mktemp("www") / "some where" / "site"
    report = export_view(index, folder, quiet_stage)
    assert (report.runs, report.problems) == (4, [])
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def server(site: Path) -> Iterator[str]:
    """The address of the export on a plain web server."""
    root = site.parents[1]
    handler = partial(_Quiet, directory=str(root))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as made:
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        below = quote(str(site.relative_to(root)))
        yield f"http://127.0.0.1:{made.server_port}/{below}/"
        made.shutdown()
        thread.join(30)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: Any) -> None:
        """Says nothing."""


class Visit:
    """A page of a browser that notes every error, dialog, and request to elsewhere."""

    def __init__(self, browser: Any, address: str, width: int = 1366) -> None:
        self.problems: list[str] = []
        self._address = address
        self.context = browser.new_context(viewport={"width": width, "height": 900})
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("dialog", lambda dialog: self.problems.append(dialog.message))
        self.page.on("console", self._console)
        self.page.on("request", self._request)

    def _console(self, message: Any) -> None:
        if message.type == "error":
            self.problems.append(message.text)

    def _request(self, request: Any) -> None:
        home = self._address.rpartition("/")[0]
        if not request.url.startswith((home, "data:")):
            self.problems.append(f"asked {request.url}")

    def see(self, place: str, text: str) -> None:
        """Opens a place, and waits until its content shows a text."""
        self.page.goto(f"{self._address}{place}")
        self.page.locator("main").get_by_text(text).locator("visible=true").first.wait_for()
        self.page.wait_for_load_state("networkidle")
        wide = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{place} is {wide} pixels too wide"

    def end(self) -> None:
        """Nothing was executed, and nothing went wrong."""
        assert self.page.evaluate("window.hurt") is None
        self.context.close()
        assert self.problems == []


def _places(index: Index) -> dict[str, str]:
    """Each page's place, with a text that it shows."""
    with index.read() as read:
        rows = read.runs().rows
        hostile = next(row for row in rows if HOSTILE[:20] in row.agent)
        again = sorted(row.path for row in rows if row.agent == "Again/1.0")
        episode = read.episodes().rows[0]
        attacked = next(each for each in read.episodes().rows if each.run == hostile.path)
    pair = urlencode({"first": again[0], "second": again[1]})
    of = "#/runs/{}/episodes/{}"
    return {
        "#/runs": "4 runs",
        "#/runs?sort=rate&order=asc&search=again": "Again",
        "#/leaderboard": "Again",
        f"#/runs/{quote(hostile.path)}": "onerror",
        "#/episodes": "episodes",
        "#/episodes?outcome=failure": "episodes",
        f"#/compare?{pair}": "+50.0",
        of.format(quote(episode.run), quote(episode.episode_id)): "Notes (2)",
        of.format(quote(attacked.run), quote(attacked.episode_id)) + "?step=2": "onerror",
    }


@pytest.mark.parametrize("width", [1366, 390])
def test_every_page_opens_from_a_file(browser: Any, index: Index, site: Path, width: int) -> None:
    visit = Visit(browser, f"{site.as_uri()}/index.html", width)
    for place, text in _places(index).items():
        visit.see(place, text)
        # The mark of a live connection.
        assert visit.page.locator(".served .dot").count() == 0
    visit.end()


def test_every_page_opens_below_a_path_of_a_web_server(
    browser: Any, index: Index, server: str
) -> None:
    visit = Visit(browser, server)
    for place, text in _places(index).items():
        visit.see(place, text)
    visit.end()


def test_pictures_load_from_files_and_notes_cannot_be_edited(
    browser: Any, index: Index, site: Path
) -> None:
    visit = Visit(browser, f"{site.as_uri()}/index.html")
    with index.read() as read:
        episode = read.episodes().rows[0]
    path = f"#/runs/{quote(episode.run)}/episodes/{quote(episode.episode_id)}?step=1"
    visit.see(path, "Notes (2)")
    picture = visit.page.locator(".shots img").first
    picture.wait_for()
    visit.page.wait_for_function("[...document.images].every((each) => each.naturalWidth > 0)")
    assert picture.get_attribute("src").startswith("pictures/")
    visit.page.get_by_text("Notes (2)").click()
    assert visit.page.get_by_role("button", name="Add note").count() == 0
    assert visit.page.get_by_role("button", name="Delete").count() == 0
    visit.end()


def _questions(index: Index) -> Iterator[str]:
    with index.read() as read:
        runs = read.runs().rows
        rows = read.episodes().rows
        labelled = [(run.path, read.label_names(run.path)) for run in runs]
    filters: list[dict[str, Any]] = [
        {},
        {"search": "AGAIN"},
        {"agent": "Again/1.0"},
        {"status": "complete"},
        {"status": ["complete", "running"], "suite": runs[0].suite},
        {"created_from": "2025", "created_to": "2026"},
        {"created_to": "2025"},
        {"mixtures": "no", "world": "light"},
        {"setting": runs[0].setting},
        {"search": runs[0].path},
    ]
    for each in filters:
        text = urlencode(each, doseq=True)
        for name in ("facets", "leaderboards", "tasks?limit=3", "episodes?limit=500", "runs"):
            yield f"api/{name}{'&' if '?' in name else '?'}{text}"
    sorts = ("created", "changed", "path", "suite", "world", "agent", "model", "status", "rate")
    for sort in (*sorts, "goals_gained", "episodes", "steps", "tokens", "cost", "seconds"):
        for order in ("asc", "desc"):
            yield f"api/runs?sort={sort}&order={order}&limit=3&offset=1"
    for sort in ("run", "task", "steps", "goals_gained", "seconds", "cost", "failure"):
        for order in ("asc", "desc"):
            yield f"api/episodes?sort={sort}&order={order}&limit=5&offset=2"
    some = rows[0]
    chosen: list[dict[str, Any]] = [
        {"outcome": "success"},
        {"outcome": ["failure", "unscored"]},
        {"failure": sorted({row.failure for row in rows if row.failure})},
        {"group": some.group, "task": some.task_id},
        {"steps_from": 1, "steps_to": 3},
        {"steps_from": 4},
        {"episode_search": some.task_id.upper()},
        {"run": [some.run, runs[0].path]},
        {"label": "no=such"},
    ]
    for each in chosen:
        for name in ("episodes", "episode-facets"):
            yield f"api/{name}?{urlencode(each, doseq=True)}"
    for path, names in labelled:
        base = f"api/runs/{quote(path)}"
        yield base
        yield f"{base}/episodes?sort=steps&order=desc"
        for name in names:
            with index.read() as read:
                value = read.labels(path, name)[0].name
            labelled_so = urlencode({"label": f"{name}={value}"})
            yield f"{base}/episodes?{labelled_so}"
            yield f"api/episode-facets?{labelled_so}"
        for other in runs:
            yield f"api/comparisons?{urlencode({'first': path, 'second': other.path, 'limit': 2})}"
    for row in rows:
        base = f"api/runs/{quote(row.run)}/episodes/{quote(row.episode_id)}"
        yield from (base, f"{base}/steps?offset=1&limit=1", f"{base}/steps", f"{base}/facts")
    yield "api/service"
    yield f"api/annotations?{urlencode({'run': some.run, 'episode': some.episode_id})}"
    yield "api/annotations?tag=none"


def test_an_export_answers_as_the_service_does(browser: Any, index: Index, site: Path) -> None:
    visit = Visit(browser, f"{site.as_uri()}/index.html")
    visit.see("#/runs", "4 runs")
    client = TestClient(make_app(index), base_url="http://localhost")
    asked = list(_questions(index))
    assert len(asked) > 100
    for question in asked:
        served = client.get(f"/{question}")
        assert served.status_code == 200, (question, served.text)
        ours = visit.page.evaluate("(target) => houseguestAsk(target)", question)
        assert list(_differences(_rounded(ours), _rounded(served.json()))) == [], question
    visit.end()


def _differences(ours: Any, served: Any, place: str = "") -> Iterator[str]:
    """Where two answers differ, for people."""
    if isinstance(ours, dict) and isinstance(served, dict) and ours.keys() == served.keys():
        for name in ours:
            yield from _differences(ours[name], served[name], f"{place}.{name}")
    elif isinstance(ours, list) and isinstance(served, list) and len(ours) == len(served):
        for number, pair in enumerate(zip(ours, served, strict=True)):
            yield from _differences(*pair, f"{place}[{number}]")
    elif ours != served:
        yield f"{place}: {ours!r} is not {served!r}"


def _rounded(value: Any) -> Any:
    """Sums may differ in their last digit, and JavaScript has no whole numbers beyond 2**53."""
    match value:
        case dict():
            return {name: _rounded(each) for name, each in value.items()}
        case list():
            return [_rounded(each) for each in value]
        case float() | int():
            return round(float(value), 9)
    return value


def test_an_export_says_what_it_lacks(browser: Any, site: Path) -> None:
    visit = Visit(browser, f"{site.as_uri()}/index.html")
    visit.see("#/runs/no-such-run", "no such run")
    visit.end()


@pytest.mark.parametrize("width", [1366, 390])
def test_a_page_of_one_episode_has_all_and_executes_no_text(
    browser: Any, index: Index, tmp_path: Path, width: int
) -> None:
    with index.read() as read:
        hostile = next(row.path for row in read.runs().rows if "onerror" in row.agent)
        attacked = read.episodes(EpisodeFilter(runs=[hostile])).rows[0]
    trace = make_trace(index, attacked.run, attacked.episode_id, 10**7, replay=False)
    page = tmp_path / "trace.html"
    page.write_text(trace.text, encoding="utf-8")
    visit = Visit(browser, page.as_uri(), width)
    visit.see("", "Step")
    visit.page.wait_for_function("[...document.images].every((each) => each.naturalWidth > 0)")
    assert visit.page.locator("img").count() > 0
    visit.page.keyboard.press("ArrowRight")
    visit.page.get_by_text("onerror").locator("visible=true").first.wait_for()
    visit.end()
