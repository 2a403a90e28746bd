"""How far results hang on the processor: the same fingerprints as if on older ones."""
