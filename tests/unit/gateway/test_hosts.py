"""What hosting a run takes of the service's own process."""

from __future__ import annotations

import subprocess
import sys

ASKS = """
import asyncio, sys
from env_service.gateway.background import HelperProcesses
from env_service.gateway.engine_pool import world_facts
apart = HelperProcesses(1)
try:
    facts = asyncio.run(world_facts("household", apart))
finally:
    apart.close()
print(sorted(facts.facts), "env_service.worlds.household.controller" in sys.modules)
"""


def test_a_helper_process_looks_at_the_world_and_the_service_never_imports_it() -> None:
    asked = subprocess.run(
        [sys.executable, "-c", ASKS], capture_output=True, text=True, timeout=120, check=False
    )
    assert asked.stdout.split("\n")[0] == "['renderer', 'rules', 'version'] False", asked.stderr
