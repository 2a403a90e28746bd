"""Pages whose code is run, and that show its output: `scripts/make_pages` makes them anew."""

import io
import re
import traceback
from contextlib import redirect_stdout
from doctest import DocTestParser
from pathlib import Path

import nbformat
from nbclient import NotebookClient

DOCS = Path(__file__).parents[2] / "docs"
DIALOGUES = (DOCS / "api" / "tour.md", DOCS / "how-it-works.md", DOCS / "physics" / "engine.md")
NOTEBOOK = DOCS / "notebooks" / "first_study.ipynb"


def remade(text):
    """Return a page with what its `pycon` blocks say now; they share their names, in order."""
    names = {}
    return re.sub(
        r"```pycon\n(.*?)```",
        lambda block: f"```pycon\n{_session(block[1], names)}```",
        text,
        flags=re.DOTALL,
    )


def _session(block, names):
    """Return one block as Python's own prompt shows it."""
    shown = []
    for example in DocTestParser().get_examples(block):
        first, *more = example.source.rstrip("\n").split("\n")
        shown += [f">>> {first}", *(f"... {line}".rstrip() for line in more)]
        said = io.StringIO()
        with redirect_stdout(said):
            exec(compile(example.source, "<page>", "single"), names)
        shown += said.getvalue().splitlines()
    return "\n".join(shown) + "\n"


def executed(notebook, folder):
    """Return a notebook after every cell has run, without what differs from run to run.

    Raises:
        nbclient.exceptions.CellExecutionError: If a cell fails.
    """
    made = nbformat.from_dict(notebook)
    # Patient: on a busy machine a kernel takes its time to come up.
    client = NotebookClient(
        made,
        timeout=300,
        startup_timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made.metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    for cell in made.cells:
        cell.metadata = {}
        for output in cell.get("outputs", []):
            output.pop("execution_count", None)
            if "image/svg+xml" in output.get("data", {}):
                # The drawing is enough on a page: the player of a roll has 220 kB.
                output["data"].pop("text/html", None)
            if output["output_type"] == "execute_result":
                output["execution_count"] = cell.execution_count
    return made


def shown_text(notebook):
    """Return what each cell of a notebook shows as text."""
    shown = []
    for cell in notebook["cells"]:
        outputs = cell.get("outputs", [])
        streams = [output["text"] for output in outputs if "text" in output]
        values = [output["data"]["text/plain"] for output in outputs if "data" in output]
        shown.append("".join([*streams, *values]))
    return shown


def main():
    """Run every page and write it with what it says now."""
    for page in DIALOGUES:
        page.write_text(remade(page.read_text(encoding="utf-8")), encoding="utf-8")
    with NOTEBOOK.open(encoding="utf-8") as file:
        made = executed(nbformat.read(file, as_version=4), NOTEBOOK.parent)
    nbformat.write(made, NOTEBOOK)


if __name__ == "__main__":
    try:
        main()
    except Exception:
        traceback.print_exc()
        raise SystemExit(1) from None
