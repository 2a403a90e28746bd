"""The page without a server as one file, which opens from disk."""

import base64
import gzip
import hashlib
import json
import re
from pathlib import Path

_LINKS = re.compile(r'<(?:link|meta http-equiv)[^>]*>\n?|<script type="module"[^>]*></script>\n?')
_WORKER = ("vectors", "film", "hand_throw", "thrower", "kits", "worker")
"""Modules of the worker."""


def one_file(folder: Path, *, boot: str) -> str:
    """Return the page in a folder as one file; `boot` is the script that puts it together."""

    def packed(name: str) -> str:
        return _text(gzip.compress((folder / name).read_bytes(), 9, mtime=0))

    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*"))]
    parts = [name for name in names if name.startswith(("pyodide/", "table/")) and "." in name]
    parts += [f"web/{name}.js" for name in _WORKER]
    modules = {path.stem: path.read_text() for path in sorted((folder / "web").glob("*.js"))}
    pictures = {
        f"web/{path.name}": f"data:image/svg+xml;base64,{_text(path.read_bytes())}"
        for path in sorted((folder / "web").glob("*.svg"))
    }
    given = {"parts": {name: packed(name) for name in parts}, "modules": modules}
    lines = [
        f"const {name} = {json.dumps(value)};"
        for name, value in {**given, "pictures": pictures}.items()
    ]
    # It cannot close the element that it stands in.
    script = "\n".join([*lines, boot]).replace("</", "<\\/").replace("<!--", "<\\!--")
    style = "\n".join(
        (folder / "web" / f"{name}.css").read_text() for name in ("page", "app", "felt")
    )
    policy = (
        f"default-src 'none'; script-src {_digest(script)} blob: 'wasm-unsafe-eval'; "
        f"style-src {_digest(style)}; img-src data: blob:; worker-src blob:; base-uri 'none'; "
        "form-action 'none'"
    )
    page = _LINKS.sub("", (folder / "index.html").read_text())
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style}</style>\n'
    )
    page = page.replace("</head>", f"{head}</head>")
    return page.replace("</body>", f"<script>{script}</script>\n</body>")


def _digest(text: str) -> str:
    return f"'sha256-{_text(hashlib.sha256(text.encode()).digest())}'"


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
