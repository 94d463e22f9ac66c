import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from env_service.cli.errors import Misuse
from env_service.suites.actplan.commands.judge import (
    COLUMNS,
    MEASURED_COLUMNS,
    JudgedRow,
    agreement_command,
    agreement_rows,
    judge_command,
    measured_cells,
    part_cells,
    parts_of,
    write_csv,
)
from env_service.suites.actplan.judges import agreement
from env_service.suites.actplan.judges.agreement import Confusion, Interval, MeasuredAgreement
from tests.unit.suites.actplan.dataset.packs import LABELLED_FILE, actplan_files, use_pack


def row(name: str, variant: str, *, correct: bool) -> JudgedRow:
    return JudgedRow(f"{name}/0", name, variant, "plans.json", correct=correct, goal_relaxed=True)


ROWS = [
    *(row(f"n{place}", "normal", correct=place < 3) for place in range(10)),
    *(row(f"c{place}", "counterfactual", correct=False) for place in range(5)),
]


def test_parts_are_normal_counterfactual_and_total() -> None:
    parts = dict(parts_of(ROWS))
    assert {name: (each.plans, each.correct) for name, each in parts.items()} == {
        **{"normal": (10, 3), "counterfactual": (5, 0)},
        "total": (15, 3),
    }
    assert all(each.low <= each.correct / each.plans <= each.high for each in parts.values())
    assert parts["counterfactual"].high > 0.1, "none of five does not prove that none ever is"


def test_parts_without_plans_are_left_out() -> None:
    assert [name for name, _ in parts_of(ROWS[:10])] == ["normal", "total"]


def test_a_part_has_a_cell_for_each_column() -> None:
    name, part = parts_of(ROWS)[0]
    cells = part_cells(name, part)
    assert len(cells) == len(COLUMNS)
    assert cells[:4] == ("normal", "10", "3", "30.0")


def test_plans_of_one_activity_count_together() -> None:
    apart = dict(parts_of(ROWS[:10]))["normal"]
    shared = [row("same", "normal", correct=place < 3) for place in range(10)]
    other = row("other", "normal", correct=False)
    together = dict(parts_of([*shared, other]))["normal"]
    assert together.high - together.low > apart.high - apart.low


def test_the_csv_has_a_line_for_each_plan(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.csv"
    write_csv(path, ROWS)
    with path.open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert len(read) == len(ROWS)
    assert (read[0]["task"], read[0]["correct"], read[-1]["variant"]) == (
        *("n0/0", "True"),
        "counterfactual",
    )


def test_a_csv_that_cannot_be_written_is_told_before_anything_is_judged(tmp_path: Path) -> None:
    plans = tmp_path / "plans.json"
    plans.write_text("{}", encoding="utf-8")
    place = tmp_path / "nowhere" / "rows.csv"
    result = CliRunner().invoke(judge_command, [str(plans), "--csv", str(place)])
    assert result.exit_code == 2
    assert "does not exist" in result.output


def test_what_is_undefined_is_a_dash() -> None:
    never = MeasuredAgreement("correct", "m", "val", Confusion(0, 0, 2, 8), Interval(0.0, 0.0))
    cells = measured_cells(never)
    assert len(cells) == len(MEASURED_COLUMNS)
    assert cells[-4:] == ("80.0", "80.0", "-", "0.0")


def test_the_shipped_agreement_is_of_the_judge_correct_alone() -> None:
    columns, rows = agreement_rows()
    assert {(cells[0], cells[1]) for cells in rows} >= {("gpt-4v", "train"), ("gemini", "train")}
    assert len(rows) == len({cells[:2] for cells in rows})
    assert {len(cells) for cells in rows} == {len(columns)}


@pytest.mark.parametrize("arguments", [[], ["nowhere"]])
def test_plans_have_to_be_named_and_there(arguments: list[str]) -> None:
    assert CliRunner().invoke(judge_command, arguments).exit_code == 2


def test_agreement_without_a_split_is_what_was_measured_for_this_release() -> None:
    ran = CliRunner().invoke(agreement_command, ["--json"])
    assert ran.exit_code == 0, ran.output
    rows = json.loads(ran.stdout)["rows"]
    assert {each["split"] for each in rows} >= {"train"}
    assert {each["judge"] for each in rows} >= {"correct", "goal-strict", "commonsense"}
    assert all(each["mcc_low"] <= each["mcc"] <= each["mcc_high"] for each in rows)


def test_what_was_not_measured_cannot_be_written(tmp_path: Path) -> None:
    ran = CliRunner().invoke(agreement_command, ["--out", str(tmp_path / "table.toml")])
    assert ran.exit_code == 2
    assert "--split" in ran.output


def test_a_split_comes_to_the_same_alone_and_among_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use_pack(monkeypatch, tmp_path)
    monkeypatch.setattr(agreement, "VERDICTS", {"correct": agreement.VERDICTS["correct"]})

    def rows(*splits: str) -> list[dict[str, object]]:
        given = [word for split in splits for word in ("--split", split)]
        ran = CliRunner().invoke(agreement_command, [*given, "--jobs", "1", "--json"])
        assert ran.exit_code == 0, ran.output
        found: list[dict[str, object]] = json.loads(ran.stdout)["rows"]
        return found

    assert [each for each in rows("train", "val") if each["split"] == "val"] == rows("val")


def test_a_table_that_cannot_be_written_is_told_before_anything_is_judged(tmp_path: Path) -> None:
    place = tmp_path / "nowhere" / "table.toml"
    for option in ("--csv", "--out"):
        with pytest.raises(Misuse, match="does not exist"):
            CliRunner().invoke(
                agreement_command,
                ["--split", "val", option, str(place)],
                catch_exceptions=False,
                standalone_mode=False,
            )


def test_the_published_file_is_judged_instance_by_instance(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use_pack(monkeypatch, tmp_path)
    path = tmp_path / "finetuning_data.jsonl"
    path.write_bytes(actplan_files()[LABELLED_FILE])
    options = ["--name", "gemini", "--task-set", "labelled", "--jobs", "1", "--json"]
    ran = CliRunner().invoke(judge_command, [str(path), *options])
    assert ran.exit_code == 0, ran.output
    plans = json.loads(ran.stdout)["plans"]
    assert "Merom_1_int/storing_cups/0/sample_0" in {each["task"] for each in plans}
    assert len(plans) == len(actplan_files()[LABELLED_FILE].splitlines())
