"""Other materials and other light in the same room."""

from __future__ import annotations

from dataclasses import replace

from env_service.worlds.household.simulation.action import Kind, Parameter, Register, Result, Turn

ACTIONS = Register()


@ACTIONS.action("RandomizeMaterials", Parameter("randomSeed", Kind.WHOLE, None), lenient=True)
def randomize_materials(turn: Turn) -> Result:
    """Draws other materials. AI2-THOR draws anew with every call; so does this, by counting, and
    a seed may be given."""
    drawn = _next(turn["randomSeed"], turn.state.variation.materials)
    variation = replace(turn.state.variation, materials=drawn)
    return Result(replace(turn.state, variation=variation))


@ACTIONS.action("ResetMaterials")
def reset_materials(turn: Turn) -> Result:
    """Brings the scene's own materials back."""
    return Result(replace(turn.state, variation=replace(turn.state.variation, materials=None)))


@ACTIONS.action("RandomizeLighting", Parameter("randomSeed", Kind.WHOLE, None), lenient=True)
def randomize_lighting(turn: Turn) -> Result:
    """Draws other light, like RandomizeMaterials."""
    drawn = _next(turn["randomSeed"], turn.state.variation.lighting)
    variation = replace(turn.state.variation, lighting=drawn)
    return Result(replace(turn.state, variation=variation))


@ACTIONS.action("ResetLighting")
def reset_lighting(turn: Turn) -> Result:
    """Brings the scene's own light back."""
    return Result(replace(turn.state, variation=replace(turn.state.variation, lighting=None)))


def _next(given: int | None, before: int | None) -> int:
    if given is not None:
        return given % 2**32
    return 1 if before is None else before + 1
