"""What several tests need: bodies, games, studies, and ways to start the program."""
