"""Guests beside each other: neither knows of the other."""

from __future__ import annotations

from tests.conformance.sandbox.kit import Laboratory, Trial, ready

LISTENS = """
import socket
everywhere = socket.create_server(("0.0.0.0", 34567))
abstract = socket.socket(socket.AF_UNIX)
abstract.bind("\\0neighbour")
abstract.listen()
path = socket.socket(socket.AF_UNIX)
path.bind("/tmp/neighbour.sock")
path.listen()
open("/tmp/secret", "w").write("mine")
print("ready", flush=True)
time.sleep(60)
"""
LOOKS = """
import socket
def tried(family, address):
    with socket.socket(family) as there:
        there.settimeout(2)
        try:
            there.connect(address)
        except OSError as error:
            return error.errno
    return "connected"
print(json.dumps({
    "tcp": [tried(socket.AF_INET, (host, 34567)) for host in ("127.0.0.1", "172.17.0.2")],
    "abstract": tried(socket.AF_UNIX, "\\0neighbour"),
    "path": tried(socket.AF_UNIX, "/tmp/neighbour.sock"),
    "files": os.listdir("/tmp"),
    "shared": os.listdir("/dev/shm"),
    "commands": [
        open(f"/proc/{each}/cmdline").read() for each in os.listdir("/proc") if each.isdecimal()
    ],
}))
"""


def test_two_agents_of_one_sandbox_do_not_meet(lab: Laboratory) -> None:
    async def look(listening: Trial) -> dict[str, object]:
        await ready(listening)
        return await lab.beside(LOOKS)

    _, seen = lab.with_agent(LISTENS, look)
    assert "connected" not in seen["tcp"]
    assert seen["abstract"] != "connected"
    assert seen["path"] != "connected"
    # The project itself may lie there, and is shown to agents that it runs.
    assert not {"secret", "neighbour.sock"} & set(seen["files"])
    assert seen["shared"] == []
    assert not [each for each in seen["commands"] if '34567")' in each and "sleep(60)" in each]
