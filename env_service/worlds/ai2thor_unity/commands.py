"""``houseguest thor``: AI2-THOR's Unity builds on this machine, installed and shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from env_service.cli.command import CommandGroup
from env_service.cli.errors import PROBLEM, Failure, Interrupted
from env_service.cli.options import json_option, print_json
from env_service.cli.output import byte_progress, print_table, size_text

if TYPE_CHECKING:
    from env_service.worlds.ai2thor_unity.build import InstalledBuild
    from env_service.worlds.ai2thor_unity.install import Receipt, Workshop
    from env_service.worlds.ai2thor_unity.settings import Platform


# --- ``houseguest thor install``: gets the pinned Unity build, checks it, and puts it in place

F = TypeVar("F", bound=Callable[..., Any])

PLATFORMS = ("CloudRendering", "Linux64")

_INSTALL_EXAMPLES = """\b
Examples:
  houseguest thor install
  houseguest thor install --platform Linux64
  houseguest thor install --sha256 HEX
  houseguest thor install --from thor-CloudRendering-f0825767.zip
  houseguest thor install --from https://mirror.example.org/thor-CloudRendering.zip

\b
After an interruption, run the same command to resume the download. Other users can pass the printed
checksum to --sha256.

\b
Exit status: 0 the build is installed; 1 it is unavailable or has another checksum; 2 wrong usage;
130 interrupted.
"""


def home_option(command: F) -> F:
    """Adds ``--home``; the command's parameter is ``home: Path | None``."""
    return click.option(
        "--home",
        envvar="HOUSEGUEST_THOR_HOME",
        type=click.Path(file_okay=False, path_type=Path),
        help="Folder for builds, in .ai2thor below it."
        "  [default: HOUSEGUEST_THOR_HOME, or your home folder]",
    )(command)


@dataclass(frozen=True, slots=True)
class _Asked:
    """``source`` is a URL, or a file's path; empty for the place where it is published.
    ``keep`` is the folder that a downloaded zip file is kept in, None where it is not."""

    platform: Platform
    home: Path | None
    source: str
    sha256: str
    keep: Path | None

    @property
    def file(self) -> Path | None:
        """The zip file on this machine; None where it has to be downloaded."""
        return None if self._is_url or not self.source else Path(self.source)

    @property
    def url(self) -> str:
        """Where it is downloaded from."""
        from env_service.worlds.ai2thor_unity.install import published_url

        return self.source or published_url(self.platform)

    @property
    def _is_url(self) -> bool:
        return self.source.startswith(("http://", "https://"))


def _read_sha256(_context: object, _parameter: object, text: str) -> str:
    if text and not re.fullmatch(r"[0-9a-fA-F]{64}", text.strip()):
        raise click.BadParameter(f"{text!r} is not a SHA-256: it has to be 64 hexadecimal digits.")
    return text.strip().lower()


@click.command("install", short_help="Install the pinned build.", epilog=_INSTALL_EXAMPLES)
@click.option(
    "--platform",
    type=click.Choice(PLATFORMS),
    default=PLATFORMS[0],
    show_default=True,
    help="CloudRendering draws with Vulkan, Linux64 on an X server.",
)
@click.option(
    "--sha256",
    default="",
    metavar="HEX",
    callback=_read_sha256,
    help="Required checksum of the zip file.",
)
@click.option(
    "--from",
    "source",
    default="",
    metavar="ZIP|URL",
    help="Source of the zip file.  [default: where AI2-THOR publishes it]",
)
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the zip file; if it already contains the file, nothing is downloaded.",
)
@click.option("--again", is_flag=True, help="Install the build again.")
@home_option
@json_option
def install_command(*, platform: str, again: bool, as_json: bool, **options: Any) -> None:
    """Install the Unity build that the world ai2thor needs: about a gigabyte.

    The command installs the build of one fixed commit, which results record. It compares the
    checksum with --sha256, or else with the published one, and stores it with the build.
    """
    from env_service.worlds.ai2thor_unity.settings import Platform

    asked = _Asked(Platform(platform), **options)
    with _shown_to_users():
        build = None if again else _there(asked)
        fresh = build is None
        build = build or _install(asked)
    _tell(build, fresh=fresh, as_json=as_json)


@contextmanager
def _shown_to_users() -> Iterator[None]:
    from env_service.worlds.base import WorldUnavailableError

    try:
        yield
    except WorldUnavailableError as error:
        raise Failure(str(error), kind=type(error).__name__) from error


def _there(asked: _Asked) -> InstalledBuild | None:
    """The installed build; None if it has to be installed, or installed again."""
    from env_service.worlds.ai2thor_unity.build import installed
    from env_service.worlds.ai2thor_unity.install import read_receipt
    from env_service.worlds.base import WorldUnavailableError

    try:
        build = installed(asked.platform, asked.home)
    except WorldUnavailableError:
        return None
    receipt = read_receipt(build)
    if asked.sha256 and (receipt is None or receipt.sha256 != asked.sha256):
        made_of = f"of a zip with SHA-256 {receipt.sha256}" if receipt else "by another program"
        raise Failure(
            f"{build.folder} was installed {made_of}, not of {asked.sha256}. --again replaces it.",
            kind="OtherBuild",
        )
    return build


def _install(asked: _Asked) -> InstalledBuild:
    from env_service.worlds.ai2thor_unity.install import unpacked_size, workshop

    with workshop(asked.platform, asked.home) as shop:
        if asked.file is not None:
            archive, receipt = asked.file, _read_file(asked, asked.file)
        else:
            archive, receipt = _download(asked, shop)
        with byte_progress("unpacking", unpacked_size(archive)) as advance:
            build = shop.install(archive, receipt, advance)
        shop.archive.unlink(missing_ok=True)
        return build


def _read_file(asked: _Asked, file: Path) -> Receipt:
    """The receipt of a zip file on this machine. Raises Failure for a wrong checksum."""
    if not file.is_file():
        raise Failure(f"{file} is not a file: --from takes a zip file or an address.")
    beside = file.with_suffix(".sha256")
    expected, whence = asked.sha256, "--sha256"
    if not expected and beside.is_file():
        expected, whence = _first_word(beside.read_text(encoding="utf-8")), str(beside)
    return _receipt(file, str(file), expected, whence)


def _download(asked: _Asked, shop: Workshop) -> tuple[Path, Receipt]:
    """Gets the zip file. Raises Failure if it cannot be downloaded, or has another checksum."""
    from env_service.datasets.download import TransferError, text_of

    archive = shop.archive if asked.keep is None else asked.keep / shop.archive.name
    archive.parent.mkdir(parents=True, exist_ok=True)
    sums = re.sub(r"\.zip$", "", asked.url) + ".sha256"
    expected, whence = asked.sha256, "--sha256"
    try:
        if not expected:
            expected, whence = _first_word(text_of(sums)), sums
        if not archive.exists():
            _fetch(asked.url, archive)
        return archive, _receipt(archive, asked.url, expected, whence)
    except TransferError as error:
        raise Failure(_cannot(asked, sums, str(error)), kind="TransferError") from error
    except _OtherBytesError as error:
        archive.unlink()
        raise Failure(f"{error}. It was removed.", kind="WrongChecksum") from error
    except KeyboardInterrupt:
        raise Interrupted("Interrupted: run the same command to resume.") from None


class _OtherBytesError(Failure):
    """A zip file's checksum is not the one that it should have."""


def _fetch(url: str, archive: Path) -> None:
    from env_service.datasets.download import download

    click.echo(f"downloading {url}", err=True)
    with byte_progress("downloading", None) as advance:
        here = 0

        def report(done: int, total: int | None) -> None:
            nonlocal here
            advance(done - here, total)
            here = done

        download(url, archive, on_bytes=report)


def _receipt(archive: Path, source: str, expected: str, whence: str) -> Receipt:
    from env_service.worlds.ai2thor_unity.install import receipt_for, sha256_of

    with byte_progress("checking", archive.stat().st_size) as advance:
        actual = sha256_of(archive, advance)
    if expected and actual != expected:
        raise _OtherBytesError(
            f"{archive} has SHA-256 {actual}; by {whence} it should be {expected}",
            kind="WrongChecksum",
        )
    return receipt_for(archive, actual, source, whence if expected else "")


def _cannot(asked: _Asked, sums: str, why: str) -> str:
    return (
        f"the build cannot be downloaded: {why}. Tried {asked.url}"
        f"{'' if asked.sha256 else f' and its checksum {sums}'}. Run the same command to try again"
        " and resume; --from takes a zip file that you have."
    )


def _first_word(text: str) -> str:
    """The checksum in a text as sha256sum writes it."""
    word = (text.split() or [""])[0].lower()
    if not re.fullmatch(r"[0-9a-f]{64}", word):
        raise Failure(f"{text[:80]!r} is not a SHA-256; give one with --sha256.", kind="NoChecksum")
    return word


def _tell(build: InstalledBuild, *, fresh: bool, as_json: bool) -> None:
    from env_service.worlds.ai2thor_unity.install import read_receipt

    receipt = read_receipt(build)
    if as_json:
        print_json(
            {
                "platform": build.platform.value,
                "commit": build.commit,
                "folder": str(build.folder),
                "installed": fresh,
                "receipt": asdict(receipt) if receipt else None,
            }
        )
        return
    click.echo(f"{build.folder.name}: {'installed' if fresh else 'here'}, in {build.folder}")
    if receipt is None:
        click.echo("Another program installed it, so its zip file is unknown.")
        return
    against = receipt.checked_against or "nothing: the file was not verified"
    click.echo(f"  zip      {size_text(receipt.bytes)} from {receipt.source}, {receipt.dated}")
    click.echo(f"  SHA-256  {receipt.sha256}")
    click.echo(f"  checked  against {against}")


_GROUP_EXAMPLES = """\b
Examples:
  houseguest thor install
  houseguest thor install --platform Linux64
  houseguest thor status
"""

_STATUS_EXAMPLES = """\b
Examples:
  houseguest thor status
  houseguest thor status --json | jq '.builds[] | select(.state == "here") | .sha256'

Exit status: 0 some build can be started; 1 none can.
"""


@click.group("thor", cls=CommandGroup, epilog=_GROUP_EXAMPLES)
def thor_command() -> None:
    """Install the Unity builds of the world ai2thor, and show which are installed.

    Builds are in ~/.ai2thor/releases, where AI2-THOR's Python package stores them.
    """


@click.command("status", short_help="Show which builds are installed.", epilog=_STATUS_EXAMPLES)
@home_option
@json_option
def status_command(*, home: Path | None, as_json: bool) -> int:
    """Show for each platform whether its build is installed, and its origin."""
    from env_service.worlds.ai2thor_unity.build import PLATFORMS, releases

    builds = [_state(platform, home) for platform in PLATFORMS]
    if as_json:
        print_json({"releases": str(releases(home)), "builds": builds})
    else:
        print_table(
            ("platform", "state", "SHA-256 of its zip"),
            [(each["platform"], each["state"], each["sha256"]) for each in builds],
        )
        for each in builds:
            if each["problem"]:
                click.echo(f"{each['platform']}: {each['problem']}", err=True)
    return 0 if any(each["state"] == "here" for each in builds) else PROBLEM


def _state(platform: Platform, home: Path | None) -> dict[str, Any]:
    from env_service.worlds.ai2thor_unity.build import DamagedBuildError, installed, other_commits
    from env_service.worlds.ai2thor_unity.install import read_receipt
    from env_service.worlds.base import WorldUnavailableError

    folder, sha256, state, problem = "", "", "here", ""
    try:
        build = installed(platform, home)
        receipt = read_receipt(build)
        folder, sha256 = str(build.folder), receipt.sha256 if receipt else ""
    except DamagedBuildError as error:
        state, problem = "damaged", str(error)
    except WorldUnavailableError as error:
        state, problem = "not installed", str(error)
    return {
        "platform": platform.value,
        "state": state,
        "folder": folder,
        "sha256": sha256,
        "problem": problem,
        "other_commits": list(other_commits(platform, home)),
    }


for _command in (install_command, status_command):
    thor_command.add_command(_command)
