"""What is written down of an answer, and the published action that it is measured against."""

from collections.abc import Mapping
from dataclasses import dataclass

from env_service.domain.action import SkillCall
from env_service.domain.outcome import OutcomeCode
from env_service.suites.asgard.action_language import NOTHING, OBJECT, BadTurn, Command, Verb
from env_service.suites.asgard.recorded.feasibility import Doable, FeasibilityVerdict
from env_service.suites.asgard.recorded.task_set import RecordedQuestion, read_question
from env_service.suites.asgard.scoring import CATEGORIES, PLAIN
from env_service.suites.asgard.wording import Reason
from env_service.suites.base import EpisodeOrder, ExpertRun

AGREEMENT = "next_action_agreement"
VERB_AGREEMENT = "next_verb_agreement"
OBJECT_AGREEMENT = "next_object_agreement"

SHARES: Mapping[Doable | None, str] = {
    Doable.YES: "next_action_doable",
    Doable.NO: "next_action_not_doable",
    Doable.UNDECIDED: "next_action_undecided",
    None: "next_action_invalid",
}
"""Metrics that classify an answer by whether it could be done. One of them is 1 for each answer,
the others are 0. None: the answer is not an action."""

POSITION = "position"
STEP = "step"

NO_ANSWER = "none"
VALID = "valid"
ANSWERS: Mapping[OutcomeCode, str] = {
    OutcomeCode.UNPARSABLE: "unparsable",
    OutcomeCode.UNKNOWN_SKILL: "invalid action",
    OutcomeCode.UNKNOWN_OBJECT: "invalid object",
    OutcomeCode.PRECONDITION_FAILED: "undoable",
}
"""How a turn is filed that asks for nothing that can be done; the last by the released code."""

INVALID = "invalid"
OTHER_VERB = "(none)"
"""Replaces the verb of an answer that has none of the twelve."""

_VERBS = frozenset(Verb)


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer. ``verdict`` is None if it is not an action."""

    turn: Command | BadTurn
    verdict: FeasibilityVerdict | None

    @property
    def verb(self) -> str:
        """As it was said; "None" where none was."""
        return str(self.turn.verb)


def agrees(question: RecordedQuestion, answered: Answered | None) -> bool:
    """Whether the answer is the published action: its verb and its object."""
    return answered is not None and answered.turn == question.answer


def answer_metrics(question: RecordedQuestion, answered: Answered | None) -> dict[str, float]:
    """The metrics: agreement in all, in the verb, in the object; whether it could be done (see
    ``SHARES``); ``step``, from 1, and ``position``, 0 the first step of the solution to 1 the last.

    All but the last two are 0 or 1. None: the agent never answered, which counts as no action.
    """
    turn = None if answered is None else answered.turn
    expected = question.answer
    verb = turn is not None and turn.verb == expected.verb
    thing = turn is not None and turn.object_type == expected.object_type
    verdict = None if answered is None else answered.verdict
    judged = None if verdict is None else verdict.doable
    return {
        AGREEMENT: float(agrees(question, answered)),
        VERB_AGREEMENT: float(verb),
        OBJECT_AGREEMENT: float(thing),
        **{name: float(doable is judged) for doable, name in SHARES.items()},
        STEP: float(question.step),
        POSITION: question.position,
    }


def answer_labels(question: RecordedQuestion, answered: Answered | None) -> dict[str, str]:
    """``answer`` says whether it was an action, and ``verdict`` whether that could be done;
    ``published verb`` and ``answered verb``. Of one that could not be done also ``obstacle``, its
    category, and ``reason``."""
    labels = {
        "task_type": question.task_type,
        "variation": question.variation or PLAIN,
        "published verb": question.answer.verb.value,
        "answered verb": _verb(answered),
        "answer": _class(answered),
        "verdict": INVALID,
    }
    if answered is not None and answered.verdict is not None:
        verdict = answered.verdict
        labels["verdict"] = verdict.doable.value
        if verdict.doable is Doable.NO and verdict.reason is not None:
            labels |= {"obstacle": category_of(verdict.reason), "reason": verdict.reason.value}
    return labels


def category_of(reason: Reason) -> str:
    """The category that reports tell a reason by (see `tally.CATEGORIES`)."""
    return next(name for name, reasons in CATEGORIES.items() if reason in reasons)


def _verb(answered: Answered | None) -> str:
    said = NOTHING if answered is None else answered.verb
    return said if said in _VERBS else OTHER_VERB


def _class(answered: Answered | None) -> str:
    if answered is None:
        return NO_ANSWER
    return VALID if isinstance(answered.turn, Command) else ANSWERS[answered.turn.code]


# --- The published action: what agreement is measured against


def solve(order: EpisodeOrder) -> ExpertRun:
    """Answers a question as it was published, which agrees by definition. Raises PlanError."""
    answer = read_question(order.task).answer
    return ExpertRun((SkillCall(answer.verb.value, ((OBJECT, answer.object_type),)),), success=True)
