"""The paragraph that says what every level has in common."""

from __future__ import annotations

HEADER = (
    "The environment is a grid of cells, divided into square rooms of one size. Doors join "
    "neighbouring rooms, and a door that is locked opens only for an agent that carries a key of "
    "the door's colour. An agent in it has six actions: left (turn 90 degrees to the left on the "
    "spot), right (turn 90 degrees to the right on the spot), forward (move one cell in the "
    "direction it faces), pickup (take the object in the cell it faces), drop (put the object it "
    "carries into the cell it faces) and toggle (open or close the door, or open the box, in the "
    "cell it faces). Going forward is the only way to move: the agent never steps sideways or "
    "backwards, and it cannot enter a cell that holds a wall, an object or a door that is not "
    "open. Cells are written (x, y), where x counts columns from the left and y counts rows from "
    "the top, so that the top-left cell of the whole grid is (0, 0). With these conventions,\n\n"
)
"""Opens the structured description and is the JSON's ``context``, byte for byte the same."""
