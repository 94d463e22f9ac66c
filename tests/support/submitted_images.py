"""Images that are handed in: a good one, and one for each way to be wrong."""

from __future__ import annotations

import json
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.support.docker import docker
from tests.support.guest_images import random_image

_SPY = r"""
import os, pathlib, runpy, sys
import grpc

def loud(deserializer):
    def read(data):
        print("TOLD", data, flush=True)
        return deserializer(data)
    return read

class Loud:
    def __init__(self, channel):
        self._channel = channel
    def __getattr__(self, name):
        found = getattr(self._channel, name)
        if not name.startswith(("unary_", "stream_")):
            return found
        def call(method, request_serializer=None, response_deserializer=None, **more):
            return found(method, request_serializer, loud(response_deserializer), **more)
        return call

open_channel = grpc.insecure_channel
grpc.insecure_channel = lambda *words, **named: Loud(open_channel(*words, **named))
for path in ("environ", "mountinfo", "cmdline", "cgroup", "status"):
    print(path, pathlib.Path("/proc/self", path).read_bytes(), flush=True)
print(os.uname(), os.listdir("/"), os.listdir("/run"), os.listdir("/run/houseguest"), flush=True)
sys.argv = ["agent.py"]
runpy.run_path("agent.py", run_name="__main__")
"""

_CRASH = r"""
from houseguest_agent import Client
with Client("random", "1.0") as client:
    for episode in client.episodes():
        raise SystemExit("no weights")
"""
_GREEDY = "held = [bytearray(2**20) for _ in range(4096)]"
_MANIFEST = "schema: 1\\nname: %s\\nversion: '%s'\\ncontact: me\\nsuites: [babyai, babybench]\\n"


def _dockerfile(base: str) -> str:
    small = (_MANIFEST % ("greedy", "1.0")) + "hardware: {memory: 64m}\\n"
    return f"""
FROM {base} AS bare
USER root
RUN rm /houseguest-agent.yaml
USER 10001:10001

FROM bare AS linked
USER root
RUN ln -s /etc/passwd /houseguest-agent.yaml
USER 10001:10001

FROM bare AS lying
USER root
RUN printf "{_MANIFEST % ("random", "9.9")}" > /agent/about.yaml
LABEL houseguest.manifest=/agent/about.yaml

FROM {base} AS crashing
ENTRYPOINT ["python", "-c", {_json(_CRASH)}]

FROM bare AS greedy
USER root
RUN printf "{small}" > /houseguest-agent.yaml
ENTRYPOINT ["python", "-c", {_json(_GREEDY)}]

FROM {base} AS spying
ENTRYPOINT ["python", "-c", {_json(_SPY)}]
"""


@dataclass(frozen=True, slots=True)
class SubmittedImages:
    """Names of images.

    ``good`` acts at random. ``bare`` has no manifest, ``linked`` has a link for one, ``lying``
    claims to be another version. ``crashing`` does so in its first episode, ``greedy`` takes more
    memory than it asked for. ``spying`` writes down everything that it can see.
    """

    good: str
    bare: str
    linked: str
    lying: str
    crashing: str
    greedy: str
    spying: str


@contextmanager
def submitted_images() -> Iterator[SubmittedImages]:
    """Builds them all, under unique names."""
    mark = secrets.token_hex(4)
    kinds = [name for name in SubmittedImages.__slots__ if name != "good"]
    names = {name: f"houseguest-test-{name}-{mark}" for name in kinds}
    with random_image() as good:
        try:
            for name, tag in names.items():
                command = ["docker", "build", "--quiet", "--network", "none", "--tag", tag]
                subprocess.run(
                    [*command, "--target", name, "-"],
                    input=_dockerfile(good),
                    text=True,
                    check=True,
                    timeout=600,
                    stdout=subprocess.DEVNULL,
                )
            yield SubmittedImages(good=good, **names)
        finally:
            docker("image", "rm", "--force", *names.values())


def _json(code: str) -> str:

    return json.dumps(code)
