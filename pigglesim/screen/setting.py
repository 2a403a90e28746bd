"""Everything a front end needs to let people play one match."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pigglesim.agents.agent import Agent
from pigglesim.errors import PigglesimError
from pigglesim.physics.simulate import Moment
from pigglesim.pictures.places import place_of
from pigglesim.rolls import Landing, Seat
from pigglesim.scene.scene import Scene
from pigglesim.screen.board_map import Token
from pigglesim.screen.families import family_of
from pigglesim.screen.family import Family, Line, Tone
from pigglesim.screen.film import Film
from pigglesim.screen.hints import hint
from pigglesim.screen.piggles_story import POSE_MARKS
from pigglesim.screen.saves import SaveFile
from pigglesim.screen.session import HUMAN, Session
from pigglesim.shapes.livery import Livery, skin_colour, split_livery

__all__ = ["Setting"]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A match, the table it is played at, and what stands beside it."""

    session: Session
    scene: Scene
    saves: SaveFile
    adviser: Agent
    """Who is asked for hints."""
    film: Film
    """Where physics puts what is to be shown; it stays empty where there is none."""
    speed: float = 1.0
    """How much faster than in life rolls are shown; 0 shows no motion and waits for nobody."""

    @cached_property
    def family(self) -> Family:
        """How this game shows itself."""
        return family_of(self.session.game)

    @property
    def title(self) -> str:
        """What the game is called."""
        return self.session.game.name.replace("_", " ").title()

    @cached_property
    def players(self) -> Mapping[Seat, str]:
        """Who plays at each seat."""
        agents = self.session.agents.items()
        return {seat: HUMAN if agent is None else agent.name for seat, agent in agents}

    @cached_property
    def wears(self) -> Mapping[str, str]:
        """Colour and rune of each Piggle that has any, in words."""
        return {
            piggle: str(livery).replace("+", " ").replace("_", " ")
            for piggle, livery in self._liveries.items()
        }

    @cached_property
    def _liveries(self) -> Mapping[str, Livery]:
        found = {piggle: split_livery(name)[1] for piggle, name in self._teams.items()}
        return {piggle: livery for piggle, livery in found.items() if livery is not None}

    @property
    def _teams(self) -> Mapping[str, str]:
        return self.session.header.teams

    def token(
        self,
        piggle: str,
        landing: Landing | None,
        *,
        position: tuple[float, float, float] | None = None,
    ) -> Token:
        """Return a Piggle as it is drawn.

        Args:
            piggle: Its id.
            landing: How it lies; None while it moves.
            position: Where it is [m], if not where it lies.
        """
        if position is None and landing is not None:
            position = place_of(piggle, landing, self.scene.board)
        worn = self._liveries.get(piggle)
        return Token(
            name=piggle,
            mark=POSE_MARKS[landing.orientation] if landing and landing.orientation else "",
            seat=Seat(piggle[0]),
            position=position or (0.0, 0.0, 0.0),
            colour=skin_colour(worn.colour) if worn else None,
        )

    def tokens(self, lying: Iterable[tuple[str, Landing]]) -> tuple[Token, ...]:
        """Return everything that lies on the board as it is drawn."""
        return tuple(self.token(piggle, landing) for piggle, landing in lying)

    def moving(
        self, names: Sequence[str], moment: Moment, stood: Iterable[tuple[str, Landing]]
    ) -> tuple[Token, ...]:
        """Return every Piggle as it is drawn while a roll goes on, what flies highest first.

        Args:
            names: Their ids, in the order of the moment's places.
            moment: The moment.
            stood: What lay on the board before, as it lay: unmoved, it is drawn as it lies.
        """
        before = dict(stood)
        tokens = []
        for name, place in zip(names, moment.places, strict=True):
            was = before.get(name)
            lies = was if was is not None and was.place == place else None
            tokens.append(self.token(name, lies, position=place.position))
        return tuple(sorted(tokens, key=lambda token: -token.position[2]))

    def hint_lines(self) -> tuple[Line, ...]:
        """Return what the adviser would do now and why; it may take as long as a decision."""
        session = self.session
        try:
            return hint(
                self.adviser,
                session.game,
                self.family,
                session.state,
                seed=session.header.seed,
                index=len(session.events),
            ).lines
        except PigglesimError as error:
            return (Line(text=f"No hint: {error}", tone=Tone.NOTE),)
