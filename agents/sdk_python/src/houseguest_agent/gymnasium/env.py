"""A practice lease as a Gymnasium environment, and vectors of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AsyncVectorEnv

from ..action import Skill
from ..client import Client
from ..enums import EpisodeStatus, Feature, Mode, WithdrawReason
from ..episode import Episode
from ..errors import HouseguestError, RefusedError, SetupError, SupersededError
from ..options import Options
from ..step import Step
from .spaces import Actions, DiscreteActions, Observations, TextActions

_SEEDS = 2**64
_REWARDS = ("success", "goal_conditions_gained", "goal_conditions")
_GAINED_SINCE = 4
"""The first revision of the protocol in which a service reports goal conditions gained."""


class HouseguestEnv(gymnasium.Env[dict[str, Any], Any]):
    """Plays the task of a practice lease.

    Observations: see `Observations`. Actions: see `DiscreteActions`, or `TextActions` with
    ``actions="text"``. An episode that the service lost is truncated, with ``info["voided"]``.
    The reward of a step is 0.0, except at the end:

    - ``reward="success"``: 1.0 for success, else 0.0.
    - ``reward="goal_conditions_gained"``: goal conditions gained (-1.0 … 1.0,
      ``PracticeResult.goal_conditions_gained``). An agent that does nothing gets 0.0, success pays
      1.0, and an agent that undoes more than it achieves gets less than 0.0. A task with no
      condition open at its start always pays 0.0. Needs a service of protocol revision 4.
    - ``reward="goal_conditions"``: the fraction of goal conditions met (0.0 … 1.0), including
      those that held from the start. It is misleading: most conditions of a household task hold
      at the start, so that even an agent that does nothing is rewarded.

    ``info`` of a step has ``outcome`` (an OutcomeCode's name) and ``feedback`` (the suite's
    text), both empty if nothing was executed, and ``remaining`` (steps, if the suite discloses
    them). At the end it also has ``success``, ``goal_conditions_met``, ``goal_conditions_total``,
    ``goal_conditions_gained`` (if known) and ``failure``.

    The constructor connects, since the task determines the spaces; ``close`` releases the
    session. Not for use from several threads.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}  # noqa: RUF012 - as Gymnasium's

    def __init__(  # noqa: PLR0913 - keywords of gymnasium.make
        self,
        *,
        suite: str = "",
        address: str = "",
        token: str | Sequence[str] = "",
        actions: Literal["discrete", "text"] = "discrete",
        reward: Literal["success", "goal_conditions_gained", "goal_conditions"] = "success",
        render_mode: str | None = None,
    ) -> None:
        """Connects to the service.

        Args:
            suite: The suite that the lease must be for; empty for any.
            address: The service's address; by default HOUSEGUEST_ADDRESS.
            token: One token, or several in a list or a text with commas, of which the first free
                one is used; by default HOUSEGUEST_TOKEN or HOUSEGUEST_TOKENS.

        Raises:
            SetupError: The lease is scored, is for another suite or has no stepwise task, the
                service does not report this reward, or an argument is invalid. Also raises what
                Client.connect raises.
        """
        if actions not in ("discrete", "text"):
            raise SetupError(f"actions must be 'discrete' or 'text', not {actions!r}.")
        if reward not in _REWARDS:
            *others, last = map(repr, _REWARDS)
            raise SetupError(f"reward must be {', '.join(others)} or {last}, not {reward!r}.")
        if render_mode not in (None, "rgb_array"):
            raise SetupError(f"render_mode must be None or 'rgb_array', not {render_mode!r}.")
        self.render_mode = render_mode
        self._reward = reward
        self._seeded = False
        client, self.episode = take_lease(address, read_tokens(token))
        self._client: Client | None = client
        self._untouched = True
        try:
            self._check_reward(client)
            self._read(client, suite, actions)
        except BaseException:
            self.close()
            raise

    def _check_reward(self, client: Client) -> None:
        if self._reward == "goal_conditions_gained" and client.protocol_revision < _GAINED_SINCE:
            raise SetupError(
                f"reward='goal_conditions_gained' needs a service of protocol revision"
                f" {_GAINED_SINCE}, but this one has {client.protocol_revision}. Update the"
                " service, or use reward='success' or 'goal_conditions'."
            )

    def _read(self, client: Client, suite: str, actions: str) -> None:
        """Sets actions, observations and their spaces from the first episode."""
        episode = self.episode
        if suite and episode.suite != suite:
            raise SetupError(f"This practice is for {episode.suite}, not for {suite}.")
        if episode.mode is not Mode.STEPWISE:
            raise SetupError(
                f"Tasks in mode {episode.mode.name} are not played step by step. Open the practice"
                " under a stepwise condition, if the suite has one (alfred, actplan: --set"
                " play=steps)."
            )
        self._actions: Actions = (
            TextActions() if actions == "text" else DiscreteActions(episode.action_space)
        )
        self._observations = Observations(episode, texts=client.observation.text)
        self.action_space = self._actions.space
        self.observation_space = self._observations.space
        if self._observations.pictured:
            return
        if self.render_mode is not None:
            raise SetupError("render_mode needs pictures, and this practice's condition has none.")
        self.metadata = {**self.metadata, "render_modes": []}

    @property
    def skills(self) -> tuple[Skill, ...]:
        """The skills behind the actions, in the suite's order."""
        return self.episode.action_space.skills

    @property
    def actions(self) -> Actions:
        """The mapping from actions to the service's actions."""
        return self._actions

    def describe(self, action: Any) -> str:
        """An action as text, such as ``"FIND Apple"``. Raises ValueError."""
        return self._actions.describe(action)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Starts the task again and drops an open episode. ``options`` are ignored.

        Equal seeds give equal episodes. Without a seed, the next one is drawn from the last given
        one; if none was ever given, the service uses its next one.
        """
        super().reset(seed=seed)
        del options
        wanted: int | None = None
        if seed is not None:
            self._seeded, wanted = True, seed % _SEEDS
        elif self._seeded:
            wanted = int(self.np_random.integers(2**63))
        if wanted is not None or not self._untouched:
            self.episode = self._connected().reset(wanted)
        self._untouched = False
        return self._observations.read(self.episode), {}

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Takes one action. Raises ValueError for one that is not in the action space, and
        EpisodeOverError if the episode has ended."""
        self._untouched = False
        step = self.episode.act(self._actions.read(action))
        terminated = step.status is EpisodeStatus.TERMINATED
        truncated = step.status in (EpisodeStatus.TRUNCATED, EpisodeStatus.VOIDED)
        shown = self._observations.read(self.episode)
        return shown, self._score(self.episode), terminated, truncated, self._info(step)

    def render(self) -> npt.NDArray[np.uint8] | None:
        """The newest picture, uint8 [H, W, 3]; None without a render mode."""
        return None if self.render_mode is None else self._observations.picture(self.episode)

    def close(self) -> None:
        """Releases the session. Idempotent."""
        client, self._client = self._client, None
        if client is None:
            return
        try:
            if client.attached:
                client.withdraw(WithdrawReason.OTHER, "the environment was closed")
        except HouseguestError:
            # The service is closing, or has ended the session: nothing is left to release.
            pass
        finally:
            client.close()

    def _connected(self) -> Client:
        if self._client is None:
            raise SetupError("The environment is closed.")
        return self._client

    def _score(self, episode: Episode) -> float:
        result = episode.result
        if result is None:
            return 0.0
        if self._reward == "success":
            return float(result.success)
        if self._reward == "goal_conditions_gained":
            return result.goal_conditions_gained or 0.0
        return result.goal_conditions_met / max(1, result.goal_conditions_total)

    def _info(self, step: Step) -> dict[str, Any]:
        outcome = step.outcome
        info: dict[str, Any] = {
            "outcome": "" if outcome is None else outcome.code.name,
            "feedback": "" if outcome is None else outcome.feedback,
        }
        if step.remaining.steps is not None:
            info["remaining"] = step.remaining.steps
        if step.status is EpisodeStatus.VOIDED:
            info["voided"] = True
        if (result := self.episode.result) is not None:
            info["success"] = result.success
            info["goal_conditions_met"] = result.goal_conditions_met
            info["goal_conditions_total"] = result.goal_conditions_total
            if result.goal_conditions_gained is not None:
                info["goal_conditions_gained"] = result.goal_conditions_gained
            info["failure"] = result.failure
        return info


# --- Several practice leases at once


def vector(env_id: str, token: str | Sequence[str] = "", **settings: Any) -> AsyncVectorEnv:
    """An environment for each token, in a separate process; sub-environment k plays with the k-th.

    ``settings`` are those of `HouseguestEnv`. The processes are spawned, since gRPC does not
    survive a fork: a script that calls this needs ``if __name__ == "__main__":``. Raises
    SetupError without a token.
    """
    makers = [
        partial(make_in_process, env_id, token=each, **settings) for each in read_tokens(token)
    ]
    environments: list[Callable[[], gymnasium.Env[Any, Any]]] = list(makers)
    return AsyncVectorEnv(environments, context="spawn", shared_memory=False)


def make_in_process(env_id: str, **settings: Any) -> gymnasium.Env[Any, Any]:
    """As gymnasium.make, but works in a process that has not imported this module yet."""
    return gymnasium.make(env_id, **settings)


# --- Finds a free session among practice tokens

_PATIENCE = 10.0
"""Seconds to wait for a free session: an environment that was just closed or killed releases its
session within a second."""
_PAUSE = 0.2

_connected_in: list[int] = []
"""The process that has used gRPC, if any: its forks must not."""


def read_tokens(given: str | Sequence[str]) -> tuple[str, ...]:
    """The tokens in a list or a text with commas; if empty, those of HOUSEGUEST_TOKEN or
    HOUSEGUEST_TOKENS. Raises SetupError if there are none."""
    if not given:
        given = os.environ.get("HOUSEGUEST_TOKEN") or os.environ.get("HOUSEGUEST_TOKENS", "")
    tokens = given.split(",") if isinstance(given, str) else given
    found = tuple(token.strip() for token in tokens if token.strip())
    if not found:
        raise SetupError(
            "No practice token. `houseguest practice SUITE` prints some: set HOUSEGUEST_TOKEN, or"
            " HOUSEGUEST_TOKENS for several, or pass token=…."
        )
    return found


def take_lease(address: str, tokens: Sequence[str]) -> tuple[Client, Episode]:
    """Connects with the first token whose session is free, and starts the first episode.

    Raises SetupError in a fork of a process that has connected, for a lease whose episodes are
    scored, and if no session becomes free. Also raises what Client.connect raises.
    """
    _check_process()
    deadline = time.monotonic() + _PATIENCE
    while True:
        for token in tokens:
            if (client := _connect(address, token)) is not None and (first := _begin(client)):
                return client, first
        if time.monotonic() > deadline:
            raise SetupError(
                "Another environment holds "
                + ("the session of this token" if len(tokens) == 1 else "each of these sessions")
                + ": close() it, or open more with `houseguest practice --sessions N`."
            )
        time.sleep(_PAUSE)


def _connect(address: str, token: str) -> Client | None:
    """None if the session is taken."""
    options = Options(token=token, state_file="")
    client = Client("gymnasium", options=replace(options, address=address or options.address))
    try:
        client.connect()
    except RefusedError as error:
        if error.reason == "SEAT_TAKEN":
            return None
        raise
    if Feature.PRACTICE not in client.features:
        client.close()
        raise SetupError(
            "This token is for a run, whose episodes are scored and played once. An environment"
            " needs a practice lease: open one with `houseguest practice SUITE`."
        )
    return client


def _begin(client: Client) -> Episode | None:
    """The first episode. None if another environment has taken the session meanwhile: until its
    holder makes a call, the service grants a session again to any client that asks."""
    try:
        return client.reset()
    except SupersededError:
        client.close()
        return None
    except BaseException:
        client.close()
        raise


def _check_process() -> None:
    """Raises SetupError in a fork of a process that used gRPC, which would hang."""
    if _connected_in and _connected_in[0] != os.getpid():
        raise SetupError(
            "This process was forked from one that had connected to a service, which gRPC does not"
            " survive. Start it otherwise: AsyncVectorEnv(…, context='spawn'), or use"
            " houseguest_agent.gymnasium.vector."
        )
    _connected_in[:] = [os.getpid()]
