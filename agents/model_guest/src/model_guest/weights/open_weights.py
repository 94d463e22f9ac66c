"""Opens a model, and says what to install where something is missing.

Needs no torch to be imported.
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
    """Packages that weights need and that are not installed, by the names pip knows."""
    return [_PACKAGES.get(name, name) for name in NEEDED if find_spec(name) is None]


def open_model(options: WeightsOptions) -> WeightsModel:
    """Loads the weights. Raises RefusedError when they cannot be used as asked."""
    missing = missing_packages()
    if missing:
        raise RefusedError(
            f"Not installed: {', '.join(missing)}. Weights on this machine need"
            ' pip install "houseguest-model-guest[local]".'
        )
    prepare_environment(options)
    find_folder(options)  # A wrong path is told at once.
    from .model import WeightsModel  # noqa: PLC0415 - imports torch, which takes seconds

    return WeightsModel(options)


def prepare_environment(options: WeightsOptions) -> None:
    """Keeps Hugging Face's libraries from the network unless downloads are allowed.

    They, and torch, read these variables when they are first imported.
    """
    if not options.allow_download:
        os.environ["HF_HUB_OFFLINE"] = "1"
        os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    # Threads that spin while they wait for each other starve where worlds share the CPU: a
    # busy machine with two cores was seen to take twenty times as long for a token.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
