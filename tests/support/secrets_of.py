"""A seed and its digests, in all forms that somebody could look for, and what contains them."""

import base64
import hashlib
import json
import re
import zlib

_DIGESTS = ("md5", "sha1", "sha224", "sha256", "sha512", "blake2b")
_PREFIX = 12
"""Digits of a digest that are enough to recognise a seed."""


def _spellings(seed):
    """Yield texts and bytes that spell a seed."""
    width = max(16, (seed.bit_length() + 7) // 8)
    for text in (str(seed), f"{seed:x}", f"{seed:X}", hex(seed), repr((seed,))):
        yield text.encode()
        for name in ("play", "match", "pigglesim"):
            yield f"{name}-{text}.jsonl".encode()
        yield f"{text}.jsonl".encode()
    for order in ("big", "little"):
        yield seed.to_bytes(width, order)


def _needles(seed):
    for spelt in _spellings(seed):
        yield spelt
        for name in _DIGESTS:
            digest = hashlib.new(name, spelt)
            yield digest.hexdigest()[:_PREFIX].encode()
            yield digest.digest()[: _PREFIX // 2]
            yield base64.b64encode(digest.digest())[:_PREFIX]
            yield base64.urlsafe_b64encode(digest.digest())[:_PREFIX]
    yield base64.b64encode(str(seed).encode())[:_PREFIX]


def _numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _numbers(each)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def _unpacked(data):
    """Yield data, and what is packed in it as Base64, compressed or not."""
    yield data
    for text in re.findall(rb"[A-Za-z0-9+/]{40,}={0,2}", data):
        try:
            raw = base64.b64decode(text)
        except ValueError:
            continue
        yield raw
        for form in (zlib.MAX_WBITS, -zlib.MAX_WBITS, zlib.MAX_WBITS | 16):
            try:
                yield zlib.decompress(raw, form)
            except zlib.error:
                continue


def found(seed, traffic):
    """Return the pieces of traffic that hold a seed or a digest of it, as text, bytes or number."""
    needles = {needle.lower() for needle in _needles(seed)}
    as_numbers = {seed, float(seed)}
    as_numbers |= {
        int(hashlib.new(name, spelt).hexdigest()[:size], 16)
        for name in _DIGESTS
        for spelt in _spellings(seed)
        for size in (_PREFIX, 16, None)
    }
    hits = []
    for piece in traffic:
        data = piece.encode() if isinstance(piece, str) else bytes(piece)
        whole = [each.lower() for each in _unpacked(data)]
        try:
            numbers = {*_numbers(json.loads(data))}
        except ValueError:
            numbers = set()
        if numbers & as_numbers or any(needle in each for each in whole for needle in needles):
            hits.append(piece)
    return hits
