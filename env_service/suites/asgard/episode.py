"""One attempt at one task of AsgardBench, and the outcome of each turn."""

from __future__ import annotations

from dataclasses import dataclass, field

from env_service.domain.action import Action
from env_service.domain.episode import (
    EpisodeResult,
    EpisodeStatus,
    FinishReason,
    FirstObservation,
    Mode,
    StepReport,
    failure_class,
    since_start,
)
from env_service.domain.failure import FaultClass, WorldFault
from env_service.domain.moment import Note
from env_service.domain.observation import Observation
from env_service.domain.outcome import Outcome, OutcomeCode
from env_service.suites.asgard.action_language import (
    NOTHING,
    BadTurn,
    Command,
    Parser,
    action_space,
    objects_in,
)
from env_service.suites.asgard.actions.executor import ActionExecutor, ActionOutcome, turn_knife
from env_service.suites.asgard.ai2thor_start import start_for
from env_service.suites.asgard.conditions import check_condition, rules_of
from env_service.suites.asgard.goals import GoalProgress, GoalTracker, goals_of
from env_service.suites.asgard.limits import Ending, Limits, StepLimits, Turn
from env_service.suites.asgard.observation import AsgardObserver
from env_service.suites.asgard.plan import AsgardPlan
from env_service.suites.asgard.plan_reader import PlanError
from env_service.suites.asgard.scoring import (
    TurnTally,
    ending_labels,
    goal_metrics,
    plan_labels,
    turn_metrics,
)
from env_service.suites.asgard.setup import set_up
from env_service.suites.asgard.task_sets import AsgardTask, read_task
from env_service.suites.asgard.wording import PastStep, Reason, answer_rules, plain, world_rules
from env_service.suites.base import EpisodeOrder
from env_service.worlds.ai2thor_api.controller import ThorController
from env_service.worlds.ai2thor_api.moments import SceneWatch
from env_service.worlds.ai2thor_api.scene_digest import scene_digest
from env_service.worlds.ai2thor_api.world_registry import open_task_scene


@dataclass(slots=True)
class _EpisodeState:
    """What there is from the opening on."""

    plan: AsgardPlan
    available: tuple[str, ...]
    executor: ActionExecutor
    tracker: GoalTracker
    parser: Parser
    limits: Limits
    progress: GoalProgress
    opening: GoalProgress
    astray: float
    tally: TurnTally = field(default_factory=TurnTally)
    ending: Ending | None = None


class AsgardEpisode:
    """An Episode (see domain.episode) in a world behind AI2-THOR's controller API.

    Every turn counts as a step, also one that was refused or not understood. Success ends the
    episode (TERMINATED), a limit cuts it off (TRUNCATED).
    """

    def __init__(self, order: EpisodeOrder) -> None:
        """Raises ConditionError for settings that do not go together."""
        check_condition(order.condition)
        self._order = order
        self._rules = rules_of(order.condition)
        self._observer = AsgardObserver(order.request, order.condition)
        self._world: ThorController | None = None
        self._play: _EpisodeState | None = None
        self._watch = SceneWatch()

    def watch(self, note: Note) -> None:
        """See `WatchedEpisode`."""
        self._watch = SceneWatch(note)

    def start(self) -> FirstObservation:
        """Opens the scene, sets up the task in it, and shows it.

        Raises WorldFault; as DATA_FAULT where the task cannot be played in this world.
        """
        task = self._read()
        self._world = self._open(task)
        play = self._play = self._begin(task, self._world, set_up(self._world, task.plan))
        self._watch.look(self._world, play.opening.conditions)
        return FirstObservation(
            mode=Mode.STEPWISE,
            instruction=task.plan.description,
            action_space=action_space(play.available),
            observation=self._look(None),
            max_steps=play.limits.most_steps,
            context={
                "available_objects": ", ".join(play.available),
                "world_rules": world_rules(
                    common_sense=self._order.condition["common_sense"] == "on"
                ),
                "answer_rules": answer_rules(play.available),
            },
        )

    def act(self, action: Action) -> StepReport:
        """Takes one turn."""
        play = self._started()
        if play.ending is not None:
            raise RuntimeError("the episode is over: act() may not be called any more")
        taken = take_turn(play.parser.read(action), play.executor)
        play.progress = play.tracker.evaluate(play.executor.view, play.executor.events)
        turn = taken.counted(reached_goal=bool(play.progress.newly_met))
        play.ending = play.limits.after(turn, all_met=play.progress.all_met)
        play.tally.note(taken.code, taken.reason)
        self._watch.look(self._world, play.progress.conditions)
        return StepReport(
            outcomes=(taken.outcome,),
            observation=self._look(taken.past),
            status=_status(play.ending),
            steps_left=play.limits.steps_left,
        )

    def finish(self, reason: FinishReason) -> EpisodeResult:
        """Scores the episode: success if all goals hold as it ends. See `scoring` for metrics and
        labels; ``astray`` is how many metres from the plan's pose the agent had to begin."""
        play = self._started()
        success = play.progress.all_met
        own = play.ending.failure if play.ending else None
        return EpisodeResult(
            success=success,
            goal_conditions=since_start(play.progress.conditions, play.opening.conditions),
            failure=failure_class(success=success, reason=reason, own=own),
            steps=play.limits.steps,
            metrics=goal_metrics(play.opening.met, play.progress.met)
            | turn_metrics(play.plan, play.limits, play.tally)
            | {"astray": play.astray},
            labels=plan_labels(play.plan, self._order.condition)
            | ending_labels(play.limits, play.ending, reason),
        )

    def state_digest(self) -> str:
        """See `scene_digest`."""
        executor = self._started().executor
        return scene_digest(executor.view.metadata, executor.events)

    def close(self) -> None:
        """Gives the world back."""
        world, self._world = self._world, None
        if world is not None:
            world.stop()

    def _read(self) -> AsgardTask:
        try:
            return read_task(self._order.task)
        except PlanError as error:
            raise WorldFault(FaultClass.DATA_FAULT, str(error)) from error

    def _open(self, task: AsgardTask) -> ThorController:
        plan, start = task.plan, start_for(self._order.condition)
        return open_task_scene(plan.name, self._order.world, plan.scene, start)

    def _begin(self, task: AsgardTask, world: ThorController, astray: float) -> _EpisodeState:
        plan, rules = task.plan, self._rules
        goals = goals_of(plan, rules)
        executor = ActionExecutor(world, rules, goals, seed=self._order.seed)
        tracker = GoalTracker(goals, rules)
        opening = tracker.begin(executor.view)
        available = task.available or objects_in(executor.view)
        return _EpisodeState(
            plan=plan,
            available=available,
            executor=executor,
            tracker=tracker,
            parser=Parser(available, rules),
            limits=Limits(StepLimits.of(plan.step_count), rules),
            progress=opening,
            opening=opening,
            astray=astray,
        )

    def _look(self, past: PastStep | None) -> Observation:
        world, play = self._world, self._started()
        if world is None:
            raise RuntimeError("the episode is closed")
        view = play.executor.view
        turn_knife(world, view)
        held = None if view.held is None else str(view.held["objectId"])
        return self._observer.observe(world.last_event, held, past)

    def _started(self) -> _EpisodeState:
        if self._play is None:
            raise RuntimeError("the episode has not started")
        return self._play


def _status(ending: Ending | None) -> EpisodeStatus:
    if ending is None:
        return EpisodeStatus.RUNNING
    return EpisodeStatus.TERMINATED if ending is Ending.SUCCESS else EpisodeStatus.TRUNCATED


# --- What one turn of the agent came to


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """One turn.

    Attributes:
        text: "ACTION Object", "None None" where nothing was understood.
        object_type: what it names; None where it names nothing.
        code: how the environment took it.
        message: why not, with AI2-THOR's names in it; empty for success.
        reason: the kind of precondition that failed; None for success, and for a turn that never
            came as far as the environment.
        flags_subgoal: it was a DRINK, SPRAY, SLICE or CLEAN that passed its checks.
    """

    text: str
    object_type: str | None
    code: OutcomeCode
    message: str = ""
    reason: Reason | None = None
    flags_subgoal: bool = False

    @classmethod
    def bad(cls, turn: BadTurn) -> TurnOutcome:
        """A turn that asks for nothing that can be done."""
        named = None if turn.object_type == NOTHING else turn.object_type
        return cls(turn.text, named, turn.code, turn.feedback)

    @classmethod
    def done(cls, command: Command, done: ActionOutcome) -> TurnOutcome:
        """A command that the environment took or refused."""
        return cls(
            text=command.text,
            object_type=command.object_type,
            code=done.code,
            message=done.message,
            reason=done.reason,
            flags_subgoal=done.flags_subgoal,
        )

    @property
    def succeeded(self) -> bool:
        """Whether the environment took it."""
        return self.code is OutcomeCode.SUCCEEDED

    @property
    def outcome(self) -> Outcome:
        """What the environment answered, before disclosure."""
        return Outcome(self.code, plain(self.message))

    @property
    def past(self) -> PastStep:
        """The turn as the history shows it."""
        return PastStep(self.text, self.succeeded, self.message)

    def counted(self, *, reached_goal: bool) -> Turn:
        """As limits count it."""
        return Turn(
            text=self.text,
            object_type=self.object_type,
            succeeded=self.succeeded,
            flags_subgoal=self.flags_subgoal,
            reached_goal=reached_goal,
        )


def take_turn(turn: Command | BadTurn, executor: ActionExecutor) -> TurnOutcome:
    """Plays one turn. Raises WorldFault if the world breaks."""
    if isinstance(turn, BadTurn):
        return TurnOutcome.bad(turn)
    return TurnOutcome.done(turn, executor.do(turn.verb, turn.object_type))
