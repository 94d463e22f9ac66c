"""Hot, cold, room temperature: how long it lasts, and the actions that change this.

AI2-THOR brings a hot or cold object back to room temperature 10 seconds of simulated time after
its last contact with what heated or cooled it; the time can be set for all types or for one, and
the decay can be stopped.
"""

from __future__ import annotations

from dataclasses import replace

from env_service.worlds.ai2thor_api.object_types import Trait, object_types
from env_service.worlds.household.scene.spec import Temperature
from env_service.worlds.household.simulation.action import Kind, Parameter, Register, Result, Turn
from env_service.worlds.household.simulation.refusals import RefusedError, answering
from env_service.worlds.household.state import HouseState, ObjectState

ACTIONS = Register()

NEGATIVE = "TimeUntilRoomTemp must not be negative"


@ACTIONS.action(
    "SetRoomTempDecayTimeForType",
    Parameter("objectType", Kind.TEXT),
    Parameter("TimeUntilRoomTemp", Kind.NUMBER, 0.0),
)
@answering
def set_decay_time_for_type(turn: Turn) -> Result:
    """Sets for one type how many simulated seconds it keeps its temperature."""
    kind, seconds = turn["objectType"], turn["TimeUntilRoomTemp"]
    if kind not in object_types():
        raise RefusedError(f"{kind} is not a valid SimObjType")
    if seconds < 0:
        raise RefusedError(NEGATIVE)
    cooling = turn.state.cooling
    others = tuple(pair for pair in cooling.by_type if pair[0] != kind)
    cooling = replace(cooling, by_type=(*others, (kind, seconds)))
    return Result(replace(turn.state, cooling=cooling))


@ACTIONS.action("SetGlobalRoomTempDecayTime", Parameter("TimeUntilRoomTemp", Kind.NUMBER, 0.0))
@answering
def set_decay_time(turn: Turn) -> Result:
    """Sets for all types how many simulated seconds they keep their temperature."""
    if turn["TimeUntilRoomTemp"] < 0:
        raise RefusedError(NEGATIVE)
    cooling = replace(turn.state.cooling, seconds=turn["TimeUntilRoomTemp"], by_type=())
    return Result(replace(turn.state, cooling=cooling))


@ACTIONS.action(
    "SetDecayTemperatureBool", Parameter("allowDecayTemperature", Kind.TRUTH, default=True)
)
def set_decay(turn: Turn) -> Result:
    """Lets temperatures decay, or keeps them."""
    cooling = replace(turn.state.cooling, stopped=not turn["allowDecayTemperature"])
    return Result(replace(turn.state, cooling=cooling))


def with_temperature(state: HouseState, item: ObjectState, temperature: Temperature) -> ObjectState:
    """An object heated or cooled at this moment."""
    lasts = dict(state.cooling.by_type).get(item.spec.type, state.cooling.seconds)
    return replace(item, temperature=temperature, warm_until=state.seconds + lasts)


def decayed(state: HouseState, item: ObjectState) -> ObjectState:
    """The object at room temperature, if its time is over and nothing heats or cools it."""
    if item.temperature is Temperature.ROOM or state.cooling.stopped:
        return item
    if not item.spec.can(Trait.PICKUPABLE):  # a floor that is dumped as cold lies by a fridge
        return item
    if state.seconds < item.warm_until:
        return item
    return replace(item, temperature=Temperature.ROOM)
