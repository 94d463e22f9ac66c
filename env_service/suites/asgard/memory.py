"""What the released code remembers from action to action of one episode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from env_service.suites.asgard.view import AgentPose
from env_service.suites.asgard.vocabulary import Verb


@dataclass
class Memory:
    """Memory of one episode (spec sections 2.2 to 2.4).

    Attributes:
        resolved: object type as the agent named it -> name of the instance last meant by it.
        last_verb: of the action before; None at the start.
        last_opened: object type -> name of the instance opened last.
        carried: id of a container that was picked up -> ids of what was in it then.
        stances: name of an object -> the pose from which it was seen or acted on last.
        sprayed: names of what was sprayed.
    """

    resolved: dict[str, str] = field(default_factory=dict)
    last_verb: Verb | None = None
    last_opened: dict[str, str] = field(default_factory=dict)
    carried: dict[str, Sequence[str]] = field(default_factory=dict)
    stances: dict[str, AgentPose] = field(default_factory=dict)
    sprayed: set[str] = field(default_factory=set)

    def conclude(self, verb: Verb, object_type: str, name: str | None) -> None:
        """Notes the instance that an action came to; None if it came to none.

        FIND notes that too: afterwards nothing is preferred.
        """
        self.last_verb = verb
        if name is not None:
            self.resolved[object_type] = name
        elif verb is Verb.FIND:
            self.resolved.pop(object_type, None)
