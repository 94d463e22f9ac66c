"""An answer compared with the true states, step by step."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from env_service.domain.outcome import OutcomeCode
from env_service.domain.text import counted
from env_service.suites.babybench.answers.readings import State, SubgoalList, write_subgoal
from env_service.suites.babybench.grading import Grader, outcome_of
from env_service.suites.babybench.grid_model import GridModel
from env_service.suites.babybench.scoring import execute, manhattan
from env_service.suites.babybench.tasks import Question
from env_service.suites.babybench.wording import ask
from env_service.worlds.babyai.omnibot.records import Assistance, StackEntry, SubgoalName
from env_service.worlds.babyai.omnibot.solver import assist, solve
from env_service.worlds.babyai.shortest_path import red_ball
from env_service.worlds.babyai.state import Position, Snapshot, Thing

PLANNED, ADDED, REOPENING, EXPERTS = "planned", "added", "reopening", "expert's"
"""Who put a subgoal on the stack.

The values are: the answer; help; closing a door to open it again, which is neither; the expert,
when it plays alone.
"""


@dataclass(frozen=True, slots=True)
class StackLine:
    """A subgoal on the expert's stack. ``owner`` is one of the four above."""

    words: str
    owner: str


@dataclass(frozen=True, slots=True)
class Step:
    """An action and the true state after it.

    ``change`` is the one cell that it changed, with its new content. ``idle`` is whether it changed
    nothing at all. ``stack`` is the stack from which the action was taken, the next subgoal last,
    and ``help`` the number of subgoals added by then.
    """

    action: str
    state: State
    carrying: Thing | None
    change: tuple[Position, Thing | None] | None
    idle: bool
    stack: tuple[StackLine, ...] = ()
    help: int = 0


@dataclass(frozen=True, slots=True)
class Track:
    """One execution of the level. ``note`` says how it ends."""

    name: str
    steps: tuple[Step, ...]
    note: str = ""

    def states(self, start: State) -> tuple[State, ...]:
        """The state before the first step, and after each."""
        return (start, *(step.state for step in self.steps))


@dataclass(frozen=True, slots=True)
class AnswerTrace:
    """An answer to a question about a level.

    ``asked`` is the question in words, ``verdict`` the result. ``said`` are the lines that could be
    read, ``left_out`` those that were left out. ``claim`` is the state in an answer to Predict,
    ``target`` the cell that a plan should reach. ``tracks`` begin with the answer's execution, if
    it has one.
    """

    start: Snapshot
    mission: str
    asked: str
    answer: str
    verdict: str
    said: tuple[str, ...]
    left_out: tuple[str, ...]
    tracks: tuple[Track, ...]
    claim: State | None = None
    target: Position | None = None

    @property
    def first(self) -> State:
        """Where the agent starts."""
        return State(self.start.agent, int(self.start.heading))


# --- The trace of an answer to Decompose: its subgoals carried out with the expert's help

Stacks = Sequence[Sequence[StackEntry]]

_REASONS = {"Open": "to open it", "PutNext": "to a free cell next to it", "Explore": "to explore"}


def trace_assisted_plan(
    grader: Grader, answer: str, asked: str, said: SubgoalList | None, verdict: str
) -> AnswerTrace:
    """The trace; ``verdict`` says why nothing could be read if ``said`` is None."""
    subject, mode, facts = grader.subject, grader.rules.mode, grader.solved.facts
    alone = solve(subject.level, subject.seed, mode=mode)
    tracks = [Track("The expert alone", tuple(_alone(facts.start, alone.actions, alone.stacks)))]
    if said is not None:
        played = assist(subject.level, subject.seed, said.subgoals, mode=mode)
        own = Track("The answer's subgoals", tuple(_assisted(facts.start, played)), _note(played))
        tracks.insert(0, own)
        verdict = _verdict(played, alone.help_added, alone.help_count)
    return AnswerTrace(
        start=facts.start,
        mission=facts.mission,
        asked=asked,
        answer=answer,
        verdict=verdict,
        said=tuple(map(write_subgoal, said.subgoals)) if said else (),
        left_out=said.skipped if said else (),
        tracks=tuple(tracks),
    )


def _verdict(played: Assistance, added: int, count: int) -> str:
    done = "fulfilled" if played.terminated else "not fulfilled"
    used = f"{played.help_added} subgoal{'' if played.help_added == 1 else 's'} added"
    return (
        f"The mission is {done}, with {used} (the expert alone: {added}, or {count} with the"
        " translation of the mission)."
    )


def _note(played: Assistance) -> str:
    if played.problem is not None:
        return f"The expert cannot go on: {played.problem.message}."
    if played.truncated:
        return "The level's limit of steps is reached."
    return "" if played.terminated else "No subgoal is left."


def _assisted(start: Snapshot, played: Assistance) -> Iterator[Step]:
    helped = zip(played.stacks, played.plan_left, played.help_at, strict=True)
    for step, (stack, left, help_) in zip(walk_steps(start, played.actions), helped, strict=True):
        yield replace(step, stack=tuple(_lines(stack, left)), help=help_)


def _lines(stack: Sequence[StackEntry], left: int) -> Iterator[StackLine]:
    for place, entry in enumerate(stack):
        # Help closes a door only to open it again, as the plan wants.
        helps = REOPENING if entry.name is SubgoalName.CLOSE else ADDED
        yield StackLine(describe_entry(entry), PLANNED if place < left else helps)


def _alone(start: Snapshot, actions: Sequence[str], stacks: Stacks) -> Iterator[Step]:
    for step, stack in zip(walk_steps(start, actions), stacks, strict=True):
        lines = (StackLine(describe_entry(entry), EXPERTS) for entry in stack)
        yield replace(step, stack=tuple(lines))


def describe_entry(entry: StackEntry) -> str:
    """A subgoal in words: "GoNextToSubgoal red ball (3, 4), to open it"."""
    where = str(entry.position) if entry.position else ""
    words = " ".join(filter(None, (entry.name.value, entry.target, where)))
    reason = _REASONS.get(entry.reason, "")
    return f"{words}, {reason}" if reason else words


# --- From actions to their true states


def walk_steps(start: Snapshot, actions: Iterable[str]) -> Iterator[Step]:
    """The steps, by minigrid's rules, ignoring anything that would end the episode."""
    grid = GridModel(start)
    for action in actions:
        # An action changes at most the cell ahead, and none that changes it moves.
        before, place = _state(grid), grid.ahead
        ahead, held = grid.thing_ahead, grid.carrying
        grid.step(action)
        after = _state(grid)
        changed = after == before and grid.thing_ahead != ahead
        yield Step(
            action=action,
            state=after,
            carrying=grid.carrying,
            change=(place, grid.thing_ahead) if changed else None,
            idle=after == before and not changed and grid.carrying == held,
        )


def _state(grid: GridModel) -> State:
    return State(grid.position, grid.heading)


# --- From an answer to its trace


def trace_answer(grader: Grader, answer: str) -> AnswerTrace:
    """The trace of an answer to Predict, Plan or Decompose, read by the grader's rules.

    An unreadable answer has one too: its verdict says why, and it has no track of the answer.
    Raises ValueError for a task that is played.
    """
    question = grader.subject.question
    if question not in _TRACERS:
        raise ValueError("the level is played action by action, so it has no answer to trace")
    return _TRACERS[question](grader, answer)


def _predict(grader: Grader, answer: str) -> AnswerTrace:
    reading = grader.rules.read_state(answer)
    known, claim = grader.solved, reading.value
    track = Track("What happens", tuple(walk_steps(known.facts.start, known.expert.actions)))
    return AnswerTrace(
        start=known.facts.start,
        mission=known.facts.mission,
        asked=_asked(grader),
        answer=answer,
        verdict=_unread(grader, answer) if claim is None else _compare(claim, grader.truth),
        said=() if claim is None else (str(claim),),
        left_out=(),
        tracks=(track,),
        claim=claim,
    )


def _compare(said: State, truth: State) -> str:
    if said == truth:
        return f"Right: the agent ends in {truth}."
    place = f"{_cells(manhattan(said.position, truth.position))} off"
    if said.position == truth.position:
        place = "the place is right, the heading is not"
    return f"Wrong, {place}: the answer says {said}, and the agent ends in {truth}."


def _plan(grader: Grader, answer: str) -> AnswerTrace:
    reading = grader.rules.read_actions(answer)
    known, said = grader.solved, reading.value
    start, ball = known.facts.start, red_ball(known.facts.start)
    tracks = [Track("The expert", tuple(walk_steps(start, known.expert.actions)))]
    verdict = _unread(grader, answer)
    if said is not None:
        played = execute(known.facts, said.actions)
        taken, rest = said.actions[: played.taken], len(said.actions) - played.taken
        note = f"{counted(rest, 'more action is', 'more actions are')} not taken." if rest else ""
        tracks.insert(0, Track("The answer's actions", tuple(walk_steps(start, taken)), note))
        verdict = f"The red ball is not reached: the agent ends {_cells(played.ball_distance)} away"
        if played.reached:
            verdict = f"The red ball is reached with {counted(played.taken, 'action')}"
        verdict += f" (the expert: {len(known.expert.actions)}, the optimum: {known.optimum})."
    return AnswerTrace(
        start=start,
        mission=known.facts.mission,
        asked=_asked(grader),
        answer=answer,
        verdict=verdict,
        said=said.actions if said else (),
        left_out=said.unknown if said else (),
        tracks=tuple(tracks),
        target=ball,
    )


def _decompose(grader: Grader, answer: str) -> AnswerTrace:
    said = grader.rules.read_subgoals(answer).value
    verdict = _unread(grader, answer)
    return trace_assisted_plan(
        grader, answer, _asked(grader), said if not verdict else None, verdict
    )


def _cells(count: float) -> str:
    return f"{count:g} cell" if count == 1 else f"{count:g} cells"


def _asked(grader: Grader) -> str:
    return ask(grader.subject.question, grader.solved, {"observation": "text"})


def _unread(grader: Grader, answer: str) -> str:
    """Why the answer could not be read; empty if it could."""
    outcome = outcome_of(grader.grade(answer))
    if outcome.code is OutcomeCode.SUCCEEDED:
        return ""
    return f"{outcome.feedback} It counts as wrong."


_TRACERS: Mapping[Question, Callable[[Grader, str], AnswerTrace]] = {
    Question.PREDICT: _predict,
    Question.PLAN: _plan,
    Question.DECOMPOSE: _decompose,
}
