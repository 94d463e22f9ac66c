"""Translates between the domain and the wire: protobuf messages, image encodings."""
