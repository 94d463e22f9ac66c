"""``houseguest render``: pictures of the household world."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from env_service.cli.errors import Interrupted, Misuse
from env_service.cli.options import json_option, print_json
from env_service.domain.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from env_service.worlds.household.render.interface import Renderer

PARTS = ("objects", "states", "scenes")
VIEWS = ("corner", "other-corner", "above")

_EXAMPLES = """\b
Examples:
  houseguest render gallery --out gallery
  houseguest render gallery --out gallery --only objects --only states
  houseguest render scene household-kitchen-1 --out kitchen.png
  houseguest render scene FloorPlan12 --view above --size 1024 --out plan.png
  houseguest render scene FloorPlan12 --look thor --out thor.png
  houseguest render object Mug --state dirty --variant 3 --out mug.png
"""

_look = click.option(
    "--look", type=click.Choice(("clear", "thor")), envvar="HOUSEGUEST_LOOK", default="clear",
    show_default=True, help="clear: states are easy to tell. thor: AI2-THOR's colours and light.",
)  # fmt: skip
_out_file = click.option(
    "--out", required=True, metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
    help="PNG file to write.",
)  # fmt: skip


@click.group("render", short_help="Draw the household world.", epilog=_EXAMPLES)
def render_command() -> None:
    """Draw rooms, floor plans and objects of the household world.

    Floor plans come from the data pack ithor (`houseguest data fetch ithor`); built-in rooms
    need no data. HOUSEGUEST_RENDERER selects the renderer: auto, soft or gl.
    """


@render_command.command(
    "gallery", short_help="Contact sheets of all objects, states and scenes.", epilog=_EXAMPLES
)
@click.option(
    "--out", required=True, metavar="DIR", type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the sheets and their page, index.html.",
)  # fmt: skip
@click.option(
    "--only", multiple=True, type=click.Choice(PARTS), help="Draw only this part; may be repeated."
)
@click.option(
    "--scene", "scenes", multiple=True, metavar="NAME", help="Draw this scene; may be repeated."
)
@click.option("--side", default=256, show_default=True, type=click.IntRange(32, 1024), metavar="N",
              help="Side of an object's picture in pixels (a scene's: 1.5 times).")  # fmt: skip
@_look
@json_option
def gallery_command(  # noqa: PLR0913 - one parameter an option
    *,
    out: Path,
    only: tuple[str, ...],
    scenes: tuple[str, ...],
    side: int,
    look: str,
    as_json: bool,
) -> None:
    """Draw contact sheets: every object type in its variants, every visible state, and every
    floor plan and some built-in rooms of each kind, from two corners and from above. The look is
    that of the scenes."""
    from env_service.cli.output import progress
    from env_service.worlds.household.gallery.pages import (
        GalleryPlan,
        count_panels,
        gallery_scenes,
        write_gallery,
    )
    from env_service.worlds.household.scene.library import household_scenes

    library = household_scenes(look)
    parts = only or (("scenes",) if scenes else PARTS)
    chosen = scenes or gallery_scenes(library)
    if "scenes" in parts and not any(name.startswith("FloorPlan") for name in chosen):
        click.echo(
            "floor plans are not installed: run `houseguest data fetch ithor` for them", err=True
        )
    plan = GalleryPlan(parts, side, side * 3 // 2, tuple(chosen))
    try:
        with _drawing() as draws, progress("drawing", count_panels(plan)) as advance:
            written = write_gallery(out, plan, draws, library, advance)
    except KeyboardInterrupt:
        raise Interrupted(f"Interrupted: finished sheets are in {out}") from None
    except ValueError as error:
        raise Misuse(str(error)) from None
    page = out / "index.html"
    if as_json:
        print_json({"page": str(page), "sheets": [str(path) for path in written]})
    else:
        click.echo(f"{counted(len(written), 'sheet')}: {page}")


@render_command.command("scene", short_help="One scene.", epilog=_EXAMPLES)
@click.argument("name")
@click.option("--view", type=click.Choice(VIEWS), default="corner", show_default=True)
@click.option("--size", default=768, show_default=True, type=click.IntRange(16, 4096),
              metavar="N", help="Pixels of a side.")  # fmt: skip
@click.option(
    "--floor-plans", metavar="DIR", envvar="HOUSEGUEST_ITHOR_SCENES",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of `houseguest scenes capture`, or of AI2-THOR's object metadata.  "
    "[default: $HOUSEGUEST_ITHOR_SCENES, else the data pack]",
)  # fmt: skip
@_look
@_out_file
@json_option
def scene_command(  # noqa: PLR0913 - one parameter an option
    *,
    name: str,
    view: str,
    size: int,
    floor_plans: Path | None,
    look: str,
    out: Path,
    as_json: bool,
) -> None:
    """Draw a built-in room, a floor plan or a captured scene, from a corner or from above."""
    from PIL import Image

    from env_service.worlds.household.gallery.scenes import scene_picture
    from env_service.worlds.household.scene.library import household_scenes, standard_library

    try:
        library = standard_library(floor_plans, look) if floor_plans else household_scenes(look)
        with _drawing() as draws:
            picture = scene_picture(draws, library.load(name), view, size, size)
    except ValueError as error:
        raise Misuse(str(error)) from None
    Image.fromarray(picture).save(out)
    _tell(out, as_json=as_json)


@render_command.command("object", short_help="One object.", epilog=_EXAMPLES)
@click.argument("type_name", metavar="TYPE")
@click.option("--state", default="as it is", show_default=True, metavar="STATE",
              help="Such as dirty, water, broken or open; an unknown one lists all.")  # fmt: skip
@click.option("--variant", default=1, show_default=True, type=click.IntRange(0), metavar="N",
              help="Variant of the object; any number is valid.")  # fmt: skip
@click.option("--size", default=512, show_default=True, type=click.IntRange(16, 4096),
              metavar="N", help="Pixels of a side.")  # fmt: skip
@_out_file
@json_option
def object_command(  # noqa: PLR0913 - one parameter an option
    *, type_name: str, state: str, variant: int, size: int, out: Path, as_json: bool
) -> None:
    """Draw an object of AI2-THOR's types, such as Mug or Fridge, in one of its states."""
    from PIL import Image

    from env_service.domain.names import UnknownNameError
    from env_service.worlds.ai2thor_api.object_types import object_types
    from env_service.worlds.household.gallery.objects import object_picture, states_of

    if type_name not in object_types():
        raise UnknownNameError("object type", type_name, object_types())
    states = {each.label: each for each in states_of(type_name)}
    if state not in states:
        raise UnknownNameError(f"state of {type_name}", state, states)
    with _drawing() as draws:
        picture = object_picture(draws, type_name, states[state], variant, size)
    Image.fromarray(picture).save(out)
    _tell(out, as_json=as_json)


def _tell(picture: Path, *, as_json: bool) -> None:
    if as_json:
        print_json({"picture": str(picture)})
    else:
        click.echo(str(picture))


@contextmanager
def _drawing() -> Iterator[Renderer]:
    """A renderer, closed at the end."""
    from env_service.worlds.household.render.selection import NoPicturesError, choose

    try:
        renderer = choose()
    except (ValueError, RuntimeError) as error:
        raise Misuse(str(error)) from None
    try:
        yield renderer
    except NoPicturesError as error:
        raise Misuse(str(error)) from None
    finally:
        renderer.close()
