"""Decides why an episode failed, without a model (docs/alfred-rules.md, Failures).

1. The steps are played again in a scene where only logic can fail. If they reach the goal there,
   navigation or manipulation is to blame: type 2.
2. If not, each part of the goal that the plan misses is the command's fault where the command says
   something else and the plan went by it: type 1. Otherwise it is the plan's: type 3.
3. A step that failed although nothing in the plan forbade it adds type 2.

What a command leaves out is its fault only if the plan did everything that the command does say: an
omission does not explain an earlier failure. A name that the robot does not have, though a person
would understand it, counts as an action that failed, as in the paper's third sample.
"""

from env_service.suites.alfred.command_wordings import Wording
from env_service.suites.alfred.judging import explanation
from env_service.suites.alfred.judging.analysis import (
    ACTION,
    MISLEADING,
    NO_FAILURE,
    PLAN,
    Analysis,
    EpisodeEnd,
    FailureCode,
    JudgedCase,
)
from env_service.suites.alfred.judging.blame import (
    Blame,
    blame,
    culprit,
    differences,
    logical_failures,
)
from env_service.suites.alfred.judging.command_reader import read_command
from env_service.suites.alfred.judging.ideal_replay import IdealStep, Replay, replay
from env_service.suites.alfred.judging.intent import STATE_OF, Intent, Slot, State, goal_intent
from env_service.suites.alfred.judging.plan_intent import PlanIntent, plan_intent
from env_service.suites.alfred.skills.steps import Marks

__all__ = ["NO_FAILURE", "judge"]


def judge(case: JudgedCase) -> Analysis:
    """Why an episode failed that did: at least one type. Pure: the same case, the same analysis."""
    if case.ended.malformed or not case.records:
        return _without_steps(case)
    played = replay(case)
    if played.reached:
        return _as_action(case, played)
    return _as_plan(case, played)


def intent_of(case: JudgedCase) -> Intent:
    """What the command asks for, read by the wording that it has."""
    command = case.command
    contextual = bool(command.context) or case.task.commands.get("C") == command.text
    wording = Wording.CONTEXTUAL if contextual else None
    return read_command(command.text, language=command.language, wording=wording)


def _without_steps(case: JudgedCase) -> Analysis:
    code = (
        FailureCode.MALFORMED
        if case.ended.malformed
        else _ENDINGS.get(case.ended, FailureCode.PREMATURE_DONE)
    )
    return Analysis((PLAN,), (code.value,), explanation.no_steps(case.ended, case.refused))


def _as_action(case: JudgedCase, played: Replay) -> Analysis:
    """The steps would have reached the goal."""
    step = culprit(case, played)
    if not case.outcomes_known:
        return Analysis((ACTION,), (), explanation.unexplained(played))
    code = FailureCode.ANOTHER_INSTANCE if step is None else explanation.code_of(step)
    return Analysis((ACTION,), (code.value,), explanation.only_action(step, played))


def _as_plan(case: JudgedCase, played: Replay) -> Analysis:
    """The steps would not have reached the goal even if each had worked."""
    command, goal = intent_of(case), goal_intent(case.task.goal)
    here = goal.also(goal_intent(case.goal))
    done = plan_intent(played, here.objects, command.objects)
    put = command.puts and not command.destinations
    parts = blame(done, here, differences(command, goal), put_asked=put)
    step = culprit(case, played, understood=goal)
    silent = _only_unsaid(parts, done, here)
    misled = bool(parts.contradicted) or (silent and step is None)
    own = not (misled or silent)
    undone = played.undone_by
    if undone is not None and not parts.contradicted:
        return _as_undone(undone, step, played)
    codes: list[FailureCode] = []
    if misled:
        codes.append(
            FailureCode.COMMAND_CONTRADICTS
            if parts.contradicted
            else FailureCode.COMMAND_INCOMPLETE
        )
    if step is not None:
        codes.append(explanation.code_of(step))
    if own:
        codes += _plan_codes(case, parts, played, done)
    facts = explanation.ExplanationFacts(
        parts, step, logical_failures(played), misled=misled, own=own
    )
    applies = ((MISLEADING, misled), (ACTION, step is not None), (PLAN, own))
    return Analysis(
        tuple(kind for kind, so in applies if so),
        tuple(dict.fromkeys(each.value for each in codes)),
        explanation.not_reached(facts, played),
    )


def _as_undone(undone: IdealStep, step: IdealStep | None, played: Replay) -> Analysis:
    """The goal was reached, and a later step of the plan undid it."""
    codes = [FailureCode.GOAL_UNDONE, *([] if step is None else [explanation.code_of(step)])]
    types = (PLAN,) if step is None else (ACTION, PLAN)
    return Analysis(
        types,
        tuple(dict.fromkeys(each.value for each in codes)),
        explanation.undone(undone, step, played),
    )


def _only_unsaid(parts: Blame, done: PlanIntent, goal: Intent) -> bool:
    """Whether the plan does all that the command says, and the command does not say all."""
    placed = bool(goal.lamps) if done.main is None else done.main.worked
    return bool(parts.unsaid) and not (parts.own or parts.contradicted) and placed


def _plan_codes(
    case: JudgedCase, parts: Blame, played: Replay, done: PlanIntent
) -> list[FailureCode]:
    codes = [each.code for each in parts.own]
    state = STATE_OF.get(case.task.goal.type)
    other = state is not None and any(
        _is_target(played, case, each) for each in _marked(played.marks, state)
    )
    codes = [
        FailureCode.STATE_CHANGE_ON_ANOTHER
        if each is FailureCode.MISSING_STATE_CHANGE and other
        else each
        for each in codes
    ]
    failed = logical_failures(played)
    codes += [each.result.code for each in failed if each.result.code is not None]
    if case.ended in _ENDINGS:
        codes.append(_ENDINGS[case.ended])
    elif not failed and _early(parts, done):
        codes.append(FailureCode.PREMATURE_DONE)
    return codes


def _early(parts: Blame, done: PlanIntent) -> bool:
    """Whether what comes last was not even tried."""
    undone = any(each.slot in _LAST and not each.did for each in parts.own)
    return undone or (done.main is None and bool(parts.unsaid))


def _is_target(played: Replay, case: JudgedCase, name: str) -> bool:
    found = played.view.by_id(name)
    return found is not None and str(found["objectType"]).startswith(case.goal.object)


def _marked(marks: Marks, state: State) -> frozenset[str]:
    return {
        State.HEATED: marks.heated,
        State.COOLED: marks.cooled,
        State.CLEANED: marks.cleaned,
    }[state]


_LAST = (Slot.OBJECT, Slot.DESTINATION, Slot.LAMP)
"""What a plan that stops too early leaves undone."""
_ENDINGS = {EpisodeEnd.STEP_LIMIT: FailureCode.STEP_LIMIT, EpisodeEnd.STOPPED: FailureCode.STOPPED}
