"""An index of run folders in a SQL database: what was played, episode by episode, for searching."""
