"""The documentation: made, built, run and checked. `scripts/site` is its front."""
