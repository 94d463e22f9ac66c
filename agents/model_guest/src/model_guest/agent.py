"""The agent: plays every episode of a run with a model."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

from houseguest_agent import (
    Client,
    Episode,
    EpisodeStatus,
    HouseguestError,
    Options,
    Plan,
    SkillCall,
    Step,
    Text,
    Trace,
    WithdrawReason,
)

from . import model as models
from .answers.reader import AnswerForm
from .budget import SpendingAccount, TurnClock
from .conversation import Conversation, Window, describe
from .decision import BudgetSpentError, Decider, Decision, TooLongError
from .model import CallUsage, Message, Model, ModelError, Request, Role, sdk_usage
from .notices import Log, log_to_stderr
from .options import ALL, Settings
from .pictures import observation_requests
from .prompt_manifest import PromptError
from .prompt_set import PromptLibrary

START_PATIENCE = 240.0
"""Seconds that the model may take for its first answer. The service waits 300 s for its agents,
and then restarts them."""

_READY = {"word": "ready"}
_READY_SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string", "enum": ["ready"]}},
    "required": ["word"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Stop:
    """Why an agent leaves its run; ``usage`` lists the calls that no step reports."""

    reason: WithdrawReason
    message: str
    usage: tuple[CallUsage, ...] = ()


class ModelAgent:
    """Plays with a model. It keeps no state of an episode, so several threads may each call
    ``run`` with a separate client.

    A request that is too long for the model even after dropping everything possible ends its
    episode. If the model has not decided anything before that, it is too small for the run, and
    the agent leaves.
    """

    def __init__(self, model: Model, settings: Settings, log: Log = log_to_stderr) -> None:
        """Raises PromptError."""
        self._model, self._settings, self._log = model, settings, log
        self._library = PromptLibrary(
            settings.prompts, settings.prompt_settings, settings.examples, log
        )
        self.accounts = SpendingAccount(settings.budget)
        self._has_decided = False

    def configuration(self) -> dict[str, str]:
        """Everything that could change a reply, by name; declared with the run."""
        priced = "known" if self._settings.prices.find(self._model.name) else "unknown"
        return {
            **self._library.configuration(),
            **self._settings.configuration(),
            "price": priced,
            **self._model.configuration(),
        }

    def prove(self, patience: float = START_PATIENCE) -> Stop | None:
        """Asks the model one small question. Returns None, or why playing would be useless."""
        question = (Message(Role.USER, (f"Answer with the JSON object {json.dumps(_READY)}",)),)
        deadline = time.monotonic() + patience
        try:
            reply = self._model.reply(Request(question, schema=_READY_SCHEMA, deadline=deadline))
        except ModelError as error:
            self._hold(error.usage)
            error.usage = ()
            return _stop(error, " No episode was started. Try again when the model answers.")
        self._hold(reply.usage)
        return None

    def _hold(self, calls: tuple[CallUsage, ...]) -> None:
        charge = self._settings.prices.charge
        self.accounts.hold(charge(call, self._model.name) for call in calls)

    def run(self, client: Client) -> int:
        """Plays all episodes of a connected client and returns the exit status.

        If the model stops working, the agent withdraws from the run: the service plays the open
        episode again later, and no episode counts as failed that the model never saw.
        """
        stop = self._out_of_sight(client) or self._play_all(client)
        self._log(f"used: {self.accounts}")
        if stop is None:
            return 0
        self.withdraw(client, stop)
        return 1

    def withdraw(self, client: Client, stop: Stop) -> None:
        """Leaves the run and reports the calls that no step reported."""
        self._log(f"leaving the run: {stop.message}")
        usage = (*self.accounts.release(), *stop.usage)
        client.withdraw(stop.reason, stop.message, Trace(usage=sdk_usage(usage)))

    @property
    def _sees(self) -> bool:
        return self._model.sees_pictures and self._settings.pictures != "off"

    def _out_of_sight(self, client: Client) -> Stop | None:
        seen = client.observation
        if self._sees or seen.text or not seen.images:
            return None
        return Stop(
            WithdrawReason.MODEL_REFUSED,
            f"This run shows only pictures, and {self._model.name} gets none: choose a vision model"
            " without --pictures off, or a condition that shows texts.",
        )

    def _play_all(self, client: Client) -> Stop | None:
        for number, episode in enumerate(client.episodes(), start=1):
            clock = TurnClock(client.limits, episode.remaining)
            try:
                self._log(f"episode {number}: {episode.instruction!r}"[:300])
                self._play(episode, clock)
            except ModelError as error:
                return _stop(error)
            except BudgetSpentError as error:
                return _out_of_budget(str(error), error.usage)
            except TooLongError as error:
                return Stop(WithdrawReason.MODEL_REFUSED, str(error), error.usage)
            except PromptError as error:
                return Stop(WithdrawReason.OTHER, str(error))
            if spent := self.accounts.spent:
                return _out_of_budget(spent)
        return None

    def _play(self, episode: Episode, clock: TurnClock) -> None:
        prompts = self._library.find(episode.suite)
        settings, manifest = self._settings, prompts.manifest
        for name, value in prompts.settle(episode.condition).items():
            if (said := episode.condition.get(name, value)) != value:
                self._log(f"  {name} is {value}, although the run's condition says {said}")
        conversation = Conversation(
            episode,
            prompts,
            Window(
                _first(settings.history, manifest.history),
                _first(settings.history_pictures, manifest.pictures),
            ),
            choosing=settings.choose,
            sees=self._sees,
        )
        decider = Decider(self._model, settings, self.accounts, episode, conversation)
        while episode.running:
            try:
                decision = decider.decide(clock.deadline())
            except TooLongError as error:
                if not self._has_decided:
                    raise
                self._log(f"  gives up: {error}")
                thought = f"[guest: the request is too long] {error}"
                episode.give_up(Trace(thought, usage=sdk_usage(error.usage)))
                return
            self._has_decided = True
            clock.acting()
            step = _act(episode, decision)
            clock.answered()
            self._log(_line(conversation.form, decision, episode))
            if step is None or not episode.running:
                return
            conversation.record(decision.answer, step.outcomes)


def serve(name: str, version: str, model: Model, settings: Settings) -> int:
    """Tests the model, opens a session and plays; returns the exit status of the agent."""
    try:
        agent = ModelAgent(model, settings)
        stop = agent.prove()
        with connect(name, version, model, agent.configuration(), settings.pictures) as client:
            if stop is not None:
                agent.withdraw(client, stop)
                return 1
            return agent.run(client)
    except PromptError as error:
        log_to_stderr(str(error))
        return 2
    except HouseguestError as error:
        log_to_stderr(f"the service: {error}")
        return 1
    finally:
        model.close()


def connect(
    name: str, version: str, model: Model, configuration: dict[str, str], pictures: str
) -> Client:
    """A connected client with the richest observation that the run's condition offers.

    ``pictures`` is as in Settings. Raises what Client.connect raises.
    """

    sees = model.sees_pictures and pictures != "off"
    requests = tuple(observation_requests(pictures=sees, prefer=pictures))
    options = Options(observation=requests)
    client = Client(name, version, model=model.name, configuration=configuration, options=options)
    client.connect()
    return client


def _act(episode: Episode, decision: Decision) -> Step | None:
    """Sends the decision; None if it ended the episode."""
    action, trace = decision.answer.action, decision.trace
    if isinstance(action, SkillCall | Plan | Text):
        return episode.act(action, trace=trace)
    episode.end(action, trace)
    return None


def _stop(error: ModelError, more: str = "") -> Stop:
    reasons = {
        models.UnreachableError: WithdrawReason.MODEL_UNREACHABLE,
        models.RefusedError: WithdrawReason.MODEL_REFUSED,
        models.ContextOverflowError: WithdrawReason.MODEL_REFUSED,
    }
    reason = reasons.get(type(error), WithdrawReason.OTHER)
    message = f"{str(error).rstrip('.')}.{more}" if more else str(error)
    return Stop(reason, message, error.usage)


def _out_of_budget(spent: str, usage: tuple[CallUsage, ...] = ()) -> Stop:
    return Stop(WithdrawReason.BUDGET_SPENT, f"The agent's budget is spent: {spent}.", usage)


def _first(chosen: int | None, usual: int | None) -> int:
    if chosen is not None:
        return chosen
    return ALL if usual is None else usual


def _line(form: AnswerForm, decision: Decision, episode: Episode) -> str:
    outcomes = episode.history[-1].outcomes if episode.history else ()
    came = outcomes[-1].code.name.lower() if outcomes else ""
    calls = decision.usage
    seconds = sum(call.latency for call in calls)
    sent, got = (sum(c.input_tokens for c in calls), sum(c.output_tokens for c in calls))
    noted = ", ".join(f"{name} {count}" for name, count in sorted(decision.notes.items()))
    ended = "" if episode.status is EpisodeStatus.RUNNING else f" [{episode.status.name.lower()}]"
    return (
        f"  {len(episode.history)}. {describe(decision.answer.action, form)} -> {came}{ended}"
        f"  ({seconds:.1f} s, {sent}+{got} tokens{'; ' + noted if noted else ''})"
    )
