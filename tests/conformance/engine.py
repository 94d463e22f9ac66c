"""What every engine must do. A new engine subclasses ``EngineConformance``.

The episodes are those of the laboratory suite, whose skills break things on purpose; what
an engine hands out is compared with the same episode played in this process.
"""

from __future__ import annotations

from tests.conformance.engine_endings import EndingConformance
from tests.conformance.engine_episodes import EpisodeConformance
from tests.conformance.engine_faults import FaultConformance
from tests.conformance.engine_frames import FrameConformance


class EngineConformance(EpisodeConformance, FrameConformance, FaultConformance, EndingConformance):
    """The contract of ``Engine`` and ``EpisodeHandle``, as tests.

    A subclass says in ``make_engine`` how its engine is made.
    """
