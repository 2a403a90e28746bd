"""A match in the window: each roll as a film, each decision as an offer."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from threading import Condition
from typing import Any

from pigglesim.films.film import Film
from pigglesim.games.game import Concede
from pigglesim.games.piggles.areas import Load
from pigglesim.landing import CupHold, Seat
from pigglesim.match.entries import MatchOutcome
from pigglesim.match.runner import MatchEvent
from pigglesim.render.session import Choice, Clip, Offer, Show
from pigglesim.scene.scene import Scene
from pigglesim.table.films import ClipMaker, scoreboard, still_dice
from pigglesim.table.hints import hint_lines
from pigglesim.table.session import Session
from pigglesim.tui.background import BackgroundTask


class TableShow(Show):
    """One match, with its rolls as films and its decisions as offers."""

    def __init__(self, session: Session, scene: Scene) -> None:
        self._session = session
        self._scene = scene
        self._maker = ClipMaker(session.game, scene, session.header.teams)
        self._view = session.view
        self._task: BackgroundTask | None = None
        self._clips: list[Clip] = []
        self._made_at: list[int] = []
        """Number of events at the time of each clip."""
        if session.events:
            self._maker.log.append("Resumed where it was left.")
        self._hints: list[str] = []
        self._offer: Offer | None = None
        self._offered_at: object = None

    # Called by the viewer.

    def clips(self, count: int) -> Sequence[Clip]:
        """Return all rolls so far; events that need no person are played meanwhile.

        Raises:
            Exception: Any exception that an agent's decision or a roll raised.
        """
        session, task = self._session, self._task
        thinks = task is not None and task.name != "hint" and session.thinking is not None
        late = thinks and task is not None and task.is_late(session.time_limit)
        if task is not None and (task.done or late):
            self._task = None
            if task.fault is not None:
                raise task.fault
            if task.name == "hint":
                self._hints += [line.text for line in task.answer]
            else:
                self._play(task.answer if task.done else session.late_event())
        if self._task is None and (forced := self._session.forced) is not None:
            self._log_event(session.decide(forced))
        due = not session.over and session.awaited is None and len(self._clips) < count
        if self._task is None and due:
            self._session.film = None
            name = self._view.names[session.thinking] if session.thinking else "roll"
            self._task = BackgroundTask(name, session.next_event)
        return self._clips

    def offer(self) -> Offer | None:
        """Return the decision of the person to move."""
        session = self._session
        if session.awaited is None:
            return None
        if self._offered_at is not session.progress:
            self._offer, self._offered_at = self._make_offer(session.awaited), session.progress
        return self._offer

    def busy(self) -> str:
        """Return a description of the current work."""
        if self._task is None:
            return ""
        if self._task.name == "roll":
            return "The cup is shaken"
        return f"{'A hint' if self._task.name == 'hint' else self._task.name} is being thought"

    def notes(self) -> Sequence[str]:
        """Return the log since the last roll, and hints."""
        return [*self._maker.log, *self._hints]

    # Decisions of a person.

    def pour(self, piggles: tuple[str, ...], hold: CupHold | None) -> None:
        """Load these Piggles and roll them from that cup position."""
        toggles = self._view.toggles(self._session.state, self._session.choices)
        if toggles is not None:
            action = toggles.action(frozenset(piggles))
            self._decide(replace(action, hold=hold) if isinstance(action, Load) else action)

    def choose(self, number: int) -> None:
        """Play the decision with this number in the list."""
        listed = self._listed()
        if number < len(listed):
            self._decide(listed[number])

    def ask(self, word: str) -> None:
        """Run one of `skip`, `done`, `hint`, `undo` and `concede`."""
        if word == "hint":
            if self._task is None and self._session.awaited:
                asked = partial(hint_lines, self._session, self._session.state)
                self._task = BackgroundTask("hint", asked)
        elif word == "undo":
            self._undo()
        else:
            action = {"skip": self._view.skip, "done": self._view.done}.get(word, Concede())
            if action in self._session.legal:
                self._decide(action)

    # Progress of the match.

    def _listed(self) -> list[Any]:
        """Return the listed decisions: all except those that have a button."""
        choices = self._session.choices
        if self._view.toggles(self._session.state, choices) is not None:
            return []
        if self._session.board is None:
            return choices
        return [action for action in choices if action != self._view.done]

    def _decide(self, action: object) -> None:
        self._task = None
        self._hints.clear()
        self._maker.log.clear()
        self._log_event(self._session.decide(action))

    def _play(self, event: MatchEvent[Any]) -> None:
        entry = self._session.play(event).entry
        if not isinstance(entry, MatchOutcome):
            self._log_event(event)
            return
        # A roll by measured odds has no film: only its end is shown.
        landed = partial(self._maker.still, event.before, self._session.landed(event))
        film = self._session.film or self._dice() or landed()
        # Wait only for Piggles: dice stay in sight during the next decision, landings do not.
        own = self._session.agents[entry.thrower] is None and bool(entry.landings)
        self._add(self._maker.roll(event, film, waits=own and self._session.speed > 0.0))

    def _log_event(self, event: MatchEvent[Any]) -> None:
        """Log the consequences of a decision until the next roll; end the show with the match."""
        self._maker.add(event)
        if self._session.over:
            self._add(self._maker.end(event.after, self._dice()))

    def _dice(self) -> Film | None:
        if self._session.last_dice is None:
            return None
        thrower, result = self._session.last_dice
        return still_dice(result, scene=self._scene, thrower=thrower)

    def _add(self, clip: Clip) -> None:
        self._clips.append(clip)
        self._made_at.append(len(self._session.events))

    def _undo(self) -> None:
        if self._task is not None or not self._session.undo():
            self._hints = ["Nothing is taken back: that needs --practice, and a decision."]
            return
        count = len(self._session.events)
        while self._made_at and self._made_at[-1] > count:
            self._clips.pop()
            self._made_at.pop()
        self._maker.log = ["Taken back. The same choice would roll the same again."]
        self._hints.clear()

    def _make_offer(self, seat: Seat) -> Offer:
        session, view = self._session, self._view
        state, legal = session.state, session.legal
        toggles = view.toggles(state, session.choices)
        free = tuple(item for item in toggles.items if item in toggles.free) if toggles else ()
        hand = self._scene.hand
        hold = CupHold(across=hand.across, back=hand.end_back, height=hand.lip_height)
        listed = self._listed()
        choices = tuple(
            Choice(text=view.action_text(state, action), involved=view.involved(action))
            for action in listed
        )
        return Offer(
            seat=seat,
            board=self._dice()
            or self._maker.still(state, view.landings(state), {seat: free} if free else {}),
            title=f"The turn of {view.names[seat]}",
            effects=view.effects,
            guide=view.guide(state, seat),
            score=scoreboard(view, session.game, state),
            piggles=toggles.items if toggles else (),
            loadable=free,
            hold=hold if free else None,
            choices=choices,
            marked=view.default(state, listed) if listed else None,
            skip=view.skip in legal,
            done=view.done in legal and self._session.board is not None,
        )


_AHEAD = 2
"""Maximum rolls waiting to be shown."""


class LiveShow(Show):
    """Show whose rolls come from a task; no decisions are taken in it.

    Once it is closed the task continues alone at full speed, so no result is lost. The task
    calls its argument with every roll; `busy_text` describes the work on the next one.
    """

    def __init__(self, task: Callable[[Callable[[Clip], None]], None], *, busy_text: str) -> None:
        self._busy_text = busy_text
        self._clips: list[Clip] = []
        self._requested = 0
        self._watched = True
        self._stopped = False
        self._changed = Condition()
        self._task = BackgroundTask("live show", partial(task, self._show))

    def _show(self, clip: Clip) -> None:
        """Add a roll, and wait until it is needed; called in the thread of the task."""
        with self._changed:
            self._clips.append(clip)
            self._changed.wait_for(
                lambda: not self._watched or len(self._clips) < self._requested + _AHEAD
            )
            if self._stopped:
                raise KeyboardInterrupt

    def clips(self, count: int) -> Sequence[Clip]:
        """Return all rolls so far.

        Raises:
            BaseException: Any exception that the task raised.
        """
        with self._changed:
            self._requested = max(self._requested, count)
            self._changed.notify_all()
            clips = tuple(self._clips)
        if count > len(clips):
            self._raise()
        return clips

    def busy(self) -> str:
        """Return a description of the current work."""
        return "" if self._task.done else self._busy_text

    def close(self) -> None:
        """Let the task continue without a window."""
        with self._changed:
            self._watched = False
            self._changed.notify_all()

    def stop(self) -> None:
        """Stop the task at its next roll as Ctrl-C would."""
        self._stopped = True
        self.close()

    def finish(self) -> None:
        """Wait for the end of the task.

        Raises:
            BaseException: Any exception that the task raised.
        """
        self.close()
        try:
            while not self._task.done:
                # Wait in short intervals, so that Ctrl-C is handled.
                self._task.thread.join(0.2)
        except KeyboardInterrupt:
            self.stop()
            self._task.thread.join()
        self._raise()

    def _raise(self) -> None:
        if self._task.fault is not None:
            fault, self._task.fault = self._task.fault, None
            raise fault
