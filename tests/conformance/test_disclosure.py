"""What a condition withholds never reaches the wire, in any feedback mode.

The same actions are played under every combination of what a condition may tell; what
arrived is compared with what may. The truth is taken from the transcript.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from houseguest.agent.v1 import action_pb2, agent_pb2

from tests.support.service import OpenService, open_service, skill

SCRIPT = (
    skill("noop"),
    skill("refuse", code="PRECONDITION_FAILED"),
    skill("refuse", code="PHYSICALLY_BLOCKED"),
    skill("refuse", code="UNKNOWN_OBJECT"),
    skill("fly"),
    action_pb2.Action(text="gibberish"),
    action_pb2.Action(),
)
TRUTH = [
    "SUCCEEDED",
    "PRECONDITION_FAILED",
    "PHYSICALLY_BLOCKED",
    "UNKNOWN_OBJECT",
    "UNKNOWN_SKILL",
    "UNPARSABLE",
    "UNPARSABLE",
]
ALLOWED = {
    "detailed": lambda truth: truth,
    "simple": lambda truth: truth if truth == "SUCCEEDED" else "REFUSED",
    "none": lambda truth: "WITHHELD",
}


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


def code_name(outcome: action_pb2.ActionOutcome) -> str:
    return action_pb2.OutcomeCode.Name(outcome.code).removeprefix("OUTCOME_CODE_")


@pytest.mark.parametrize("feedback", sorted(ALLOWED))
@pytest.mark.parametrize("step_limit", ["told", "hidden"])
@pytest.mark.parametrize("time_budget", ["told", "hidden"])
def test_the_wire_says_no_more_than_the_condition_allows(
    service: OpenService, feedback: str, step_limit: str, time_budget: str
) -> None:
    condition = {"feedback": feedback, "step_limit": step_limit, "time_budget": time_budget}
    run = service.open_run(limit=1, condition=condition, fresh=True)
    agent = service.agent(run)
    episode = agent.begin().episode
    answers = [agent.step(action) for action in SCRIPT]
    told = agent.get_episode()
    agent.end()

    assert episode.HasField("max_steps") == (step_limit == "told")
    assert episode.HasField("agent_time_budget") == (time_budget == "told")
    for answer in answers:
        assert answer.remaining.HasField("steps") == (step_limit == "told")
        assert answer.remaining.HasField("agent_time") == (time_budget == "told")
        if feedback != "detailed":
            assert not any(outcome.feedback for outcome in answer.outcomes)
    seen = [code_name(outcome) for answer in answers for outcome in answer.outcomes]
    assert seen == [ALLOWED[feedback](truth) for truth in TRUTH]
    assert [code_name(o) for step in told.history for o in step.outcomes] == seen
    assert told.last_step == answers[-1]
    assert told.episode == episode


@pytest.mark.parametrize("feedback", ["simple", "none"])
def test_withheld_truth_is_in_the_transcript_and_nowhere_on_the_wire(
    service: OpenService, feedback: str
) -> None:
    run = service.open_run(limit=1, condition={"feedback": feedback}, fresh=True)
    agent = service.agent(run)
    wire = agent.begin().SerializeToString()
    for action in SCRIPT:
        wire += agent.step(action).SerializeToString()
    wire += agent.get_episode().SerializeToString()
    wire += agent.end().SerializeToString()
    service.call(run.wait_until_over())

    path = run.context.folder.path / "transcripts" / f"{agent.episode.episode_id}.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    steps = [line for line in lines if line["kind"] == "step"]
    assert [step["truth"]["outcomes"][0][0] for step in steps] == TRUTH
    for step in steps[1:]:
        words = step["truth"]["outcomes"][0][1]
        assert words.encode() not in wire or not words


def test_a_limit_that_is_reached_is_told_by_the_status_alone(service: OpenService) -> None:
    run = service.open_run(limit=1, condition={"steps": "3"}, fresh=True)
    agent = service.agent(run)
    agent.begin()
    statuses = [agent.step(skill("noop")).status for _ in range(3)]
    running, truncated = agent_pb2.EPISODE_STATUS_RUNNING, agent_pb2.EPISODE_STATUS_TRUNCATED
    assert statuses == [running, running, truncated]
    service.call(run.wait_until_over())
    assert run.context.folder.finished()[0].failure == "max_steps"


def test_the_episode_id_says_nothing_of_the_task(service: OpenService) -> None:
    run = service.open_run(limit=2, fresh=True)
    agent = service.agent(run)
    for _ in range(2):
        wire = agent.begin().episode
        wire.ClearField("observation")
        assert b"lab/" not in wire.SerializeToString()
        agent.step(skill("win"))
