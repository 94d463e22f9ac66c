from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, cast

from houseguest.agent.v1 import agent_pb2 as pb
from houseguest.agent.v1.action_pb2 import ActionSpace, Parameter, Skill
from houseguest.agent.v1.observation_pb2 import Observation
from houseguest_agent import Episode, Mode, Plan, SkillCall, Text
from houseguest_agent.observation import Album
from houseguest_agent.transport import RequestSender

from agents.random.agent import episode_rng, random_action, things_named
from env_service.domain import action as domain
from env_service.suites.actplan.plans.plan_reader import action_space, read_action
from env_service.suites.babybench.answers.readings import Reading
from env_service.suites.babybench.grading import RULES

SKILLS = [
    Skill(name="forward", description="Goes."),
    Skill(
        name="say",
        description="Says.",
        parameters=[
            Parameter(name="tone", description="How.", choices=["loud", "low"]),
            Parameter(name="word", description="What."),
        ],
    ),
]


def an_episode(
    mode: pb.Mode.ValueType = pb.MODE_STEPWISE,
    seed: int = 5,
    question: str = "",
    text: str = "",
) -> Episode:
    answers = mode == pb.MODE_ANSWER
    opening = pb.Episode(
        episode_id=random.Random(0).randbytes(8).hex(),
        mode=mode,
        instruction="find the red ball",
        action_space=ActionSpace(skills=[] if answers else SKILLS),
        agent_seed=seed,
        context={"question": question} if question else {},
        observation=Observation(text=text),
    )
    no_service = cast(RequestSender, None)
    return Episode(opening, no_service, Album(keep=False))


def actions(episode: Episode, seed: int, count: int = 30) -> list[SkillCall | Plan | Text]:
    rng = episode_rng(seed, episode)
    return [random_action(episode, rng) for _ in range(count)]


def test_the_same_episode_meets_the_same_agent() -> None:
    assert actions(an_episode(), 1) == actions(an_episode(), 1)


def test_another_episode_meets_another_agent() -> None:
    assert actions(an_episode(), 1) != actions(an_episode(seed=6), 1)


def test_another_seed_is_another_agent() -> None:
    assert actions(an_episode(), 1) != actions(an_episode(), 2)


def test_every_skill_and_choice_is_drawn_and_free_text_is_a_word_of_the_instruction() -> None:
    drawn = actions(an_episode(), 0, count=300)
    calls = [action for action in drawn if isinstance(action, SkillCall)]
    assert len(calls) == 300
    said = [call.arguments for call in calls if call.name == "say"]
    assert 100 < len(said) < 200
    assert {arguments["tone"] for arguments in said} == {"loud", "low"}
    assert {arguments["word"] for arguments in said} == {"find", "the", "red", "ball"}


def test_a_plan_is_drawn_where_one_is_asked_for() -> None:
    drawn = actions(an_episode(pb.MODE_PLAN), 0, count=200)
    lengths = {len(plan.steps) for plan in drawn if isinstance(plan, Plan)}
    assert lengths == set(range(1, 11))


def test_an_answer_is_made_of_words() -> None:
    episode = an_episode(pb.MODE_ANSWER)
    assert episode.mode is Mode.ANSWER
    for answer in actions(episode, 0):
        assert isinstance(answer, Text)
        assert answer.text


class TestQuestions:
    """LLM-BabyBench's questions: every answer is of the form that the service reads."""

    def answers(
        self, question: str, text: str = "Grid size: 22x22, turns of 90 degrees"
    ) -> list[str]:
        drawn = actions(an_episode(pb.MODE_ANSWER, question=question, text=text), 0, count=300)
        return [action.text for action in drawn if isinstance(action, Text)]

    def test_a_state_is_any_cell_of_the_grid_and_any_heading(self) -> None:
        texts = self.answers("predict")
        assert len(texts) == 300
        states = {read(rules.read_state, text) for rules in RULES.values() for text in texts}
        assert {state.position[0] for state in states} == set(range(22))
        assert {state.position[1] for state in states} == set(range(22))
        assert {state.heading for state in states} == {0, 1, 2, 3}

    def test_without_a_size_cells_are_those_of_a_small_room(self) -> None:
        said = [read(RULES["fixed"].read_state, text) for text in self.answers("predict", "")]
        assert {state.position[0] for state in said} == set(range(8))

    def test_a_plan_is_made_of_the_six_actions(self) -> None:
        plans = [read(RULES["compat"].read_actions, text) for text in self.answers("plan")]
        assert not any(plan.unknown for plan in plans)
        assert {len(plan.actions) for plan in plans} == set(range(1, 11))
        assert len({action for plan in plans for action in plan.actions}) == 6

    def test_subgoals_are_any_with_a_cell_where_one_is_due(self) -> None:
        lists = [read(RULES["compat"].read_subgoals, text) for text in self.answers("decompose")]
        assert not any(each.skipped for each in lists)
        subgoals = [subgoal for each in lists for subgoal in each.subgoals]
        assert len({subgoal.name for subgoal in subgoals}) == 5
        with_cell = {subgoal.name.value for subgoal in subgoals if subgoal.position}
        assert with_cell == {"GoNextToSubgoal"}


def read(reader: Callable[[str], Reading[Any]], text: str) -> Any:
    reading = reader(text)
    assert reading.problem is None
    return reading.value


DESCRIPTION = (
    "The task is to put all the candles into the two baskets on the floor. Generate admissible"
    " plans with action(object), such as walk_to, open/close, and switch-on/off."
)


def test_in_a_described_home_it_names_things_of_the_description() -> None:
    assert things_named(DESCRIPTION) == ["candles", "baskets", "floor"]
    assert things_named("All of it.") == ["All", "of", "it."]
    assert things_named("") == ["nothing"]


def test_its_plans_for_activities_are_read_without_residue() -> None:
    space = action_space()
    opening = pb.Episode(
        episode_id="e",
        suite="actplan",
        mode=pb.MODE_PLAN,
        instruction=DESCRIPTION,
        action_space=ActionSpace(
            skills=[
                Skill(
                    name=each.name,
                    description=each.description,
                    parameters=[Parameter(name=p.name, description="") for p in each.parameters],
                )
                for each in space.skills
            ]
        ),
    )
    episode = Episode(opening, cast(RequestSender, None), Album(keep=False))
    for action in actions(episode, 3, 20):
        assert isinstance(action, Plan)
        steps = tuple(
            domain.SkillCall(each.name, tuple(each.arguments.items())) for each in action.steps
        )
        read = read_action(domain.Plan(steps))
        assert len(read.steps) == len(steps)
        assert not read.residue
        assert not read.diagnoses
