"""Writes the folder in which a page plays without a server."""

import base64
import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

from pigglesim.bodies.load import load_model
from pigglesim.durable_io import expect_no_links, make_folder, write_atomically
from pigglesim.errors import SpecError
from pigglesim.match.runner import versions
from pigglesim.render.page import WEB
from pigglesim.site.data import CLASSIC, MODEL, module_text, page_data, puzzle_data, six_data
from pigglesim.site.kits import kit_files
from pigglesim.site.one_file import one_file
from pigglesim.version import __version__

PYODIDE = "314.0.7"
_SHA512 = "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
"""Digest of Pyodide's package, as its registry gives it."""
PACKAGE = f"pyodide-{PYODIDE}.tgz"
"""Name of the package that `npm pack` writes."""
_FETCH = f"npm pack pyodide@{PYODIDE}"
_MOST = 64 * 1024**2
"""Maximum size of a file in the package [bytes]."""
_RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json")
_HERE, _CLIENT = Path(__file__).parent, Path(__file__).parents[1] / "serve" / "web"
_FOLDER = _HERE / "web" / "folder"
_PURE = ("markdown_it", "mdurl", "segno")
"""Packages of plain Python that the rules need."""
_PARTS = (
    "agents", "api", "chance", "experiments", "games", "match", "render", "scene", "site", "table",
)  # fmt: skip
"""Parts of the package among which are the modules that the page imports."""
_FOLDERS = ("pyodide", "table", "web")
"""Folders of the files."""
_LAST = ("index.html", "sw.js")
"""Files that name the others."""
_MARK = '<meta name="generator" content="pigglesim '
"""Text by which a page of an earlier version is recognised."""
_LIST = re.compile(r"^const FILES = (\[.*\]);$", re.MULTILINE)
_NAME = re.compile(rf"(?:(?:{'|'.join(_FOLDERS)})/)?\w[\w.-]*", re.ASCII)
"""Name of a file of the folder."""
_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)


def expect_package(path: Path) -> Path:
    """Return the file of Pyodide, which must be the package that this version was tested with.

    Raises:
        SpecError: If it is not there, or another one.
    """
    file = path / PACKAGE if path.is_dir() else path
    try:
        with file.open("rb") as opened:
            data = opened.read(_MOST)
    except OSError:
        raise SpecError(
            f"no {file}", expected="Python for browsers, of npm", fix=f"run {_FETCH}"
        ) from None
    if base64.b64encode(hashlib.sha512(data).digest()).decode() != _SHA512:
        raise SpecError(f"{file} is not pyodide {PYODIDE}", fix=f"remove it and run {_FETCH}")
    return file


def write_site(
    folder: Path,
    package: Path,
    *,
    whole: bool = False,
    overwrite: bool = False,
    note: Callable[[str], None],
) -> dict[str, int]:
    """Write the folder, and return the size of each file [bytes].

    `whole` writes one page, `index.html`, which opens from disk.

    Raises:
        SpecError: If the folder has other files and `overwrite` is false, or Pyodide is missing.
    """
    expect_own(folder, overwrite=overwrite)
    node = shutil.which("node")
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        note("meshes, rules and throws")
        for name, data in _files(expect_package(package)):
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_bytes(data)
        if node is None:
            note("there is no node to compile with: the page starts about 2 s later")
        else:
            note("each game is played once, and what it needs is compiled")
            command = [node, str(_HERE / "compile.mjs"), str(work)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                last = (done.stderr.strip() or "node failed").splitlines()[-1]
                raise SpecError(f"the page does not play: {last}", fix="report this")
        _seal(work)
        if whole:
            page = one_file(work, boot=(_FOLDER / "one_file.js").read_text())
            for path in work.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            (work / "index.html").write_text(page)
        return publish(work, folder)


def expect_own(folder: Path, *, overwrite: bool) -> None:
    """Refuse a folder with files, unless an earlier version wrote its page.

    Raises:
        PigglesimError: If it has other files and `overwrite` is false, or a link in it leads on.
    """
    if folder.exists() and any(folder.iterdir()) and not (overwrite or _is_own(folder)):
        fix = "name an empty folder, or use --force (in Python overwrite=True)"
        raise SpecError(f"{folder} has other files", fix=fix)
    expect_no_links(folder, _FOLDERS)


def _is_own(folder: Path) -> bool:
    try:
        return _MARK.encode() in (folder / "index.html").read_bytes()
    except OSError:
        return False


def publish(work: Path, folder: Path) -> dict[str, int]:
    """Put a page that is whole into its folder, and return the size of each file [bytes].

    What an earlier version wrote and this one has not is removed. A browser stores what the
    service worker lists, so the worker is written last.
    """
    names = sorted(path.relative_to(work).as_posix() for path in work.rglob("*") if path.is_file())
    old = _listed(folder) - {*names} if _is_own(folder) else set()

    def write(name: str) -> None:
        make_folder((folder / name).parent)
        write_atomically(folder / name, (work / name).read_bytes())

    for name in names:
        if name not in _LAST:
            write(name)
    write("index.html")
    for name in sorted(old, key=lambda name: name == "sw.js"):
        (folder / name).unlink(missing_ok=True)
    if "sw.js" in names:
        write("sw.js")
    return {name: (work / name).stat().st_size for name in names}


def _listed(folder: Path) -> set[str]:
    """Return the files that an earlier version wrote; a list of anything else removes nothing."""
    try:
        found = _LIST.search((folder / "sw.js").read_text())
        names = json.loads(found[1]) if found else []
    except (OSError, ValueError, RecursionError):
        return set()
    named = {name for name in names if isinstance(name, str) and _NAME.fullmatch(name)}
    return {name for name in (*named, "sw.js") if (folder / name).is_file()}


def _files(package: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the folder, before anything is compiled."""
    data, tables = page_data()
    scene = data.games[CLASSIC].stage
    assert scene is not None
    for name, content in kit_files(scene.scene, load_model(MODEL)).items():
        yield f"table/{name}", content
    for name, text in tables.items():
        yield f"table/{name}.json", text.encode()
    yield "table/welcome.json", json.dumps(data.welcome).encode()
    modules = {"page_data": data, "page_puzzles": puzzle_data(), "page_six": six_data()}
    yield "table/rules.zip", _rules(modules)
    with tarfile.open(package) as archive:
        for member in archive:
            name = member.name.removeprefix("package/")
            if name in (*_RUNTIME, "python_stdlib.zip") and member.size <= _MOST:
                file = archive.extractfile(member)
                assert file is not None
                yield f"pyodide/{name}", file.read()
    for path in (
        *WEB.glob("*.js"),
        WEB / "page.css",
        *_CLIENT.glob("*.*"),
        *_HERE.glob("web/*.js"),
    ):
        if path.suffix != ".html" and path.name != "page.js":
            yield f"web/{path.name}", path.read_bytes()
    for name in ("icon.svg", "manifest.webmanifest", "sw.js"):
        yield name, (_FOLDER / name).read_bytes()
    yield "index.html", _page().encode()
    yield "LICENSE.pyodide.txt", _PYODIDE_LICENCE.encode()


_PYODIDE_LICENCE = f"""\
The folder `pyodide` has parts of Pyodide {PYODIDE}, Python for browsers, unchanged except that
modules of its library were compiled. Pyodide is free software under the Mozilla Public License
2.0, https://www.mozilla.org/MPL/2.0/. Its source is at https://github.com/pyodide/pyodide. Python
and its library are under the license of the Python Software Foundation.
"""


def _page() -> str:
    page = (_CLIENT / "app.html").read_text()
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'{_MARK}{__version__}">\n'
        '<link rel="manifest" href="manifest.webmanifest">\n<link rel="icon" href="icon.svg">\n'
        '<script type="module" async src="web/early.js"></script>\n'
    )
    page = page.replace('<link rel="icon" href="data:,">\n', head)
    return page.replace('<html lang="en">', '<html lang="en" data-worker="web/worker.js">')


def _rules(data: dict[str, object]) -> bytes:
    """Return a zip of the Python sources that the page may import, and of modules with data."""
    root, buffer = _HERE.parent, BytesIO()
    own = [*root.glob("*.py"), *(path for part in _PARTS for path in (root / part).rglob("*.py"))]
    pages = (root / "table" / "pages").glob("*.md")
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted({*own, *pages}):
            archive.write(path, f"pigglesim/{path.relative_to(root)}")
        for name in _PURE:
            spec = importlib.util.find_spec(name)
            assert spec is not None
            assert spec.origin is not None
            top = Path(spec.origin).parent
            for path in sorted(top.rglob("*.py")):
                archive.write(path, f"{name}/{path.relative_to(top)}")
        for name, version in {**versions(), "pigglesim": __version__}.items():
            # A record names the versions with the same bits.
            about = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
            archive.writestr(f"{name}-{version}.dist-info/METADATA", about)
        for name, value in data.items():
            archive.writestr(f"{name}.py", module_text(value))
    return buffer.getvalue()


def _seal(work: Path) -> None:
    """Put the names of all files, and a digest of them, into the service worker."""
    std = work / "pyodide" / "python_stdlib.zip"
    if (work / "table" / "std.zip").exists():
        std.unlink()
    else:
        std.rename(work / "table" / "std.zip")
    digest, names = hashlib.sha256(), []
    for path in sorted(path for path in work.rglob("*") if path.is_file()):
        name = path.relative_to(work).as_posix()
        digest.update(f"{name}\n".encode() + path.read_bytes())
        if name != "sw.js":
            names.append(name)
    service = work / "sw.js"
    text = service.read_text().replace('"VERSION"', json.dumps(digest.hexdigest()[:16]))
    service.write_text(text.replace("[/* FILES */]", json.dumps(names)))
