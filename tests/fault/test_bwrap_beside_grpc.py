"""bubblewrap is tried in a process whose threads are calling gRPC."""

from __future__ import annotations

import subprocess
import sys

from tests.conformance.sandbox.kit import CELLS
from tests.support.command_line import ROOT

TRIES = 20
BUSY = f"""
import threading
from concurrent import futures
import grpc
from env_service.sandbox.bwrap.sandbox import find_support

echo = grpc.unary_unary_rpc_method_handler(lambda request, context: request)
server = grpc.server(futures.ThreadPoolExecutor(4))
server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("t.T", {{"Echo": echo}}),))
port = server.add_insecure_port("127.0.0.1:0")
server.start()
channel = grpc.insecure_channel(f"127.0.0.1:{{port}}")
call, over = channel.unary_unary("/t.T/Echo"), threading.Event()

def ask():
    while not over.is_set():
        call(b"x")

threads = [threading.Thread(target=ask) for _ in range(4)]
for thread in threads:
    thread.start()
for _ in range({TRIES}):
    find_support()
over.set()
for thread in threads:
    thread.join()
channel.close()
server.stop(None).wait()
"""


def test_grpc_is_never_forked() -> None:
    """gRPC's fork handlers would start threads in the child, and log to what we read from it."""
    CELLS["bwrap-watched"].need()
    command = [sys.executable, "-c", BUSY]
    ran = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=300, cwd=ROOT
    )
    assert ran.returncode == 0, ran.stderr
    assert "fork" not in ran.stderr
