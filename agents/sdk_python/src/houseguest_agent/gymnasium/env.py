"""A practice lease as a Gymnasium environment, and several at once."""

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
from .actions import Actions, DiscreteActions, TextActions
from .spaces import Observations

_SEEDS = 2**64
_REWARDS = ("success", "goal_conditions_gained", "goal_conditions")
_GAINED_SINCE = 4
"""The revision of the protocol from which on a service tells goal conditions gained."""


class HouseguestEnv(gymnasium.Env[dict[str, Any], Any]):
    """Plays the task that a practice lease pins.

    Observations: see `Observations`. Actions: see `DiscreteActions`, or `TextActions` with
    ``actions="text"``. An episode that the service lost is truncated, with ``info["voided"]``.

    The reward of a step is 0.0, except at the end:

    - ``reward="success"``: 1.0 for success, else 0.0.
    - ``reward="goal_conditions_gained"``: goal conditions gained (-1.0 … 1.0,
      ``PracticeResult.goal_conditions_gained``). An agent that does nothing gets 0.0, success pays
      1.0, and one that undoes more than it does gets less than 0.0. A task with no condition open
      at its start pays 0.0 whatever happens. Needs a service of protocol revision 4.
    - ``reward="goal_conditions"``: the fraction of goal conditions met (0.0 … 1.0), those that held
      from the start included. It flatters: most conditions of a household task hold before
      anybody acts, and an agent that does nothing is paid for them.

    ``info`` of a step has ``outcome`` (an OutcomeCode's name) and ``feedback`` (the suite's
    words), both empty where nothing was executed, ``remaining`` (steps, where the suite tells
    them), and at the end ``success``, ``goal_conditions_met``, ``goal_conditions_total``,
    ``goal_conditions_gained`` (where it is known) and ``failure``.

    It connects when it is made, since the task decides on its spaces; ``close`` gives the session
    up. Not for use from several threads.
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
        """``address`` is by default HOUSEGUEST_ADDRESS; ``token`` HOUSEGUEST_TOKEN, or any free one
        of HOUSEGUEST_TOKENS, of a list, or of a text with commas. ``suite`` is what the lease has
        to be of; empty: any.

        Raises SetupError for a lease that is scored, of another suite or of no stepwise task, for
        a reward that the service does not tell, and for other choices than these; and what
        Client.connect raises.
        """
        if actions not in ("discrete", "text"):
            raise SetupError(f"actions is 'discrete' or 'text', not {actions!r}.")
        if reward not in _REWARDS:
            *others, last = map(repr, _REWARDS)
            raise SetupError(f"reward is {', '.join(others)} or {last}, not {reward!r}.")
        if render_mode not in (None, "rgb_array"):
            raise SetupError(f"render_mode is None or 'rgb_array', not {render_mode!r}.")
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
                f" {_GAINED_SINCE}, and this one speaks {client.protocol_revision}. Update the"
                " service, or take reward='success' or 'goal_conditions'."
            )

    def _read(self, client: Client, suite: str, actions: str) -> None:
        """What the first episode decides on: actions, observations and their spaces."""
        episode = self.episode
        if suite and episode.suite != suite:
            raise SetupError(f"This practice is of {episode.suite}, not of {suite}.")
        if episode.mode is not Mode.STEPWISE:
            raise SetupError(
                f"Tasks in mode {episode.mode.name} are not played step by step. Open the practice"
                " under a condition that is, where the suite has one (alfred, actplan: --set"
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
        """What the actions are made of, in the suite's order."""
        return self.episode.action_space.skills

    @property
    def actions(self) -> Actions:
        """What each action stands for."""
        return self._actions

    def describe(self, action: Any) -> str:
        """An action in words, such as ``"FIND Apple"``. Raises ValueError."""
        return self._actions.describe(action)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins the task anew, and drops an open episode. ``options`` are ignored.

        Equal seeds give equal episodes. Without one the next seed is drawn from the one given
        last, or the service takes the next of its own where none was ever given.
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
        EpisodeOverError when the episode has ended."""
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
        """Gives the session up. May be called twice."""
        client, self._client = self._client, None
        if client is None:
            return
        try:
            if client.attached:
                client.withdraw(WithdrawReason.OTHER, "the environment was closed")
        except HouseguestError:
            # The service is closing, or has ended the session: there is no session to give up.
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
    """An environment for each token, in a process of its own; sub-environment k plays with the
    k-th. ``settings`` are those of `HouseguestEnv`.

    The processes are spawned, since gRPC does not survive a fork: a script that calls this needs
    ``if __name__ == "__main__":``. Raises SetupError where there is no token.
    """
    makers = [
        partial(make_in_process, env_id, token=each, **settings) for each in read_tokens(token)
    ]
    environments: list[Callable[[], gymnasium.Env[Any, Any]]] = list(makers)
    return AsyncVectorEnv(environments, context="spawn", shared_memory=False)


def make_in_process(env_id: str, **settings: Any) -> gymnasium.Env[Any, Any]:
    """As gymnasium.make, also in a process that has imported nothing yet."""
    return gymnasium.make(env_id, **settings)


# --- Finds a free session among practice tokens

_PATIENCE = 10.0
"""Seconds for a session to become free: an environment that was closed or killed just now leaves it
within a second."""
_PAUSE = 0.2

_connected_in: list[int] = []
"""The process that has used gRPC, if any: what it forks may not."""


def read_tokens(given: str | Sequence[str]) -> tuple[str, ...]:
    """The tokens in a text with commas, or a list; of HOUSEGUEST_TOKEN or HOUSEGUEST_TOKENS where
    it is empty. Raises SetupError where there is none."""
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
    """Connects with the first token whose session is free, and begins the first episode.

    Raises SetupError in a process that was forked from one that has connected, for a lease whose
    episodes are scored, and where no session becomes free; and what Client.connect raises.
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
    """None where the session is taken."""
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
            "This token is of a run, whose episodes are scored and played once: an environment"
            " needs a practice lease, as `houseguest practice SUITE` opens them."
        )
    return client


def _begin(client: Client) -> Episode | None:
    """The first episode. None where another environment has taken the session meanwhile: until its
    holder has made a call, a session is granted again to whoever asks for it."""
    try:
        return client.reset()
    except SupersededError:
        client.close()
        return None
    except BaseException:
        client.close()
        raise


def _check_process() -> None:
    """gRPC does not survive a fork, and would hang."""
    if _connected_in and _connected_in[0] != os.getpid():
        raise SetupError(
            "This process was forked from one that had connected to a service, which gRPC does not"
            " survive. Start it otherwise: AsyncVectorEnv(…, context='spawn'), or use"
            " houseguest_agent.gymnasium.vector."
        )
    _connected_in[:] = [os.getpid()]
