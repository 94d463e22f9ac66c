"""One attempt at one task of ALFRED, and what the agent is shown of the scene."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from env_service.domain.action import Action
from env_service.domain.episode import (
    EpisodeResult,
    EpisodeStatus,
    FinishReason,
    FirstObservation,
    GoalCondition,
    Mode,
    StepReport,
    failure_class,
    since_start,
)
from env_service.domain.failure import FailureClass
from env_service.domain.moment import Note
from env_service.domain.observation import Channel, Frame, Observation, ObservationRequest
from env_service.domain.outcome import Outcome, OutcomeCode
from env_service.suites.alfred.ai2thor_start import thor_start
from env_service.suites.alfred.command_wordings import (
    Command,
    NoCommandError,
    command_of,
    whole_command,
)
from env_service.suites.alfred.conditions import (
    PLAN,
    check_condition,
    feedback_of,
    rules_of,
    wording_of,
)
from env_service.suites.alfred.goals import evaluate
from env_service.suites.alfred.judging.analysis import NO_FAILURE, EpisodeEnd, JudgedCase
from env_service.suites.alfred.judging.judge import judge
from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.scoring import (
    failure_labels,
    failure_metrics,
    goal_metrics,
    step_metrics,
    task_labels,
)
from env_service.suites.alfred.setup.opening import Prepared, set_up
from env_service.suites.alfred.skills.plan_reader import PlanProblem, read_plan, read_step
from env_service.suites.alfred.skills.robot import Robot
from env_service.suites.alfred.skills.steps import SkillStep, StepRecord, Verb
from env_service.suites.alfred.skills.vocabulary import SKILLS, action_space
from env_service.suites.alfred.task import AlfredTask, read_task
from env_service.suites.alfred.wording import (
    NOTHING_DONE,
    PLAN_REFUSED,
    PLAN_TRIED,
    SAID_DONE,
    ClarifyingQuestion,
    answer_rules,
    step_feedback,
)
from env_service.suites.base import ConditionError, EpisodeOrder
from env_service.worlds.ai2thor_api.controller import ThorController, ThorEvent, rgb_picture
from env_service.worlds.ai2thor_api.moments import SceneWatch
from env_service.worlds.ai2thor_api.scene_digest import scene_digest
from env_service.worlds.ai2thor_api.world_registry import open_task_scene

MOST_STEPS = 25
"""Of an episode that is played step by step (LoTa-Bench's planner.max_steps, docs/alfred.md,
"Conditions")."""


@dataclass(slots=True)
class _EpisodeState:
    """What there is from the opening on."""

    task: AlfredTask
    command: Command
    prepared: Prepared
    opening: AlfredView
    robot: Robot
    question: ClarifyingQuestion
    begun_with: tuple[GoalCondition, ...] = ()
    records: list[StepRecord] = field(default_factory=list)
    turns: int = 0
    ended: EpisodeEnd | None = None
    refused: str = ""

    @property
    def known(self) -> Command:
        """The command as the agent came to know it: with its context, where that was the answer."""
        return whole_command(self.task, self.command) if self.question.asked else self.command

    @property
    def goal_conditions(self) -> tuple[GoalCondition, ...]:
        """The goal conditions in the scene's present state."""
        robot = self.robot
        return evaluate(self.prepared.goal, robot.view, robot.marks, robot.rules)


class AlfredEpisode:
    """An Episode (see domain.episode) in a world behind AI2-THOR's controller API.

    Played in one of two ways. A plan: one turn, in which all of its steps are tried to the end.
    Steps: one skill a turn, `MOST_STEPS` at most, until the agent says done. Either way the goal is
    looked at when all is over, never before (docs/alfred.md, "Conditions"): a goal that was reached
    and undone is not met.
    """

    def __init__(self, order: EpisodeOrder) -> None:
        """Raises ConditionError for settings that do not go together, and for a wording of which
        the task has no command."""
        check_condition(order.condition)
        self._order = order
        self._task = read_task(order.task)
        try:
            self._command = command_of(self._task, wording_of(order.condition))
        except NoCommandError as error:
            raise ConditionError(str(error)) from error
        self._whole = order.condition["play"] == PLAN
        self._observer = AlfredObserver(order.request)
        self._world: ThorController | None = None
        self._play: _EpisodeState | None = None
        self._watch = SceneWatch()

    def watch(self, note: Note) -> None:
        """See `WatchedEpisode`: a moment after each skill."""
        self._watch = SceneWatch(note)

    def start(self) -> FirstObservation:
        """Opens the scene, sets up the task in it, and gives the command.

        Raises WorldFault; as DATA_FAULT if the task cannot be played in this world.
        """
        world = self._world = self._open()
        prepared = set_up(world, self._task)
        ask = self._order.condition["ask"] == "on"
        play = self._play = _EpisodeState(
            task=self._task,
            command=self._command,
            prepared=prepared,
            opening=AlfredView(world.last_event.metadata),
            robot=Robot(world, rules_of(self._order.condition), prepared.aliases),
            question=ClarifyingQuestion(allowed=ask, answer=self._command.context),
        )
        play.begun_with = play.goal_conditions
        self._watch.look(world, play.begun_with)
        return FirstObservation(
            mode=Mode.PLAN if self._whole else Mode.STEPWISE,
            instruction=self._command.text,
            action_space=action_space(question=ask),
            observation=self._observer.observe(world.last_event, NOTHING_DONE),
            max_steps=(1 if self._whole else MOST_STEPS) + play.question.extra_turns,
            language=self._command.language,
            context={
                "skills": ", ".join(SKILLS),
                "answer_rules": answer_rules(self._order.condition["play"], ask=ask),
            },
        )

    def act(self, action: Action) -> StepReport:
        """Takes the plan, one step, or the question."""
        play = self._started()
        if play.ended is not None:
            raise RuntimeError("the episode is over: act() may not be called any more")
        play.turns += 1
        answer = play.question.answer(action)
        if answer is not None:
            return self._report([Outcome(OutcomeCode.SUCCEEDED)], answer)
        play.question.forgo()
        return self._take_plan(action) if self._whole else self._take_step(action)

    def finish(self, reason: FinishReason) -> EpisodeResult:
        """Scores the present scene, and classifies a failure. See `scoring` for metrics and
        labels."""
        play = self._started()
        conditions = play.goal_conditions
        success = all(each.met for each in conditions)
        own = FailureClass.MAX_STEPS if play.ended is EpisodeEnd.STEP_LIMIT else None
        analysis = NO_FAILURE if success else judge(self._case(reason))
        return EpisodeResult(
            success=success,
            goal_conditions=since_start(conditions, play.begun_with),
            failure=failure_class(success=success, reason=reason, own=own),
            steps=play.turns,
            metrics={
                **goal_metrics(play.task, conditions, _taken(play.records)),
                **step_metrics(play.records),
                **failure_metrics(analysis),
                "asked": float(play.question.asked),
                "astray": play.prepared.astray,
                "not_reproduced": float(len(play.prepared.problems)),
            },
            labels={
                **task_labels(play.task, self._order.condition),
                **failure_labels(analysis),
                "ending": reason.value if play.ended is None else play.ended.value,
            },
        )

    def state_digest(self) -> str:
        """See `scene_digest`; what is heated, cooled or cleaned counts too."""
        robot = self._started().robot
        marks = robot.marks
        marked = {"heated": marks.heated, "cooled": marks.cooled, "cleaned": marks.cleaned}
        events = [f"{name} {each}" for name, ids in marked.items() for each in ids]
        return scene_digest(robot.view.metadata, events)

    def close(self) -> None:
        """Gives the world back."""
        world, self._world = self._world, None
        if world is not None:
            world.stop()

    def _open(self) -> ThorController:
        task, world = self._task, self._order.world
        return open_task_scene(task.id, world, task.setup.scene, thor_start())

    def _take_plan(self, action: Action) -> StepReport:
        play = self._started()
        reading = read_plan(action, synonyms=self._synonyms, present=self._present)
        if reading.problem is not None:
            play.ended, play.refused = _BAD_PLANS[reading.problem], reading.explanation
            return self._report(
                [Outcome(OutcomeCode.UNPARSABLE, reading.explanation)], PLAN_REFUSED
            )
        outcomes = [self._try(said, step) for said, step in reading.steps]
        play.ended = EpisodeEnd.PLAN_OVER
        return self._report(outcomes, PLAN_TRIED)

    def _take_step(self, action: Action) -> StepReport:
        play = self._started()
        said, step = read_step(action, synonyms=self._synonyms, present=self._present)
        if step is not None and step.verb is Verb.DONE:
            play.ended = EpisodeEnd.DONE
            return self._report([Outcome(OutcomeCode.SUCCEEDED)], SAID_DONE)
        outcome = self._try(said, step)
        count = len(play.records)
        if count >= MOST_STEPS:
            play.ended = EpisodeEnd.STEP_LIMIT
        feedback = feedback_of(self._order.condition)
        return self._report([outcome], step_feedback(count, play.records[-1].result, feedback))

    def _try(self, said: str, step: SkillStep | None) -> Outcome:
        play = self._started()
        result = play.robot.do_unknown(said) if step is None else play.robot.do(step)
        play.records.append(StepRecord(said, step, result))
        if self._watch.on:
            self._watch.look(self._world, play.goal_conditions, said, result.message)
        return Outcome(result.code, result.message)

    def _report(self, outcomes: Sequence[Outcome], text: str) -> StepReport:
        play, world = self._started(), self._world
        if world is None:
            raise RuntimeError("the episode is closed")
        left = 0
        if play.ended is None:
            left = 1 if self._whole else MOST_STEPS - len(play.records)
        return StepReport(
            outcomes=tuple(outcomes),
            observation=self._observer.observe(world.last_event, text),
            status=_status(play.ended),
            steps_left=left,
        )

    def _case(self, reason: FinishReason) -> JudgedCase:
        play = self._started()
        said_done = reason is FinishReason.AGENT_DONE
        ended = play.ended or (EpisodeEnd.DONE if said_done else EpisodeEnd.STOPPED)
        return JudgedCase(
            task=play.task,
            goal=play.prepared.goal,
            command=play.known,
            opening=play.opening,
            records=tuple(play.records),
            ended=ended,
            rules=play.robot.rules,
            aliases=play.prepared.aliases,
            refused=play.refused,
        )

    @property
    def _synonyms(self) -> bool:
        return self._order.condition["synonyms"] == "on"

    @property
    def _present(self) -> frozenset[str]:
        """The object types of the scene, which decide what an ambiguous word means."""
        return frozenset(each["objectType"] for each in self._started().robot.view.objects)

    def _started(self) -> _EpisodeState:
        if self._play is None:
            raise RuntimeError("the episode has not started")
        return self._play


_BAD_PLANS = {
    PlanProblem.EMPTY: EpisodeEnd.EMPTY_PLAN,
    PlanProblem.TOO_LONG: EpisodeEnd.PLAN_TOO_LONG,
    PlanProblem.UNREADABLE: EpisodeEnd.UNREADABLE,
}


def _taken(records: Sequence[StepRecord]) -> int:
    """Skills that were tried; done is none."""
    return sum(each.step is None or each.step.verb is not Verb.DONE for each in records)


def _status(ended: EpisodeEnd | None) -> EpisodeStatus:
    if ended is None:
        return EpisodeStatus.RUNNING
    return EpisodeStatus.TRUNCATED if ended is EpisodeEnd.STEP_LIMIT else EpisodeStatus.TERMINATED


# --- Makes what the agent observes: only the channels that it was granted


class AlfredObserver:
    """Makes one episode's observations. Asks an event for its picture only where the grant names
    one: drawing is dear."""

    def __init__(self, granted: ObservationRequest) -> None:
        self._granted = granted

    def observe(self, event: ThorEvent, text: str) -> Observation:
        """What the agent sees now; it contains ``text`` only if text was granted."""
        return Observation(text if self._granted.text else "", self._frames(event))

    def _frames(self, event: ThorEvent) -> tuple[Frame, ...]:
        if not self._granted.images:
            return ()
        return (Frame(Channel.RGB, rgb_picture(event)),)
