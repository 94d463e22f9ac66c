"""Pictures made by code, and materials by name."""

from __future__ import annotations

import numpy as np
import pytest

from env_service.worlds.household.assets import palette, textures
from env_service.worlds.household.assets.model import Texture


def test_noise_repeats_at_its_edges_and_fills_its_range() -> None:
    field = textures.noise(64, 4, seed=3)
    assert field.min() == 0
    assert field.max() == pytest.approx(1)
    step = np.abs(np.diff(field, axis=1)).max()
    assert np.abs(field[:, 0] - field[:, -1]).max() <= step * 1.5


def test_a_texture_is_the_same_each_time_and_differs_by_seed() -> None:
    textures.stone.cache_clear()
    first = textures.stone((0.5, 0.5, 0.5), (0.9, 0.9, 0.9), seed=1)
    textures.stone.cache_clear()
    assert textures.stone((0.5, 0.5, 0.5), (0.9, 0.9, 0.9), seed=1) == first
    assert textures.stone((0.5, 0.5, 0.5), (0.9, 0.9, 0.9), seed=2) != first


@pytest.mark.parametrize(
    ("pixels", "complaint"),
    [
        (np.zeros((8, 8), np.uint8), "uint8 .H, W, 3."),
        (np.zeros((8, 8, 3), np.float32), "uint8"),
        (np.zeros((8, 9, 3), np.uint8), "powers of two"),
    ],
)
def test_a_wrong_picture_is_refused(pixels: np.ndarray, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Texture(pixels)


def test_every_named_material_can_be_had() -> None:
    for name in palette.WOODS:
        assert palette.wood(name).texture is not None
    for name in palette.PAINTS:
        assert palette.wood(name).texture is None
        assert palette.cloth(name).two_sided
    for name in palette.STONES:
        assert palette.stone(name).texture is not None
    with pytest.raises(KeyError):
        palette.wood("plastic")
