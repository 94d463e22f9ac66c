"""How fast the viewer's player scrubs: ``python -m benchmarks.view_player``.

An episode of 500 steps, each with a new picture of 512 x 512 pixels, is played in the laboratory
and opened in headless Chromium. Measured are the time until the first picture is shown, and the
steps a second while a slider is moved through all steps, one for each frame of the browser: at
once after the page is open, and when its pictures are loaded.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.view import many_runs, viewing
from env_service.domain.action import Action, SkillCall
from tests.support.chromium import chromium
from tests.support.viewed import played, viewer

STEPS = 500
ACTIONS: tuple[Action, ...] = (*(SkillCall("noop") for _ in range(STEPS - 1)), SkillCall("lose"))
SCRUB = """async (steps) => {
  const slider = document.querySelector('.steps-band input');
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  const frame = () => new Promise(requestAnimationFrame);
  let ready = 0;
  const start = performance.now();
  for (let step = 1; step <= steps; step += 1) {
    set.call(slider, String(step));
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    await frame();
    const image = document.querySelector('.stage .shot img');
    if (image && image.complete && image.naturalWidth > 0) ready += 1;
  }
  const seconds = (performance.now() - start) / 1000;
  const at = document.querySelector('.where').innerText;
  return { seconds, ready, at };
}"""


EMPTY = '<!doctype html><p class="empty-page">Nothing</p>'
SHOWN = ".step-row, .stage-text, tbody tr, .empty-page"
WATCH = (
    f"const wanted = {json.dumps(SHOWN)};"
    + """
const watcher = new MutationObserver(() => {
  if (!document.querySelector(wanted)) return;
  window.shownAt = performance.now();
  watcher.disconnect();
});
watcher.observe(document, { childList: true, subtree: true });
"""
)
"""Notes when the content is in the page, counted from the beginning of its navigation."""
SERIES = """() => {
  const [page] = performance.getEntriesByType('navigation');
  const before = performance.getEntriesByType('resource')
    .filter((each) => each.responseEnd < window.shownAt && !each.name.endsWith('.svg'))
    .sort((one, other) => one.startTime - other.startTime);
  const ends = [[page.responseStart, 1]];
  for (const each of before) {
    const waited = ends.filter(([end]) => end <= each.startTime).map(([, depth]) => depth);
    ends.push([each.responseEnd, Math.max(0, ...waited) + 1]);
  }
  return Math.max(...ends.map(([, depth]) => depth));
}"""
"""The requests that waited for one another until the content was in the page."""
FILTER = """async () => {
  const named = each => each.querySelector('summary').innerText.startsWith('Agent');
  const menu = [...document.querySelectorAll('details.facet')].find(named);
  menu.open = true;
  const choice = menu.querySelector('.facet-choice');
  const agent = choice.querySelector('.facet-label').innerText;
  const frame = () => new Promise(requestAnimationFrame);
  const rows = () => [...document.querySelectorAll('tbody tr')];
  const start = performance.now();
  choice.querySelector('input').click();
  do await frame(); while (!rows().every(each => each.textContent.includes(agent)));
  return performance.now() - start;
}"""


def measure(page: Any, address: str, run: str) -> dict[str, float]:
    """Numbers of one visit to the page."""
    start = time.monotonic()
    page.goto(f"{address}#/runs/{run}/episodes/ep-lab-0-0")
    page.locator(".stage .shot img").first.wait_for()
    opened = time.monotonic() - start
    found: dict[str, float] = {"seconds until the first picture": round(opened, 3)}
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    for when in ("at once", "loaded"):
        before = _busy(session)
        result = page.evaluate(SCRUB, STEPS)
        spent = (_busy(session) - before) / STEPS
        assert result["at"] == f"Step {STEPS} of {STEPS}", result
        found[f"steps a second, {when}"] = round(STEPS / result["seconds"], 1)
        found[f"CPU ms a step, {when}"] = round(spent * 1000, 1)
        found[f"share of pictures shown, {when}"] = round(result["ready"] / STEPS, 3)
        page.wait_for_timeout(3000)
    return found


def _busy(session: Any) -> float:
    """CPU seconds of the page's main thread."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(float(each["value"]) for each in metrics if each["name"] == "TaskDuration")


@dataclass(frozen=True)
class Visit:
    """Milliseconds of one visit: ``outside`` by the clock of the measuring process, ``inside`` by
    the page's own, from the beginning of its navigation. ``series``: requests that waited for one
    another."""

    outside: float
    inside: float | None = None
    series: int | None = None


def _opened(page: Any, address: str) -> Visit:
    """Opens an address in a new window."""
    page.add_init_script(WATCH)
    start = time.monotonic()
    page.goto(address, wait_until="commit")
    page.locator(SHOWN).first.wait_for()
    outside = 1000 * (time.monotonic() - start)
    return Visit(outside, float(page.evaluate("window.shownAt")), int(page.evaluate(SERIES)))


def _empty_page(page: Any, address: str) -> Visit:
    page.route(f"{address}empty", lambda route: route.fulfill(body=EMPTY, content_type="text/html"))
    return _opened(page, f"{address}empty")


def _filter(page: Any, address: str) -> Visit:
    _opened(page, address)
    page.wait_for_timeout(500)
    return Visit(float(page.evaluate(FILTER)))


def _first_episode(page: Any, address: str) -> str:
    page.goto(f"{address}#/episodes?view=table")
    place: str = page.locator("tbody .row-name").first.get_attribute("href")
    return place


def _episode(page: Any, address: str) -> Visit:
    other = page.context.browser.new_page()
    place = _first_episode(other, address)
    other.close()
    return _opened(page, f"{address}{place}")


def _episode_of_list(page: Any, address: str) -> Visit:
    _first_episode(page, address)
    page.wait_for_timeout(500)
    start = time.monotonic()
    page.locator("tbody .row-name").first.click()
    page.locator(".step-row").first.wait_for()
    return Visit(1000 * (time.monotonic() - start))


PAGES: dict[str, Callable[[Any, str], Visit]] = {
    "an empty page, in a new window": _empty_page,
    "Runs page, in a new window": _opened,
    "an episode, in a new window": _episode,
    "an episode, from a list": _episode_of_list,
    "a filter": _filter,
}


def _pages(cache: Path, rounds: int) -> dict[str, Any]:
    runs = many_runs(cache)
    found: dict[str, Any] = {"load": []}
    with viewing(runs, str(cache / "view.sqlite3")) as (connection, _), chromium() as browser:
        address = f"http://{connection.host}:{connection.port}/"
        for name, visit in PAGES.items():
            visits, cpus = [], []
            for _ in range(rounds):
                page = browser.new_page(viewport={"width": 1366, "height": 900})
                session = page.context.new_cdp_session(page)
                session.send("Performance.enable", {"timeDomain": "threadTicks"})
                visits.append(visit(page, address))
                cpus.append(1000 * _busy(session))
                page.close()
            found["load"].append(round(os.getloadavg()[0], 1))
            found[name] = _summary(visits, cpus)
    return found


def _summary(visits: Sequence[Visit], cpus: Sequence[float]) -> dict[str, Any]:
    outside = [each.outside for each in visits]
    inside = [each.inside for each in visits if each.inside is not None]
    series = [each.series for each in visits if each.series is not None]
    return {
        "ms": [round(min(outside)), round(statistics.median(outside))],
        "ms_inside": [round(min(inside)), round(statistics.median(inside))] if inside else None,
        "page_cpu_ms": round(statistics.median(cpus)),
        "requests_in_series": round(statistics.median(series)) if series else None,
    }


def main() -> None:
    """The command."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, help="where the made-up runs are kept")
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    if given.cache:
        print(json.dumps(_pages(given.cache, given.rounds), indent=2))
    else:
        _scrubbed()


def _scrubbed() -> None:
    with TemporaryDirectory() as temporary:
        runs = Path(temporary) / "runs"
        run = played(runs, "long", {"lab/0": ACTIONS}, steps="1000000", frame="512").name
        with viewer(runs, Path(temporary)) as address, chromium() as browser:
            for _ in range(3):
                page = browser.new_page(viewport={"width": 1366, "height": 900})
                print(json.dumps(measure(page, address, run)), flush=True)
                page.close()


if __name__ == "__main__":
    main()
