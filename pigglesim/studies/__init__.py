"""Many throws, counted: shares with intervals, beside each other and beside real counts."""
