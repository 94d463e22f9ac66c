"""Chromium, where it is: for tests of pages.

Where it or Playwright is lacking, tests are skipped. REQUIRE_CHROMIUM=1 turns that into a failure.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import pytest

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
START_MILLISECONDS = 120_000
"""On a busy machine that reads it from its disk for the first time."""
NAMES = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless browser, as Playwright's synchronous interface has it."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        _lacking(f"none of {', '.join(NAMES)} is installed")
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - may be lacking
    except ImportError:
        _lacking("playwright is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=list(FLAGS), timeout=START_MILLISECONDS
        )
        try:
            yield browser
        finally:
            browser.close()


def _lacking(why: str) -> NoReturn:
    if os.environ.get("REQUIRE_CHROMIUM") == "1":
        pytest.fail(f"REQUIRE_CHROMIUM=1, but {why}")
    pytest.skip(why)
