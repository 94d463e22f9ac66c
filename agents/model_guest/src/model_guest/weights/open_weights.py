"""Opens a model, and lists the packages that are missing.

Imports without torch.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..model import RefusedError
from .model_folder import find_folder
from .options import WeightsOptions

if TYPE_CHECKING:
    from .model import WeightsModel

NEEDED = ("torch", "transformers", "PIL", "numpy")
_PACKAGES = {"PIL": "pillow"}


def missing_packages() -> list[str]:
    """The required packages that are not installed, by their names for pip."""
    return [_PACKAGES.get(name, name) for name in NEEDED if find_spec(name) is None]


def open_model(options: WeightsOptions) -> WeightsModel:
    """Loads the weights. Raises RefusedError if they cannot be used as requested."""
    missing = missing_packages()
    if missing:
        raise RefusedError(
            f"Not installed: {', '.join(missing)}. Weights on this machine need"
            ' pip install "houseguest-model-guest[local]".'
        )
    prepare_environment(options)
    find_folder(options)  # Fails at once for a wrong path.
    from .model import WeightsModel  # noqa: PLC0415 - imports torch, which takes seconds

    return WeightsModel(options)


def prepare_environment(options: WeightsOptions) -> None:
    """Keeps Hugging Face's libraries off the network unless downloads are allowed.

    They, and torch, read these variables when they are first imported.
    """
    if not options.allow_download:
        os.environ["HF_HUB_OFFLINE"] = "1"
        os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    # Threads that spin while they wait for each other starve when simulators share the CPU: on a
    # busy machine with two cores, a token took twenty times as long.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
