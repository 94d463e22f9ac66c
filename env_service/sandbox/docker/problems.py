"""What keeps the engine from starting a guest, in words that say what to mend."""

from __future__ import annotations

from docker.errors import ImageNotFound

from env_service.sandbox.docker.engine import reason
from env_service.sandbox.errors import GuestStartError, ImageMissingError

_REMEDIES = {
    "could not select device driver": "the engine cannot give guests a GPU: install"
    " nvidia-container-toolkit, then run `sudo nvidia-ctk runtime configure --runtime=docker` and"
    " restart Docker",
    "nvidia-container-cli": "NVIDIA's container toolkit failed: see that nvidia-smi works on this"
    " machine and that --guest-gpus names GPUs it has",
    "no command specified": "the image has neither ENTRYPOINT nor CMD: give it one, or name the"
    " program with --agent-args",
    "bind source path does not exist": "the engine does not see this machine's folders: it has to"
    " run on this machine, with the folder of the house's socket (TMPDIR) in its sight",
    "executable file not found": "the image's entry point does not exist",
    "exec format error": "the image was built for another kind of processor",
    "minimum memory": "--guest-memory is too small",
}
"""By words of the engine's message, in lower case. The first that is found counts."""


def start_error(reference: str, error: BaseException) -> GuestStartError:
    """The error for a user whose guest the engine could not start."""
    told = reason(error)
    if isinstance(error, ImageNotFound):
        return ImageMissingError(f"the image {reference} is gone from the engine: {told}")
    found = (remedy for words, remedy in _REMEDIES.items() if words in told.lower())
    remedy = next(found, "")
    why = f"{remedy} ({told})" if remedy else told
    return GuestStartError(f"cannot start a guest of the image {reference}: {why}")
