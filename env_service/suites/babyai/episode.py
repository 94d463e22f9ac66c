"""One attempt at one mission."""

from functools import cached_property

from env_service.domain.action import Action, SkillCall, Text, Unreadable
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
from env_service.domain.moment import Moment, Note
from env_service.domain.observation import (
    Channel,
    Frame,
    ImageRole,
    Observation,
    ObservationRequest,
)
from env_service.domain.outcome import Outcome, OutcomeCode
from env_service.suites.babyai.tasks import read_task
from env_service.suites.babyai.wording import (
    ACTION_SPACE,
    ANSWER_RULES,
    NOT_A_SKILL,
    UNPARSABLE,
    explain_refusal,
    explain_rules,
    parse_action,
)
from env_service.suites.base import EpisodeOrder
from env_service.worlds.babyai.actions import ACTIONS
from env_service.worlds.babyai.description import describe_grid, describe_view
from env_service.worlds.babyai.world import BabyAiWorld

_NOT_REFUSED = (OutcomeCode.SUCCEEDED, OutcomeCode.UNPARSABLE)


class BabyAiEpisode:
    """An Episode (see domain.episode) in a BabyAiWorld.

    Every turn counts towards the level's limit of steps, even if its action was refused, unknown or
    not understood. Only the six actions reach the simulator, so its count of steps omits all other
    turns.
    """

    def __init__(self, order: EpisodeOrder) -> None:
        """Keeps the order. The order's seed has no effect: the task's seed makes the level."""
        self._order = order
        self._observer = BabyAiObserver(order.request, order.condition["view"])
        self._turns = self._refused = self._unparsable = 0
        self._status = EpisodeStatus.RUNNING
        self._begun_with: tuple[GoalCondition, ...] = ()
        self._note: Note | None = None

    def watch(self, note: Note) -> None:
        """See `WatchedEpisode`."""
        self._note = note

    @cached_property
    def _world(self) -> BabyAiWorld:
        return BabyAiWorld(*read_task(self._order.task))

    def start(self) -> FirstObservation:
        """Generates the level and shows it."""
        self._begun_with = _conditions(self._world)
        self._tell()
        return FirstObservation(
            mode=Mode.STEPWISE,
            instruction=self._world.mission,
            action_space=ACTION_SPACE,
            observation=self._observer.observe(self._world),
            max_steps=self._world.max_steps,
            context={
                "world_rules": explain_rules(self._order.condition),
                "answer_rules": ANSWER_RULES,
            },
        )

    def act(self, action: Action) -> StepReport:
        """Takes one turn."""
        if self._status is not EpisodeStatus.RUNNING:
            raise RuntimeError("the episode is over: act() may not be called any more")
        self._turns += 1
        outcome = self._take(action)
        self._unparsable += outcome.code is OutcomeCode.UNPARSABLE
        self._refused += outcome.code not in _NOT_REFUSED
        if self._status is EpisodeStatus.RUNNING and self._turns >= self._world.max_steps:
            self._status = EpisodeStatus.TRUNCATED
        self._tell()
        return StepReport(
            outcomes=(outcome,),
            observation=self._observer.observe(self._world),
            status=self._status,
            steps_left=self._world.max_steps - self._turns,
        )

    def finish(self, reason: FinishReason) -> EpisodeResult:
        """Scores the episode. Success is minigrid's: the mission ended with a reward."""
        world = self._world
        out_of_steps = self._status is EpisodeStatus.TRUNCATED
        own = FailureClass.MAX_STEPS if out_of_steps else None
        return EpisodeResult(
            success=world.solved,
            goal_conditions=since_start(_conditions(world), self._begun_with),
            failure=failure_class(success=world.solved, reason=reason, own=own),
            steps=self._turns,
            metrics={
                "turns": float(self._turns),
                "refused": float(self._refused),
                "unparsable": float(self._unparsable),
                "reward": self._reward(),
            },
        )

    def state_digest(self) -> str:
        """SHA-256 (hex) of the world's true state."""
        return self._world.digest()

    def close(self) -> None:
        """Does nothing: a world is only memory."""

    def _tell(self) -> None:
        if self._note is not None:
            board = self._world.snapshot().board()
            self._note(Moment(goals=_conditions(self._world), board=board))

    def _reward(self) -> float:
        # minigrid's formula over turns, so that a turn that was not understood also costs reward.
        if not self._world.solved:
            return 0.0
        return 1 - 0.9 * self._turns / self._world.max_steps

    def _take(self, action: Action) -> Outcome:
        match action:
            case SkillCall(name, ()) if name in ACTIONS:
                return self._execute(name)
            case Text(text):
                named = parse_action(text)
                return UNPARSABLE if named is None else self._execute(named)
            case Unreadable(problem):
                return Outcome(OutcomeCode.UNPARSABLE, problem)
            case _:
                return NOT_A_SKILL

    def _execute(self, name: str) -> Outcome:
        effect = self._world.step(name)
        if effect.over:
            self._status = EpisodeStatus.TERMINATED
        if effect.refusal is None:
            return Outcome(OutcomeCode.SUCCEEDED)
        return explain_refusal(effect.refusal, self._world.snapshot().carrying)


def _conditions(world: BabyAiWorld) -> tuple[GoalCondition, ...]:
    return tuple(GoalCondition(each.words, each.done) for each in world.subgoals())


# --- What the agent observes


class BabyAiObserver:
    """Makes one episode's observations, and keeps the last image for the next one."""

    def __init__(self, granted: ObservationRequest, view: str) -> None:
        """``view`` is "full" or "partial"."""
        self._granted = granted
        self._partial = view == "partial"
        self._previous: Frame | None = None

    def observe(self, world: BabyAiWorld) -> Observation:
        """The agent's current view. Call it once for each observation."""
        text = self._describe(world) if self._granted.text else ""
        return Observation(text, self._frames(world))

    def _describe(self, world: BabyAiWorld) -> str:
        return describe_view(world.view()) if self._partial else describe_grid(world.snapshot())

    def _frames(self, world: BabyAiWorld) -> tuple[Frame, ...]:
        if not self._granted.images:
            return ()
        (request,) = self._granted.images
        pixels = world.view_picture() if self._partial else world.grid_picture()
        current, previous = Frame(Channel.RGB, pixels), self._previous
        self._previous = Frame(Channel.RGB, pixels, ImageRole.PREVIOUS)
        return (current, previous) if request.previous_frame and previous else (current,)
