"""The local engine keeps the engine's contract."""

from __future__ import annotations

from env_service.engine.base import Engine
from env_service.engine.config import Deadlines, LocalEngineConfig
from env_service.engine.local import LocalEngine
from tests.conformance.engine import EngineConformance
from tests.conformance.engine_kit import EngineSetup


class TestLocalEngine(EngineConformance):
    """All that ``EngineConformance`` asks."""

    def make_engine(self, setup: EngineSetup) -> Engine:
        """A local engine."""
        return LocalEngine(
            LocalEngineConfig(
                suite="tests.support.lab:LabSuite",
                world=setup.world,
                log_folder=setup.folder / "log",
                workers=setup.workers,
                deadlines=Deadlines(
                    begin=setup.begin_deadline,
                    step=setup.step_deadline,
                    finish=setup.finish_deadline,
                ),
            )
        )
