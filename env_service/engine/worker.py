"""A worker process: hosts episodes and their simulator.

An engine starts it as ``python -m env_service.engine.worker '<JSON>'``, as the leader of a process
group. Never start it by hand.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from env_service.domain.episode import Episode, EpisodeResult, FinishReason, FirstObservation
from env_service.domain.failure import FaultClass, WorldFault
from env_service.domain.observation import Observation
from env_service.engine.frames import FrameSender, WritableSharedMemory
from env_service.engine.messages import (
    CHUNK,
    Op,
    PackedAction,
    PackedObservation,
    PackedStep,
    Unframer,
    Verdict,
    frame_message,
    pack_step,
    unpack_action,
)
from env_service.processes.process_tree import die_with_parent
from env_service.storage.frame_store import FrameStore
from env_service.suites.base import EpisodeOrder, Suite
from env_service.suites.registry import load_suite


@dataclass(frozen=True, slots=True)
class _Hosted:
    episode: Episode
    frames: FrameSender


class EpisodeHost:
    """The episodes of one worker, by the engine's keys.

    ``worn`` turns true when an episode could not be closed: the process may hold on to
    what that episode left behind, so it should be replaced.
    """

    def __init__(self, suite: Suite, page: WritableSharedMemory) -> None:
        self._suite = suite
        self._page = page
        self._episodes: dict[int, _Hosted] = {}
        self._stores: dict[Path, FrameStore] = {}
        self._shown: FrameSender | None = None
        self.worn = False
        self._operations: Mapping[int, Callable[[int, Any], object]] = {
            Op.HELLO: _hello,
            Op.BEGIN: self.begin,
            Op.ACT: self.act,
            Op.FINISH: self.finish,
            Op.ABANDON: self.free,
        }

    def begin(
        self, key: int, payload: tuple[EpisodeOrder, Path | None]
    ) -> tuple[FirstObservation, PackedObservation, str]:
        """Opens an episode under a key that is free."""
        order, folder = payload
        store = None if folder is None else self._stores.setdefault(folder, FrameStore(folder))
        episode = self._suite.open_episode(order)
        frames = FrameSender(order.request, self._page, store)
        self._episodes[key] = _Hosted(episode, frames)
        first = episode.start()
        packed = self._pack(frames, first.observation)
        return replace(first, observation=Observation()), packed, episode.state_digest()

    def act(self, key: int, action: PackedAction) -> PackedStep:
        """Executes one action."""
        hosted = self._episodes[key]
        hosted.frames.check_stored()
        report = hosted.episode.act(unpack_action(action))
        packed = self._pack(hosted.frames, report.observation)
        return pack_step(report, packed, hosted.episode.state_digest())

    def finish(self, key: int, reason: FinishReason) -> EpisodeResult:
        """Scores an episode, and frees it."""
        hosted = self._episodes[key]
        hosted.frames.check_stored()
        result = hosted.episode.finish(reason)
        self.free(key)
        return result

    def store_frames(self) -> None:
        """Stores the pictures of the last answer. A failure is the next request's."""
        if self._shown is not None:
            self._shown.store()
            self._shown = None

    def free(self, key: int, _payload: object = None) -> None:
        """Closes an episode, if it is open. An error is printed, and makes the worker worn."""
        hosted = self._episodes.pop(key, None)
        if hosted is None:
            return
        try:
            hosted.episode.close()
        except Exception:  # noqa: BLE001 - printed for the operator and, by ``worn``, to the engine
            traceback.print_exc()
            self.worn = True

    def free_all(self) -> None:
        """Closes every episode."""
        for key in list(self._episodes):
            self.free(key)

    def _pack(self, frames: FrameSender, observation: Observation) -> PackedObservation:
        packed = frames.pack(observation)
        self._shown = frames
        return packed

    def answer(self, serial: int, op: Op, key: int, payload: Any) -> bytes:
        """Carries out one request, and returns the message that answers it."""
        self._page.clear()
        try:
            result = self._operations[op](key, payload)
            return frame_message((serial, int(Verdict.OK), result, self.worn))
        except WorldFault as fault:
            problem = (fault.fault.value, fault.detail)
        except Exception:  # noqa: BLE001 - handed on: the engine voids the episode, with this text
            problem = (FaultClass.SERVICE_FAULT.value, traceback.format_exc())
        self.free(key)
        return frame_message((serial, int(Verdict.FAULT), problem, self.worn))


def _hello(_key: int, _payload: object) -> None:
    """The suite is loaded, and all is well."""


def serve(host: EpisodeHost, link: socket.socket) -> None:
    """Answers requests, one at a time, until BYE or the end of the engine."""
    buffer = memoryview(bytearray(CHUNK))
    unframer = Unframer()
    while count := link.recv_into(buffer):
        for serial, op, key, payload in unframer.feed(buffer[:count]):
            if op == Op.BYE:
                return
            link.sendall(host.answer(serial, op, key, payload))
            host.store_frames()


def main() -> None:
    """Reads its descriptors and its suite from the command line, and serves."""
    setup = json.loads(sys.argv[1])
    # Ctrl-C is for the engine to judge, which then says BYE.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    die_with_parent(setup["lifeline"])
    # Not for the simulators that we start.
    for name in ("socket", "page", "lifeline"):
        os.set_inheritable(setup[name], False)  # noqa: FBT003 - the system's signature
    link = socket.socket(fileno=setup["socket"])
    host = EpisodeHost(load_suite(setup["suite"]), WritableSharedMemory(setup["page"]))
    try:
        serve(host, link)
    finally:
        host.free_all()


if __name__ == "__main__":
    main()
