"""Many throws, counted: the answers to how often something lands how, each with its interval."""
