"""Where rules, agents and chance meet, and what is written down."""
