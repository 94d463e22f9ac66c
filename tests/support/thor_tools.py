"""What the tools of a machine with NVIDIA GPUs say, in the shape in which they say it, and an X
server that answers as instructed."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from env_service.worlds.ai2thor_unity.graphics import nvidia, vulkan
from env_service.worlds.ai2thor_unity.graphics.external_tools import ToolAnswer

FIRST = "11111111-aaaa-bbbb-cccc-000000000001"
SECOND = "22222222-aaaa-bbbb-cccc-000000000002"
SMI = f"""\
0, NVIDIA L40S, GPU-{FIRST}, 46068, 45500, 550.54.15
1, NVIDIA L40S, GPU-{SECOND}, 46068, [N/A], 550.54.15
"""
SUMMARY = f"""\
==========
VULKANINFO
==========

Vulkan Instance Version: 1.3.239


Instance Layers: count = 1
--------------------------
VK_LAYER_NV_optimus NVIDIA Optimus layer 1.3.242  version 1

Devices:
========
GPU0:
\tapiVersion         = 1.3.242
\tdeviceType         = PHYSICAL_DEVICE_TYPE_DISCRETE_GPU
\tdeviceName         = NVIDIA L40S
\tdriverName         = NVIDIA
\tdriverInfo         = 550.54.15
\tdeviceUUID         = {SECOND}
\tdriverUUID         = 33333333-aaaa-bbbb-cccc-000000000003
GPU1:
\tapiVersion         = 1.3.242
\tdeviceType         = PHYSICAL_DEVICE_TYPE_DISCRETE_GPU
\tdeviceName         = NVIDIA L40S
\tdriverName         = NVIDIA
\tdriverInfo         = 550.54.15
\tdeviceUUID         = {FIRST}
\tdriverUUID         = 33333333-aaaa-bbbb-cccc-000000000003
GPU2:
\tapiVersion         = 1.3.230
\tdeviceType         = PHYSICAL_DEVICE_TYPE_CPU
\tdeviceName         = llvmpipe (LLVM 15.0.6, 256 bits)
\tdriverName         = llvmpipe
\tdriverInfo         = Mesa 22.3.6 (LLVM 15.0.6)
\tdeviceUUID         = 6d657361-3232-2e33-2e36-000000000000
"""
SOFTWARE = """\
Devices:
========
GPU0:
\tdeviceType         = PHYSICAL_DEVICE_TYPE_CPU
\tdeviceName         = llvmpipe (LLVM 15.0.6, 256 bits)
\tdeviceUUID         = 6d657361-3232-2e33-2e36-000000000000
"""
AT_LENGTH = f"""\
Vulkan Instance Version: 1.2.131

Device Groups:
==============
Group 0:
\tProperties:
\t\tphysicalDevices: count = 1
\t\t\tNVIDIA L40S (ID: 0)

Device Properties and Extensions:
=================================
GPU0:
VkPhysicalDeviceProperties:
---------------------------
\tapiVersion     = 4202651 (1.2.155)
\tdeviceType     = PHYSICAL_DEVICE_TYPE_DISCRETE_GPU
\tdeviceName     = NVIDIA L40S

VkPhysicalDeviceLimits:
-----------------------
\tmaxImageDimension1D = 32768

VkPhysicalDeviceDriverProperties:
---------------------------------
\tdriverName      = NVIDIA
\tdriverInfo      = 460.32.03

VkPhysicalDeviceIDProperties:
-----------------------------
\tdeviceUUID      = {FIRST}
\tdriverUUID      = 33333333-aaaa-bbbb-cccc-000000000003
"""
_SAID = "vkCreateInstance failed with ERROR_INCOMPATIBLE_DRIVER"
NO_DRIVER = ToolAnswer(1, fault=f"vulkaninfo ended with status 1: {_SAID}")

Says = Callable[..., ToolAnswer]


def tools(answers: Mapping[str, ToolAnswer | str]) -> Says:
    """Stands for `tools.ask`: an answer per command line or program; others are missing."""

    def ask(*command: str, **_: object) -> ToolAnswer:
        said = answers.get(" ".join(command), answers.get(command[0]))
        if said is None:
            return ToolAnswer(None, fault=f"{command[0]} is not installed", installed=False)
        return ToolAnswer(0, said) if isinstance(said, str) else said

    return ask


def pretend(
    patch: pytest.MonkeyPatch,
    answers: Mapping[str, ToolAnswer | str],
    libraries: Sequence[str] = ("vulkan",),
) -> None:
    """Lets this machine have these tools and libraries alone."""
    for module in (nvidia, vulkan):
        patch.setattr(module, "ask", tools(answers))
    patch.setattr(
        "ctypes.util.find_library", lambda name: f"lib{name}.so.1" if name in libraries else None
    )


def setup(*screens: tuple[int, int, int]) -> bytes:
    """An X server's answer to a client that it lets in: screens by width, height and depth."""
    vendor = b"Tested"
    roots = b"".join(
        struct.pack("<5I6HIBBBB", 1, 2, 3, 4, 5, w, h, 1, 1, 1, 1, 6, 0, 0, depth, 1)
        + struct.pack("<BxHxxxx24x", depth, 1)
        for w, h, depth in screens
    )
    head = struct.pack("<IIIIHHBBBBBBBBxxxx", 1, 0, 0, 0, len(vendor), 9, len(screens), 1, *[0] * 6)
    body = head + vendor + bytes(-len(vendor) % 4) + bytes(8) + roots
    return struct.pack("<BxHHH", 1, 11, 0, len(body) // 4) + body


def extension(present: bool) -> bytes:
    """Its answer to whether it has an extension."""
    return struct.pack("<BxHIB23x", 1, 1, 0, present)


@contextmanager
def x_server(
    folder: Path, number: int, *answers: bytes, hold: bool = False
) -> Iterator[list[bytes]]:
    """A server that sends each client these answers, one after each of its messages, and hangs
    up, or is silent from then on; what clients sent is in the list."""
    heard: list[bytes] = []
    done = threading.Event()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / f"X{number}"))
        server.listen()

        def serve() -> None:
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                with client:
                    for answer in answers:
                        heard.append(client.recv(4096))
                        client.sendall(answer)
                    if hold:
                        done.wait(60)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield heard
        finally:
            done.set()
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
