"""The household world drawn by OpenGL, without a window: EGL by way of moderngl."""

from env_service.worlds.household.render.gl.renderer import GlRenderer

__all__ = ["GlRenderer"]
