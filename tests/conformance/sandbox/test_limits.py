"""Guests that take more than they are given."""

from __future__ import annotations

import pytest

from env_service.sandbox.agent_output import LOG_BYTES
from env_service.sandbox.interface import AgentExit
from tests.conformance.sandbox.greed import DEVOURS, FORKS
from tests.conformance.sandbox.kit import GENTLE, Laboratory, Trial

HAS_ITS_CHILD_DEVOUR = (
    """
if os.fork():
    os.wait()
    print("outlived it", flush=True)
    time.sleep(30)
"""
    + DEVOURS
)
STARTS_THREADS = """
import threading
threading.stack_size(64 << 10)
started = 0
try:
    for _ in range(100):
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
        started += 1
except RuntimeError as error:
    print("stopped:", error, flush=True)
print("forked:", started, flush=True)
time.sleep(1)
os._exit(0)
"""
FILLS_SCRATCH = """
chunk, written = bytes(1 << 20), 0
try:
    for number in range(4):
        with open(f"/tmp/{number}", "wb", buffering=0) as file:
            for _ in range(8):
                written += file.write(chunk)
except OSError as error:
    print(error.errno, written >> 20)
"""
FLOODS = """
line = b"x" * 99 + b"\\n"
while True:
    os.write(1, line * 640)
"""


def test_an_agent_over_its_memory_is_killed_and_told_apart(lab: Laboratory) -> None:
    ending, text = lab.run(DEVOURS)
    assert ending.out_of_memory
    assert not ending.out_of_time
    assert "still here" not in text


def test_memory_of_its_children_counts(lab: Laboratory) -> None:
    seconds = 5.0 if lab.cell.name == "docker" else GENTLE.seconds
    ending, _ = lab.run(HAS_ITS_CHILD_DEVOUR, seconds=seconds)
    if lab.cell.name == "docker":
        # The kernel has killed the child alone, and the engine says so at the agent's end only.
        assert ending.out_of_memory or ending.out_of_time
    else:
        assert ending.out_of_memory


def test_what_lies_in_scratch_counts_as_memory_or_is_bounded_by_itself(lab: Laboratory) -> None:
    ending, text = lab.run(FILLS_SCRATCH)
    error, written = map(int, text.split())
    assert ending.code == 0
    assert error == 28
    assert written <= 16


@pytest.mark.parametrize("code", [FORKS, STARTS_THREADS], ids=["processes", "threads"])
def test_processes_and_threads_stop_at_their_limit(lab: Laboratory, code: str) -> None:
    ending, text = lab.run(code, pids=24)
    if ending.code == -9:
        assert "too many processes" in text
    else:
        assert "stopped:" in text
        assert int(text.split("forked: ")[1]) <= 24


def test_time_is_over_for_an_agent_that_does_not_end(any_lab: Laboratory) -> None:
    ending, _ = any_lab.run("time.sleep(60)", seconds=1.0)
    assert ending.out_of_time
    assert not ending.out_of_memory
    assert ending.code != 0


def test_a_flood_of_words_fills_no_disk(any_lab: Laboratory) -> None:
    async def whole(trial: Trial) -> AgentExit:
        return await trial.agent.wait()

    trial, ending = any_lab.with_agent(FLOODS, whole, seconds=3.0)
    files = list(trial.log.parent.iterdir())
    assert ending.out_of_time
    assert 0 < sum(file.stat().st_size for file in files) <= LOG_BYTES


def test_a_file_as_large_as_memory_cannot_be_made(lab: Laboratory) -> None:
    code = """
try:
    with open("/dev/shm/large", "wb") as file:
        for _ in range(100):
            file.write(bytes(1 << 20))
except OSError as error:
    print("refused")
"""
    ending, text = lab.run(code)
    assert ending.out_of_memory or "refused" in text
