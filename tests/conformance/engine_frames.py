"""An engine's pictures are those that the suite drew."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from env_service.domain.episode import FinishReason
from env_service.domain.observation import (
    LOSSLESS,
    Channel,
    ImageEncoding,
    ImageRequest,
    ImageRole,
    ObservationRequest,
)
from env_service.engine.base import Engine
from env_service.storage.frame_store import FrameStore
from env_service.wire.images import decode
from tests.conformance.engine_kit import (
    NOOP,
    EngineSetup,
    EngineTests,
    order,
    pictures,
)
from tests.support.lab import LabSuite


class FrameConformance(EngineTests):
    """Byte for byte, each hashed and stored once."""

    @pytest.mark.parametrize("encoding", LOSSLESS)
    def test_pictures_arrive_as_they_were_drawn(
        self, tmp_path: Path, encoding: ImageEncoding
    ) -> None:
        wanted = LabSuite().open_episode(order(frame="512", request=pictures(encoding)))
        drawn = [wanted.start().observation.frames[0].pixels.copy()]
        drawn += [wanted.act(NOOP).observation.frames[0].pixels.copy() for _ in range(3)]

        async def scenario(engine: Engine) -> None:
            handle, opening = await engine.begin(
                order(frame="512", request=pictures(encoding)), None
            )
            shown = [opening.observation.images[0]]
            shown += [(await handle.act(NOOP)).observation.images[0] for _ in range(3)]
            for image, pixels in zip(shown, drawn, strict=True):
                assert (image.width, image.height, image.encoding) == (512, 512, encoding)
                assert (image.channel, image.role, image.view) == (
                    Channel.RGB,
                    ImageRole.CURRENT,
                    "",
                )
                assert np.array_equal(decode(image.data, encoding, 512, 512), pixels)
                assert image.digest == sha256(image.data).digest()

        self.play(EngineSetup(tmp_path), scenario)

    def test_each_picture_is_stored_once_under_its_hash(self, tmp_path: Path) -> None:
        folder = tmp_path / "frames"

        async def scenario(engine: Engine) -> None:
            asked = order(frame="64", request=pictures())
            for _ in range(2):
                handle, opening = await engine.begin(asked, folder)
                shown = [opening.observation.images[0]]
                shown += [(await handle.act(NOOP)).observation.images[0] for _ in range(4)]
                await handle.finish(FinishReason.AGENT_DONE)
            for image in shown:
                file = FrameStore(folder).path(image.digest, image.encoding).read_bytes()
                assert file.endswith(image.data)
            assert sum(path.is_file() for path in folder.rglob("*")) == 5

        self.play(EngineSetup(tmp_path, workers=2), scenario)

    def test_a_picture_that_did_not_change_is_the_same(self, tmp_path: Path) -> None:
        folder = tmp_path / "frames"

        async def scenario(engine: Engine) -> None:
            asked = order(frame="512", picture="still", request=pictures())
            handle, opening = await engine.begin(asked, folder)
            for _ in range(3):
                step = await handle.act(NOOP)
                assert step.observation.images == opening.observation.images
            await handle.finish(FinishReason.AGENT_DONE)
            assert sum(path.is_file() for path in folder.rglob("*")) == 1

        self.play(EngineSetup(tmp_path), scenario)

    def test_the_previous_frame_is_what_was_shown_before(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            asked = order(frame="64", previous="on", request=pictures(previous=True))
            handle, opening = await engine.begin(asked, None)
            before = opening.observation.images[0]
            for _ in range(3):
                now, previous = (await handle.act(NOOP)).observation.images
                assert (now.role, previous.role) == (ImageRole.CURRENT, ImageRole.PREVIOUS)
                assert (previous.data, previous.digest) == (before.data, before.digest)
                assert now.data != before.data
                before = now

        self.play(EngineSetup(tmp_path), scenario)

    def test_depth_arrives_in_metres(self, tmp_path: Path) -> None:
        async def scenario(engine: Engine) -> None:
            image = ImageRequest(Channel.DEPTH, (ImageEncoding.RAW_F32,))
            _, opening = await engine.begin(
                order(depth="on", request=ObservationRequest((image,))), None
            )
            (depth,) = opening.observation.images
            metres = decode(depth.data, depth.encoding, depth.width, depth.height)
            assert metres.dtype == np.float32
            assert np.all(metres == 0.25)

        self.play(EngineSetup(tmp_path), scenario)
