"""The table without a server: a folder of files in which a page plays, and what runs in it."""
