"""Finds a model's files and checks that they are complete.

Imports without torch.
"""

from __future__ import annotations

import hashlib
import json
import os
from importlib import import_module
from pathlib import Path
from typing import Any

from ..model import RefusedError
from .options import WeightsOptions

_WANTED = ["*.json", "*.jinja", "*.txt", "*.model", "*.safetensors"]
_INDEXES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
_SMALL = 32 * 2**20
_SAMPLE = 2**20


def find_folder(options: WeightsOptions) -> Path:
    """The folder with the model's files; downloads it only if the user allowed that.

    Raises RefusedError for a folder or a name that does not exist or lacks files.
    """
    given = Path(options.model).expanduser()
    if given.exists():
        folder = given
    elif options.model.startswith((".", "/", "~")) or options.model.count("/") > 1:
        raise RefusedError(f"The folder {given} does not exist. --model takes a folder or a name.")
    else:
        folder = _in_cache(options)
    check_folder(folder)
    return folder


def check_folder(folder: Path) -> None:
    """Raises RefusedError unless it is a folder with a config and all weights it lists."""
    if not folder.is_dir():
        raise RefusedError(f"{folder} is a file. --model takes the folder that contains the model.")
    closed = _unreadable(folder)
    if closed:
        raise RefusedError(
            f"This user may not read {', '.join(closed)}: fix their permissions, as in"
            f" `chmod -R a+rX {folder}`."
        )
    if (folder / "adapter_config.json").exists() and not (folder / "config.json").exists():
        raise RefusedError(
            f"{folder} contains an adapter, not a model. Merge it into its base model first"
            " (merge_and_unload in PEFT) and save the result."
        )
    if not (folder / "config.json").is_file():
        hint = ""
        if any(folder.glob("*.gguf")):
            hint = " GGUF files are for llama.cpp: serve them there and use the agent vlm."
        raise RefusedError(f"{folder} is not a model folder: it has no config.json.{hint}")
    missing = _missing_weights(folder)
    if missing:
        raise RefusedError(
            f"{folder} lacks weights: {', '.join(missing)}. Fetch the model again, or finish"
            " copying it."
        )


def read_config(folder: Path) -> dict[str, Any]:
    """The model's config.json. Raises RefusedError where it is not JSON."""
    path = folder / "config.json"
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, OSError) as error:
        raise RefusedError(f"{path} cannot be read: {error}. Fetch the model again.") from error


def fingerprint(folder: Path) -> str:
    """SHA-256 (hex) that distinguishes models without reading all of their weights.

    It covers the names and sizes of all files, small files completely, and of larger ones the
    first and the last MiB: a safetensors header lists every tensor.
    """
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        size = path.stat().st_size
        digest.update(f"{path.name}\0{size}\0".encode())
        with path.open("rb") as file:
            if size <= _SMALL and path.suffix not in (".safetensors", ".bin"):
                digest.update(file.read())
                continue
            digest.update(file.read(_SAMPLE))
            file.seek(max(0, size - _SAMPLE))
            digest.update(file.read())
    return digest.hexdigest()


def _unreadable(folder: Path) -> list[str]:
    """Files that this user cannot read. transformers makes weights readable only for their owner,
    and a container runs as another user."""
    if not os.access(folder, os.R_OK | os.X_OK):
        return [str(folder)]
    files = (path for path in folder.iterdir() if path.is_file())
    return sorted(str(path) for path in files if not os.access(path, os.R_OK))


def _missing_weights(folder: Path) -> list[str]:
    for name in _INDEXES:
        index = folder / name
        if index.is_file():
            shards = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
            return sorted(shard for shard in shards if not (folder / shard).is_file())
    if any(folder.glob("*.safetensors")) or any(folder.glob("pytorch_model*.bin")):
        return []
    return ["model.safetensors"]


def _in_cache(options: WeightsOptions) -> Path:
    hub: Any = import_module("huggingface_hub")
    name, revision = options.model, options.revision or None
    try:
        return Path(
            hub.snapshot_download(
                name,
                revision=revision,
                local_files_only=not options.allow_download,
                allow_patterns=[*_WANTED, *(["*.py"] if options.trust_remote_code else [])],
            )
        )
    except hub.errors.HFValidationError as error:
        raise RefusedError(f"{name!r} is neither a folder nor a model's name: {error}") from error
    # Missing, unknown name, no access, no network: the message of each error says which.
    except (OSError, hub.errors.HfHubHTTPError) as error:
        version = f" --revision {revision}" if revision else ""
        raise RefusedError(
            f"The model {name!r} is neither a folder nor in the cache"
            f" {hub.constants.HF_HUB_CACHE}. Fetch it with `hf download {name}{version}`, pass"
            f" --allow-download, or give the path of a folder. ({type(error).__name__})"
        ) from error
