"""Carries out an agent's actions, from a verb and a word for an object to what happened; and
how knives are held.
"""

import random
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from env_service.domain.outcome import OutcomeCode
from env_service.suites.asgard.action_language import Verb
from env_service.suites.asgard.actions.body import Body, ReleaseMemory, glance
from env_service.suites.asgard.actions.handler import ActionContext
from env_service.suites.asgard.actions.handlers import HANDLERS, find_object, open_it
from env_service.suites.asgard.actions.navigation import Approach
from env_service.suites.asgard.actions.object_choice import Candidates, Resolver
from env_service.suites.asgard.metadata_view import AsgardView
from env_service.suites.asgard.plan import Goal, RequiredEvent
from env_service.suites.asgard.rules import Rules
from env_service.suites.asgard.wording import Reason, Refusal, RefusedError
from env_service.worlds.ai2thor_api.controller import ThorController
from env_service.worlds.ai2thor_api.metadata_view import ThorObject


@dataclass(frozen=True, slots=True)
class CandidateError:
    """Why the action failed on one instance; ``instance`` is its name, None for no instance."""

    instance: str | None
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """What became of one action.

    Attributes:
        success: whether it counts as done.
        refusal: why it failed, in the words of the feedback; None for success.
        instance: name of the object that it was done to, or tried on last; None for none.
        errors: every failed try, in order; of a success too.
        held: type of what was in the hand before; None for nothing.
        events: what goals ask to have been done, and this action did.
        flags_subgoal: it was a DRINK, SPRAY, SLICE or CLEAN that passed its checks.
    """

    success: bool
    refusal: Refusal | None
    instance: str | None
    errors: tuple[CandidateError, ...] = ()
    held: str | None = None
    events: frozenset[RequiredEvent] = frozenset()
    flags_subgoal: bool = False

    @property
    def message(self) -> str:
        """The feedback, with AI2-THOR's names in it; empty for success."""
        return "" if self.refusal is None else self.refusal.message

    @property
    def reason(self) -> Reason | None:
        """The kind of precondition that failed; None for success."""
        return None if self.refusal is None else self.refusal.reason

    @property
    def code(self) -> OutcomeCode:
        """The code that the environment gives it."""
        return OutcomeCode.SUCCEEDED if self.refusal is None else self.refusal.code


class ActionExecutor:
    """Does what the agent of one episode asks for."""

    def __init__(
        self, controller: ThorController, rules: Rules, goals: Iterable[Goal], *, seed: int
    ) -> None:
        """Takes over a world that `setup.prepare` has set up.

        Args:
            controller: one that does not settle objects by itself (see `Body`).
            rules: which differences between paper and release apply.
            goals: of the task; some rules make objects that serve a goal untouchable.
            seed: of every draw that actions make.
        """
        self._memory = ReleaseMemory()
        self._body = Body(controller, self._memory)
        self._rules = rules
        self._resolver = Resolver(rules, goals, self._memory)
        self._context = ActionContext(self._body, rules, random.Random(seed))  # noqa: S311 - no secret

    @property
    def view(self) -> AsgardView:
        """The scene now."""
        return self._body.view

    @property
    def events(self) -> Collection[RequiredEvent]:
        """All that was done in the episode that goals may ask for."""
        return frozenset(self._context.events)

    def do(self, verb: Verb, object_type: str) -> ActionOutcome:
        """Carries out one action. Raises WorldFault if the world breaks."""
        held = self.view.held
        before = set(self._context.events)
        found = self._resolver.candidates(verb, object_type, self.view)
        if isinstance(found, Refusal):
            done = ActionOutcome(
                success=False, refusal=found, instance=None, errors=(CandidateError(None, found),)
            )
        else:
            done = _Try(self._body, self._context, self._resolver, verb).run(found)
        resolved = done.instance if done.success else None
        self._memory.conclude(verb, object_type, resolved)
        return replace(
            done,
            held=None if held is None else held["objectType"],
            events=frozenset(self._context.events - before),
        )


class _Try:
    """One action on one candidate after the other."""

    def __init__(self, body: Body, context: ActionContext, resolver: Resolver, verb: Verb) -> None:
        self._body, self._context, self._resolver = body, context, resolver
        self._verb, self._handler = verb, HANDLERS[verb]
        self._flagged = False
        self._over = False

    def run(self, candidates: Candidates) -> ActionOutcome:
        """Tries the instances, then the objects that can replace them."""
        rules = self._context.rules
        instance, errors = self._each(candidates, candidates.instances)
        if instance is not None:
            return self._success(instance, errors)
        if candidates.aliases is not None and not self._over:
            if not candidates.aliases and rules.alias_false_success:
                return self._success(None, [])
            instance, more = self._each(candidates, candidates.aliases)
            errors = more if rules.alias_false_success else errors + more
            if instance is not None:
                return self._success(instance, errors)
        if not errors:  # what was there at first has disappeared
            errors = [CandidateError(None, _gone(self._verb))]
        shown = errors[-1 if rules.feedback_of_last_candidate else 0]
        return ActionOutcome(
            success=False,
            refusal=shown.refusal,
            instance=errors[-1].instance,
            errors=tuple(errors),
            flags_subgoal=self._flagged,
        )

    def _success(self, instance: str | None, errors: list[CandidateError]) -> ActionOutcome:
        return ActionOutcome(
            success=True,
            refusal=None,
            instance=instance,
            errors=tuple(errors),
            flags_subgoal=self._flagged,
        )

    def _each(
        self, candidates: Candidates, ids: Iterable[str]
    ) -> tuple[str | None, list[CandidateError]]:
        """The name of the instance on which it succeeded, and all failures."""
        left = list(ids)
        errors: list[CandidateError] = []
        while left and not self._over:
            ordered = self._resolver.ordered(self._verb, candidates, left, self._body.view)
            if not ordered:
                break
            item = ordered[0]
            left.remove(item["objectId"])
            try:
                self._one(item, again=bool(errors))
            except RefusedError as refused:
                errors.append(CandidateError(item["name"], refused.refusal))
                # With an empty hand every instance refuses, so opening them all is pointless.
                empty = refused.refusal.reason is Reason.HAND_EMPTY
                self._over = refused.final or empty
                if not empty:
                    self._close_again(item)
            else:
                return item["name"], errors
        return None, errors

    def _one(self, item: ThorObject, *, again: bool) -> None:
        body, handler = self._body, self._handler
        if again and self._verb is Verb.PUT and self._context.rules.put_retries_find_and_open:
            self._find_and_open(item)
        if self._verb is not Verb.FIND:
            glance(body, item)
        if handler.before is not None:
            handler.before(self._context, item)
        now = body.fresh(item) or item
        refusal = handler.check(self._context.situation, now)
        if refusal is not None:
            if handler.walks_up and body.view.visible(now) and not body.view.is_held(now):
                Approach(body, now).walk()
            raise RefusedError(refusal)
        self._flagged = self._flagged or handler.subgoal
        handler.perform(self._context, now)

    def _find_and_open(self, item: ThorObject) -> None:
        find_object(self._context, item)
        now = self._body.fresh(item)
        if now is not None and now["openable"] and not now["isOpen"]:
            open_it(self._context, now)

    def _close_again(self, item: ThorObject) -> None:
        """Closes what a PUT failed on, where the rules say so."""
        now = self._body.fresh(item)
        if self._verb is not Verb.PUT or not self._context.rules.failed_put_closes or now is None:
            return
        if now["openable"] and now["isOpen"]:
            self._body.act_on("CloseObject", now)


def _gone(verb: Verb) -> Refusal:
    return Refusal(Reason.NO_SUCH_OBJECT, f"No candidate objects for action {verb}")


# --- How knives are held (docs/asgard.md, "Conditions")

TURNED = frozenset({"Knife", "ButterKnife"})
"""Types that the hand holds upright."""

_UPRIGHT = {"x": 0.0, "y": 0.0, "z": 90.0}


def turn_knife(world: ThorController, view: AsgardView) -> None:
    """Turns a knife in the hand upright, as AsgardBench does before every picture that it takes,
    whether or not anybody sees the picture."""
    if view.held is not None and view.held["objectType"] in TURNED:
        world.step("RotateHeldObject", rotation=_UPRIGHT)
