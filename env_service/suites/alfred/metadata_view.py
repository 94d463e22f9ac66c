"""How ALFRED's skills and goals read a scene."""

from env_service.suites.alfred.object_words import OPENABLE
from env_service.worlds.ai2thor_api.metadata_view import MetadataView, ThorObject


class AlfredView(MetadataView):
    """The metadata of one event. LoTa-Bench opens seven types alone (docs/alfred-rules.md,
    "Skills"), so no other receptacle shuts anything in."""

    def has_door(self, receptacle: ThorObject) -> bool:
        """Whether skills open it. A toilet's lid does not count as a door: objects that the
        simulator lists in a closed toilet are on its lid."""
        return receptacle["objectType"] in OPENABLE and bool(receptacle["openable"])
