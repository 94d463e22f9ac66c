"""The judge on the 251 tasks of valid_seen: commands, official plans, and the draw of which the
paper prints four logs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from env_service.domain.outcome import OutcomeCode
from env_service.suites.alfred import task_sets
from env_service.suites.alfred.command_wordings import Wording, command_of
from env_service.suites.alfred.judging.analysis import EpisodeEnd, JudgedCase
from env_service.suites.alfred.judging.blame import differences
from env_service.suites.alfred.judging.command_reader import read_command
from env_service.suites.alfred.judging.ideal_replay import replay
from env_service.suites.alfred.judging.integrity import IntegrityType, check
from env_service.suites.alfred.judging.intent import goal_intent
from env_service.suites.alfred.judging.judge import judge
from env_service.suites.alfred.skills.steps import Cause, SkillResult, StepRecord, failure
from env_service.suites.alfred.skills.vocabulary import parse_skill
from env_service.suites.alfred.task import AlfredTask, read_task
from env_service.suites.alfred.task_sets import AlfredTaskSets
from tests.support.data import reference_data

pytestmark = pytest.mark.data

_WORKED = SkillResult(OutcomeCode.SUCCEEDED)

IN_ONE = "trial_T20190907_054459_336922"
"""Its spoon is in its cup as it opens, which no plan tells."""


class Folder:
    """A data pack as it lies among the reference data."""

    def __init__(self, name: str) -> None:
        self._root = reference_data(name)

    def require(self, patterns: list[str]) -> tuple[str, ...]:
        found = [path for pattern in patterns for path in self._root.glob(pattern)]
        return tuple(sorted(str(path.relative_to(self._root)) for path in found))

    def path(self, relative: str) -> Path:
        return self._root / relative


@pytest.fixture(scope="module")
def tasks() -> Iterator[Sequence[AlfredTask]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(task_sets, "open_pack", Folder)
        yield [read_task(each) for each in AlfredTaskSets()["valid_seen"].tasks]


def _case(task: AlfredTask, wording: Wording, failing: int | None = None) -> JudgedCase:
    """A run of the official plan, one step of which may have failed in grasping."""
    records = tuple(
        StepRecord(said, parse_skill(said), _WORKED if at != failing else _failure())
        for at, said in enumerate(task.reference)
    )
    return JudgedCase(
        task=task,
        goal=task.goal,
        command=command_of(task, wording),
        opening=None,
        records=records,
        ended=EpisodeEnd.PLAN_OVER,
    )


def _failure() -> SkillResult:
    return failure(Cause.NO_ROOM, "Putting the object on it failed")


@pytest.mark.parametrize(
    ("wording", "most"),
    [
        (Wording.BASE, 0),
        (Wording.PARAPHRASE_1, 0),
        (Wording.PARAPHRASE_2, 0),
        (Wording.CONTEXTUAL, 2),
        (Wording.KOREAN, 0),
    ],
)
def test_refined_commands_ask_for_their_goals(
    tasks: Sequence[AlfredTask], wording: Wording, most: int
) -> None:
    """Two contextual commands really lost something: "two" slices, and the toilet."""
    differing = []
    for task in tasks:
        command = command_of(task, wording)
        intent = read_command(command.text, language=command.language, wording=wording)
        if differences(intent, goal_intent(task.goal)):
            differing.append(command.text)
    assert len(differing) == most, differing


def test_official_plans_reach_their_goals_in_the_ideal_replay(tasks: Sequence[AlfredTask]) -> None:
    missed = [each.id for each in tasks if not replay(_case(each, Wording.BASE)).reached]

    assert missed == [IN_ONE]


def test_a_perfect_planner_is_never_misled_by_refined_base_commands(
    tasks: Sequence[AlfredTask],
) -> None:
    found = Counter(
        judge(_case(task, Wording.BASE, failing=len(task.reference) - 1)).types
        for task in tasks
        if task.id != IN_ONE
    )
    assert found == {(2,): 250}


def test_original_commands_are_faulty_as_often_as_counted(tasks: Sequence[AlfredTask]) -> None:
    """Table 1 has 176 object, 160 spatial and 128 sequence errors of 820, found by a model that
    takes vague words for errors too; a lexicon without one finds fewer."""
    path = reference_data("alfred-refined/refined_valid_seen_commands.json")
    plans = {each["task_id"]: each["action_sequence"] for each in json.loads(path.read_text())}
    found: Counter[IntegrityType] = Counter()
    strict: Counter[IntegrityType] = Counter()
    for task in tasks:
        for text in task.originals:
            found[check(text, task.goal, plans[task.id]).type] += 1
            strict[check(text, task.goal, plans[task.id], strict=True).type] += 1
    assert sum(found.values()) == 820
    assert 550 <= found[IntegrityType.NONE] <= 650
    assert 450 <= strict[IntegrityType.NONE] <= 550
    assert found[IntegrityType.OTHER] <= 5
