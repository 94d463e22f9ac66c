"""The software renderer: NumPy alone, the same bytes on every machine.

A frame passes through these modules in this order:

1. `triangles` moves the meshes of a scene graph into the room, keeping what has not changed.
2. `projection` brings triangles before a camera: culling, clipping, edges, depth planes.
3. `raster` finds out which triangle each pixel shows (a visibility buffer), without any colour.
4. `surface` recovers point, normal and texture coordinates of what a pixel shows.
5. `materials`, `shadows`, `occlusion` and `lighting` give it its colour; `shading` lays the layers
   of tinted glass over it; `antialiasing` samples the pixels on outlines four more times; `tone`
   turns light into bytes.

`renderer` holds the state and calls the others. Where numba is installed and much is drawn,
`kernels` compiles the hot loops: filling the visibility buffer, and `passes`, which takes the steps
of 5 on short blocks of pixels.

Per pixel nothing is used but additions, multiplications, divisions, square roots, comparisons and
table look-ups in float32: operations whose results IEEE 754 fixes to the last bit, unlike those of
pow, exp or a matrix product. That makes pictures comparable byte by byte across processors, with
numba and without.
"""
