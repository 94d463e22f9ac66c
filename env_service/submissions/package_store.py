"""Chooses the store for a submission's reference."""

from __future__ import annotations

from env_service.submissions.package import FolderStore, PackageStore, is_folder


def package_store(reference: str) -> PackageStore:
    """The store for a reference: the Docker engine for an image, this machine for a folder."""
    # Imported on first use: the engine's client is slow to load.
    if is_folder(reference):
        return FolderStore()
    from env_service.submissions.image_package import ImageStore  # noqa: PLC0415 - see above

    return ImageStore()
