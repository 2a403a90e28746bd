"""Studies, fits, designs, tournaments and balance: estimates with their intervals."""
