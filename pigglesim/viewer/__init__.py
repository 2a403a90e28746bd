"""What is seen: the table in three dimensions, drawn by the graphics card or without one."""
