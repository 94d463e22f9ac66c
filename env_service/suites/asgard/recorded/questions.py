"""One question: a published solution up to a step, and that step for an answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from env_service.domain.task import Task
from env_service.suites.asgard.node import Node
from env_service.suites.asgard.parsing import Command
from env_service.suites.asgard.plan import AsgardPlan, LocationGoal, SetupAction, SetupKind
from env_service.suites.asgard.reading import MOST_STEPS
from env_service.suites.asgard.recorded.viewer import RecordedPlan
from env_service.suites.asgard.vocabulary import Verb


@dataclass(frozen=True, slots=True)
class Question:
    """What an episode needs.

    Attributes:
        plan: the name of the plan.
        task_type: the plan's family, and ``variation`` what its name says beside that.
        description: the instruction.
        history: the solution's steps before this one, all of which worked as it was made.
        steps: how many steps the solution has.
        answer: its step here.
        frame: path, in the pack, of the picture from before this step.
        frame_before: of the picture from before the last one; empty at the first step.
        available: the words that the agent is shown.
        setup: what the task's start-up does to single objects.
        location_goals: what has to come to lie where.
    """

    plan: str
    task_type: str
    variation: str
    description: str
    history: tuple[Command, ...]
    steps: int
    answer: Command
    frame: str
    frame_before: str
    available: tuple[str, ...]
    setup: tuple[SetupAction, ...] = ()
    location_goals: tuple[LocationGoal, ...] = ()

    @property
    def step(self) -> int:
        """Which step of the solution it asks for, from 1."""
        return len(self.history) + 1

    @property
    def id(self) -> str:
        """Of its task, such as "clean_mirror__FloorPlan406_V1#3"."""
        return f"{self.plan}#{self.step}"

    @property
    def position(self) -> float:
        """Where in the solution the step stands: 0 the first, 1 the last."""
        return (self.step - 1) / (self.steps - 1) if self.steps > 1 else 0.0


def questions_of(
    recorded: RecordedPlan, plan: AsgardPlan, available: Iterable[str], frames: frozenset[str]
) -> tuple[Question, ...]:
    """A question for each step whose pictures are among ``frames``: its own and, from the second
    step on, the one before it."""
    commands = tuple(step.command for step in recorded.steps)
    words = tuple(available)
    goals = tuple(goal for goal in plan.goals if isinstance(goal, LocationGoal))
    found = []
    for at, step in enumerate(recorded.steps):
        before = recorded.steps[at - 1].frame if at else ""
        if step.frame not in frames or (at and before not in frames):
            continue
        found.append(
            Question(
                plan=recorded.name,
                task_type=plan.family.value,
                variation=" ".join(plan.conditions),
                description=recorded.description,
                history=commands[:at],
                steps=len(commands),
                answer=step.command,
                frame=step.frame,
                frame_before=before,
                available=words,
                setup=plan.setup_actions,
                location_goals=goals,
            )
        )
    return tuple(found)


def make_task(question: Question) -> Task:
    """The question as a task. Questions of one plan depend on each other: it is their cluster."""
    return Task(
        id=question.id,
        group=question.task_type,
        cluster=question.plan,
        data={
            "plan": question.plan,
            "variation": question.variation,
            "description": question.description,
            "history": [command.text for command in question.history],
            "steps": question.steps,
            "answer": question.answer.text,
            "frame": question.frame,
            "frame_before": question.frame_before,
            "objects": list(question.available),
            "setup": [[each.kind.value, each.object_name, each.liquid] for each in question.setup],
            "location_goals": [
                [goal.object_type, goal.destination_type] for goal in question.location_goals
            ],
        },
    )


def read_question(task: Task) -> Question:
    """What ``make_task`` put into a task. Raises PlanError."""
    data = Node(dict(task.data), task.id)
    return Question(
        plan=data["plan"].text(),
        task_type=task.group,
        variation=str(data["variation"].value),
        description=data["description"].text(),
        history=tuple(map(_command, data["history"].items())),
        steps=data["steps"].whole(1, MOST_STEPS),
        answer=_command(data["answer"]),
        frame=data["frame"].text(),
        frame_before=str(data["frame_before"].value),
        available=data["objects"].texts(),
        setup=tuple(map(_setup, data["setup"].items())),
        location_goals=tuple(
            LocationGoal(*(each.text() for each in goal.items()))
            for goal in data["location_goals"].items()
        ),
    )


def _command(said: Node) -> Command:
    verb, _, object_type = said.text().partition(" ")
    return Command(Verb(Node(verb, said.source, said.where).one_of("action", Verb)), object_type)


def _setup(action: Node) -> SetupAction:
    values: list[Any] = action.value
    kind, name, liquid = values
    return SetupAction(SetupKind(kind), str(name), liquid)
