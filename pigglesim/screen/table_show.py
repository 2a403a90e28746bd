"""A match that is played at a window: what the viewer asks for, out of a `Session`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Thread
from time import monotonic
from typing import Any

from pigglesim.asking import DiceResult
from pigglesim.films.film import Film
from pigglesim.games.game import Concede
from pigglesim.games.piggles.areas import Load
from pigglesim.match.entries import Entry, Outcome
from pigglesim.match.runner import MatchEvent
from pigglesim.rolls import CupHold, Landing, Seat, Zone
from pigglesim.scene.scene import Scene
from pigglesim.screen.setting import Setting
from pigglesim.screen.still_table import still_dice, still_film
from pigglesim.screen.takes import end_take, scoreboard, take_of
from pigglesim.viewer.shows import Choice, Offer, Take

__all__ = ["TableShow"]

_GRACE = 0.05
"""How much later than its limit an agent is given up that does not answer at all [s]."""


class _Labour:
    """One task in a thread that nobody waits for."""

    def __init__(self, name: str, task: Callable[[], Any]) -> None:
        self.name = name
        self.began = monotonic()
        self.done = False
        self.answer: Any = None
        self.fault: Exception | None = None
        self._task = task
        Thread(target=self._work, name=name, daemon=True).start()

    def _work(self) -> None:
        try:
            self.answer = self._task()
        except Exception as fault:
            self.fault = fault
        self.done = True


class TableShow:
    """One match, its rolls as films and its decisions as offers.

    Args:
        setting: The match.
        scene: The table that it is played at.
    """

    def __init__(self, setting: Setting, scene: Scene) -> None:
        self._setting = setting
        self._scene = scene
        self._session = setting.session
        self._family = setting.family
        self._labour: _Labour | None = None
        self._takes: list[Take] = []
        self._made_at: list[int] = []
        """How many events there were when each take was made."""
        self._told: list[str] = ["Resumed where it was left."] if self._session.events else []
        self._hints: list[str] = []
        self._offer: Offer | None = None
        self._offered_at = -1

    # What the viewer asks for.

    def takes(self, wanted: int) -> Sequence[Take]:
        """Return every roll so far; what is due without a person goes on meanwhile.

        Raises:
            Exception: Whatever an agent's decision or a roll has raised.
        """
        labour = self._labour
        if labour is not None and (labour.done or self._too_late(labour)):
            self._labour = None
            if labour.fault is not None:
                raise labour.fault
            if labour.name == "hint":
                self._hints += [line.text for line in labour.answer]
            else:
                self._play(labour.answer if labour.done else self._session.late_entry())
        session = self._session
        if self._labour is None and (forced := self._setting.forced) is not None:
            self._tell(session.decide(forced))
        due = not session.over and session.awaited is None and len(self._takes) < wanted
        if self._labour is None and due:
            self._setting.reel.clear()
            name = self._family.names[session.thinking] if session.thinking else "roll"
            self._labour = _Labour(name, session.next_entry)
        return self._takes

    def _too_late(self, labour: _Labour) -> bool:
        limit = self._session.time_limit
        thinks = self._session.thinking is not None and labour.name != "hint"
        return limit is not None and thinks and monotonic() - labour.began > limit + _GRACE

    def offer(self) -> Offer | None:
        """Return the decision of the person who is awaited."""
        session = self._session
        if session.awaited is None:
            return None
        if self._offered_at != len(session.events):
            self._offer, self._offered_at = self._make_offer(session.awaited), len(session.events)
        return self._offer

    def busy(self) -> str:
        """Return what is being worked at."""
        if self._labour is None:
            return ""
        if self._labour.name == "roll":
            return "The cup is shaken"
        return f"{'A hint' if self._labour.name == 'hint' else self._labour.name} is being thought"

    def notes(self) -> Sequence[str]:
        """Return what has happened since the last roll, and hints."""
        return [*self._told, *self._hints]

    # What a person decides.

    def pour(self, piggles: tuple[str, ...], hold: CupHold | None) -> None:
        """Load these and roll them from there."""
        legal = self._legal()
        toggles = self._family.toggles(self._session.state, legal)
        if toggles is not None:
            action = toggles.action(frozenset(piggles))
            self._decide(replace(action, hold=hold) if isinstance(action, Load) else action)

    def choose(self, number: int) -> None:
        """Do what stands at that place of the list."""
        listed = self._listed()
        if number < len(listed):
            self._decide(listed[number])

    def ask(self, word: str) -> None:
        """Do one of `skip`, `done`, `hint`, `undo` and `concede`."""
        if word == "hint":
            if self._labour is None and self._session.awaited:
                self._labour = _Labour("hint", self._setting.hint_lines)
        elif word == "undo":
            self._undo()
        else:
            action = {"skip": self._family.skip, "done": self._family.done}.get(word, Concede())
            if action in self._legal():
                self._decide(action)

    def close(self) -> None:
        """Do nothing: every decision and every roll has been saved as it was taken."""

    # How it goes on.

    def _legal(self) -> tuple[Any, ...]:
        session = self._session
        return session.game.legal_actions(session.state) if session.awaited else ()

    def _listed(self) -> list[Any]:
        """Return the decisions that are listed: all but those that have a button."""
        legal = [action for action in self._legal() if not isinstance(action, Concede)]
        if self._family.toggles(self._session.state, legal) is not None:
            return []
        if self._setting.board is None:
            return legal
        return [action for action in legal if action != self._family.done]

    def _decide(self, action: object) -> None:
        self._labour = None
        self._hints.clear()
        self._told.clear()
        self._tell(self._session.decide(action))

    def _play(self, entry: Entry) -> None:
        event = self._session.play(entry)
        film = self._setting.reel.film
        if not isinstance(entry, Outcome):
            self._tell(event)
            return
        told, self._told = tuple(self._told), []
        if film is None:
            film = self._landed(event)
        # Dice stay in sight while the next decision is taken; how Piggles landed would be gone.
        own = self._session.agents[entry.thrower] is None and bool(entry.landings)
        self._add(
            take_of(
                self._family,
                self._session.game,
                event,
                film,
                told_before=told,
                waits=own and self._setting.speed > 0.0,
            )
        )

    def _tell(self, event: MatchEvent[Any]) -> None:
        """Keep what a decision has led to until the next roll; at the end there is none."""
        self._told += [line.text for line in self._family.story(event)]
        if self._session.over:
            self._add(
                end_take(
                    self._family,
                    self._session.game,
                    event.after,
                    tuple(self._told),
                    scene=self._scene,
                    models=self._session.header.teams,
                    last=self._dice(),
                )
            )

    def _dice(self) -> Film | None:
        """Return the dice as they were thrown last; None where there are none."""
        for event in reversed(self._session.events):
            entry = event.entry
            if isinstance(entry, Outcome) and isinstance(entry.result, DiceResult):
                return still_dice(entry.result, scene=self._scene, thrower=entry.thrower)
        return None

    def _add(self, take: Take) -> None:
        self._takes.append(take)
        self._made_at.append(len(self._session.events))

    def _landed(self, event: MatchEvent[Any]) -> Film:
        """Return the end of a roll that nobody has filmed, for odds have rolled it."""
        if (dice := self._dice()) is not None:
            return dice
        return self._still(self._setting.landed(event), event.before, pens={})

    def _still(
        self,
        lying: Sequence[tuple[str, Landing]],
        state: object,
        *,
        pens: Mapping[Seat, Sequence[str]],
    ) -> Film:
        return still_film(
            [(name, at) for name, at in lying if at.zone is not Zone.OFF],
            pens,
            scene=self._scene,
            models=self._session.header.teams,
            owners={name: self._family.player_of(state, name) for name, _ in lying},
        )

    def _undo(self) -> None:
        if self._labour is not None or not self._setting.undo():
            self._hints = ["Nothing is taken back: that needs --practice, and a decision."]
            return
        count = len(self._session.events)
        while self._made_at and self._made_at[-1] > count:
            self._takes.pop()
            self._made_at.pop()
        self._told = ["Taken back. The same choice would roll the same again."]
        self._hints.clear()

    def _make_offer(self, seat: Seat) -> Offer:
        session, family = self._session, self._family
        state, legal = session.state, self._legal()
        loads = [action for action in legal if not isinstance(action, Concede)]
        toggles = family.toggles(state, loads)
        free = tuple(item for item in toggles.items if item in toggles.free) if toggles else ()
        hand = self._scene.hand
        hold = CupHold(across=hand.across, back=hand.end_back, height=hand.lip_height)
        choices = tuple(
            Choice(text=family.say(state, action), about=family.about(action))
            for action in self._listed()
        )
        return Offer(
            seat=seat,
            board=self._dice()
            or self._still(family.lying(state), state, pens={seat: free} if free else {}),
            title=f"The turn of {family.names[seat]}",
            effects=family.effects,
            guide=family.guide(state, seat),
            score=scoreboard(family, session.game, state),
            piggles=toggles.items if toggles else (),
            loadable=free,
            hold=hold if free else None,
            choices=choices,
            skip=family.skip in legal,
            done=family.done in legal and self._setting.board is not None,
        )
