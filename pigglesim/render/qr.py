"""QR codes for pages."""


def qr_path(link: str) -> str:
    """Return the QR code of a link as the path of an SVG, one unit per module and no margin."""
    from segno import make  # noqa: PLC0415 (not needed to begin)

    rows = make(link, micro=False).matrix
    dark = ((x, y) for y, row in enumerate(rows) for x, module in enumerate(row) if module)
    return "".join(f"M{x} {y}h1v1h-1z" for x, y in dark)
