import numpy as np
import pytest

from env_service.suites.asgard.hand_overlay import Grid, Joint, Layer, Limb

RED = (200.0, 20.0, 20.0)
DISC = Limb((Joint(-0.2, 0.0, 0.3), Joint(0.2, 0.0, 0.3)), RED)


def grid(size=100):
    places = ((np.arange(size) + 0.5) / size * 2 - 1).astype(np.float32)
    return Grid(places, places, 2 / size)


def painted(limb, size=100):
    layer = Layer(grid(size))
    layer.paint(limb)
    return layer


def test_a_limb_covers_what_lies_within_its_radius():
    cover = painted(DISC).cover
    assert cover[50, 50] == 1
    assert cover[5, 5] == 0
    area = np.pi * 0.3**2 + 0.4 * 0.6
    assert cover.sum() * (2 / 100) ** 2 == pytest.approx(area, rel=0.01)


def test_edges_are_soft():
    cover = painted(DISC).cover
    partly = (cover > 0) & (cover < 1)
    assert 20 < partly.sum() < 400


def test_distance_is_measured_to_the_edge():
    far = grid().distance(DISC)
    assert far[50, 50] == pytest.approx(-0.3, abs=0.02)
    assert far[50, 99] == pytest.approx(0.49, abs=0.02)


def test_the_light_comes_from_above():
    color = painted(DISC).color
    assert color[40, 50, 0] > color[60, 50, 0]


def test_what_is_painted_last_lies_on_top():
    layer = painted(DISC)
    layer.paint(Limb(DISC.joints, (20.0, 20.0, 200.0)))
    red, _, blue = layer.color[50, 50]
    assert blue > red


def test_a_cut_limb_ends_straight():
    cut = painted(Limb(DISC.joints, RED, cut=True)).cover
    across = np.flatnonzero(cut[50] > 0.5)
    assert grid().x[across[0]] == pytest.approx(-0.2, abs=0.03)
    assert cut[50, 35] < cut[50, 45]


def test_a_grown_limb_fades_at_its_root_alone():
    grown, whole = painted(Limb(DISC.joints, RED, grown=True)).cover, painted(DISC).cover
    assert grown[50, 30] < 0.3 < whole[50, 30]
    assert grown[50, 70] == whole[50, 70] == 1


def test_what_lies_behind_something_is_taken_away():
    layer, before = painted(DISC), np.zeros((100, 100), np.float32)
    before[:, :50] = 1
    layer.hide(before)
    assert layer.cover[50, 45] == 0
    assert not layer.color[50, 45].any()
    assert layer.cover[50, 55] == 1


def test_a_shadow_falls_only_on_what_it_may():
    layer, where = Layer(grid()), np.zeros((100, 100), np.float32)
    where[:, 50:] = 1
    layer.darken(DISC, where, 0.2)
    assert layer.cover[50, 78] > 0
    assert not layer.cover[:, :50].any()


def test_limbs_outside_the_picture_paint_nothing():
    away = Limb((Joint(5.0, 5.0, 0.1), Joint(6.0, 6.0, 0.1)), RED)
    assert not painted(away).cover.any()
