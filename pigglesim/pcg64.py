"""Random numbers without numpy: the same stream as numpy's generator, number for number.

The generator is PCG64 (O'Neill 2014), as numpy seeds it. Whole numbers are drawn by Lemire's method
(2019), normal ones by the ziggurat of Marsaglia and Tsang (2000). A page that plays a match has no
numpy.
"""

from base64 import b85decode
from functools import cache
from math import exp, log1p
from struct import unpack

_M32, _M52, _M64, _M128 = 2**32 - 1, 2**52 - 1, 2**64 - 1, 2**128 - 1
_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
_POOL = 4
"""Words of 32 bits into which a seed is mixed."""
_LAYERS = 256
_TAIL = 3.6541528853610088
"""Where the tail of the ziggurat begins."""
_PER_TAIL = 0.27366123732975828
_WIDTHS = (
    "dD#_sJ4w$x#`gW=3yq6Bv|B7ZuTYXaVLL=PxqOv845u&X`~jFeywFT83?rI6_hC3MO#qxcbaHfBFRYzB!_`bJNHU*1"
    "t-FpVGEJa7LtO$p1@)jjcQ!$nrjnsN^%{DQq9>v}fY@U=F14aO^^sS=KRly6FR`M*p1q?yRh$2f?>VGAr~W-QyRoD^"
    "bkiDQbtR=dmd*#KfR&{@>VDbJF#@JMJ$$2K(rczXa0LL8qSB^3ruatF+BT;=cPg_Gt(d1gL-j_jMfj&YcM3yO%vGp7"
    "ns$4hWU;6`n9okBE(@tV>K-hDM`NixM#VUe$+@XKET^R0%nqtNS<QECXJV>6FcuJQt+c8<oNN<qu?4F<DSASOgjK6N"
    "I-gRGHl(XOGJ?M<*72)6^G;d$a6YU&VLLLV6N;=nizagZ$<(YoNVk9vpB}9|5Fg|zooB5)!?+^=&abUJQ+DyGI`^$S"
    "{_WDW>piYK0B?FT>4UC3&Vu>9I?1j)CSve}=MAqsi1yf2_EE1quGfd2ZI!P)tS<U}Q`oOO>@-5)Rt>N`nvXg4KrXO6"
    "{G}G2>Q1mc5TJ5fR&TI83-oc2hL5m36JflBeXp=Qf6Pl}J<qT_YX}xg$nLN_?iH0XAP%uSz7H`6M=h~DL6MH1K1{JZ"
    "9w5ZO2y3xCG}?F?r-`vVh;8ms8>q27%PRQzX2!8RF4W+Yi{!C9pP)dQiUP7c>BhuzWgxOVAH(T=9X_%=`)jETv|F+~"
    "f72aiDtWRz8`l}fftIp7+Ag?ayR))9Q@G(`*wC^(j;YJ&+3m7C*GO&+!3wiHFuC;MjwiD`p<X6%L`1VZ)l$m3;$X8p"
    "YFGunYJIajWU{hv-I=pI13kFEJGQet;2l<&hSIY<gIaRlzV5R;be`aG<qEVsU38```zEwJq%b__07JAqUB}9E_g=I-"
    "Hp6C~-+Ht>FONtvx|Xy&T|ol&hqAOh+!3>^NzSx91*SL_0P3_nVpU%6s|B?@T8j$uO(C^BPiAV><~+4L$g&$wcUZMN"
    "cwbcx0CcrH6on4PfseI3SsNrH{i?M*J#&50a>lhh(~K{B<KeYDI9{K~PyMw#!yltyxEQuPqOhXq9W=H)3nsS&flszP"
    "a+b+g;%c@$H!-n;LWZ_Hv9eGpqM^1tyF;_+0ll_7Qqw45V%WAkRQO>r#Pha1>u8JjCl9wg#uRB$jw-i2-0pDP_eHln"
    "A9Lk3Wns5GN%Zgf)_k`-lfAmgO_;Yl2^5Pw%ComT`y$)(OwYGG=iYOS*6O!BAL@prX9l=Dc818>03x_N6`zUDqCL1g"
    "z4g%_PFc7-#eRBk19iAOE%!%X!;rW<L%;=+j;y#moD89>WyrWZCu&4dN#wXZkF|3tIsmymM}sKbI2^e={0i?9MmV`V"
    "ilPH~VpO?2?$vO+j&Qj=F)A*J%Z#}^znMRi8L7EEEZNnJdBwRr5p-`W?BTgQO49l!a{jqIk~aA{3>&&UTgajzyEnQ#"
    "h`S4(e^k0Wq^U}BT5-BOJu#qUOpdxd2=SjjR;#)^&h=W&c*wduHnWT2wB@=y8ll5a3j@16TbP>gd?33#01V)u3O>6$"
    "13k_`wOhM9Cy76~eR;b)Jon}CWS6@<ZY71=Yqh&PqQEX|lheCAgRX&_-0{0Spcd?GND#a{Eqd_f*Dky~91U(0j7_{e"
    "1&8biW^BAX7pCjrW{bQ$tD-i&kE*;pkk&iL;mN!_H{fV6Ug^9%ZjXyH1_`}9An!L2+bF#}N5(T1-blSXBk|{!5NW+U"
    "rTf?PbBVn?aBd)(397w34oUp@(#pL&H!f0@(d)fD9MVbq1`WPE_D1T&bS}O;h|$5B98kVICH|K$0CK)O3co5#A(Xy6"
    "2ygemfwsOpI;RkJBiX(@sq6t^2>iZ0AydMNG9SM@ZB4fiq(Z+uXaUI}UuM5Nf|rQ|W{ST&zanuMyRN@Hh37BQVAH=m"
    "3-%bnS@^#^b)eHn)DFNrN6C)@s3E{Ss{*NmsWiYm$Mrr=+DE`VezUFiJ6pg!XeOs4&~Csy7cOIun1aAORHEnzmzKah"
    "#K3WN&8omWNYw7pJ-@&_Fg>a?>eIkHlVuUl)abxGwx6c&|NX!`L2w`hZWF;gHC?-#At}K;Z3)C_9Y4W5J1$^IWL3dD"
    "^X{EH`D?*EVG`1G--5wBtm{rz8k)g8jxT?At+By8l%{d1oXNpFIj-dU>*2vX0omfhpZdW(fy@M*yc5Da?$d92M=ioU"
    "B%G|IMMuIs;8=FYykWvTE?KDhvV6ikcn){XE||hRQVJ?lH?+b$m)n*x)X>5_^?0eV4er7`?ygqS><hy@qoinFdn&^`"
    "qY|zK#7V<EK&Uf%(rLpy3PDzqvx>t!`iQP@b*#fYrUVzWC(pw?b@X7W+w#La+U2>Nq!+|IlwMR7m_5Wi6*{Lx&Sb<q"
    "yhEIIVvWQ+Ct7QrbGO7i0*TEHCF8_AL9FRhpAf}7LVh|@5kSQ}8{|r<v2n#b*^P0Fz@^1J{?IxkirmFKOdf{MX%@yj"
    ">S_Rc&Qr!b!{wj8K$XTkGU5r1Yum;=G<sj~C@04}a|Q`km3hZJjLz2dE!4+6H1a7013Ab%6nv_`539&LmPBuq;4aBL"
    "t5-k)?#szMT6dIq+>gpUvHf^BADGKLGpz}Nv^&i_"
)
"""Width of each layer in units of 2^-52, doubles in base 85: numpy's own, which `exp` and `log` of
one machine or another would miss by a last digit."""


class Row(list[int]):
    """Whole numbers, with the method by which numpy gives a list."""

    def tolist(self) -> list[int]:
        """Return the numbers."""
        return [*self]


class Reals(list[float]):
    """Numbers, with the method by which numpy gives a list."""

    def tolist(self) -> list[float]:
        """Return the numbers."""
        return [*self]


class Stream:
    """A stream of random numbers: the methods of numpy's generator that matches need.

    Args:
        seed: Seed of at least 0.
    """

    def __init__(self, seed: int) -> None:
        words = _mixed(seed, 8)
        high, low, other, last = (words[2 * k] | words[2 * k + 1] << 32 for k in range(4))
        self._step = ((other << 64 | last) << 1 | 1) & _M128
        self._state = ((self._step + (high << 64 | low)) * _MULTIPLIER + self._step) & _M128
        self._half: int | None = None
        """Upper half of the last 64 bits, if it was not used."""

    def random(self, size: int) -> Reals:
        """Return numbers from 0 to 1."""
        return Reals(self._unit() for _ in range(size))

    def uniform(self, low: float, high: float) -> float:
        """Return a number between two others."""
        return low + (high - low) * self._unit()

    def standard_normal(self, size: int) -> Reals:
        """Return normal numbers of mean 0 and standard deviation 1."""
        return Reals(self._normal() for _ in range(size))

    def integers(self, low: int, high: int | None = None, size: int | None = None) -> int | Row:
        """Return a whole number from `low` up to but not including `high`; or below `low`."""
        first, count = (0, low) if high is None else (low, high - low)
        if size is None:
            return first + self.below(count)
        return Row(first + self.below(count) for _ in range(size))

    def permutation(self, size: int) -> Row:
        """Return the numbers below `size` in a random order."""
        order = Row(range(size))
        for last in range(size - 1, 0, -1):
            mask = (1 << last.bit_length()) - 1
            while (other := self._next32() & mask) > last:
                pass
            order[last], order[other] = order[other], order[last]
        return order

    def _next64(self) -> int:
        self._state = (self._state * _MULTIPLIER + self._step) & _M128
        mixed, turn = (self._state >> 64 ^ self._state) & _M64, self._state >> 122
        return (mixed >> turn | mixed << (64 - turn)) & _M64

    def _next32(self) -> int:
        if self._half is not None:
            half, self._half = self._half, None
            return half
        value = self._next64()
        self._half = value >> 32
        return value & _M32

    def _unit(self) -> float:
        return (self._next64() >> 11) * 2.0**-53

    def below(self, count: int) -> int:
        """Return a whole number below `count`, each equally likely."""
        if count == 1:
            return 0
        bits, draw = (32, self._next32) if count <= 2**32 else (64, self._next64)
        mask = 2**bits - 1
        product = draw() * count
        if product & mask < count:
            least = (mask + 1 - count) % count
            while product & mask < least:
                product = draw() * count
        return product >> bits

    def _normal(self) -> float:
        widths, inner, heights = _ziggurat()
        while True:
            bits = self._next64()
            layer, negative = bits & (_LAYERS - 1), bits >> 8 & 1
            whole = bits >> 9 & _M52
            x = -whole * widths[layer] if negative else whole * widths[layer]
            if whole < inner[layer]:
                return x
            if layer == 0:
                while True:
                    across = -log1p(-self._unit()) * _PER_TAIL
                    down = -log1p(-self._unit())
                    if down + down > across * across:
                        beyond = _TAIL + across
                        return -beyond if whole >> 8 & 1 else beyond
            step = heights[layer - 1] - heights[layer]
            if step * self._unit() + heights[layer] < exp(-0.5 * x * x):
                return x


@cache
def _ziggurat() -> tuple[list[float], list[int], list[float]]:
    """Return the width of a unit, the share within the next layer, and the height, by layer."""
    widths = [*unpack(f"<{_LAYERS}d", b85decode(_WIDTHS))]
    edges = [width * 2.0**52 for width in widths]
    # Number 0 is the lowest layer, with the tail; then they follow from the top.
    within = [_TAIL, 0.0, *edges[1:-1]]
    inner = [int(less / each * 2.0**52) for less, each in zip(within, edges, strict=True)]
    heights = [1.0, *(exp(-0.5 * each * each) for each in edges[1:])]
    return widths, inner, heights


def _mixed(seed: int, count: int) -> list[int]:
    """Return words of 32 bits into which a seed is mixed, as numpy's `SeedSequence` does."""
    words = [seed >> 32 * k & _M32 for k in range(max(1, (seed.bit_length() + 31) // 32))]
    constant = 0x43B0D7E5

    def hashed(value: int) -> int:
        nonlocal constant
        value ^= constant
        constant = constant * 0x931E8875 & _M32
        value = value * constant & _M32
        return value ^ value >> 16

    def joined(first: int, second: int) -> int:
        value = (first * 0xCA01F9DD - second * 0x4973F715) & _M32
        return value ^ value >> 16

    pool = [hashed(word) for word in (*words, *[0] * _POOL)[:_POOL]]
    for source in range(_POOL):
        for target in range(_POOL):
            if source != target:
                pool[target] = joined(pool[target], hashed(pool[source]))
    for word in words[_POOL:]:
        pool = [joined(each, hashed(word)) for each in pool]
    constant = 0x8B51F9DD
    mixed = []
    for k in range(count):
        value = pool[k % _POOL] ^ constant
        constant = constant * 0x58F38DED & _M32
        value = value * constant & _M32
        mixed.append(value ^ value >> 16)
    return mixed
