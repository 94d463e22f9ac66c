"""Where a reference to a submission is looked up."""

from __future__ import annotations

from env_service.submissions.package import FolderStore, PackageStore, is_folder


def package_store(reference: str) -> PackageStore:
    """Where a reference is looked up: an image in the engine, a folder on this machine."""
    # Imported where used: the engine's client takes a while to load.
    if is_folder(reference):
        return FolderStore()
    from env_service.submissions.image_package import ImageStore  # noqa: PLC0415 - see above

    return ImageStore()
