"""What every agent pays for the library before it does anything."""

from __future__ import annotations

import subprocess
import sys

PROBE = """
import sys
import houseguest_agent
heavy = {"env_service", "numpy", "PIL", "click", "rich", "minigrid", "gymnasium", "google.rpc"}
print(*sorted(heavy & set(sys.modules)))
"""


def test_importing_the_library_brings_only_grpc_and_protobuf() -> None:
    found = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == []
