"""The pages of reports in a browser: what one needs is there without scrolling aside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from env_service.results.report.report_files import write_report
from env_service.results.report.run_report import Designed, make_report
from tests.support.chromium import chromium
from tests.support.lab_report import LAB_DESIGN
from tests.support.made_run import USED, made_text, with_condition

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
