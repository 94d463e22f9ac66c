"""Under scoring=compat, answers come to what LLM-BabyBench's own code made of them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from env_service.suites.babybench.answers import compat
from env_service.suites.babybench.formatters import format_bullets
from env_service.suites.babybench.grading import RULES, Grader
from env_service.suites.babybench.scoring import Score
from env_service.suites.babybench.solved_level import SolvedLevel, solve_level
from env_service.suites.babybench.tasks import Question, Subject
from env_service.worlds.babyai.levels import find_any_level
from env_service.worlds.babyai.omnibot.records import ExpertMode
from tests.support.data import reference_data
from tests.support.whole import sample

HEADINGS = ("east", "south", "west", "north")
EXTRACT = {
    "predict": compat.extract_state,
    "plan": compat.extract_actions,
    "decompose": compat.extract_subgoals,
}


@cache
def read(path: Any) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def reference() -> Any:
    return read(reference_data("babybench/reference.json"))


@pytest.fixture
def cases(reference: Any) -> Any:
    return reference["parser_and_evaluator_cases"]


def grade(question: Question, case: Any, text: str, scoring: str = "compat") -> Score:
    return grader(question, case, scoring).grade(text)


def grader(question: Question, case: Any, scoring: str = "compat") -> Grader:
    return Grader(Subject(question, find_any_level(case["level"]), case["seed"]), RULES[scoring])


def known(record: Any) -> SolvedLevel:
    return solve_level(find_any_level(record["level"]), record["seed"], ExpertMode.COMPAT)


def parsed_lines(text: str) -> Any:
    """As the reference data write them."""
    try:
        lines = [compat.parse_line(line) for line in text.split("\n")]
    except ValueError as error:
        return {"error": f"ValueError: {error}"}
    return [[name, list(numbers) if numbers else None] for name, numbers in lines]


def test_answers_are_found_where_the_published_code_finds_them(cases: Any) -> None:
    for case in cases["extract"]:
        assert EXTRACT[case["task"]](case["response"]) == case["extracted"], case


def test_states_and_plans_are_parsed_alike(cases: Any) -> None:
    for case in cases["extract"]:
        if case["task"] == "predict":
            state = compat.read_state(case["response"]).value
            found: Any = None if state is None else [list(state.position), state.heading]
        elif case["task"] == "plan":
            plan = compat.read_actions(case["response"]).value
            assert plan is not None
            found = list(plan.actions)
        else:
            found = parsed_lines(case["extracted"])
        assert found == case["parsed"], case


def test_subgoal_lines_are_parsed_alike(cases: Any) -> None:
    for case in cases["subgoal_lines"]:
        assert parsed_lines(case["line"]) == case["parsed"], case


def test_predictions_are_scored_alike(cases: Any) -> None:
    for case in cases["predict_eval"]:
        score = grade(Question.PREDICT, case, f"The agent's final state is: {case['prediction']}")
        result = case["result"]
        failed = score.labels["published_error"]
        assert failed == result.get("error", "none").partition(":")[0], case
        if failed == "none":
            assert score.success == result["success"], case
            assert score.metrics["distance"] == result["manhattan_distance"], case


def test_plans_are_scored_alike(cases: Any) -> None:
    for case in cases["plan_eval"]:
        score = grade(Question.PLAN, case, f"The LLM's action sequence is: {case['llm']}")
        result = case["result"]
        assert score.success == bool(result["CR"]), case
        assert score.metrics["actions"] == result["number_of_llm_actions"], case
        assert score.metrics["efficiency_or_zero"] == result["llm_efficiency"], case
        assert score.metrics["ball_distance"] == result["llm_ball_distance"], case
        assert score.metrics["reward"] == pytest.approx(result["llm_reward"]), case


def test_subgoals_are_carried_out_and_scored_alike(reference: Any) -> None:
    cases = reference["decompose_cases"]
    for case in sample(cases, cases[1::4]):
        text = f"<START>\n{case['plan']}\n<END>"
        metrics = grade(Question.DECOMPOSE, case, text).metrics
        found = {
            "CR": metrics["cr"],
            "PR": metrics["pr"],
            "ACI": metrics["aci"],
            "help": metrics["help"],
            "steps": metrics["executed_steps"],
            "max_help": grader(Question.DECOMPOSE, case).solved.expert.help_count,
        }
        assert found == case["result"], case


def test_crashes_of_the_published_code_are_told_and_scored_zero(reference: Any) -> None:
    for case in reference["decompose_reference_crashes"]:
        text = f"<START>\n{case['plan']}\n<END>"
        score = grade(Question.DECOMPOSE, case, text)
        assert not score.success, case
        assert score.labels["published_error"] == case["error"].partition(":")[0], case
        fixed = grade(Question.DECOMPOSE, case, text, "fixed")
        assert fixed.labels["answer"] == "parsed", case
        assert "published_error" not in fixed.labels, case


def test_predict_asks_about_the_published_actions(reference: Any) -> None:
    for record in (*reference["babyai"], *reference["paper_examples"]):
        expert = known(record).expert
        assert ", ".join(expert.actions) == record["actions"], record
        assert expert.state == (tuple(record["final_pos"]), record["final_dir"]), record


def test_descriptions_tell_the_facts_of_the_published_levels(reference: Any) -> None:
    for record in (*reference["babyai"], *reference["plan"], *reference["paper_examples"]):
        assert format_bullets(known(record).facts) == bullets(record), record


def bullets(record: Any) -> str:
    """The bullets that the published facts call for, made without our formatter."""
    (rows, columns), size = record["rooms"], record["room_size"]
    (x, y), heading = record["agent_pos"], record["agent_dir"]
    ahead = (x + (1, 0, -1, 0)[heading], y + (0, 1, 0, -1)[heading])
    return "\n".join(
        [
            f"- Number of rooms: {'1' if rows == columns == 1 else f'{rows}x{columns}'}",
            f"- Size of each room (including walls): {size}x{size}",
            f"- Effective room size (excluding walls): {size - 2}x{size - 2}",
            f"- Total grid size: {record['grid'][0]}x{record['grid'][1]}",
            f"- Agent initial position: ({x}, {y})",
            f"- Agent facing direction: {HEADINGS[heading]} (toward {ahead})",
            "- Objects in environment:",
            *(
                f"  - {kind}, color={color}, position=({column}, {row})"
                + (f", locked={door == ['locked']}" if kind == "door" else "")
                for kind, color, column, row, *door in record["objects"]
            ),
            f"- Mission: '{record['mission']}'",
        ]
    )
