"""Submissions from check to leaderboard, with agents that are folders: no engine is needed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from env_service.conformance.agent.check import AgentOptions, check_sandbox
from env_service.conformance.report import ConformanceReport
from env_service.sandbox.factory import open_sandbox
from env_service.sandbox.options import SandboxOptions
from env_service.submissions.check_report import CheckReport, StageVerdict
from env_service.submissions.package import Startable
from env_service.submissions.submission_check import CheckOrder, check
from tests.support.command_line import Ask
from tests.support.submitted import LAB, MANIFEST, agent_folder

PROCESS = SandboxOptions(kind="process")
LEAVES_EARLY = """
import sys
from pathlib import Path
from houseguest_agent import Client
marker = Path({marker!r})
if marker.exists():
    sys.exit(2)
marker.touch()
with Client("plays", "1.0") as client:
    for number, episode in enumerate(client.episodes()):
        if number == 5:
            sys.exit(1)
        episode.act("win")
"""
PHASES = f"""
[quick]
suite = "{LAB}"
task_sets = ["lab"]
sandbox = "process"
check = false
parallel = 2
per_day = 2
"""


def two_rules(
    startable: Startable, sandbox: SandboxOptions, logs: Path, pace: float
) -> ConformanceReport:
    """The kit, but for most of its scenes."""
    assert pace < 5
    options = AgentOptions(only=("hello-first", "finishes"), logs=logs)
    return check_sandbox(open_sandbox(startable.launch, sandbox), options)


def checked(agent: Path, out: Path) -> CheckReport:
    order = CheckOrder(str(agent), out, suites=(LAB,), sandbox=PROCESS, conform=two_rules)
    return check(order)


def test_an_agent_that_plays_well_passes_every_stage(tmp_path: Path) -> None:
    report = checked(agent_folder(tmp_path / "agent"), tmp_path / "out")
    assert report.passed, report.to_json()
    stages = [stage.name for stage in report.stages]
    assert stages == [
        *("image", "manifest", "limits", f"play {LAB}"),
        *("declaration", "conformance", "verification"),
    ]
    assert report.stages[3].facts["successes"] == 2
    assert report.stages[-1].facts["replayed"] == 2


@pytest.mark.parametrize(
    ("agent", "failure", "stage"),
    [
        ({"code": "raise SystemExit('no weights')"}, "start_failed", f"play {LAB}"),
        ({"act": '"win" if 1 / 0 else ""'}, "agent_crash", f"play {LAB}"),
        (
            {"manifest": MANIFEST.format(suite=LAB).replace('"1.0"', '"2.0"')},
            *("manifest_mismatch", "declaration"),
        ),
        ({"suite": "babyia"}, "manifest_invalid", "manifest"),
        ({"suite": "babyai"}, "manifest_invalid", "manifest"),
    ],
)
def test_what_is_wrong_has_its_class_and_the_rest_is_skipped(
    agent: dict[str, Any], failure: str, stage: str, tmp_path: Path
) -> None:
    report = checked(agent_folder(tmp_path / "agent", **agent), tmp_path / "out")
    told = report.to_json()
    assert (told["passed"], told["failure"]) == (False, failure), str(told)
    assert report.failed is not None
    assert report.failed.name == stage
    after = report.stages[report.stages.index(report.failed) + 1 :]
    assert {each.verdict for each in after} == {StageVerdict.SKIPPED}


def test_a_crash_is_told_with_its_step_and_the_last_words(tmp_path: Path) -> None:
    agent = agent_folder(tmp_path / "agent", act='"win" if 1 / 0 else ""')
    failed = checked(agent, tmp_path / "out").failed
    assert failed is not None
    assert failed.log_tail.endswith("ZeroDivisionError: division by zero")
    assert failed.offending is not None
    assert failed.offending["step"] == 0


def test_a_check_says_what_is_missing_and_leaves_nothing_behind(ask: Ask, place: Path) -> None:
    out, _ = ask("submit", "check", "./nobody", "--json", code=1)
    assert json.loads(out)["failure"] == "image_missing"
    agent = agent_folder(place / "agent")
    (agent / "houseguest-agent.yaml").rename(agent / "elsewhere.yaml")
    out, _ = ask("submit", "check", "./agent", code=1)
    assert "manifest_missing" in out
    (agent / "houseguest-agent.yaml").symlink_to("elsewhere.yaml")
    out, _ = ask("submit", "check", "./agent", "--json", code=1)
    assert json.loads(out)["failure"] == "manifest_invalid"
    assert sorted(path.name for path in place.iterdir()) == ["agent"]


SCORE = ("submit", "score", "./agent", "--sandbox", "process", "--tasks", f"{LAB}/lab")


def test_a_score_is_signed_resumed_and_verified(ask: Ask, place: Path) -> None:
    agent_folder(place / "agent")
    out, _ = ask(*SCORE, "--parallel", "2", "--out", "score", "--json")
    told = json.loads(out)
    assert told["overall"]["over_all_planned"]["successes"] == 50
    assert told["submission"]["manifest"]["name"] == "plays"
    verify = ("verify", "score/score.json", "--suite", LAB, "--json")
    out, _ = ask(*verify)
    report = json.loads(out)
    assert report["good"]
    assert report["runs"][0]["replayed"] == 50
    again, _ = ask(*SCORE, "--parallel", "2", "--out", "score", "--json")
    assert json.loads(again)["results"] == told["results"]
    path = place / "score" / "score.json"
    signed = path.read_text(encoding="utf-8")
    path.write_text(signed.replace('"planned": 50', '"planned": 49'), encoding="utf-8")
    out, _ = ask(*verify, "--no-replay", code=1)
    problems = [problem["what"] for problem in json.loads(out)["problems"]]
    assert problems[0] == "the signature does not match"
    assert "result 1: planned is 49, but the runs give 50" in problems
    path.write_text(signed, encoding="utf-8")
    episodes = next((place / "score" / "runs").glob("*/episodes.jsonl"))
    episodes.write_text("".join(episodes.open().readlines()[:-1]), encoding="utf-8")
    out, _ = ask(*verify, "--no-replay", code=1)
    told = json.loads(out)
    assert told["problems"]
    assert told["runs"][0]["problems"]


CRASHES_ONCE = """
from pathlib import Path
from houseguest_agent import Client
with Client("plays", "1.0", model="m-1") as client:
    for episode in client.episodes():
        if not Path({marker!r}).exists():
            Path({marker!r}).touch()
            raise ValueError("once")
        episode.act("win")
"""


def test_a_score_of_an_agent_that_crashed_exits_with_1_and_says_where_to_look(
    ask: Ask, place: Path
) -> None:
    agent_folder(place / "agent", code=CRASHES_ONCE.format(marker=str(place / "marker")))
    out, _ = ask(*SCORE, "--parallel", "2", "--out", "score", code=1)
    last = out.splitlines()[-1]
    assert last.startswith("The agent failed in 1 episode (agent_crash 1). For details:")
    assert last.endswith("--guests")
    out, _ = ask(*SCORE, "--parallel", "2", "--out", "score", "--json", code=1)
    told = json.loads(out)
    assert (told["failure"], told["agent_failures"]) == (None, {"agent_crash": 1})


def test_what_was_not_played_counts_as_not_succeeded(ask: Ask, place: Path) -> None:
    agent_folder(place / "agent", code=LEAVES_EARLY.format(marker=str(place / "marker")))
    out, _ = ask(*SCORE, "--out", "score", "--json", code=1)
    told = json.loads(out)
    rates = told["results"][0]["rates"]
    assert told["results"][0]["reported"] == "over_all_planned"
    assert rates["over_all_planned"]["n"] == 50
    assert rates["over_all_planned"]["successes"] == 5
    assert rates["over_played"]["n"] == 6, "the episode in which it left counts as played"
    missing = told["results"][0]["not_scored"]
    assert len(missing) == 44
    assert {each["why"] for each in missing} == {"unplayed"}
    out, _ = ask("verify", "score", "--suite", LAB, "--json", "--no-replay")
    assert json.loads(out)["good"]


def test_a_submission_goes_from_the_queue_to_the_board(ask: Ask, place: Path) -> None:
    agent_folder(place / "agent")
    (place / "queue").mkdir()
    (place / "queue" / "phases.toml").write_text(PHASES, encoding="utf-8")
    add = ("queue", "add", "./agent", "--team", "a team", "--phase", "quick", "--json")
    job = json.loads(ask(*add)[0])
    changed = json.loads(ask(*add)[0])
    ask(*add, code=1)
    (done,) = json.loads(ask("queue", "work", "--once", "--json")[0])
    assert (done["id"], done["state"]) == (job["id"], "scored"), done
    # What was handed in is what is played, and not what lies there by now.
    (place / "agent" / "more.txt").write_text("changed", encoding="utf-8")
    (done,) = json.loads(ask("queue", "work", "--json")[0])
    assert (done["id"], done["failure"]) == (changed["id"], "image_missing")
    assert not done["counts_against_the_day"]
    shown = json.loads(ask("queue", "show", job["id"], "--public")[0])
    public = (place / "queue" / "public" / f"{job['id']}.json").read_text(encoding="utf-8")
    assert shown == json.loads(public)
    assert shown["score"]["rates"]["over_all_planned"]["successes"] == 50
    assert "lab/" not in public
    assert "a team" in ask("queue", "list")[0]
    (board,) = json.loads(ask("queue", "board", "--json")[0])
    assert [entry["team"] for entry in board["entries"]] == ["a team"]
    place_of_runs = place / "queue" / "private" / job["id"]
    assert json.loads(ask("verify", str(place_of_runs), "--suite", LAB, "--json")[0])["good"]
    third = json.loads(ask(*add)[0])
    assert "is cancelled" in ask("queue", "cancel", third["id"])[0]
