"""Takes the screenshots in `view-runs.md`: ``python docs/view_screenshots.py RUNS``.

RUNS is a folder such as `make demo` leaves, with the runs of two agents on the same household
tasks; more runs fill the tables. With ``--all FOLDER``, writes every page in each width and colour
scheme there, to be looked at. Needs Chromium and the Python package playwright.
"""

from __future__ import annotations

import io
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.view import viewing  # noqa: E402
from tests.support.chromium import chromium  # noqa: E402

WIDTH, HEIGHT = 1366, 900
SHOWN = {"runs": "view-runs", "run": "view-run", "episode": "view-episode"}
"""Pages of the documentation, and the names of their files."""
SETTLE, PATIENCE = 2000, 180_000
"""Milliseconds for pictures, and at most for figures and the replay of an episode."""


def places(page: Any, address: str) -> Mapping[str, str]:
    """An address of each page, by name."""
    rows = page.request.get(f"{address}api/runs?suite=asgard&sort=rate").json()["rows"]
    if not rows:
        raise SystemExit("there are no household runs in this folder: run make demo first")
    worst, best = rows[-1]["path"], rows[0]["path"]
    failed = page.request.get(f"{address}api/runs/{worst}/episodes?outcome=failure").json()["rows"]
    shown = next((each for each in failed if "coffee" in each["task_id"]), failed[0])
    task = f"{address}api/runs/{best}/episodes?task={quote(shown['task_id'])}"
    twin = page.request.get(task).json()["rows"][0]["episode_id"]
    episode = f"runs/{worst}/episodes/{shown['episode_id']}?step=4"
    pair = f"first={worst}&first_episode={shown['episode_id']}"
    return {
        "runs": "runs",
        "run": f"runs/{worst}",
        "episode": episode,
        "leaderboard": "leaderboard",
        "episodes": "episodes",
        "table": "episodes?view=table&outcome=failure",
        "tasks": "episodes?view=tasks",
        "compare": f"compare?first={worst}&second={best}",
        "two": f"compare/play?{pair}&second={best}&second_episode={twin}&step=2",
    }


def picture(page: Any, address: str, place: str, *, whole: bool = False) -> Image.Image:
    """The window, or the whole page, when it has settled."""
    page.goto("about:blank")
    page.goto(f"{address}#/{place}")
    page.locator("main h1").first.wait_for()
    page.wait_for_timeout(SETTLE)
    for text in ("is being replayed", "The service draws them"):
        for each in page.get_by_text(text).all():
            each.wait_for(state="hidden", timeout=PATIENCE)
    shown = page.screenshot(full_page=whole)
    return Image.open(io.BytesIO(shown)).convert("RGB")


def main() -> None:
    """The command."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path, metavar="RUNS")
    parser.add_argument("--all", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    looks = [(width, scheme) for width in (WIDTH, 390) for scheme in ("light", "dark")]
    with viewing(given.runs) as (connection, _), chromium() as browser:
        address = f"http://{connection.host}:{connection.port}/"
        for width, scheme in looks if given.all else looks[:1]:
            size = {"width": width, "height": HEIGHT}
            page = browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce")
            for name, where in places(page, address).items():
                if given.all:
                    given.all.mkdir(parents=True, exist_ok=True)
                    shown = picture(page, address, where, whole=True)
                    shown.save(given.all / f"{name}-{width}-{scheme}.png")
                elif name in SHOWN:
                    shown = picture(page, address, where)
                    shown.save(ROOT / "docs" / f"{SHOWN[name]}.webp", quality=90, method=6)
            page.close()


if __name__ == "__main__":
    main()
