"""Rolls to share: a 3D scene, one page that plays, a drawing from above."""
