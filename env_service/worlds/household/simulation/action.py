"""What an action is, how long it takes, and what the simulator answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.simulation.settings import Settings
from env_service.worlds.household.state import HouseholdState


class ErrorCode(Enum):
    """AI2-THOR's error codes; the first four make its Python controller raise ValueError."""

    INVALID_ACTION = "InvalidAction"
    MISSING_ARGUMENTS = "MissingArguments"
    AMBIGUOUS_ACTION = "AmbiguousAction"
    INVALID_ARGUMENT = "InvalidArgument"
    OBJECT_NOT_INTERACTABLE = "ObjectNotInteractable"
    UNHANDLED_EXCEPTION = "UnhandledException"
    LOOK_UP_TOO_FAR = "LookUpCantExceedMax"
    LOOK_DOWN_TOO_FAR = "LookDownCantExceedMin"


class ParameterType(Enum):
    """What a parameter takes; the value is how AI2-THOR's error text names it."""

    TEXT = "string"
    NUMBER = "float"
    WHOLE = "int"
    TRUTH = "bool"
    POINT = "Vector3"
    PARTIAL_POINT = "OptionalVector3"
    LIST = "list"
    MAPPING = "dict"
    ANY = "object"


REQUIRED: Any = object()
"""Marks a parameter without a default."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of an action, by AI2-THOR's name; without a default it has to be given."""

    name: str
    kind: ParameterType
    default: Any = REQUIRED


class Visibility(Protocol):
    """What the agent sees from its pose, in the state before the action."""

    def visible(self, object_id: str) -> bool:
        """AI2-THOR's `visible`: in view, within the visibility distance, not hidden."""
        ...

    def interactable(self, object_id: str) -> bool:
        """Visible, and not only through glass."""
        ...

    def object_at(self, x: float, y: float) -> str | None:
        """Id of the object at a point of the picture; x and y in [0, 1] from the top left."""
        ...

    def point_at(self, x: float, y: float) -> Vec3 | None:
        """Where the line of sight through a point of the picture ends: on the first solid surface.
        None where it meets nothing."""
        ...

    def after(self, state: HouseholdState) -> Visibility:
        """What the agent would see in another state of the same scene."""
        ...


@dataclass(frozen=True)
class ActionContext:
    """What an action works with.

    Attributes:
        state: before the action.
        settings: what Initialize set.
        arguments: every parameter of the action, defaults filled in, numbers as float, points as
            Vec3.
        visibility: what the agent sees before the action.
    """

    state: HouseholdState
    settings: Settings
    arguments: Mapping[str, Any]
    visibility: Visibility

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]


@dataclass(frozen=True)
class Result:
    """What an action did.

    Attributes:
        state: afterwards; the state before if it was refused.
        error: AI2-THOR's text of a refusal, "" for success.
        code: its error code, None for success and for refusals without one.
        value: AI2-THOR's actionReturn.
        seconds: simulated time that it took.
        settings: new settings, None to keep them.
        quick: whether AI2-THOR answers it with a metadata patch instead of a new frame.
        collided: ids of what the agent ran into.
    """

    state: HouseholdState
    error: str = ""
    code: ErrorCode | None = None
    value: Any = None
    seconds: float = 0.0
    settings: Settings | None = None
    quick: bool = False
    collided: tuple[str, ...] = ()

    @property
    def success(self) -> bool:
        """Whether it was carried out."""
        return not self.error


Handler = Callable[[ActionContext], Result]


@dataclass(frozen=True)
class ActionDefinition:
    """A registered action.

    Attributes:
        name: AI2-THOR's.
        parameters: those it takes, in addition to those allowed on every action.
        handler: carries it out.
        lenient: ignores unknown arguments, as AI2-THOR's older actions do.
    """

    name: str
    parameters: tuple[Parameter, ...]
    handler: Handler
    lenient: bool = False


@dataclass
class Register:
    """Collects the actions of a module."""

    actions: dict[str, ActionDefinition] = field(default_factory=dict)

    def action(
        self, name: str, *parameters: Parameter, lenient: bool = False
    ) -> Callable[[Handler], Handler]:
        """Registers the decorated function under a name; a second use of a name raises
        ValueError."""

        def keep(handler: Handler) -> Handler:
            if name in self.actions:
                raise ValueError(f"action {name} is registered twice")
            self.actions[name] = ActionDefinition(name, parameters, handler, lenient)
            return handler

        return keep


def refuse(context: ActionContext, error: str, code: ErrorCode | None = None) -> Result:
    """The state unchanged, with AI2-THOR's error text."""
    return Result(context.state, error, code)


# --- What the simulator answers to an action


@dataclass(frozen=True)
class ActionResponse:
    """The outcome of one action, with the state and settings it left.

    Attributes:
        action: its name, as AI2-THOR's lastAction.
        state: afterwards; the very state before if it was refused.
        settings: afterwards.
        error, code: AI2-THOR's text and error code of a refusal; "" and None for success.
        value: AI2-THOR's actionReturn.
        quick: whether AI2-THOR answers with a metadata patch: nothing that can be seen changed.
        collided: ids of what the agent ran into.
        picture: whether the caller wants pictures with this answer.
        extra: names of settings that switch on pictures for this answer alone.
    """

    action: str
    state: HouseholdState
    settings: Settings
    error: str = ""
    code: ErrorCode | None = None
    value: Any = None
    quick: bool = False
    collided: tuple[str, ...] = ()
    picture: bool = True
    extra: frozenset[str] = frozenset()

    @property
    def success(self) -> bool:
        """Whether the action was carried out."""
        return not self.error


# --- How long object actions take

SECONDS = 0.1
"""Simulated time of an action on an object, like that of a motion of the agent."""
