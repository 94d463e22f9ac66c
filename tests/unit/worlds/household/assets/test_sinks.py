"""Sinks and the hollows that they leave."""

from __future__ import annotations

import pytest

from tests.support.meshes import build


@pytest.mark.parametrize("depth", [0.12, 0.2, 0.3])
def test_a_sink_goes_as_deep_as_its_basin_and_hides_none_of_it(depth: float) -> None:
    hole = ((-0.25, -0.2, 0.25, 0.2, depth),)
    sink = build("Sink", (0.8, 0.31, 0.5), basins=hole, kind="kitchen")
    shell = next(part for part in sink.parts if part.name == "shell")
    floor = float(shell.mesh.points[:, 1].min())
    assert 0.31 - depth - 0.01 < floor < 0.31 - depth
