"""The store for a reference to a submission."""

from __future__ import annotations

from env_service.submissions.package import FolderStore, PackageStore, is_folder


def package_store(reference: str) -> PackageStore:
    """The store of a reference: the engine for an image, this machine for a folder."""
    # Imported where used: the engine's client takes a while to load.
    if is_folder(reference):
        return FolderStore()
    from env_service.submissions.image_package import ImageStore  # noqa: PLC0415 - see above

    return ImageStore()
