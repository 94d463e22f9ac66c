"""How fast the viewer's player scrubs: ``python -m benchmarks.view_player``.

An episode of 500 steps, each with a new picture of 512 x 512 pixels, is played in the laboratory
and opened in headless Chromium. Measured are the time until the first picture is shown, and the
steps a second while a slider is moved through all steps, one for each frame of the browser: at
once after the page is open, and when its pictures are loaded.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

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


def main() -> None:
    """The command."""
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
