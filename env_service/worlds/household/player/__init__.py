"""The household world as a process that AI2-THOR's own Python package can start and drive.

`python -m env_service.worlds.household.player` replaces AI2-THOR's Unity player: it speaks the FIFO
protocol of `ai2thor` 5.0.0, so that an unmodified `ai2thor.controller.Controller` plays in the
household world.
"""

# Before anything else is imported: it notes who the parent is.
from env_service.worlds.household.player import parent_process as parent_process
