"""An omniscient expert, which sees the whole grid. It plays levels, and helps to execute plans."""
