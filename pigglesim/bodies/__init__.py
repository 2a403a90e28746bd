"""Things you could hold: meshes, their mass, hull and stable poses."""
