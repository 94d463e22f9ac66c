"""What a report on recorded questions shows. None of it is the benchmark's score.

No published result was measured in this way, so the report has no references.
"""

from env_service.suites.asgard.recorded.feasibility import Doable
from env_service.suites.asgard.recorded.scoring import (
    AGREEMENT,
    OBJECT_AGREEMENT,
    POSITION,
    SHARES,
    VERB_AGREEMENT,
)
from env_service.suites.reporting import (
    COST,
    FAILED,
    Bars,
    Bins,
    Confusion,
    Field,
    Label,
    Measure,
    Only,
    ReportDesign,
    Stacked,
    Statistic,
    Table,
    Unit,
    mean,
    metric,
    rate,
    share,
)

_VERDICT = Label("verdict", "verdict")
_VERB = Label("published verb", "published action")
_DECIDED = Only(_VERDICT, (Doable.YES.value, Doable.NO.value))
_DIFFERS = Only(Field.RESULT, (FAILED,))
_FIFTHS = (0.2, 0.4, 0.6, 0.8)


def _share(name: str, heading: str, only: Only | None = None) -> Measure:
    return rate(metric(name, heading, Unit.PERCENT), heading, only=only)


_QUESTIONS = Measure(Statistic.EPISODES, "questions")
_AGREEMENT = _share(AGREEMENT, "next-action agreement")
_VERB_AGREEMENT = _share(VERB_AGREEMENT, "verb agrees")
_OBJECT_AGREEMENT = _share(OBJECT_AGREEMENT, "object agrees")
_DOABLE = _share(SHARES[Doable.YES], "next action doable")
_NOT_DOABLE = _share(SHARES[Doable.NO], "not doable")
_UNDECIDED = _share(SHARES[Doable.UNDECIDED], "undecided")
_INVALID = _share(SHARES[None], "no valid action")
_AGREEMENTS = (_QUESTIONS, _AGREEMENT, _VERB_AGREEMENT, _OBJECT_AGREEMENT, _DOABLE)

DESIGN = ReportDesign(
    group="task type",
    overview=(_QUESTIONS, _AGREEMENT, _DOABLE, _NOT_DOABLE, mean(COST, "cost a question")),
    endings=False,
    items=(
        Table(
            id="agreement",
            title="Agreement with the published next action, by task type",
            rows=Field.GROUP,
            columns=_AGREEMENTS,
            total=True,
            note=(
                "One-step questions from recorded solutions, not the benchmark's score. Some steps"
                " have several right answers, of which one was published. Intervals take all"
                " questions of a plan together."
            ),
        ),
        Bars(
            id="agreement-by-task-type",
            title="Agreement by task type",
            by=Field.GROUP,
            measure=_AGREEMENT,
        ),
        Table(
            id="doable",
            title="Doable answers",
            rows=Field.RUN,
            columns=(
                _DOABLE,
                _NOT_DOABLE,
                _UNDECIDED,
                _INVALID,
                share(
                    _VERDICT, Doable.YES.value, heading="doable, of what is decided", only=_DECIDED
                ),
                _share(SHARES[Doable.YES], "doable, of what differs", only=_DIFFERS),
            ),
            note=(
                "Decided by the run's rules and by what the history shows of the scene. Actions"
                " that depend on what is in view are mostly undecided; the published action"
                " certainly worked."
            ),
        ),
        Table(
            id="verbs",
            title="By published action",
            rows=_VERB,
            columns=_AGREEMENTS,
        ),
        Confusion(
            id="verb-confusion",
            title="Answered against published action",
            truth=_VERB,
            predicted=Label("answered verb", "answered action"),
        ),
        Table(
            id="positions",
            title="By position in the solution",
            rows=Bins(metric(POSITION, "position"), _FIFTHS),
            columns=_AGREEMENTS,
            note="0 is a solution's first step, 1 its last.",
        ),
        Bars(
            id="agreement-by-position",
            title="Agreement by position in the solution",
            by=Bins(metric(POSITION, "position"), _FIFTHS),
            measure=_AGREEMENT,
        ),
        Stacked(
            id="verdicts",
            title="Doable answers by task type",
            by=Field.GROUP,
            parts=_VERDICT,
        ),
        Table(
            id="obstacles",
            title="Reasons for undoable actions",
            rows=Label("obstacle", "obstacle"),
            columns=(_QUESTIONS,),
        ),
        Table(
            id="answers",
            title="Kinds of answers",
            rows=Label("answer", "answer"),
            columns=(_QUESTIONS, _AGREEMENT),
            note="Filed as in the benchmark: an answer that names no action is not repaired.",
        ),
    ),
)
