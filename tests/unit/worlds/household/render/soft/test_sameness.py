"""The same request gives the same bytes, however it comes about."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.render.interface import Camera, CameraPictures, Channel
from env_service.worlds.household.render.scene_graph import SceneGraph
from env_service.worlds.household.render.soft.renderer import SoftRenderer
from tests.support.household_scene import CLOSE, WIDE, kitchen, place

ALL = Channel.COLOR | Channel.INSTANCES | Channel.DEPTH | Channel.NORMALS
SMALL = replace(WIDE, width=160, height=120)
LARGE = replace(CLOSE, width=400, height=390)
ROOT = Path(__file__).resolve().parents[6]


def digest(frames: CameraPictures) -> str:
    found = hashlib.sha256()
    for array in (frames.color, frames.instances, frames.behind_glass, frames.depth):
        assert array is not None
        found.update(array.tobytes())
    assert frames.normals is not None
    found.update(frames.normals.tobytes())
    return found.hexdigest()


def drawn(graph: SceneGraph, camera: Camera) -> str:
    return digest(SoftRenderer(compiled=False).render(graph, camera, ALL))


def moved(graph: SceneGraph) -> None:
    """A mug goes elsewhere, a fruit goes away, a pan gets another material, a lamp goes out."""
    graph.put("thing 42", replace(graph.nodes["thing 42"], place=place(0.3, 0.9, 0.2, 40)))
    graph.drop(["thing 40"])
    other = graph.nodes["thing 37"].material
    graph.put("thing 39", replace(graph.nodes["thing 39"], material=other))
    graph.light(replace(graph.lighting, lights=graph.lighting.lights[:2]))


def test_an_unchanged_view_costs_nothing_and_views_in_turn_stay() -> None:
    graph, renderer = kitchen(), SoftRenderer(compiled=False)
    cameras = [replace(SMALL, yaw=SMALL.yaw + turn) for turn in range(4)]
    first = [renderer.render(graph, camera, ALL) for camera in cameras]
    assert all(
        renderer.render(graph, camera, ALL) is known
        for camera, known in zip(cameras, first, strict=True)
    )


def test_changes_taken_over_equal_a_fresh_start() -> None:
    graph, renderer = kitchen(), SoftRenderer(compiled=False)
    renderer.render(graph, SMALL, ALL)
    moved(graph)
    fresh = kitchen()
    moved(fresh)
    assert digest(renderer.render(graph, SMALL, ALL)) == drawn(fresh, SMALL)


def test_another_graph_is_another_scene() -> None:
    renderer = SoftRenderer(compiled=False)
    renderer.render(kitchen(), SMALL, ALL)
    empty = renderer.render(SceneGraph(), SMALL, ALL)
    assert empty.color is not None
    assert not empty.color.any()


def test_a_closed_renderer_draws_again() -> None:
    graph, renderer = kitchen(), SoftRenderer(compiled=False)
    first = digest(renderer.render(graph, SMALL, ALL))
    renderer.close()
    renderer.close()
    assert digest(renderer.render(graph, SMALL, ALL)) == first


def test_channels_do_not_depend_on_what_else_is_asked() -> None:
    graph, renderer = kitchen(), SoftRenderer(compiled=False)
    whole = renderer.render(graph, SMALL, ALL)
    for channel, name in (
        (Channel.COLOR, "color"),
        (Channel.INSTANCES, "instances"),
        (Channel.DEPTH, "depth"),
        (Channel.NORMALS, "normals"),
    ):
        alone = SoftRenderer(compiled=False).render(graph, SMALL, channel)
        assert np.array_equal(getattr(alone, name), getattr(whole, name))


def test_two_renderers_in_two_threads_draw_the_same() -> None:
    alone = drawn(kitchen(), SMALL)
    with ThreadPoolExecutor(2) as pool:
        both = pool.map(lambda _: drawn(kitchen(), SMALL), range(2))
        assert set(both) == {alone}


def test_the_processor_makes_no_difference() -> None:
    """NumPy picks its loops by what the processor can do; other loops, same bytes."""
    code = (
        "from tests.unit.worlds.household.render.soft.test_sameness import *\n"
        "print(drawn(kitchen(), SMALL))"
    )
    off = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR AVX2 FMA3 X86_V3"
    known = set(_features())
    named = " ".join(name for name in f"{off} X86_V4".split() if name in known)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NPY_DISABLE_CPU_FEATURES": named, "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.stdout.strip() == drawn(kitchen(), SMALL)


def _features() -> list[str]:
    """What NumPy can be told to leave out on this machine."""
    found = np.show_config(mode="dicts")
    assert isinstance(found, dict)
    return [str(name) for name in found["SIMD Extensions"].get("found", [])]


@pytest.mark.skipif(find_spec("numba") is None, reason="numba is not installed")
@pytest.mark.parametrize("camera", [SMALL, LARGE], ids=["wide", "close"])
def test_compiled_loops_give_the_same_bytes(camera: Camera) -> None:
    renderer = SoftRenderer(compiled=True)
    assert renderer.name == "soft+numba"
    assert digest(renderer.render(kitchen(), camera, ALL)) == drawn(kitchen(), camera)


@pytest.mark.skipif(find_spec("numba") is not None, reason="numba is installed")
def test_asking_for_compiled_loops_without_numba_is_an_error() -> None:
    with pytest.raises(ValueError, match="numba is not installed"):
        SoftRenderer(compiled=True)
    assert SoftRenderer().name == "soft"


def test_a_camera_below_the_floor_or_in_a_wall_draws_something() -> None:
    for position in (Vec3(0, -3, 0), Vec3(2.55, 1, 0), Vec3(0, 0.74, 0.05)):
        renderer = SoftRenderer(compiled=False)
        frames = renderer.render(kitchen(), replace(SMALL, position=position), ALL)
        assert frames.color is not None
        assert np.isfinite(frames.depth).all()
        assert np.isfinite(frames.normals).all()
