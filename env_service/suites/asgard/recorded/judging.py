"""Whether an action could be done at a moment of a recorded solution.

No house is there to ask, so there are three answers: *not doable* where a rule is known to refuse
the action, *doable* where every precondition is known to hold, and *undecided* otherwise, mostly as
nobody knows what is in view.
"""

from __future__ import annotations

from collections.abc import Iterator

from env_service.suites.asgard.parsing import Command
from env_service.suites.asgard.recorded.knowledge import SEVERAL, Knowledge, is_fixed
from env_service.suites.asgard.recorded.preconditions import CHECKS, Case
from env_service.suites.asgard.recorded.questions import Question
from env_service.suites.asgard.recorded.verdict import Doable, Verdict, no, unsure
from env_service.suites.asgard.refusal import Reason
from env_service.suites.asgard.rules import Rules
from env_service.suites.asgard.tables import tables, whole_type
from env_service.suites.asgard.vocabulary import Verb


def judge(command: Command, question: Question, rules: Rules) -> Verdict:
    """Whether the action could be done as the question stands.

    The published action is known to have worked: it is doable unless the rules refuse it.
    """
    verdict = Judge(question, rules).by_rules(command)
    if command == question.answer and verdict.doable is Doable.UNDECIDED:
        return Verdict(Doable.YES)
    return verdict


class Judge:
    """Judges by the rules and the history alone."""

    def __init__(self, question: Question, rules: Rules) -> None:
        self._rules = rules
        self._knowledge = Knowledge.of(question.setup, question.history)
        self._case = Case(self._knowledge, rules)
        self._question = question

    def by_rules(self, command: Command) -> Verdict:
        """What the rules say of an action after the history."""
        verdict = next(self._verdicts(command), Verdict(Doable.YES))
        if not self._knowledge.sound:
            return unsure(verdict.reason, "the history itself breaks the rules")
        if verdict.doable is not Doable.NO:
            return verdict
        if self._may_pass_for_success(command):
            return unsure(verdict.reason, f"{verdict.words}, but may be told to have worked")
        return verdict

    def _verdicts(self, command: Command) -> Iterator[Verdict]:
        """All that speaks against an action: first what is certain."""
        kind = command.object_type
        own = CHECKS.get(command.verb)
        found = [*self._anywhere(kind), *(own(self._case, kind) if own else ())]
        found += self._sight(command)
        yield from (each for each in found if each.doable is Doable.NO)
        yield from (each for each in found if each.doable is Doable.UNDECIDED)

    # --- for every action

    def _anywhere(self, kind: str) -> Iterator[Verdict]:
        state = self._knowledge.state
        whole = whole_type(kind)
        if whole is not None and whole not in state.sliced:
            yield no(Reason.NO_SUCH_OBJECT, f"there is no {kind} before the {whole} is sliced")
        if kind in state.sliced:
            yield no(Reason.ALREADY_SO, f"{kind} is already sliced")
        place = self._knowledge.place(kind)
        locked = any(
            (goal.object_type, goal.destination_type) == (kind, place)
            for goal in self._question.location_goals
        )
        if self._rules.goal_locked_objects and locked:
            words = f"{kind} is where a goal wants it"
            make = unsure if kind in SEVERAL else no
            yield make(Reason.USED_BY_GOAL, words)

    def _sight(self, command: Command) -> Iterator[Verdict]:
        kind, known = command.object_type, self._knowledge
        if command.verb is not Verb.FIND:
            if kind not in known.in_view:
                yield unsure(Reason.NOT_VISIBLE, f"{kind} may not be in view")
            return
        if kind == known.state.held:
            return
        shut = known.closed_in(kind)
        if shut is not None and not self._rules.find_always_succeeds:
            make = unsure if kind in SEVERAL else no
            yield make(Reason.NOT_VISIBLE, f"{kind} is in the closed {shut}")
        elif not (is_fixed(kind) or kind in known.found or known.place(kind) is not None):
            yield unsure(Reason.NOT_VISIBLE, f"{kind} may be behind a door, or not there")

    def _may_pass_for_success(self, command: Command) -> bool:
        aliases = tables().surface_aliases
        others = aliases & set(self._question.available) - {command.object_type}
        return self._rules.alias_false_success and command.object_type in aliases and bool(others)
