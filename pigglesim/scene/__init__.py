"""The table: materials, board, cup, and the file that names them."""
