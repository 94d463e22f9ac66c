"""A scene's facts before its structure is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from env_service.worlds.household.geometry import Box
from env_service.worlds.household.scene.counters import Counter
from env_service.worlds.household.scene.spec import Room
from env_service.worlds.household.scene.surroundings import Surroundings
from env_service.worlds.household.scene.thor_records import ThorRecord


@dataclass(frozen=True)
class ImportContext:
    """A scene's objects with what was inferred about them.

    Attributes:
        name: of the scene; room: its kind.
        records: the objects as AI2-THOR describes them.
        around: the room, its free floor, the objects by type.
        bodies: the box that each object's asset fills, by id.
        counters: the true shapes of the counter tops.
        ceiling: height of the ceiling, metres.
    """

    name: str
    room: Room
    records: Sequence[ThorRecord]
    around: Surroundings
    bodies: Mapping[str, Box]
    counters: Sequence[Counter]
    ceiling: float

    @property
    def floor(self) -> float:
        """Height of the floor, metres."""
        return self.around.shape.floor
