"""The mutants of a subject, and which of them only change what an error says."""

from contextlib import chdir
from pathlib import Path

from mutmut.configuration import reset_config
from mutmut.mutation.data import SourceFileMutationData

from tests.mutation.subjects import Subject
from tests.mutation.wording import naming, words_only
from tests.mutation.workshop import files_of


def list_mutants(subject: Subject, folder: Path) -> tuple[list[str], list[str]]:
    """Make a subject's mutants; return their names, and of those that change only an error's words.

    Args:
        subject: What is mutated.
        folder: Where it was set up, see `workshop.set_up`.
    """
    counted: list[str] = []
    words: list[str] = []
    reset_config()
    told = naming(Path("pigglesim", "games"))
    with chdir(folder):
        # It reads its settings where it is imported.
        from mutmut.__main__ import create_mutants_for_file

        for path in files_of(subject):
            output = Path("mutants") / path
            output.parent.mkdir(parents=True, exist_ok=True)
            # Written where `mutmut run` would write them, which then finds them done.
            create_mutants_for_file(path, output)
            data = SourceFileMutationData(path=path)
            data.load()
            spoken = words_only(output.read_text(), told)
            for name in data.exit_code_by_key:
                kept = words if name.rpartition(".")[2] in spoken else counted
                kept.append(name)
    return counted, words
