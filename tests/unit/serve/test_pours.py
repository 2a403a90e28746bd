"""Throws in other processes: the same bits, also if a process dies."""

import asyncio
import os
import signal
from functools import partial

import pytest

from pigglesim.api.roll import prepare
from pigglesim.films.codec import encode
from pigglesim.serve.pages import Workshop
from pigglesim.serve.pours import FilmedElsewhere, Pours


@pytest.fixture(scope="module")
def pours():
    pours = Pours()
    yield pours
    pours.close()


def thrown(seed, pours=None):
    ready = prepare(6, scene="piggles_classic", models=["piggle+blue+left"], seed=seed)
    return ready.roll(filmer=partial(FilmedElsewhere, pours=pours)) if pours else ready.roll()


def test_a_throw_elsewhere_has_the_same_bits(pours):
    here, elsewhere = thrown(7), thrown(7, pours)
    assert elsewhere.result == here.result
    assert encode(elsewhere.film) == encode(here.film)


def test_a_process_that_dies_is_replaced(pours):
    thrown(7, pours)
    for pool in pours._pools:
        for pid in pool.pids:
            os.kill(pid, signal.SIGKILL)
    assert thrown(8, pours).result == thrown(8).result


@pytest.mark.slow
def test_a_server_that_ends_waits_for_the_throw_under_way():
    own, workshop = Pours(), Workshop(threads=1)

    async def end():
        throw = asyncio.create_task(workshop.run(thrown, 9, own))
        await asyncio.sleep(0.05)
        workshop.close()
        own.close()
        return await throw

    assert asyncio.run(end()).result == thrown(9).result
