"""A notebook as a page: its text, its code, and what its cells showed when it was last run."""

from typing import Any


def as_markdown(notebook: dict[str, Any]) -> str:
    """Return a notebook of format 4 in Markdown; pictures are put into the page."""
    return "\n\n".join(part for cell in notebook["cells"] for part in _cell(cell)) + "\n"


def _cell(cell: dict[str, Any]) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    if cell["cell_type"] != "code" or not source.strip():
        return []
    shown = [_output(output) for output in cell["outputs"]]
    return [f"```python\n{source}\n```", *(text for text in shown if text)]


def _output(output: dict[str, Any]) -> str:
    """Return the richest form of what a cell showed that a page can hold."""
    if output["output_type"] == "stream":
        return _block("".join(output["text"]))
    data = output.get("data", {})
    if "image/png" in data:
        return f'<img alt="" src="data:image/png;base64,{"".join(data["image/png"]).strip()}">'
    for kind in ("image/svg+xml", "text/html"):
        if kind in data:
            # A blank line would end the element for Markdown.
            lines = "".join(data[kind]).splitlines()
            return "<div>\n" + "\n".join(line for line in lines if line.strip()) + "\n</div>"
    return _block("".join(data["text/plain"])) if "text/plain" in data else ""


def _block(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```"
