"""The simulator of one home: what the Unity player is to AI2-THOR.

It takes actions as AI2-THOR's wire carries them and answers each; it never raises for a bad one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from env_service.worlds.household.event import HouseholdEvent
from env_service.worlds.household.render.interface import Renderer
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.simulation.absent_actions import ABSENT
from env_service.worlds.household.simulation.action import (
    ActionContext,
    ActionDefinition,
    ActionResponse,
    ErrorCode,
    Parameter,
    ParameterType,
    Register,
    Result,
    refuse,
)
from env_service.worlds.household.simulation.actions import (
    add_and_remove,
    agent_movement,
    breakage,
    cameras,
    configuration,
    cooking_and_cleaning,
    hand,
    interactable_poses,
    navigation,
    object_poses,
    object_states,
    openings_and_switches,
    pickup_and_put,
    push_and_throw,
    randomization,
    reachable_positions,
    scene_queries,
    slicing,
    targeting,
)
from env_service.worlds.household.simulation.actions.targeting import known_ids
from env_service.worlds.household.simulation.contextual_rules import settle
from env_service.worlds.household.simulation.dispatch import (
    Call,
    Mistake,
    read_call,
    requested_pictures,
)
from env_service.worlds.household.simulation.metadata import objects_metadata
from env_service.worlds.household.simulation.refusals import answering
from env_service.worlds.household.simulation.settings import Settings
from env_service.worlds.household.simulation.visibility import AgentVisibility, StateRenderer
from env_service.worlds.household.state import HouseholdState, Presentation

# --- Every action that works on a state, by name

REGISTERS: tuple[Register, ...] = (
    configuration.ACTIONS,
    agent_movement.ACTIONS,
    reachable_positions.ACTIONS,
    interactable_poses.ACTIONS,
    navigation.ACTIONS,
    scene_queries.ACTIONS,
    targeting.ACTIONS,
    cameras.ACTIONS,
    pickup_and_put.ACTIONS,
    hand.ACTIONS,
    push_and_throw.ACTIONS,
    openings_and_switches.ACTIONS,
    slicing.ACTIONS,
    breakage.ACTIONS,
    cooking_and_cleaning.ACTIONS,
    object_poses.ACTIONS,
    object_states.ACTIONS,
    randomization.ACTIONS,
    add_and_remove.ACTIONS,
)


def _joined(registers: tuple[Register, ...]) -> Mapping[str, ActionDefinition]:
    """The actions of several registers; a name in two of them raises ValueError."""
    joined: dict[str, ActionDefinition] = {}
    for register in registers:
        twice = joined.keys() & register.actions.keys()
        if twice:
            raise ValueError(f"registered twice: {', '.join(sorted(twice))}")
        joined.update(register.actions)
    return joined


ACTIONS: Mapping[str, ActionDefinition] = _joined(REGISTERS)


# --- The simulator


class Library(Protocol):
    """Where scenes come from."""

    def names(self) -> Sequence[str]:
        """The available scenes."""
        ...

    def load(self, name: str) -> SceneSpec:
        """A scene by name, also an unlisted one; an unknown name raises KeyError or ValueError."""
        ...


@dataclass(frozen=True)
class Snapshot:
    """Everything that a simulator holds. States are immutable, so keeping references is enough."""

    state: HouseholdState
    settings: Settings
    state_renderer: StateRenderer


class HouseholdSimulator:
    """A home with an agent in it. Not safe for several threads."""

    def __init__(
        self, library: Library, scene: str, *, pictures: Renderer, sight: Renderer | None = None
    ) -> None:
        """Opens a scene.

        Args:
            library: where scenes come from.
            scene: the first one; an unknown name raises ValueError.
            pictures: draws what callers look at.
            sight: draws what decides visibility; by default `pictures` does.
        """
        self._library = library
        self._pictures, self._sight_renderer = pictures, sight or pictures
        self._settings = Settings()
        self._actions: Mapping[str, ActionDefinition] = {**ACTIONS, **self._own_actions()}
        self._sight: AgentVisibility | None = None
        self._open(self._loaded(scene))

    @property
    def state(self) -> HouseholdState:
        """The state now."""
        return self._state

    @property
    def actions(self) -> Mapping[str, ActionDefinition]:
        """Every action that `perform` carries out, by name."""
        return self._actions

    @property
    def settings(self) -> Settings:
        """What Initialize and ChangeResolution set."""
        return self._settings

    @property
    def state_renderer(self) -> StateRenderer:
        """Draws the scene that is open."""
        return self._state_renderer

    def visibility(
        self, state: HouseholdState, settings: Settings, state_renderer: StateRenderer
    ) -> AgentVisibility:
        """What the agent sees in a state of the scene that `state_renderer` draws. It is computed
        again only when something that affects it has changed."""
        known = self._sight
        if (
            known is not None
            and known.state_renderer is state_renderer
            and known.settings == settings
            and known.state.objects is state.objects
            and known.state.presentation.hidden == state.presentation.hidden
            and known.state.agent == state.agent
        ):
            return known
        self._sight = AgentVisibility(state, settings, state_renderer)
        return self._sight

    def snapshot(self) -> Snapshot:
        """What `restore` brings back."""
        return Snapshot(self._state, self._settings, self._state_renderer)

    def restore(self, snapshot: Snapshot) -> None:
        """Undoes everything since that snapshot of this simulator."""
        self._state, self._settings = snapshot.state, snapshot.settings
        self._state_renderer = snapshot.state_renderer

    def load(self, scene: str) -> ActionResponse:
        """Opens a scene in its initial state and keeps the settings. An unknown scene is
        refused."""
        return self.perform({"action": "Reset", "sceneName": scene})

    def perform(self, written: Mapping[str, Any]) -> ActionResponse:
        """Carries out an action, a mapping with the key "action" and AI2-THOR's arguments."""
        call = read_call(self._actions, written, ABSENT)
        name = str(written.get("action"))
        picture = written.get("renderImage") is not False
        if isinstance(call, Mistake):
            return ActionResponse(
                name, self._state, self._settings, call.error, call.code, picture=picture
            )
        result = self._carried_out(call)
        return ActionResponse(
            name,
            self._state,
            self._settings,
            result.error,
            result.code,
            result.value,
            quick=result.quick and self._settings.fast_emit,
            collided=result.collided,
            picture=picture,
            extra=requested_pictures(written),
        )

    def event(self, answer: ActionResponse) -> HouseholdEvent:
        """The answer to the last action as AI2-THOR's event. Later actions do not change it."""
        state_renderer = self._state_renderer
        return HouseholdEvent(
            answer,
            state_renderer,
            lambda: self.visibility(answer.state, answer.settings, state_renderer),
        )

    def close(self) -> None:
        """Frees the renderers' memory; a second call does nothing."""
        self._pictures.close()
        self._sight_renderer.close()

    def _carried_out(self, call: Call) -> Result:
        sight = self.visibility(self._state, self._settings, self._state_renderer)
        context = ActionContext(self._state, self._settings, call.arguments, sight)
        result = call.action.handler(context)
        if not result.success:
            return result
        self._settings = result.settings or self._settings
        state = result.state
        if state is self._state and result.seconds == 0:
            return result
        if result.seconds:
            state = replace(state, seconds=round(state.seconds + result.seconds, 6))
        self._state = settle(state)
        return result

    def _open(self, scene: SceneSpec, before: StateRenderer | None = None) -> None:
        renderers = (self._pictures, self._sight_renderer)
        self._state_renderer = StateRenderer(scene, *renderers, before)
        self._state = HouseholdState.at_start(scene)

    def _own_actions(self) -> Mapping[str, ActionDefinition]:
        """Actions on the simulator as a whole, and on its metadata, rather than on a state."""
        scene = Parameter("sceneName", ParameterType.TEXT)
        ids = Parameter("objectIds", ParameterType.LIST)
        return {
            "Reset": ActionDefinition("Reset", (scene,), self._reset, lenient=True),
            "GetScenesInBuild": ActionDefinition("GetScenesInBuild", (), self._scenes),
            "GetObjectMetadata": ActionDefinition("GetObjectMetadata", (ids,), _metadata_of),
        }

    def _reset(self, context: ActionContext) -> Result:
        try:
            scene = self._loaded(context["sceneName"])
        except ValueError as error:
            return refuse(context, str(error), ErrorCode.INVALID_ARGUMENT)
        self._open(scene, self._state_renderer)
        return Result(self._state)

    def _loaded(self, name: str) -> SceneSpec:
        try:
            return self._library.load(name)
        except (KeyError, ValueError) as error:
            names = self._library.names()
            if name in names:
                raise
            raise ValueError(
                f"\nScene '{name}' not contained in build (scene names are case sensitive)."
                "\nPlease choose one of the following scene names:"
                f"\n\n{', '.join(sorted(names))}"
            ) from error

    def _scenes(self, context: ActionContext) -> Result:
        return Result(context.state, value=list(self._library.names()), quick=True)


@answering
def _metadata_of(context: ActionContext) -> Result:
    """The metadata of some objects, also of those that SetObjectFilter leaves out."""
    known = frozenset(known_ids(context.state, context["objectIds"]))
    state = replace(context.state, presentation=Presentation(listed=known))
    return Result(context.state, value=objects_metadata(state, context.visibility), quick=True)
