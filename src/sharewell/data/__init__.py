"""The data of a release: the engine, the formats, the sources of a plan, pseudonyms and keyed randomness."""
