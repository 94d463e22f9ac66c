"""The steps of `pixel.color`, written for numba: one after the other over short blocks of samples.

A block's numbers are in one array of float32, the scratch, in rows of BLOCK numbers. Each pass is a
loop over the block. Arithmetic passes read rows and write rows, at distances that are fixed at
compile time. This lets the compiler put several samples into one instruction. A table look-up in
the same loop would prevent that, as the table might overlap the output; look-ups therefore have
separate passes.

The formulas of a sample's colour are not here, but in the functions that NumPy runs too.
"""

from typing import Any

import numpy as np

from env_service.worlds.household.render.soft.lighting import (
    added,
    ambient,
    gleam,
    lamp,
    matte,
    towards,
)
from env_service.worlds.household.render.soft.materials import sample
from env_service.worlds.household.render.soft.pixel import Kind, falling, glossy, texel, unhidden
from env_service.worlds.household.render.soft.pixel_ops import (
    HALF,
    ZERO,
    take,
    take_long,
    to_float,
    to_long,
)
from env_service.worlds.household.render.soft.shadows import locate, softened
from env_service.worlds.household.render.soft.surface import dot, on_plane, place, unit
from env_service.worlds.household.render.soft.tone import packed

F4 = np.float32

BLOCK = 256
"""Samples in a block: the scratch, about 60 KiB, stays in a processor's second cache."""

CX, CY, INVERSE, OPEN = 0, 1, 2, 3
POINT, DIRECTION, NORMAL, COSINE = 4, 7, 10, 13
ALBEDO, GLOW, GLOSS, METAL = 14, 17, 18, 19
LIGHT, SHINE, LAMP, STRENGTH = 20, 23, 26, 29
TEXEL, FX, FY, DEPTH = 30, 31, 32, 33
U, V, MAP, TEXELS = 34, 35, 36, 37
PLANES, UV = 38, 47
ROWS = 53
"""What the rows of the scratch hold. A row's three successors belong to it where it is a vector."""

LIT = F4(3e38)
"""A 1/z beyond all: not hidden from a lamp by anything."""


def scratch() -> np.ndarray[Any, np.dtype[np.float32]]:
    """A new one."""
    return np.zeros(ROWS * BLOCK, F4)


def get(s: Any, row: Any, i: Any) -> Any:
    """A row's i-th number."""
    return s[np.uint64(row * BLOCK + i)]


def put(s: Any, row: Any, i: Any, value: Any) -> None:
    """Sets a row's i-th number."""
    s[np.uint64(row * BLOCK + i)] = value


def get3(s: Any, row: Any, i: Any) -> Any:
    """The i-th vector of three rows."""
    return get(s, row, i), get(s, row + 1, i), get(s, row + 2, i)


def put3(s: Any, row: Any, i: Any, value: Any) -> None:
    """Sets the i-th vector of three rows."""
    put(s, row, i, value[0])
    put(s, row + 1, i, value[1])
    put(s, row + 2, i, value[2])


def shade(tables: Any, kind: Any, index: Any, n: Any, s: Any) -> None:
    """Colours n samples of a kind, whose triangles begin `index` and whose tangents, 1/z and
    occlusion are in the scratch; leaves LIGHT and COSINE in it."""
    look_up(tables, kind, index, n, s)
    if kind.bent:
        bend(n, s)
    stand(tables.eye, n, s)
    if kind.patterned:
        map_texture(n, s)
        paste(tables, index, n, s)
    surround(tables.air, n, s)
    for k in range(len(tables.lamps.x)):
        one = lamp(tables.lamps, k)
        if not approach(one, n, s):
            continue
        if k < tables.lamps.shadowed:
            find_texels((one.x, one.y, one.z), n, s)
            cast(tables.maps.nearest[k], tables.maps.most[k], tables.maps.least[k], n, s)
        if kind.shiny:
            glint(one, n, s)
        fall(one, n, s)
    if kind.shiny:
        polish(tables.air, n, s)
    else:
        send(n, s)


def look_up(tables: Any, kind: Any, index: Any, n: Any, s: Any) -> None:
    """Brings what is known of the samples' triangles."""
    looks, planes = tables.looks, tables.planes
    column(looks.red, index, n, s, ALBEDO)
    column(looks.green, index, n, s, ALBEDO + 1)
    column(looks.blue, index, n, s, ALBEDO + 2)
    column(looks.glow, index, n, s, GLOW)
    if kind.bent:
        for k in range(9):
            column(planes.normal[k], index, n, s, PLANES + k)
    else:
        for k in range(3):
            column(planes.level[k], index, n, s, NORMAL + k)
    if kind.patterned:
        column(looks.texels, index, n, s, TEXELS)
        for k in range(6):
            column(planes.uv[k], index, n, s, UV + k)
    if kind.shiny:
        column(looks.gloss, index, n, s, GLOSS)
        column(looks.metal, index, n, s, METAL)


def column(table: Any, index: Any, n: Any, s: Any, row: Any) -> None:
    """One row of that."""
    for i in range(n):
        put(s, row, i, take(table, index[i]))


def bend(n: Any, s: Any) -> None:
    """Normals that change over a triangle."""
    for i in range(n):
        cx, cy = get(s, CX, i), get(s, CY, i)
        a, b, c = get3(s, PLANES, i), get3(s, PLANES + 3, i), get3(s, PLANES + 6, i)
        x = on_plane(a[0], a[1], a[2], cx, cy)
        y = on_plane(b[0], b[1], b[2], cx, cy)
        z = on_plane(c[0], c[1], c[2], cx, cy)
        put3(s, NORMAL, i, unit(x, y, z))


def stand(eye: Any, n: Any, s: Any) -> None:
    """Points, directions to them, and the cosine between these and the normals."""
    for i in range(n):
        point, direction = place(eye, get(s, CX, i), get(s, CY, i), get(s, INVERSE, i))
        put3(s, POINT, i, point)
        put3(s, DIRECTION, i, direction)
        put(s, COSINE, i, dot(get3(s, NORMAL, i), direction))


def map_texture(n: Any, s: Any) -> None:
    """Texture coordinates and maps."""
    for i in range(n):
        cx, cy = get(s, CX, i), get(s, CY, i)
        a, b = get3(s, UV, i), get3(s, UV + 3, i)
        u = on_plane(a[0], a[1], a[2], cx, cy)
        v = on_plane(b[0], b[1], b[2], cx, cy)
        u, v, level = texel(u, v, get(s, INVERSE, i), get(s, TEXELS, i), get(s, COSINE, i))
        put(s, U, i, u)
        put(s, V, i, v)
        put(s, MAP, i, to_float(level))


def paste(tables: Any, index: Any, n: Any, s: Any) -> None:
    """Colours times those of textures."""
    for i in range(n):
        map_ = take_long(tables.looks.first_map, index[i]) + to_long(get(s, MAP, i))
        found = sample(tables.atlas, map_, get(s, U, i), get(s, V, i))
        own = get3(s, ALBEDO, i)
        put3(s, ALBEDO, i, (own[0] * found[0], own[1] * found[1], own[2] * found[2]))


def surround(air: Any, n: Any, s: Any) -> None:
    """Ambient light and that of the sky; no lamps mirrored yet."""
    for i in range(n):
        put3(s, LIGHT, i, ambient(air, get3(s, NORMAL, i), get(s, OPEN, i)))
        put3(s, SHINE, i, (ZERO, ZERO, ZERO))


def approach(one: Any, n: Any, s: Any) -> Any:
    """Directions to a lamp and how strong it is; whether it reaches any of the samples."""
    reaches = False
    for i in range(n):
        x, y, z, strength = towards(one, get3(s, POINT, i))
        put3(s, LAMP, i, (x, y, z))
        put(s, STRENGTH, i, strength)
        reaches |= strength != ZERO
    return reaches


def find_texels(at: Any, n: Any, s: Any) -> None:
    """The places of samples in a lamp's map."""
    for i in range(n):
        first, fx, fy, inverse, inside = locate(at, get3(s, POINT, i), get3(s, NORMAL, i))
        put(s, TEXEL, i, first)
        put(s, FX, i, fx)
        put(s, FY, i, fy)
        put(s, DEPTH, i, inverse if inside else LIT)


def cast(nearest: Any, most: Any, least: Any, n: Any, s: Any) -> None:
    """Takes the light of a lamp from samples in its shadow."""
    for i in range(n):
        base, inverse = to_long(get(s, TEXEL, i)), get(s, DEPTH, i)
        if inverse < take(least, base):
            put(s, STRENGTH, i, ZERO)
        elif inverse < take(most, base):
            share = softened(nearest, base, get(s, FX, i), get(s, FY, i), inverse)
            put(s, STRENGTH, i, get(s, STRENGTH, i) * share)


def glint(one: Any, n: Any, s: Any) -> None:
    """A lamp mirrored."""
    for i in range(n):
        normal, direction = get3(s, NORMAL, i), get3(s, DIRECTION, i)
        share = gleam(normal, direction, get3(s, LAMP, i), get(s, GLOSS, i))
        put3(s, SHINE, i, added(get3(s, SHINE, i), one, get(s, STRENGTH, i) * share))


def fall(one: Any, n: Any, s: Any) -> None:
    """A lamp's light on surfaces."""
    for i in range(n):
        kept = unhidden(get(s, OPEN, i))
        falls = falling(get3(s, NORMAL, i), get3(s, LAMP, i), get(s, STRENGTH, i), kept)
        put3(s, LIGHT, i, added(get3(s, LIGHT, i), one, falls))


def send(n: Any, s: Any) -> None:
    """What matte surfaces send out."""
    for i in range(n):
        put3(s, LIGHT, i, matte(get3(s, ALBEDO, i), get3(s, LIGHT, i), get(s, GLOW, i)))


def polish(air: Any, n: Any, s: Any) -> None:
    """What shiny ones do."""
    for i in range(n):
        colors = get3(s, ALBEDO, i), get3(s, LIGHT, i), get3(s, SHINE, i)
        looks = get(s, GLOSS, i), get(s, METAL, i), get(s, GLOW, i)
        at = get3(s, NORMAL, i), get3(s, DIRECTION, i), get(s, COSINE, i), get(s, OPEN, i)
        put3(s, LIGHT, i, glossy(air, colors, looks, at))


def color_loop(tables: Any, kind: Any, columns: Any, s: Any, out: Any) -> None:
    """Colours samples of a kind into out [4, N]: red, green, blue, cosine."""
    triangle, cx, cy, inverse, open_ = columns
    for start in range(0, len(triangle), BLOCK):
        n = min(BLOCK, len(triangle) - start)
        for i in range(n):
            put3(s, CX, i, (cx[start + i], cy[start + i], inverse[start + i]))
            put(s, OPEN, i, open_[start + i])
        shade(tables, kind, triangle[start : start + n], n, s)
        for i in range(n):
            out[0, start + i], out[1, start + i], out[2, start + i] = get3(s, LIGHT, i)
            out[3, start + i] = get(s, COSINE, i)


def paint_loop(tables: Any, chosen: Any, picture_of: Any, buffers: Any, picture: Any) -> None:
    """Colours pixels and writes their bytes. `chosen` says of each pixel whether it is to be done,
    and of each triangle the number of its kind; pixels of a kind are collected until they fill a
    block."""
    clear, kinds = chosen
    index, triangle = picture_of[0][:2]
    waiting, counts = buffers[1], buffers[2]
    for slot in range(len(clear)):
        if clear[slot]:
            kind = kinds[index[triangle[slot]]]
            waiting[kind, counts[kind]] = slot
            counts[kind] += 1
            if counts[kind] == BLOCK:
                paint_block(tables, kind, picture_of, buffers, picture)
    for kind in range(len(counts)):
        paint_block(tables, kind, picture_of, buffers, picture)


def paint_block(tables: Any, number: Any, picture_of: Any, buffers: Any, picture: Any) -> None:
    """Colours the pixels collected of a kind."""
    (index, triangle, inverse, open_), scale = picture_of
    s, waiting, counts, of = buffers
    slots, n = waiting[number], counts[number]
    kind = Kind(number & 1 != 0, number & 2 != 0, number & 4 != 0)
    for i in range(n):
        slot = slots[i]
        row = slot // scale.width
        x, y = F4(slot - row * scale.width) + HALF, F4(row) + HALF
        of[i] = index[triangle[slot]]
        put(s, CX, i, x * scale.per_column - scale.across)
        put(s, CY, i, scale.along - y * scale.per_row)
        put(s, INVERSE, i, inverse[slot])
        put(s, OPEN, i, open_[slot])
    shade(tables, kind, of, n, s)
    for i in range(n):
        red, green, blue = get3(s, LIGHT, i)
        picture[slots[i]] = packed(red, green, blue)
    counts[number] = 0


INLINE = (get, put, get3, put3)
"""What `kernels` lets numba compile into what calls it."""

PASSES = (
    shade,
    look_up,
    column,
    bend,
    stand,
    map_texture,
    paste,
    surround,
    approach,
    find_texels,
    cast,
    glint,
    fall,
    send,
    polish,
    paint_block,
)
"""What it compiles for itself: what is called once for a block."""
