"""Reports: what they say, and that they can be written, read and gone on with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from env_service.domain.names import UnknownNameError
from env_service.worlds.ai2thor_api.parity.agreement import AgreementLimits
from env_service.worlds.ai2thor_api.parity.markdown_report import summarise
from env_service.worlds.ai2thor_api.parity.record_journal import (
    JournalError,
    Play,
    RecordJournal,
    play_all,
    script_play,
)
from env_service.worlds.ai2thor_api.parity.records import Record
from env_service.worlds.ai2thor_api.parity.report import (
    ComparisonSetup,
    ReportError,
    file_name,
    make_report,
    read_report,
    type_of,
    write_report,
)
from env_service.worlds.ai2thor_api.parity.script_play import PlayOptions, Script, Side
from env_service.worlds.ai2thor_api.parity.tolerances import Tolerances
from tests.support.doctored_thor import (
    FRIDGE,
    MUG,
    SCENE,
    START,
    breaking,
    doctored,
    household,
)

MANNER = PlayOptions(settle=0)
SETUP = ComparisonSetup("household", "doctored", {"version": "1"}, {"build": "f08"}, {}, MANNER)
SCRIPTS = [
    Script(
        f"script-{number}",
        SCENE,
        START,
        (
            {"action": "OpenObject", "objectId": FRIDGE.object_id, "forceAction": True},
            {"action": "DirtyObject", "objectId": MUG.object_id, "forceAction": True},
            {"action": "Pass"},
        ),
    )
    for number in range(2)
]


def nothing() -> None:
    pass


def lie(action: str, metadata: dict[str, Any]) -> None:
    for thing in metadata["objects"]:
        if thing["objectType"] == "Mug":
            thing["isDirty"] = False
    if action == "OpenObject":
        metadata.update(lastActionSuccess=False, errorMessage="It is stuck at 12 cm")


def plays(right: Side) -> list[Play]:
    return [script_play(script, (household(), right), MANNER) for script in SCRIPTS]


def compared(folder: Path, right: Side) -> list[Record]:
    with RecordJournal(folder, SETUP) as journal:
        return play_all(plays(right), journal, nothing)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    records = compared(tmp_path_factory.mktemp("parity"), doctored(lie))
    return make_report(SETUP, records, AgreementLimits())


def rate(report: Mapping[str, Any], name: str) -> tuple[int, int]:
    found = next(each for each in report["rates"] if each["name"] == name)
    assert found["low"] <= found["rate"] <= found["high"]
    return found["agreed"], found["compared"]


def test_rates_are_counts_with_intervals(report: Mapping[str, Any]) -> None:
    assert rate(report, "success") == (6, 8)
    assert rate(report, "effects") == (4, 6)
    agreed, all_of_them = rate(report, "isDirty")
    assert all_of_them - agreed == 4  # in either script after the action, and after the next one
    assert rate(report, "isOpen")[0] == rate(report, "isOpen")[1]


def test_alike_disagreements_are_one_line_with_an_example(report: Mapping[str, Any]) -> None:
    found = {(each["kind"], each["what"]): each for each in report["disagreements"]}
    assert set(found) == {("answer", "success"), ("effect", "isDirty"), ("state", "isDirty")}
    refused = found["answer", "success"]
    assert (refused["action"], refused["count"]) == ("OpenObject", 2)
    assert refused["types"] == {"Fridge": 2}
    example = refused["example"]
    assert (example["record"], example["index"]) == ("script-0", 1)
    assert example["call"]["arguments"]["objectId"] == FRIDGE.object_id
    assert example["right"]["message"] == "It is stuck at 12 cm"
    dirty = found["state", "isDirty"]["example"]
    assert (dirty["object"], dirty["left"], dirty["right"]) == (MUG.object_id, True, False)


def test_a_record_holds_its_script(report: Mapping[str, Any]) -> None:
    record, script = report["records"][0], SCRIPTS[0].to_json()
    assert (record["id"], record["scene"], record["start"]) == (
        script["id"],
        script["scene"],
        script["start"],
    )
    rows = [{"action": row["action"], **row["arguments"]} for row in record["rows"]]
    assert rows[1:] == script["actions"]


def test_what_is_seen_otherwise_is_put_together_by_types_of_objects(tmp_path: Path) -> None:
    def blind(_: str, metadata: dict[str, Any]) -> None:
        for thing in metadata["objects"]:
            thing["visible"] = False

    found = make_report(SETUP, compared(tmp_path, doctored(blind)), AgreementLimits())[
        "disagreements"
    ]
    assert {each["kind"] for each in found} == {"sight"}
    assert len({next(iter(each["types"])) for each in found}) == len(found)


def test_places_that_differ_have_an_overlap(tmp_path: Path) -> None:
    def fewer(action: str, metadata: dict[str, Any]) -> None:
        if action == "GetReachablePositions":
            metadata["actionReturn"] = metadata["actionReturn"][::2]

    script = replace(SCRIPTS[0], actions=({"action": "GetReachablePositions"},))
    play = script_play(script, (household(), doctored(fewer)), MANNER)
    with RecordJournal(tmp_path, SETUP) as journal:
        report = make_report(SETUP, play_all([play], journal, nothing), AgreementLimits())
    (found,) = report["disagreements"]
    assert found["example"]["overlap"] == pytest.approx(0.5, abs=0.01)
    assert "overlap 0.5" in summarise(report)


def test_the_verdict_follows_the_limits(tmp_path: Path) -> None:
    records = compared(tmp_path, doctored(lie))
    strict = make_report(SETUP, records, AgreementLimits())["verdict"]
    assert not strict["agrees"]
    assert {each["name"] for each in strict["missed"]} == {"success", "effects", "state", "isDirty"}
    lax = AgreementLimits(0.5, {"isDirty": 0.2})
    assert make_report(SETUP, records, lax)["verdict"]["agrees"]


def test_a_world_that_agrees_passes_the_strictest_limits(tmp_path: Path) -> None:
    report = make_report(SETUP, compared(tmp_path, household("doctored")), AgreementLimits())
    assert report["verdict"] == {"agrees": True, "missed": [], "voided": []}
    assert report["disagreements"] == []
    assert "**They agree.**" in summarise(report)


def test_a_voided_script_is_listed_and_no_agreement(tmp_path: Path) -> None:
    report = make_report(SETUP, compared(tmp_path, breaking("Pass", 2)), AgreementLimits())
    assert report["verdict"]["voided"] == ["script-0"]
    assert not report["verdict"]["agrees"]
    assert report["totals"]["voided"] == 1
    text = summarise(report)
    assert "1 script voided" in text
    assert "simulator_crash in doctored" in text


def test_the_summary_shows_what_a_developer_needs(report: Mapping[str, Any]) -> None:
    text = summarise(report)
    assert "They do not agree" in text
    for needed in ("OpenObject: success", "It is stuck at 12 cm", MUG.object_id, "script-1", "f08"):
        assert needed in text
    # A pipe in an id would end a cell.
    assert all(
        line.count("|") - line.count("\\|") == text.splitlines()[n - 1].count("|")
        for n, line in enumerate(text.splitlines())
        if line.startswith("|--")
    )


@pytest.mark.parametrize("name", [file_name("household", "ai2thor"), "plain.json"])
def test_a_file_gives_the_report_back(tmp_path: Path, report: Mapping[str, Any], name: str) -> None:
    write_report(tmp_path / name, report)
    assert read_report(tmp_path / name) == json.loads(json.dumps(report))


@pytest.mark.parametrize("content", ["", "[]", '{"kind": "another"}'])
def test_what_is_no_report_is_said_to_be_none(tmp_path: Path, content: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(content)
    with pytest.raises(ReportError, match="not a report"):
        read_report(path)


def test_a_report_of_a_later_schema_is_told_as_such(
    tmp_path: Path, report: Mapping[str, Any]
) -> None:
    write_report(tmp_path / "file.json", {**report, "schema": 99})
    with pytest.raises(ReportError, match="schema 99"):
        read_report(tmp_path / "file.json")


def test_what_is_finished_is_not_played_again(tmp_path: Path) -> None:
    first = compared(tmp_path, household())
    again = compared(tmp_path, breaking("Pass", 1000))
    assert [record.to_json() for record in again] == [record.to_json() for record in first]


def test_what_was_voided_is_played_again(tmp_path: Path) -> None:
    assert all(record.voided for record in compared(tmp_path, breaking("Pass", 1000)))
    assert not any(record.voided for record in compared(tmp_path, household()))


def test_a_torn_line_is_played_again(tmp_path: Path) -> None:
    compared(tmp_path, household())
    path = tmp_path / "records.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    with RecordJournal(tmp_path, SETUP) as journal:
        assert list(journal.known) == ["script-0"]
    compared(tmp_path, household())
    assert path.read_bytes() == whole


def test_a_script_that_changed_is_played_again(tmp_path: Path) -> None:
    compared(tmp_path, household())
    shorter = replace(SCRIPTS[0], actions=SCRIPTS[0].actions[:1])
    with RecordJournal(tmp_path, SETUP) as journal:
        play = script_play(shorter, (household(), household()), MANNER)
        (record,) = play_all([play], journal, nothing)
    assert len(record.rows) == 2


def test_a_folder_of_another_comparison_is_left_alone(tmp_path: Path) -> None:
    compared(tmp_path, household())
    other = replace(SETUP, options=PlayOptions(Tolerances(position=1.0)))
    with pytest.raises(JournalError, match=r"tolerances\.position was 0\.05, now 1\.0"):
        RecordJournal(tmp_path, other)


def test_limits_and_tolerances_are_checked() -> None:
    with pytest.raises(UnknownNameError, match="isOpen"):
        AgreementLimits(by_name={"isopen": 0.5})
    with pytest.raises(ValueError, match="from 0 to 1"):
        AgreementLimits(2.0)
    with pytest.raises(UnknownNameError, match="position"):
        Tolerances().changed({"positions": 1.0})
    with pytest.raises(ValueError, match="at least 0"):
        Tolerances().changed({"position": -1.0})


def test_types_are_read_from_ids() -> None:
    assert type_of("Mug|+00.10|+00.90|-01.00") == "Mug"
    assert type_of("Sink|-01.00|+00.90|+02.00|SinkBasin") == "SinkBasin"
    assert type_of("Apple|-01.00|+00.90|+02.00|AppleSliced_3") == "AppleSliced"
