"""Practice leases as Gymnasium environments; importing this module registers them.

::

    import gymnasium
    import houseguest_agent.gymnasium

    env = gymnasium.make("houseguest/BabyAI-v0")  # HOUSEGUEST_ADDRESS, HOUSEGUEST_TOKEN
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

`houseguest practice SUITE` starts the service for them. This needs gymnasium and numpy:
``pip install "houseguest-agent[gymnasium]"``.
"""

try:
    import gymnasium as _gymnasium
    import numpy as _numpy  # noqa: F401 - checked here, so that the error can name the extra
except ImportError as error:
    raise ImportError(
        f'houseguest_agent.gymnasium needs {error.name}: pip install "houseguest-agent[gymnasium]"'
    ) from error

from .env import HouseguestEnv, vector
from .spaces import DiscreteActions, TextActions

__all__ = ["DiscreteActions", "HouseguestEnv", "TextActions", "vector"]

IDS = {
    "houseguest/ActPlan-v0": "actplan",
    "houseguest/Alfred-v0": "alfred",
    "houseguest/Asgard-v0": "asgard",
    "houseguest/BabyAI-v0": "babyai",
}
"""The environments: id to suite."""

for _id, _suite in IDS.items():
    if _id not in _gymnasium.registry:
        _gymnasium.register(
            _id, entry_point="houseguest_agent.gymnasium:HouseguestEnv", kwargs={"suite": _suite}
        )
