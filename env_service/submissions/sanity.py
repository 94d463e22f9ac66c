"""A few tasks of each suite that need no data pack: enough to see an agent play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from env_service.gateway.house import RunRequest


@dataclass(frozen=True, slots=True)
class SanitySet:
    """Some tasks of a task set. Empty names mean the suite's defaults, ``limit`` 0 all tasks."""

    task_set: str = ""
    tasks: tuple[str, ...] = ()
    limit: int = 0
    condition: Mapping[str, str] = field(default_factory=dict)

    def request(self, suite: str, agent: str, episode_budget: float) -> RunRequest:
        """The run that plays them."""
        return RunRequest(
            suite=suite,
            task_set=self.task_set,
            tasks=self.tasks,
            limit=self.limit,
            condition=self.condition,
            agent=agent,
            episode_budget=episode_budget,
        )


_SETS: Mapping[str, tuple[SanitySet, ...]] = {
    "actplan": (
        SanitySet("builtin-2", limit=1),
        SanitySet("builtin-2", limit=1, condition={"play": "steps", "pictures": "off"}),
    ),
    "alfred": (
        SanitySet("builtin-1-0", limit=1),
        SanitySet("builtin-1-0", limit=1, condition={"play": "steps"}),
    ),
    # Small pictures: this is about the protocol, not about seeing.
    "asgard": (SanitySet("builtin-2-0", condition={"picture": "300"}),),
    "babyai": (SanitySet("evaluation", tasks=("GoToObj/2", "GoToLocal/2", "Pickup/2")),),
    "babybench": (
        SanitySet("predict", tasks=("GoToObj/2",)),
        SanitySet("plan", tasks=("Small-4Dists/2",)),
        SanitySet("decompose", tasks=("GoToLocal/2",)),
        SanitySet("interactive", tasks=("GoToObj/2",)),
    ),
}


def sanity_sets(suite: str) -> tuple[SanitySet, ...]:
    """The sanity sets of a suite; of one that is not built in the first two default tasks."""
    return _SETS.get(suite, (SanitySet(limit=2),))
