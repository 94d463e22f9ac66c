"""An OpenGL context without a window, and the programs that draw in it."""

from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

VERSION = 330
SOFTWARE = ("llvmpipe", "softpipe", "swrast", "software")
"""Words in the names of OpenGL implementations that run on the processor."""


class NoDisplayError(RuntimeError):
    """This machine cannot open an OpenGL context by EGL; the message says what is missing."""


def open_context() -> Any:
    """A new moderngl context.

    Raises:
        NoDisplayError: moderngl is not installed, or EGL gives no device.
    """
    try:
        moderngl: Any = import_module("moderngl")
    except ModuleNotFoundError:
        raise NoDisplayError("moderngl is not installed: install houseguest[gl]") from None
    try:
        return moderngl.create_context(
            standalone=True,
            backend="egl",
            require=VERSION,
            libgl="libGL.so.1",
            libegl="libEGL.so.1",
        )
    except Exception as error:  # noqa: BLE001 - moderngl raises plain Exception for every failure
        raise NoDisplayError(
            f"cannot open an OpenGL context by EGL ({error}); on Debian and Ubuntu install libegl1 "
            "and libgl1, in a container grant the driver's graphics capability"
        ) from None


@cache
def graphics_card() -> str | None:
    """The name of the graphics card behind EGL; None if there is none, or only the processor."""
    try:
        context = open_context()
    except NoDisplayError:
        return None
    name = str(context.info["GL_RENDERER"])
    context.release()
    return None if any(word in name.lower() for word in SOFTWARE) else name


def program(context: Any, vertex: str, fragment: str) -> Any:
    """A program from two shader files."""
    head = f"#version {VERSION}\n"
    return context.program(
        vertex_shader=head + _source(vertex), fragment_shader=head + _source(fragment)
    )


@cache
def _source(name: str) -> str:
    return files(__package__).joinpath("shaders", f"{name}.glsl").read_text(encoding="utf-8")
