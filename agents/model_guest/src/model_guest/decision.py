"""One decision: asks the model until it reads an answer or further requests are useless."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from houseguest_agent import Episode, Mode, Trace

from .allowed_replies import list_candidates, reply_schema
from .answers.reader import Answer, AnswerReader
from .budget import SpendingAccount
from .conversation import Conversation
from .model import (
    CallUsage,
    ContextOverflowError,
    Finish,
    Message,
    Model,
    ModelError,
    Reply,
    Request,
    sdk_prompt,
    sdk_usage,
)
from .options import Settings

_SLOW = "To give a slow server more time, use a larger --step-budget (and --episode-budget)."


class TooLongError(Exception):
    """The request is too long for the model, and nothing is left to drop.

    ``usage`` lists the calls that were nevertheless paid for.
    """

    def __init__(self, message: str, usage: tuple[CallUsage, ...]) -> None:
        super().__init__(message)
        self.usage = usage


class BudgetSpentError(Exception):
    """One of the agent's own limits is reached; the message says which. ``usage`` lists the calls
    that no step reports."""

    def __init__(self, message: str, usage: tuple[CallUsage, ...]) -> None:
        super().__init__(message)
        self.usage = usage


@dataclass(frozen=True, slots=True)
class Decision:
    """What the model decided, and the record of it.

    ``notes`` counts, by name, what happened on the way: repairs of the reply, parts dropped from
    the request, and repeated questions.
    """

    answer: Answer
    reply: Reply
    usage: tuple[CallUsage, ...]
    notes: Mapping[str, int]
    messages: tuple[Message, ...] = ()
    """The request that the reply answers."""

    @property
    def trace(self) -> Trace:
        """The decision's trace. The notes are at the end of the thought, in brackets."""
        noted = ", ".join(f"{name} {count}" for name, count in sorted(self.notes.items()))
        thought = "\n".join(filter(None, (self.answer.thought, f"[guest: {noted}]" * bool(noted))))
        return Trace(
            thought,
            self.reply.text,
            self.answer.plan_length,
            sdk_usage(self.usage),
            sdk_prompt(self.messages, self.reply.parameters),
        )


class Decider:
    """Makes the decisions of one episode."""

    def __init__(
        self,
        model: Model,
        settings: Settings,
        accounts: SpendingAccount,
        episode: Episode,
        conversation: Conversation,
    ) -> None:
        self._model, self._settings, self._accounts = model, settings, accounts
        self._episode, self._conversation = episode, conversation
        space, form, mode = episode.action_space, conversation.form, episode.mode
        self._schema = reply_schema(space, mode, form)
        choose = settings.choose and mode is Mode.STEPWISE
        self._candidates = list_candidates(space, form) if choose else {}
        self._reader = AnswerReader(space, mode, form, self._candidates)

    def decide(self, deadline: float | None) -> Decision:
        """Asks the model. Raises BudgetSpentError, TooLongError, ModelError and PromptError."""
        notes: Counter[str] = Counter()
        usage = self._accounts.release()
        extra: list[Message] = []
        asked_again = 0
        while True:
            request, reply = self._ask(extra, deadline, usage, notes)
            answer = self._reader.read(reply)
            refused = reply.finish is Finish.REFUSED
            if answer.understood or refused or asked_again >= self._settings.reask:
                break
            asked_again += 1
            notes["asked_again"] += 1
            extra += self._conversation.retry(reply.text)
        notes.update(answer.repairs)
        if not answer.understood:
            notes["not_understood"] += 1
        if reply.finish is Finish.LENGTH:
            notes["cut_by_length"] += 1
        return Decision(answer, reply, tuple(usage), notes, request.messages)

    def _ask(
        self,
        extra: list[Message],
        deadline: float | None,
        usage: list[CallUsage],
        notes: Counter[str],
    ) -> tuple[Request, Reply]:
        while True:
            if spent := self._accounts.spent:
                raise BudgetSpentError(spent, tuple(usage))
            request = Request(
                self._conversation.messages(extra),
                self._schema,
                tuple(self._candidates),
                deadline,
                f"{self._episode.seed}:{len(self._episode.history)}:{len(extra)}",
                _SLOW,
            )
            try:
                reply = self._model.reply(request)
            except ContextOverflowError as error:
                usage += self._book(error.usage)
                dropped = self._conversation.shrink()
                if not dropped:
                    text = f"{error} {self._conversation.ways_out()}"
                    raise TooLongError(text, tuple(usage)) from error
                notes[f"dropped_{dropped}"] += 1
                continue
            except ModelError as error:
                error.usage = (*usage, *self._book(error.usage))
                raise
            usage += self._book(reply.usage)
            return request, reply

    def _book(self, calls: tuple[CallUsage, ...]) -> list[CallUsage]:
        prices, name = self._settings.prices, self._model.name
        charged = [prices.charge(call, name) for call in calls]
        self._accounts.add(charged)
        return charged
