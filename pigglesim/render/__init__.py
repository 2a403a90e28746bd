"""Drawings for studies, boards and rolls: text, charts, pages, 3D files, pictures, windows."""
