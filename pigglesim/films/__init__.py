"""Films of rolls as plain values: shared by all players, pictures and videos."""
