"""The scene graph follows the state."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.geometry import Transform, Vec3
from env_service.worlds.household.render.scene_graph import SceneGraph
from env_service.worlds.household.scene.looks import dressed
from env_service.worlds.household.scene.spec import SceneSpec, Temperature
from env_service.worlds.household.scene.thor_metadata import scene_from_metadata
from env_service.worlds.household.scene_graph_builder import SceneGraphBuilder, composed
from env_service.worlds.household.state import HouseholdState, ObjectState, Variation
from tests.support.thor_objects import kitchen


@pytest.fixture(scope="module")
def scene() -> SceneSpec:
    return scene_from_metadata("FloorPlan3_physics", kitchen())


@pytest.fixture
def start(scene) -> HouseholdState:
    return HouseholdState.at_start(scene)


def item(state: HouseholdState, kind: str) -> ObjectState:
    return next(found for found in state.objects.values() if found.spec.type == kind)


def nodes_of(graph: SceneGraph, name: str) -> dict[str, object]:
    return {key: node for key, node in graph.nodes.items() if key.startswith(f"{name}/")}


def test_everything_is_drawn_and_numbered(scene, start):
    view = SceneGraphBuilder(scene)
    graph = view.graph(start)
    for spec in scene.objects:
        assert nodes_of(graph, spec.object_id)
        number = view.instance_of(spec.object_id)
        assert view.object_of(number) == spec.object_id
    for part in scene.structure:
        nodes = nodes_of(graph, part.name)
        assert nodes
        assert all(node.fixed for node in nodes.values())
        assert view.object_of(view.instance_of(part.name)) is None
        assert view.name_of(view.instance_of(part.name)) == part.name
    assert view.object_of(-1) is None
    assert view.object_of(10_000) is None


def test_parts_of_an_object_share_its_number_and_keep_to_its_box(scene, start):
    view = SceneGraphBuilder(scene)
    graph = view.graph(start)
    mug = item(start, "Mug")
    low, high = mug.extent
    for node in nodes_of(graph, mug.id).values():
        assert node.instance == view.instance_of(mug.id)
        points = node.mesh.points @ node.place[:, :3].T + node.place[:, 3]
        assert (points.min(0) >= np.array(low.tuple()) - 0.012).all()
        assert (points.max(0) <= np.array(high.tuple()) + 0.012).all()


def test_the_same_state_changes_nothing(scene, start):
    view = SceneGraphBuilder(scene)
    version = view.graph(start).version
    assert view.graph(start).version == version
    # equal but for what cannot be seen
    mug = item(start, "Mug")
    other = start.having(replace(mug, parents=None))
    assert view.graph(other).version == version


def test_a_move_touches_one_object_only(scene, start):
    view = SceneGraphBuilder(scene)
    before = dict(view.graph(start).nodes)
    mug = item(start, "Mug")
    pose = Transform(mug.pose.rotation, mug.pose.position + Vec3(0.1, 0.0, 0.0))
    after = view.graph(start.having(replace(mug, pose=pose))).nodes
    changed = {key for key in after if after[key] is not before.get(key)}
    assert changed == set(nodes_of(view.graph(start), mug.id))
    assert view.graph(start).nodes.keys() == before.keys()


def test_a_door_opens_without_its_carcass(scene, start):
    view = SceneGraphBuilder(scene)
    before = dict(view.graph(start).nodes)
    cabinet = item(start, "Cabinet")
    after = view.graph(start.having(replace(cabinet, openness=1.0))).nodes
    changed = {key for key in after if after[key] is not before[key]}
    assert changed
    assert changed < {key for key in before if key.startswith(cabinet.id)}


def test_what_is_gone_or_in_pieces_is_not_drawn(scene, start):
    view = SceneGraphBuilder(scene)
    view.graph(start)
    mug, knife = item(start, "Mug"), item(start, "Knife")
    state = start.without(mug.id).having(replace(knife, sliced=True))
    graph = view.graph(state)
    assert not nodes_of(graph, mug.id)
    assert not nodes_of(graph, knife.id)
    assert nodes_of(view.graph(start), mug.id)


def test_a_new_object_gets_a_new_number(scene, start):
    view = SceneGraphBuilder(scene)
    view.graph(start)
    mug = item(start, "Mug")
    copy = replace(mug, spec=replace(mug.spec, object_id="Mug|copy"))
    graph = view.graph(start.having(copy))
    assert nodes_of(graph, "Mug|copy")
    assert view.instance_of("Mug|copy") not in {
        view.instance_of(spec.object_id) for spec in scene.objects
    }


def test_light_goes_with_the_switch_and_the_seed(scene, start):
    view = SceneGraphBuilder(scene)
    bright = view.graph(start).lighting
    dark = view.graph(replace(start, ceiling_on=False)).lighting
    assert bright.lights
    assert not dark.lights
    assert dark.ambient < bright.ambient
    assert bright.sky > 0
    assert bright.sky_direction.x > 0.5
    varied = view.graph(replace(start, variation=Variation(lighting=5))).lighting
    assert varied != bright
    assert view.graph(start).lighting == bright


def test_other_materials_are_drawn_by_seed_and_taken_back(scene, start):
    view = SceneGraphBuilder(scene)
    plain = {key: node.material for key, node in view.graph(start).nodes.items()}
    other = replace(start, variation=Variation(materials=3))
    drawn = {key: node.material for key, node in view.graph(other).nodes.items()}
    assert sum(drawn.get(key) != material for key, material in plain.items()) > len(plain) / 2
    again = SceneGraphBuilder(scene).graph(other)
    assert {key: node.material for key, node in again.nodes.items()} == drawn
    assert {key: node.material for key, node in view.graph(start).nodes.items()} == plain


def test_a_builder_takes_from_the_one_before_what_both_have(scene, start):
    before = SceneGraphBuilder(scene)
    before.graph(start)
    mug = item(start, "Mug")
    moved = replace(mug, pose=Transform(mug.pose.rotation, mug.pose.position + Vec3(0.1, 0, 0)))
    shown_last = dict(before.graph(start.having(moved)).nodes)
    after = SceneGraphBuilder(scene, before).graph(start)
    fresh = SceneGraphBuilder(scene).graph(start)
    assert list(after.nodes) == list(fresh.nodes)
    new = [key for key, node in after.nodes.items() if node is not shown_last[key]]
    assert new == list(nodes_of(after, mug.id))


def test_affine_maps_compose_as_matrices_do():
    generator = np.random.default_rng(2)
    outer, inner = generator.normal(size=(3, 4)), generator.normal(size=(3, 4))
    whole = composed(outer, inner)
    square = np.vstack([outer, [0, 0, 0, 1]]) @ np.vstack([inner, [0, 0, 0, 1]])
    assert np.allclose(whole, square[:3])


def test_a_hot_mug_steams_only_while_it_is_full(scene, start):
    mug = item(start, "Mug")
    spec = replace(mug.spec, traits=mug.spec.traits | {Trait.FILLABLE})
    hot = replace(mug, spec=spec, temperature=Temperature.HOT)
    view = SceneGraphBuilder(scene)
    steaming = []
    for each in (replace(hot, liquid="coffee"), hot):
        state = replace(start, objects={**start.objects, mug.id: each})
        steaming.append(f"{mug.id}/steam" in view.graph(state).nodes)
    assert steaming == [True, False]


def test_in_thor_a_lit_screen_keeps_its_own_colour(scene):
    dark = dressed(scene, "thor")
    plain = SceneGraphBuilder(scene).graph(HouseholdState.at_start(scene))
    drawn = SceneGraphBuilder(dark).graph(HouseholdState.at_start(dark))
    assert drawn.nodes.keys() >= {key for key in plain.nodes if not key.startswith("Wall")}
    for key, node in plain.nodes.items():
        if node.material.glow > 0 and not key.startswith("Sky"):
            assert drawn.nodes[key].material == node.material
