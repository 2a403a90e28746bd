"""Messages of a page to the server: strict, bounded, and checked before anything is done."""

from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationError,
)

from pigglesim.data_files import model_names, team_names
from pigglesim.errors import SpecError
from pigglesim.games.registry import playable_names
from pigglesim.hand_throw import HandThrow
from pigglesim.landing import CupHold
from pigglesim.match.entries import MAX_NAME, is_person_name
from pigglesim.physics.engines import installed_engine_names
from pigglesim.rng import MAX_SEED, MAX_SUB_SEED, JSONSeed
from pigglesim.serve import offers

MAX_MESSAGE = 2_000_000
"""Largest message of a page [bytes]; a record of a long match has a few hundred thousand."""

# Only a name of a list gets past a message, so that no later reader can find more in a text.
GameName = Annotated[str, AfterValidator(offers.expect_offered(playable_names))]
PlayerName = Annotated[str, AfterValidator(offers.expect_offered(offers.players))]
ModelName = Annotated[str, AfterValidator(offers.expect_offered(model_names))]
TeamName = Annotated[str, AfterValidator(offers.expect_offered(team_names))]
LoadName = Annotated[str, AfterValidator(offers.expect_offered(offers.loads))]
SceneName = Annotated[str, AfterValidator(offers.expect_offered(offers.scenes))]
ChanceName = Annotated[str, AfterValidator(offers.expect_offered(offers.chances))]
EngineName = Annotated[str, AfterValidator(offers.expect_offered(installed_engine_names))]


def _expect_person_name(name: str) -> str:
    if name and not is_person_name(name):
        raise ValueError(f"not a name of at most {MAX_NAME} letters, digits and blanks")
    return name


Id = Annotated[str, Field(pattern=r"^[0-9a-f]{12}$")]
RuleName = Annotated[str, Field(pattern=r"^[a-zA-Z0-9_]{1,40}$")]
"""Name of a house rule, or of a setting; each is looked up in the list of the game."""
Piece = Annotated[str, Field(pattern=r"^[A-H][0-9]{1,2}$")]


class _Message(BaseModel):
    """A message: unknown keys and other types are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ReleasedHold(_Message):
    """Hold of the cup when it is let go, in metres, radians and m/s; see `CupHold`."""

    across: float = Field(ge=-1.0, le=1.0)
    back: float = Field(ge=-1.0, le=1.0)
    height: float = Field(ge=0.0, le=1.0)
    heading: float = Field(default=0.0, ge=-3.2, le=3.2)
    swing: float | None = Field(default=None, ge=0.0, le=100.0)

    def cup_hold(self) -> CupHold:
        """Return the hold in the terms of the rules."""
        return CupHold(**self.model_dump())


def _own_throw(text: object) -> HandThrow:
    if not isinstance(text, str):
        raise ValueError("a throw is text")
    return HandThrow.read(text)


OwnThrow = Annotated[HandThrow, PlainValidator(_own_throw)]
"""Throw of a person's own hand; its text is read at once."""


class _AtMatch(_Message):
    """A message about one match."""

    table: Id


class _InTurn(_AtMatch):
    """A message of a player about the match as they have seen it."""

    at: int = Field(ge=0)
    """Number of events that the player has seen; a decision about an older state is refused."""


class SetName(_Message):
    """Show this name for the person at the page; an empty one removes it."""

    do: Literal["name"]
    name: Annotated[str, Field(max_length=MAX_NAME), AfterValidator(_expect_person_name)]


class ListMatches(_Message):
    """List the saved matches, and the results of the person at the page."""

    do: Literal["matches"]


class SetTable(_Message):
    """Lay the table of throws: its scene and its Piggles."""

    do: Literal["set_table"]
    model: LoadName = "piggle"
    count: int = Field(default=6, ge=1, le=6)
    scene: SceneName = "piggles_classic"
    seat: Literal["A", "B"] = "A"


class ThrowCup(_Message):
    """Throw the cup; without a hold, as the scene's hand does."""

    do: Literal["throw"]
    engine: EngineName | None = None
    seed: JSONSeed | None = Field(default=None, ge=0, le=MAX_SEED)
    hold: ReleasedHold | None = None
    own: OwnThrow | None = None
    """Throw of a person's own hand, which takes nothing from the seed."""
    onto: bool = False
    """True to throw onto the Piggles of the last throw, from the other side."""


class PrepareThrow(_Message):
    """Prepare the page's own throw of the cup."""

    do: Literal["prepare"]
    onto: bool = False


class WhenDecided(_Message):
    """Look at a throw of a match, or of the page's own table, by its number."""

    do: Literal["decided"]
    throw: int = Field(ge=0)
    table: Id | None = None


class NewMatch(_Message):
    """Begin a match."""

    do: Literal["new"]
    game: GameName = "piggles_classic"
    players: list[PlayerName] = Field(min_length=1, max_length=8)
    """Player of each seat: `human` or an agent."""
    team_a: TeamName | None = None
    team_b: TeamName | None = None
    chance: ChanceName | None = None
    engine: EngineName | None = None
    seed: JSONSeed | None = Field(default=None, ge=0, le=MAX_SEED)
    practice: bool = False
    rules: dict[RuleName, bool | int | float | RuleName] = Field(default={}, max_length=50)
    """House rules that differ from the default."""
    pace: float = Field(default=1.0, ge=0.0, le=100.0)


class Open(_AtMatch):
    """Sit down at a match, or watch it; a saved one goes on, or is watched again if it is over."""

    do: Literal["open"]


class OpenRecord(_Message):
    """Watch a record that was dropped into the page."""

    do: Literal["record"]
    text: Annotated[str, Field(max_length=MAX_MESSAGE)]


class Decide(_InTurn):
    """Choose a listed action."""

    do: Literal["decide"]
    choice: int = Field(ge=0, le=100_000)


class LoadCup(_InTurn):
    """Load these Piggles, and throw them."""

    do: Literal["load"]
    piggles: list[Piece] = Field(min_length=1, max_length=12)
    hold: ReleasedHold | None = None
    own: OwnThrow | None = None
    """Throw of the player's own hand."""


class PrepareLoad(_InTurn):
    """Prepare the page's own throw of these Piggles."""

    do: Literal["prepare_load"]
    piggles: list[Piece] = Field(min_length=1, max_length=12)


class Ask(_InTurn):
    """Ask for something at a match."""

    do: Literal["ask"]
    word: Literal["skip", "done", "hint", "undo", "concede", "rematch", "links"]


class SetPace(_AtMatch):
    """Set the pace at which agents play: 1 is real time, 0 without a pause."""

    do: Literal["pace"]
    pace: float = Field(ge=0.0, le=100.0)


class Review(_AtMatch):
    """Analyse a match."""

    do: Literal["review"]


class Visit(_AtMatch):
    """Show the table before a decision of the match, or as it is now."""

    do: Literal["visit"]
    decision: int | None = Field(default=None, ge=0, le=100_000)


class WhatIf(_AtMatch):
    """Try every action at a decision of the match."""

    do: Literal["what_if"]
    decision: int = Field(ge=0, le=100_000)


class GetPuzzle(_Message):
    """Show a puzzle: that of today, or one by its number."""

    do: Literal["puzzle"]
    number: int | None = Field(default=None, ge=1, le=100_000)


class SplitThrow(_AtMatch):
    """Split the luck of a throw with an own hold into the hold and the fall."""

    do: Literal["split"]
    decision: int = Field(ge=0, le=100_000)


class RunStudy(_Message):
    """Throw many times and count."""

    do: Literal["study"]
    kind: Literal["drop", "pour"] = "drop"
    model: ModelName = "piggle"
    height: float | None = Field(default=None, ge=0.0, le=2.0)
    """Height of the fall [m]."""
    friction: float | None = Field(default=None, ge=0.0, le=5.0)
    restitution: float | None = Field(default=None, ge=0.0, le=1.0)
    half_width: float = Field(default=0.01, ge=0.001, le=0.2)
    seed: int | None = Field(default=None, ge=0, le=MAX_SUB_SEED)


class StopWork(_Message):
    """Stop the work that the page has asked for."""

    do: Literal["stop"]


Message = (
    SetName | ListMatches | SetTable | ThrowCup | PrepareThrow | WhenDecided | NewMatch | Open
    | OpenRecord | Decide | LoadCup | PrepareLoad | Ask | SetPace | Review | Visit | WhatIf
    | SplitThrow
    | GetPuzzle | RunStudy | StopWork
)  # fmt: skip
_ADAPTER: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="do")])


def read_message(text: str) -> Message:
    """Return a message of a page.

    Raises:
        SpecError: If it is not one.
    """
    try:
        return _ADAPTER.validate_json(text)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in fault["loc"]) or "message"
        problem = fault["msg"].removeprefix("Value error, ")
        raise SpecError(f"{where}: {problem}", fix="reload the page") from None
