"""Refining commands as a user does: servers that stumble, interruptions, corrections."""

from __future__ import annotations

import csv
import io
import itertools
import json
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from env_service.suites.alfred.dataset.refined_commands import RefinedRecord, read_records
from tests.support.command_line import Ask
from tests.support.model_server import MODEL, Behaviour, Call, ModelServer, fails, hang_up
from tests.support.refining_model import one_line_short, published_file, refines, says_instead

TASKS = 7
KEY = "sk-never-written"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server of a good model."""
    with ModelServer(refines, key=KEY) as server:
        yield server


@pytest.fixture
def command(place: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What refines the tasks of a file, as far as ``--out``."""
    monkeypatch.setenv("HOUSEGUEST_API_KEY", KEY)
    (place / "tasks.json").write_text(published_file(TASKS), encoding="utf-8")
    asked = ["refine", "alfred", "--from", "tasks.json", "--batch", "3", "--model", MODEL]
    return [*asked, "--base-url", server.url, "--patience", "5", "--out"]


def records(path: Path) -> tuple[RefinedRecord, ...]:
    """What a file holds."""
    return read_records(path.read_bytes(), path.name)


def counted(document: str) -> dict[str, tuple[int, int]]:
    """Of each stage how much is done, and how much is to be looked over."""
    stages = json.loads(document)["stages"]
    return {name: (count["done"], count["flagged"]) for name, count in stages.items()}


def stumbles() -> Behaviour:
    """A model that is good in the end, and a server that makes a fuss of it."""
    wrong = {
        3: says_instead("Well: {Integrity: hm"),
        6: fails(429, "slow down", retry_after="0"),
        11: says_instead('{"Integrity": true, "Reason": "x", "Type": 1}'),
        20: says_instead("I put things."),
        26: one_line_short,
        28: fails(500),
        31: says_instead("1. one\n1. two"),
        34: says_instead(""),
    }
    count = Counter[str]()

    def behave(call: Call) -> None:
        count["asked"] += 1
        wrong.get(count["asked"], refines)(call)

    return behave


@pytest.mark.parametrize("parallel", ["1", "4"])
def test_a_server_that_stumbles_changes_nothing(
    place: Path, server: ModelServer, command: list[str], ask: Ask, parallel: str
) -> None:
    ask(*command, "smooth.json")
    smooth = len(server.asked)
    server.default = stumbles()
    out, _ = ask(*command, "rough.json", "--parallel", parallel, "--json")
    assert counted(out) == {
        "integrity": (2 * TASKS, 0),
        **dict.fromkeys(("B", "P1", "P2", "C", "K"), (TASKS, 0)),
    }
    assert len(server.asked) > 2 * smooth
    assert (place / "rough.json").read_bytes() == (place / "smooth.json").read_bytes()
    first = records(place / "rough.json")[4]
    assert (first.base, first.paraphrase_1) == (
        "Put a slice of heated bread in the garbage can.",
        "Place a slice of heated bread in the garbage can.",
    )
    assert not any(KEY in path.read_text("utf-8") for path in place.glob("rough*"))


@pytest.mark.parametrize("parallel", ["1", "3"])
def test_an_interrupted_refinement_goes_on_where_it_was(
    place: Path, server: ModelServer, command: list[str], ask: Ask, parallel: str
) -> None:
    ask(*command, "whole.json")
    whole, server.asked[:] = len(server.asked), []
    over, numbers = threading.Event(), itertools.count(1)

    def interrupts(call: Call) -> None:
        number = next(numbers)
        if number == 24:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        if number >= 24:
            over.wait(10)
        refines(call)

    server.default = interrupts
    _, err = ask(*command, "broken.json", "--parallel", parallel, code=130)
    over.set()
    assert "run the same command to resume" in err
    assert not (place / "broken.json").exists()
    kept = len((place / "broken.state.jsonl").read_text("utf-8").splitlines()) - 2
    server.default, server.asked[:] = refines, []
    ask(*command, "broken.json", "--parallel", parallel)
    assert kept >= 23 - int(parallel)
    assert len(server.asked) <= whole - 23 + int(parallel)
    assert (place / "broken.json").read_bytes() == (place / "whole.json").read_bytes()
    server.asked.clear()
    ask(*command, "broken.json")
    assert server.asked == []


def test_a_server_that_goes_away_costs_nothing_that_was_said(
    place: Path, server: ModelServer, command: list[str], ask: Ask
) -> None:
    server.queue += [refines] * 19
    server.default = hang_up
    gone = [*command[:-3], "--patience", "0.2", "--out", "refined.json"]
    _, err = ask(*gone, code=1)
    assert "gave no reply" in err
    assert "19 texts are kept in refined.state.jsonl" in err
    server.default = refines
    ask(*gone)
    assert len(records(place / "refined.json")) == TASKS


def test_what_never_comes_right_is_left_to_people(
    place: Path, server: ModelServer, command: list[str], ask: Ask
) -> None:
    def stubborn(call: Call) -> None:
        text = call.asked.texts
        if "mug" in text and "Korean" in text:
            says_instead("")(call)
        elif "pillow" in text and "Keep every noun" in text:
            says_instead("Toss it.")(call)
        else:
            refines(call)

    server.default = stubborn
    limited = ["--limit", "4", "--stages", "B,P1,P2,C,K"]
    out, _ = ask(*command, "refined.json", *limited, code=1)
    assert "trial_2 has no K: run the same command to ask again" in out
    assert [each.task_id for each in records(place / "refined.json")] == [
        *("trial_0", "trial_1", "trial_3"),
    ]
    review = place / "refined.review.csv"
    rows = list(csv.DictReader(io.StringIO(review.read_text("utf-8-sig"))))
    found = {(row["task_id"], row["stage"]): row for row in rows}
    assert found["trial_1", "P1"]["findings"].startswith("object: it has to name the thing")
    found["trial_1", "P1"]["correction"] = "Throw both pillows on the sofa."
    found["trial_2", "K"]["correction"] = "책상 스탠드 불빛에 머그를 살펴보세요."
    found["trial_0", "B"]["correction"] = "Put a book on the shelf."
    with review.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    _, err = ask(*command, "refined.json", *limited, code=1)
    assert "3 verdicts and corrections that are not applied" in err
    ask(*command, "refined.json", *limited, "--review", "refined.review.csv")
    done = {each.task_id: each for each in records(place / "refined.json")}
    assert done["trial_1"].paraphrase_1 == "Throw both pillows on the sofa."
    assert done["trial_2"].korean == "책상 스탠드 불빛에 머그를 살펴보세요."
    assert done["trial_0"].paraphrase_2 == "Place a book on the shelf."


def test_another_model_is_not_mixed_in_unasked(
    place: Path, server: ModelServer, command: list[str], ask: Ask
) -> None:
    server.models.append("other")
    ask(*command, "refined.json", "--stages", "B")
    other = [each if each != MODEL else "other" for each in command]
    _, err = ask(*other, "refined.json", code=1)
    assert 'model was "tiny-vlm", now "other"' in err
    ask(*other, "refined.json", "--mix")
    manifest = json.loads((place / "refined.manifest.json").read_text("utf-8"))
    assert [each["model"] for each in manifest["settings"]] == [MODEL, "other"]
    ask(*other, "refined.json", "--fresh")
    manifest = json.loads((place / "refined.manifest.json").read_text("utf-8"))
    assert [each["model"] for each in manifest["settings"]] == ["other"]
    assert (place / "refined.state.jsonl.old").exists()


def test_stages_that_are_left_out_keep_the_files_texts(
    place: Path, server: ModelServer, command: list[str], ask: Ask
) -> None:
    ask(*command, "refined.json")
    server.default = says_instead("씻은 데운 식힌 두 조각을 놓으세요.")
    again = [each if each != "tasks.json" else "refined.json" for each in command]
    ask(*again, "korean.json", "--stages", "K", "--batch", "1")
    before, after = records(place / "refined.json"), records(place / "korean.json")
    assert {each.korean for each in after} == {"씻은 데운 식힌 두 조각을 놓으세요."}
    assert [each.contextual for each in after] == [each.contextual for each in before]


def test_tasks_may_be_done_in_portions(place: Path, command: list[str], ask: Ask) -> None:
    ask(*command, "refined.json", "--tasks", "trial_3,trial_1")
    assert [each.task_id for each in records(place / "refined.json")] == ["trial_1", "trial_3"]
    out, _ = ask(*command, "refined.json", "--limit", "1", "--json")
    assert counted(out)["K"] == (1, 0)
    assert [each.task_id for each in records(place / "refined.json")] == [
        *("trial_0", "trial_1", "trial_3"),
    ]
    assert "trial_3" in (place / "refined.review.csv").read_text("utf-8")


def test_a_dry_run_asks_nothing(
    place: Path, server: ModelServer, command: list[str], ask: Ask
) -> None:
    out, _ = ask(*command, "refined.json", "--dry-run")
    assert server.asked == []
    assert "=== K: the first of the requests, for 3 of its texts" in out
    assert "1. GotoLocation(bed), 2. PickupObject(book)" in out
    assert [path.name for path in place.glob("refined*")] == []


def test_a_file_is_checked_without_a_model(
    place: Path, server: ModelServer, command: list[str], ask: Ask
) -> None:
    ask(*command, "refined.json")
    out, _ = ask("refine", "alfred", "check", "refined.json", "--strict", "--json")
    checked = json.loads(out)
    assert checked["originals"]["commands"] == 2 * TASKS
    assert checked["texts"] == []
    text = (place / "refined.json").read_text("utf-8")
    (place / "worse.json").write_text(text.replace("데운 빵 조각", "큰 빵"), encoding="utf-8")
    out, _ = ask("refine", "alfred", "check", "worse.json", "--list", "9", "--strict", code=1)
    assert "trial_4 K" in out
    ask("refine", "alfred", "check", "worse.json")
    broken = text.replace('"korean_command"', '"korean_comand"', 1)
    (place / "broken.json").write_text(broken, encoding="utf-8")
    _, err = ask("refine", "alfred", "check", "broken.json", code=1)
    assert "broken.json: [0]: the record (trial_0) lacks the key 'korean_command'" in err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--out", "x.json"], "No model: pass --model NAME"),
        (["--model", "m", "--out", "x.json"], "No server: pass --base-url URL"),
        (["--model", "m", "--base-url", "x", "--out", "x.json"], "is not a base URL"),
        (["--model", "m", "--base-url", "http://h"], "Give --out FILE"),
        (["--out", "tasks.json", "--model", "m", "--base-url", "http://h"], "choose another one"),
        (["--stages", "D"], "no such stage: 'D'; the stages are integrity, B"),
        (["--tasks", "trial_x"], "No task or group"),
        (["--extra-body", "[]"], "not a JSON object"),
        (["--json", "check"], "--from does not apply to 'check'"),
    ],
    ids=range(9),
)
def test_what_cannot_be_done_is_told(
    place: Path, ask: Ask, arguments: list[str], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOUSEGUEST_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    (place / "tasks.json").write_text(published_file(3), encoding="utf-8")
    out, err = ask("refine", "alfred", "--from", "tasks.json", *arguments, code=2)
    assert problem in out + err
