"""The pages of reports and traces in a browser: what one needs is there without scrolling aside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from env_service.results.report.report_files import write_report
from env_service.results.report.run_report import Designed, make_report
from env_service.suites.actplan.judges.judge import judge
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.plans.plan_reader import read_plan
from env_service.suites.actplan.trace_page import PlanTrace
from env_service.suites.actplan.trace_page import as_page as plan_page
from env_service.suites.babybench.tracing.answer_trace import trace_answer
from env_service.suites.babybench.tracing.page import as_page
from env_service.worlds.activity.commonsense import PROFILES
from tests.support.chromium import chromium
from tests.support.lab_report import LAB_DESIGN
from tests.support.made_run import USED, made_text, with_condition
from tests.support.small_actplan import candles
from tests.unit.suites.babybench.builders import grader

TELEPHONE, TABLET, LAPTOP = (390, 844), (768, 1024), (1366, 768)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


def opened(browser: Any, path: Path, size: tuple[int, int]) -> Any:
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.goto(path.as_uri())
    return page


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = made_text("base", usage=USED)
    none = with_condition(base.manifest, feedback="none")
    other = made_text("other", usage=USED, condition=none)
    folder: Path = tmp_path_factory.mktemp("report")
    made = make_report([base, other], lambda _: Designed(LAB_DESIGN))
    return write_report(made, folder, ("html",))[0]


@pytest.mark.parametrize("size", [TELEPHONE, TABLET, LAPTOP], ids=str)
def test_figures_fit(browser: Any, report: Path, size: tuple[int, int]) -> None:
    page = opened(browser, report, size)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    drawn = page.evaluate(
        """[...document.querySelectorAll("figure")].map(figure => {
          const seen = [...figure.querySelectorAll("svg")].filter(svg => svg.clientWidth);
          const letters = [...seen[0].querySelectorAll("text")].map(
            text => parseFloat(getComputedStyle(text).fontSize)
              * Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b));
          return [seen.length, figure.scrollWidth - figure.clientWidth,
                  seen[0].getBoundingClientRect().right, Math.min(...letters)];
        })"""
    )
    assert len(drawn) > 10
    for pictures, hidden, right, letters in drawn:
        assert (pictures, hidden) == (1, 0)
        assert right <= size[0]
        assert letters >= 8, "smaller ones cannot be read"
    page.context.close()


def test_the_bar_of_contents_stays_and_leads_on(browser: Any, report: Path) -> None:
    for size in (TELEPHONE, TABLET):
        page = opened(browser, report, size)
        page.evaluate("scrollTo(0, 2000)")
        page.locator("#contents summary").click()
        page.locator("#contents a", has_text="Said and true").first.click()
        aimed = page.locator("figure[id$='-belief-run-a']").bounding_box()
        bar = page.locator("header").bounding_box()
        assert bar["y"] == 0
        assert bar["height"] <= aimed["y"] < size[1] / 2
        assert not page.locator("#contents nav").is_visible()
        page.context.close()
    page = opened(browser, report, LAPTOP)
    page.locator(".side a", has_text="Episodes that did not succeed").click()
    page.locator(".side a[aria-current]").wait_for()
    assert page.locator("details[id$='-lost'] table").is_visible(), "what is folded is opened"
    page.context.close()


@pytest.mark.parametrize("size", [TABLET, (768, 768), LAPTOP, TELEPHONE], ids=str)
def test_a_trace_shows_its_grid_and_its_buttons_at_once(
    browser: Any, tmp_path: Path, size: tuple[int, int]
) -> None:
    answer = "<START>\n(GoNextToSubgoal, (3, 4))\n(OpenSubgoal)\n<END>"
    path = tmp_path / "trace.html"
    path.write_text(
        as_page("decompose BossLevel/2", trace_answer(grader("decompose:BossLevel/2"), answer), [])
    )
    page = opened(browser, path, size)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    for name in ("#first", "#back", "#play", "#next", "#last", "#slider", "#grid"):
        box = page.locator(name).bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= size[1], name
        assert box["x"] + box["width"] <= size[0], name
    page.context.close()


@pytest.mark.parametrize("size", [TELEPHONE, TABLET, LAPTOP], ids=str)
def test_every_column_of_a_judged_plan_is_seen(
    browser: Any, tmp_path: Path, size: tuple[int, int]
) -> None:
    task, text = candles(), "walk_to(cabinet)\ngrab(candle_2)\nfrobnicate(cup)"
    activity, plan = understand(task, corrections=True), read_plan(text)
    judgement = judge(activity, plan, PROFILES["standard"])
    path = tmp_path / "plan.html"
    path.write_text(plan_page(PlanTrace(task, activity, plan, judgement, ())), encoding="utf-8")
    page = opened(browser, path, size)
    hidden, right = page.evaluate(
        """[document.querySelector(".scroll").scrollWidth
             - document.querySelector(".scroll").clientWidth,
           Math.max(...[...document.querySelectorAll(".steps td")].map(
             cell => cell.getBoundingClientRect().right))]"""
    )
    assert hidden == 0
    assert right <= size[0]
    assert page.get_by_text("frobnicate").last.is_visible()
    page.context.close()
