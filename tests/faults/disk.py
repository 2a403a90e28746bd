"""A disk that forgets: what a folder may hold if the power goes at any step of a program.

While it looks on, every call that syncs, renames, makes or removes there is a step, before it and
after it. At each, the names of a folder are those of its last sync and the first so many changes
since, and a file is what was in it at its own last sync and so much of what was written since. (The
models of ALICE and CrashMonkey, but that changes of one folder are kept in their order.)
"""

import os
from contextlib import contextmanager
from pathlib import Path

_CALLS = ("replace", "rename", "unlink", "mkdir", "truncate", "fsync")


class ForgetfulDisk:
    """Looks on at a folder, and tells what could be left of it.

    Args:
        root: The folder; what it holds at first is safe.
        look: Called at each step with the disk.
    """

    def __init__(self, root, look):
        self._root = root
        self._look = look
        self._held = {}
        self._safe_names = {}
        self._changes = {}
        self._safe_data = {}
        self._listings = {}
        self._scan()
        for inode, listing in self._listings.items():
            self._safe_names[inode], self._changes[inode] = dict(listing), []
        for inode, path in self._files.items():
            self._safe_data[inode] = path.read_bytes()

    @contextmanager
    def looking_on(self):
        """Look on at what is done meanwhile."""
        before = self._before = {name: getattr(os, name) for name in _CALLS}

        def around(name):
            def call(*words, **more):
                if not self._is_here(words[0]):
                    return before[name](*words, **more)
                self._step()
                done = before[name](*words, **more)
                if name == "fsync":
                    self._synced(os.fstat(words[0]).st_ino)
                self._step()
                return done

            return call

        for name in _CALLS:
            setattr(os, name, around(name))
        try:
            yield self
        finally:
            for name in _CALLS:
                setattr(os, name, before[name])
            self._look(self)
            for handle in self._held.values():
                os.close(handle)

    @contextmanager
    def pause(self):
        """Let what is done meanwhile be no step."""
        ours = {name: getattr(os, name) for name in _CALLS}
        for name in _CALLS:
            setattr(os, name, self._before[name])
        try:
            yield
        finally:
            for name in _CALLS:
                setattr(os, name, ours[name])

    def left(self, place, rng=None, *, names=True, data=False):
        """Write what would be left into a new folder.

        Args:
            place: The new folder.
            rng: Draws how much; without it all or nothing of what no sync has made safe is.
            names: Whether changed names are left.
            data: Whether what was written is left.
        """
        self._rng, self._all = rng, (names, data)
        self._build(self._root.stat().st_ino, place)

    def _build(self, inode, place):
        place.mkdir()
        found, changes = dict(self._safe_names.get(inode, {})), self._changes.get(inode, [])
        count = len(changes) * self._all[0]
        if self._rng is not None:
            count = int(self._rng.integers(len(changes) + 1))
        for change in changes[:count]:
            found.update(change)
        for name, at in found.items():
            if at is None:
                continue
            if at in self._listings or at in self._safe_names:
                self._build(at, place / name)
            else:
                (place / name).write_bytes(self._content(at))

    def _content(self, inode):
        safe = self._safe_data.get(inode, b"")
        size = os.fstat(self._held[inode]).st_size
        live = os.pread(self._held[inode], size, 0)
        if self._rng is None:
            return live if self._all[1] else safe
        if not live.startswith(safe):
            return live if self._rng.integers(2) else safe
        return live[: int(self._rng.integers(len(safe), len(live) + 1))]

    def _synced(self, inode):
        if inode in self._listings:
            self._safe_names[inode], self._changes[inode] = dict(self._listings[inode]), []
        elif inode in self._held:
            size = os.fstat(self._held[inode]).st_size
            self._safe_data[inode] = os.pread(self._held[inode], size, 0)

    def _is_here(self, what):
        """Whether a call concerns the folder, by its first word: a path, or an open file."""
        return isinstance(what, int) or Path(what).absolute().is_relative_to(self._root)

    def _step(self):
        before = self._listings
        self._scan()
        for inode, listing in self._listings.items():
            was = before.get(inode, {})
            gone = {name: None for name in was if name not in listing}
            change = gone | {name: at for name, at in listing.items() if was.get(name) != at}
            if change:
                self._changes.setdefault(inode, []).append(change)
        self._look(self)

    def _scan(self):
        """Take in every name there is; an inode is held, so that no other file gets its number."""
        self._listings, self._files = {}, {}
        todo = [self._root]
        while todo:
            folder = todo.pop()
            listing = self._listings[folder.stat().st_ino] = {}
            for entry in os.scandir(folder):
                inode = listing[entry.name] = entry.inode()
                if entry.is_dir():
                    todo.append(Path(entry.path))
                else:
                    self._files[inode] = Path(entry.path)
                if inode not in self._held:
                    self._held[inode] = os.open(entry.path, os.O_RDONLY)
