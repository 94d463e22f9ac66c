"""An analysis in sentences that a person can check.

Results contain them, and a replay compares them: another sentence needs another rules version.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from env_service.suites.alfred.judging.analysis import EpisodeEnd, FailureCode
from env_service.suites.alfred.judging.blame import Blame
from env_service.suites.alfred.judging.ideal_replay import IdealStep, Replay
from env_service.suites.alfred.skills.steps import Cause

_CODES: Mapping[Cause, FailureCode] = {
    Cause.UNKNOWN_WORDS: FailureCode.UNKNOWN_NAME,
    Cause.NO_SUCH_OBJECT: FailureCode.NO_SUCH_OBJECT,
    Cause.HAND_FULL: FailureCode.HAND_FULL,
    Cause.HAND_EMPTY: FailureCode.HAND_EMPTY,
    Cause.IN_HAND: FailureCode.HELD_WHEN_SLICED,
    Cause.CLOSED_CONTAINER: FailureCode.CLOSED_CONTAINER,
    Cause.WRONG_STATE: FailureCode.WRONG_STATE,
    Cause.NO_DESTINATION: FailureCode.NO_DESTINATION,
    Cause.NOT_REACHED: FailureCode.NOT_REACHED,
    Cause.NOT_VISIBLE: FailureCode.NOT_VISIBLE,
    Cause.BLOCKED: FailureCode.BLOCKED,
    Cause.NO_ROOM: FailureCode.NO_ROOM,
    Cause.REFUSED: FailureCode.REFUSED,
}
_WHY: Mapping[FailureCode, str] = {
    FailureCode.UNKNOWN_NAME: "its words are no skill and no known object",
    FailureCode.NO_SUCH_OBJECT: "there is no such object that it can be done to",
    FailureCode.HAND_FULL: "the hand is full",
    FailureCode.HAND_EMPTY: "the hand is empty",
    FailureCode.HELD_WHEN_SLICED: "what is in the hand cannot be sliced",
    FailureCode.CLOSED_CONTAINER: "a closed container is in between",
    FailureCode.WRONG_STATE: "it is in the wrong state for that",
    FailureCode.NO_DESTINATION: "no receptacle was found right before, so that it is dropped",
    FailureCode.NOT_GONE_TO: "what it handles was not found before",
    FailureCode.MALFORMED: "one skill is asked for, and it is several",
    FailureCode.WRONG_RECEPTACLE: "the receptacle does not take such a thing",
}
_NO_STEPS: Mapping[EpisodeEnd, str] = {
    EpisodeEnd.EMPTY_PLAN: "The plan has no step.",
    EpisodeEnd.PLAN_TOO_LONG: "The plan has more steps than are tried.",
    EpisodeEnd.UNREADABLE: "The answer is no plan.",
    EpisodeEnd.STOPPED: "The agent stopped before its first step.",
    EpisodeEnd.STEP_LIMIT: "The step limit was reached without a step.",
}


@dataclass(frozen=True, slots=True)
class ExplanationFacts:
    """What there is to explain where the steps do not reach the goal."""

    blame: Blame
    step: IdealStep | None
    failed: tuple[IdealStep, ...]
    misled: bool
    own: bool


def code_of(step: IdealStep) -> FailureCode:
    """The sub-code of a step that failed in the episode."""
    cause = step.record.result.cause
    return FailureCode.REFUSED if cause is None else _CODES[cause]


def no_steps(ended: EpisodeEnd, refused: str = "") -> str:
    """Of an episode without steps. ``refused``: why nothing of the answer was tried."""
    if refused:
        return f"Nothing was tried. {refused}"
    return _NO_STEPS.get(ended, "Nothing was done before done.")


def only_action(step: IdealStep | None, played: Replay) -> str:
    """Of an episode whose steps would have reached the goal."""
    would = "With every movement and grasp working, the steps reach the goal."
    if step is None:
        met = ", ".join(each.name for each in played.conditions)
        return f"{would} Every step worked, but not on the objects that the goal needs ({met})."
    return f"{_failure(step)} {would}"


def unexplained(played: Replay) -> str:
    """The sentence about an episode without known outcomes of its steps."""
    met = ", ".join(each.name for each in played.conditions)
    return (
        f"With every movement and grasp working, the steps reach the goal ({met}); the file does"
        " not tell which of them failed."
    )


def undone(by: IdealStep, step: IdealStep | None, played: Replay) -> str:
    """Of an episode that reached the goal and then undid it. ``step``: one that failed in the
    episode alone."""
    unmet = "; ".join(each.name for each in played.conditions if not each.met)
    said = [
        f"The steps reach the goal at step {by.number - 1}, and step {by.number},"
        f' "{by.record.said}", undoes it: at the end it is not true that {unmet}.'
    ]
    return " ".join([*said, *([] if step is None else [_failure(step)])])


def not_reached(facts: ExplanationFacts, played: Replay) -> str:
    """Of an episode whose steps would not have reached the goal."""
    unmet = "; ".join(each.name for each in played.conditions if not each.met)
    said = [f"Even with every movement and grasp working, the steps do not come to: {unmet}."]
    if facts.misled:
        differing = facts.blame.contradicted or facts.blame.unsaid
        listed = "; ".join(map(str, differing))
        said.append(f"The plan went by the command, which is misleading. {_sentence(listed)}")
    if facts.blame.unsaid and not facts.misled:
        listed = "; ".join(map(str, facts.blame.unsaid))
        said.append(f"{_sentence(listed)} But what it does say was not done either.")
    if facts.own:
        said += [_sentence(str(each)) for each in facts.blame.own]
        said += [_forbidden(each) for each in facts.failed]
    if facts.step is not None:
        said.append(_failure(facts.step))
    return " ".join(said)


def _failure(step: IdealStep) -> str:
    which, message = f'Step {step.number}, "{step.record.said}",', step.record.result.message
    if step.record.result.cause is Cause.UNKNOWN_WORDS:
        names = " or ".join(sorted(step.types))
        return f"{which} failed: the robot knows no such name; {names} is meant."
    reason = message.rstrip(".") or "no reason told"
    return f"{which} failed, though nothing in the plan forbade it: {reason}."


def _forbidden(step: IdealStep) -> str:
    why = _WHY.get(step.result.code, "") if step.result.code is not None else ""
    return f'Step {step.number}, "{step.record.said}", cannot work: {why}.'


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."
