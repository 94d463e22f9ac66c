"""How many fields a request has, counted before it is parsed.

gRPC parses a request on the event loop, before anything else is known of the call. A small field
takes two bytes on the wire and a hundred times that once parsed, so that one message of 16 MiB
could hold up every session for seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor

MOST_FIELDS = 32_768
"""Fields of a request, those of the messages in it included; an entry of a list is one."""

_VARINT, _EIGHT_BYTES, _LENGTH, _FOUR_BYTES = 0, 1, 2, 5

Layout = Mapping[int, Any]
"""By field number: the layout of the message that it holds, or None for a packed list."""


def has_too_many_fields(data: bytes, descriptor: Descriptor) -> bool:
    """Whether the bytes of such a message hold more than MOST_FIELDS fields.

    False for bytes that are not a message: the parser refuses them.
    """
    # A field has at least a tag and one more byte.
    if len(data) <= 2 * MOST_FIELDS:
        return False
    try:
        return _exceeds(data, _layout(descriptor))
    except IndexError:
        return False


def _exceeds(data: bytes, layout: Layout) -> bool:
    at, end, count = 0, len(data), 0
    around: list[tuple[int, Layout]] = []
    while count <= MOST_FIELDS:
        while at >= end:
            if not around:
                return False
            end, layout = around.pop()
        count += 1
        tag, at = _varint(data, at)
        kind, number = tag & 7, tag >> 3
        if kind == _VARINT:
            _, at = _varint(data, at)
        elif kind == _LENGTH:
            length, at = _varint(data, at)
            if number not in layout:
                at += length
            elif (inner := layout[number]) is None:
                count += length
                at += length
            else:
                around.append((end, layout))
                end, layout = at + length, inner
        elif kind == _EIGHT_BYTES:
            at += 8
        elif kind == _FOUR_BYTES:
            at += 4
    return True


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at ``at``, and where it ends. Raises IndexError past the end."""
    byte = data[at]
    if byte < 0x80:
        return byte, at + 1
    value, shift = byte & 0x7F, 7
    # A varint has ten bytes at most.
    for place in range(at + 1, at + 10):
        byte = data[place]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place + 1
        shift += 7
    raise IndexError


@cache
def _layout(descriptor: Descriptor) -> Layout:
    layout: dict[int, Any] = {}
    for field in descriptor.fields:
        if field.message_type is not None:
            layout[field.number] = _layout(field.message_type)
        # As in ``bounds``: older releases of protobuf have no property for a list.
        elif isinstance(field.default_value, list) and field.type not in (
            field.TYPE_STRING,
            field.TYPE_BYTES,
        ):
            layout[field.number] = None
    return layout
