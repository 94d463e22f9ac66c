"""Pictures, masks and boxes, and that they tell the same story."""

from __future__ import annotations

from env_service.testing.thor_controller.pictures import PictureTests


class TestPictures(PictureTests):
    """On every world."""
