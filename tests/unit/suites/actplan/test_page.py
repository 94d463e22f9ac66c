"""docs/actplan.md and the pages next to it describe what the suite does."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.suites.actplan.commands import actplan_command
from env_service.suites.actplan.conditions import NAMED, SETTINGS
from env_service.suites.actplan.judges.agreement import MeasuredAgreement, measured
from env_service.suites.actplan.lcs.plan_pairs import SCORES
from env_service.suites.actplan.report import COMMAND, PLANS_COMPARED
from env_service.suites.actplan.task_sets import FOLDER, ActPlanTaskSets

DOCS = Path(__file__).resolve().parents[4] / "docs"
PAGE = (DOCS / "actplan.md").read_text(encoding="utf-8")
AGREEMENT = (DOCS / "actplan-agreement.md").read_text(encoding="utf-8")
LCS = (DOCS / "actplan-judges.md").read_text(encoding="utf-8")
COLUMNS = (("gpt-4v", "val"), ("gemini", "val"), ("gpt-4v", "train"), ("gemini", "train"))


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_each_setting_is_told_with_its_values(setting) -> None:  # type: ignore[no-untyped-def]
    values = ", ".join(f"`{value}`" for value in setting.values)
    assert f"| `{setting.name}` | {values} |" in PAGE


def test_each_condition_and_task_set_is_told() -> None:
    for name in NAMED:
        assert name in PAGE
    for name in ActPlanTaskSets():
        kind, _, part = name.partition("/")
        assert f"`{kind}`" in PAGE
        assert not part or f"/{part}`" in PAGE
    assert f"`{FOLDER}PATH`" in PAGE


def test_each_command_is_told() -> None:
    for name in actplan_command.commands:
        assert f"houseguest actplan {name}" in PAGE or f", `{name}`" in PAGE


def cells(judge: str) -> list[MeasuredAgreement]:
    """What was measured of a judge, in the order of the page's table."""
    found = {(each.model, each.split): each for each in measured() if each.judge == judge}
    return [found[column] for column in COLUMNS]


def test_agreement_is_told_as_it_was_measured() -> None:
    rows = {
        "`goal`, relaxed": "goal-relaxed",
        "`goal`, relaxed, and no violation": "goal-relaxed + commonsense",
        "`commonsense`": "commonsense",
    }
    for told, judge in rows.items():
        values = " | ".join(f"{each.confusion.mcc:.2f}" for each in cells(judge))
        assert f"| {told} | {values} |" in AGREEMENT
    correct = " | ".join(map(_with_interval, cells("correct")))
    assert f"| `correct` | {correct} |" in AGREEMENT.replace("**", "")
    shares = " | ".join(map(_beside_the_constant, cells("correct")))
    assert f"| accuracy, constant answer | {shares} |" in AGREEMENT


def _with_interval(row: MeasuredAgreement) -> str:
    return f"{row.confusion.mcc:.2f} ({row.interval.low:.2f} to {row.interval.high:.2f})"


def _beside_the_constant(row: MeasuredAgreement) -> str:
    return f"{row.confusion.accuracy:.1%}, {row.confusion.baseline:.1%}".replace("%", " %")


def test_how_table_4_comes_into_the_report_is_told() -> None:
    after = PLANS_COMPARED.afterwards
    assert after is not None
    assert f"{COMMAND} runs/RUN\nhouseguest report runs/RUN" in LCS
    assert f"scores/{SCORES}.json" in LCS
    assert f"| Table 4 | {PLANS_COMPARED.title[0].lower()}{PLANS_COMPARED.title[1:]} |" in PAGE
