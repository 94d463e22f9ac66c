"""What a report and a comparison of made-up runs print, to the letter.

``UPDATE_GOLDEN=1 pytest tests/golden/test_report_text.py`` writes the texts anew: read what
changed before keeping it.
"""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from env_service.results.report.comparison import make_comparison
from env_service.results.report.content import Document
from env_service.results.report.run_report import Designed, make_report
from env_service.results.report.terminal_text import as_text
from tests.support.lab_report import LAB_DESIGN
from tests.support.made_run import USED, made_text, with_condition

HERE = Path(__file__).parent


def designed(_suite: str) -> Designed:
    return Designed(LAB_DESIGN)


def one_run() -> Document:
    return make_report([made_text("one", tasks=30, repeats=2, usage=USED)], designed)


def comparison() -> Document:
    base = made_text("base", tasks=30)
    other = made_text(
        "other",
        tasks=25,
        wins=lambda task, _: task % 3 > 0,
        condition=with_condition(base.manifest, feedback="none"),
    )
    forced = made_text("elsewhere", tasks=30, world="heavy", wins=lambda task, _: task < 20)
    return make_comparison([base, other, forced], designed, force=True)


@pytest.mark.parametrize("name", ["one_run", "comparison"])
def test_the_text_is_as_it_was(name: str) -> None:
    document = {"one_run": one_run, "comparison": comparison}[name]()
    file = StringIO()
    Console(file=file, width=100, color_system=None).print(as_text(document), crop=False)
    text = "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"
    path = HERE / f"report_{name}.txt"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
