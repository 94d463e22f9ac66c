"""From an answer to its story."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from env_service.domain.english import counted
from env_service.domain.outcome import OutcomeCode
from env_service.suites.babybench.answers.reading import State
from env_service.suites.babybench.grading import Grader, outcome_of
from env_service.suites.babybench.scoring.plan import execute
from env_service.suites.babybench.scoring.predict import manhattan
from env_service.suites.babybench.tasks import Question
from env_service.suites.babybench.tracing.assisting import assisted_story
from env_service.suites.babybench.tracing.story import Story, Track
from env_service.suites.babybench.tracing.walking import walk_steps
from env_service.suites.babybench.wording import ask
from env_service.worlds.babyai.shortest import red_ball


def tell(grader: Grader, answer: str) -> Story:
    """The story of an answer to Predict, Plan or Decompose, read by the grader's rules.

    An answer that cannot be read has one too: its verdict says why, and no track is its own.
    Raises ValueError for a task that is played.
    """
    question = grader.subject.question
    if question not in _TELLERS:
        raise ValueError("the level is played action by action: there is no answer to trace")
    return _TELLERS[question](grader, answer)


def _predict(grader: Grader, answer: str) -> Story:
    reading = grader.rules.read_state(answer)
    known, claim = grader.known, reading.value
    track = Track("What happens", tuple(walk_steps(known.facts.start, known.expert.actions)))
    return Story(
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


def _plan(grader: Grader, answer: str) -> Story:
    reading = grader.rules.read_actions(answer)
    known, said = grader.known, reading.value
    start, ball = known.facts.start, red_ball(known.facts.start)
    tracks = [Track("The expert", tuple(walk_steps(start, known.expert.actions)))]
    verdict = _unread(grader, answer)
    if said is not None:
        outing = execute(known.facts, said.actions)
        taken, rest = said.actions[: outing.taken], len(said.actions) - outing.taken
        note = f"{counted(rest, 'more action is', 'more actions are')} not taken." if rest else ""
        tracks.insert(0, Track("The answer's actions", tuple(walk_steps(start, taken)), note))
        verdict = f"The red ball is not reached: the agent ends {_cells(outing.ball_distance)} away"
        if outing.reached:
            verdict = f"The red ball is reached with {counted(outing.taken, 'action')}"
        verdict += f" (the expert: {len(known.expert.actions)}, the optimum: {known.optimum})."
    return Story(
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


def _decompose(grader: Grader, answer: str) -> Story:
    said = grader.rules.read_subgoals(answer).value
    verdict = _unread(grader, answer)
    return assisted_story(grader, answer, _asked(grader), said if not verdict else None, verdict)


def _cells(count: float) -> str:
    return f"{count:g} cell" if count == 1 else f"{count:g} cells"


def _asked(grader: Grader) -> str:
    return ask(grader.subject.question, grader.known, {"observation": "text"})


def _unread(grader: Grader, answer: str) -> str:
    """Why the answer could not be read; empty where it could."""
    outcome = outcome_of(grader.grade(answer))
    if outcome.code is OutcomeCode.SUCCEEDED:
        return ""
    return f"{outcome.feedback} It counts as wrong."


_TELLERS: Mapping[Question, Callable[[Grader, str], Story]] = {
    Question.PREDICT: _predict,
    Question.PLAN: _plan,
    Question.DECOMPOSE: _decompose,
}
