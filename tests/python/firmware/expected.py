"""Expected reports of the programs of `firmware/tests`, computed on the host."""

import base64
import hashlib
import heapq
import itertools
import math
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial

MASK = 0xFFFF_FFFF
MASK64 = 0xFFFF_FFFF_FFFF_FFFF


class Random:
    """`next_random` of check.c."""

    def __init__(self, state: int) -> None:
        """Start from `state`, which is not 0."""
        self._state = state

    def __call__(self) -> int:
        """The next word."""
        x = self._state
        x ^= x << 13 & MASK
        x ^= x >> 17
        x ^= x << 5 & MASK
        self._state = x
        return x

    def bytes(self, count: int) -> bytes:
        """The low bytes of the next `count` words."""
        return bytes(self() & 0xFF for _ in range(count))


def signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


def rolling(values: Iterable[int], start: int = 0, factor: int = 31) -> int:
    """The digest that most programs use."""
    digest = start
    for value in values:
        digest = (digest * factor + value) & MASK
    return digest


def truncated_division(a: int, b: int) -> tuple[int, int]:
    """Quotient and remainder as C defines them."""
    quotient = abs(a) // abs(b)
    if (a < 0) != (b < 0):
        quotient = -quotient
    return quotient, a - quotient * b


def crc32() -> list[int]:
    frame = Random(1).bytes(300)
    return [zlib.crc32(frame[:length]) for length in range(0, 301, 60)]


def internet_checksum() -> list[int]:
    data = Random(1).bytes(256)
    checksums = []
    for length in range(1, 257, 15):
        padded = data[:length] + bytes(length % 2)
        total = sum(struct.unpack(f">{len(padded) // 2}H", padded))
        # The ones-complement sum of anything but zeros is the sum modulo 2^16 - 1, written as 1 to 2^16 - 1.
        checksums.append(0xFFFF - ((total - 1) % 0xFFFF + 1))
    return checksums


def adler_fletcher() -> list[int]:
    data = Random(3).bytes(5700)
    words = []
    for length in range(0, 5701, 5700):
        low = sum(data[:length]) % 255
        high = sum((length - index) * byte for index, byte in enumerate(data[:length])) % 255
        words += [zlib.adler32(data[:length]), high << 8 | low]
    return words


def sort_values() -> list[int]:
    random = Random(42)
    return sorted(signed(random()) >> 12 for _ in range(150))


def judged(values: list[int]) -> list[int]:
    return [rolling(values), *(value & MASK for value in values[::50])]


def sort_merge_list() -> list[int]:
    return judged([value >> 12 for value in sort_values()])


CORNERS64 = [0, 1, 2, 0x7FFFFFFF, 0x80000000, MASK, 1 << 32, (1 << 63) - 1, 1 << 63, MASK64]


def arithmetic64() -> list[int]:
    digest = 0

    def combine(a: int, b: int) -> None:
        nonlocal digest
        shift = b & 63
        sa, sb = (value - (1 << 64) if value >> 63 else value for value in (a, b))
        values = [a + b, a - b, a * b, a << shift, a >> shift, sa >> shift, (a < b) << 1 | (sa < sb)]
        if b:
            values += divmod(a, b)
            if (a, b) != (1 << 63, MASK64):
                values += truncated_division(sa, sb)
        for value in values:
            digest = (digest ^ value & MASK64) * 0x100000001B3 & MASK64

    words = []
    for a in CORNERS64:
        for b in CORNERS64:
            combine(a, b)
        words += [digest >> 32, digest & MASK]
    random = Random(9)
    for i in range(20):
        a = random() << 32 | random()
        b = random() << 32 | random()
        combine(a, b >> (i & 63))
    return [*words, digest >> 32, digest & MASK]


CORNERS32 = [0, 1, 2, 3, 7, 10, 0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFF6, 0xFFFFFFFE, MASK]


def divide32() -> list[int]:
    def combine(a: int, b: int) -> int:
        digest = (a * b >> 32 ^ signed(a) * signed(b) >> 32) & MASK
        if b == 0 or (a, b) == (1 << 31, MASK):
            return digest
        return rolling(truncated_division(signed(a), signed(b)), digest, 33)

    words = [rolling((combine(a, b) for b in CORNERS32), factor=65599) for a in CORNERS32]
    random = Random(5)
    pairs = []
    for i in range(20):
        a = random()
        pairs.append((a, random() >> (i & 31)))
    return [*words, rolling((combine(a, b) for a, b in pairs), factor=65599)]


def strings() -> list[int]:
    sentence = "  frames go from wire to host and   from host to wire "
    words = [len(sentence), len(sentence.split()), sentence.index("host")]
    for number in [0, 7, -1, 255, 1000000, -(2**31), 2**31 - 1, -36]:
        digest = 5381
        for character in str(number):
            digest = digest * 33 & MASK ^ ord(character)
        words.append(digest)
    return words


def recursion() -> list[int]:
    items = [1, 2, 3, 4, 5]
    digest = 0

    def permute(count: int) -> None:
        nonlocal digest
        if count == 1:
            digest = rolling(items, digest)
            return
        for i in range(count):
            permute(count - 1)
            other = 0 if count % 2 else i
            items[other], items[count - 1] = items[count - 1], items[other]

    permute(5)
    # F(17), A(2, 9) = 2 * 9 + 3, 2^8 - 1 moves, seven queens (OEIS A000170).
    return [1597, 21, 255, 40, digest, 1, 0]


Matrix = list[list[int]]


def determinant(matrix: Matrix) -> int:
    """Compute it by fractions, where the program divides integers exactly."""
    rows = [[Fraction(value) for value in row] for row in matrix]
    result = Fraction(1)
    for k, pivot_row in enumerate(rows):
        result *= pivot_row[k]
        for row in rows[k + 1 :]:
            factor = row[k] / pivot_row[k]
            row[k:] = [value - factor * pivot for value, pivot in zip(row[k:], pivot_row[k:], strict=True)]
    return int(result)


def matrix() -> list[int]:
    random = Random(11)
    a: Matrix = [[0] * 8 for _ in range(8)]
    b: Matrix = [[0] * 8 for _ in range(8)]
    for row, column in itertools.product(range(8), range(8)):
        a[row][column] = random() % 19 - 9
        b[row][column] = random() % 19 - 9

    def product(x: Matrix, y: Matrix) -> Matrix:
        return [[sum(map(int.__mul__, row, column)) for column in zip(*y, strict=True)] for row in x]

    digests = [rolling(itertools.chain(*m)) for m in (product(a, b), product(product(a, a), a))]
    return digests + [determinant([row[:size] for row in a[:size]]) & MASK for size in range(2, 6)]


def primes() -> list[int]:
    count = sum(all(n % d for d in range(2, math.isqrt(n) + 1)) for n in range(2, 1024))
    rest, largest = 600851475, 1
    for d in range(2, 30000):
        while rest % d == 0:
            rest, largest = rest // d, d
    return [count, pow(3, 1000000, 1000003), max(rest, largest), math.gcd(3528 * 1001, 4116 * 143)]


def self_modifying() -> list[int]:
    a, b = 0x12345678, 0x0FF00FF0
    results = [a + b, a - b, a & b, a | b, a ^ b, ~(a | b)]
    return [value & MASK for value in results] + [sum(range(n + 1)) for n in (4, 8, 12)]


def copied_code() -> list[int]:
    data = Random(8).bytes(50)
    mix = 0
    for byte in data:
        mix = mix << 1 & MASK ^ byte
    return [sum(data), mix]


def bytecode() -> list[int]:
    fibonacci = [0, 1]
    while len(fibonacci) <= 40:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    return [math.factorial(n) for n in range(0, 13, 3)] + fibonacci[::10]


def varargs() -> list[int]:
    wide = rolling_wide([1, 1 << 40, 3, 4, 5])
    return [wide >> 32, wide & MASK, rolling_wide([1, 2, 3, 4, 5]), 39]


def rolling_wide(values: list[int]) -> int:
    total = 0
    for value in values:
        total = (total * 7 + value) & MASK64
    return total


def encoded_base64() -> list[int]:
    data = Random(17).bytes(100)
    texts = [base64.b64encode(data[:count]) for count in range(0, 101, 11)]
    return [rolling(text, len(text)) for text in texts]


def hashed(name: str) -> list[int]:
    message = Random(1).bytes(200)
    words: list[int] = []
    for length in (0, 3, 55, 56, 64, 200):
        digest = hashlib.new(name, message[:length], usedforsecurity=False).digest()
        words += struct.unpack(f">{len(digest) // 4}I", digest)
    return words


def huffman_bits() -> int:
    """The bits of an optimal prefix code: the sum of the inner nodes' weights."""
    random = Random(23)
    counts: Counter[int] = Counter()
    for _ in range(200):
        word = random()
        zeros = (word | 0x8000_0000) & -(word | 0x8000_0000)
        counts[(zeros.bit_length() - 1) * 2 % 32 + (word >> 31)] += 1
    heap = list(counts.values())
    heapq.heapify(heap)
    bits = 0
    while len(heap) > 1:
        merged = heapq.heappop(heap) + heapq.heappop(heap)
        bits += merged
        heapq.heappush(heap, merged)
    return bits


def shift_register_periods() -> list[int]:
    return [0xFFF, 0xFFF]  # maximal: both polynomials are primitive


def binary_tree() -> list[int]:
    random = Random(59)
    keys: set[int] = set()
    for _ in range(128):
        key = random() % 500
        if key not in keys:
            random()  # its priority
        keys.add(key)
    return [len(keys)]


def life() -> list[int]:
    random = Random(61)
    rows = [random() & random() for _ in range(32)]
    alive = {(x, y) for y, row in enumerate(rows) for x in range(32) if row >> x & 1}
    populations = []
    for _ in range(2):
        near = Counter(
            ((x + dx) % 32, (y + dy) % 32)
            for x, y in alive
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
            if dx or dy
        )
        alive = {cell for cell, count in near.items() if count == 3 or (count == 2 and cell in alive)}
        populations.append(len(alive))
    return populations


def branches() -> list[int]:
    words = []
    for a in (0, 1, -1, 2**31 - 1, -(2**31)):
        taken = [a < 0, a >= 0, a <= 0, a > 0]
        seen = 0
        for outcome in [3 if t else 2 for t in taken] + [3 if t else 0 for t in taken]:
            seen = seen << 2 | outcome
        product = (a & MASK) * 0x87654321
        words += [seen, product >> 32 ^ product & MASK]
    return words


def ring_commit() -> list[int]:
    return [rolling(frame ^ 0x5A5A for frame in range(400)), 400]


def spin_lock(cores: int) -> list[int]:
    return [100 * cores, 300 * cores, *[100] * cores]


def ticket_lock(cores: int) -> list[int]:
    return [*[60] * cores, 60 * cores, 60 * cores]


def atomic_words(cores: int) -> list[int]:
    largest = 0
    for core in range(cores):
        random = Random(100 + core)
        largest = max(largest, *(random() >> 8 for _ in range(150)))
    tokens = 1 + sum((core + 1) * 1000 + round_ for core in range(cores) for round_ in range(150))
    return [150 * cores, largest, tokens]


def work_queue(cores: int) -> list[int]:
    items = cores // 2 * 120
    return [items, items * (items - 1) // 2, items, items]


def phases() -> list[int]:
    random = Random(71)
    return [sum(random() & 0xFFFF for _ in range(96))]


def ping_pong(cores: int) -> list[int]:
    return [60 * cores * 6]


WORDS: dict[str, Callable[[], list[int]]] = {
    "crc32": crc32,
    "internet_checksum": internet_checksum,
    "adler_fletcher": adler_fletcher,
    "sort_quick": lambda: judged(sort_values()) * 2,
    "sort_heap": lambda: judged(sort_values()),
    "sort_simple": lambda: judged(sort_values()),
    "sort_merge_list": sort_merge_list,
    "arithmetic64": arithmetic64,
    "divide32": divide32,
    "strings": strings,
    "recursion": recursion,
    "matrix": matrix,
    "primes": primes,
    "self_modifying": self_modifying,
    "copied_code": copied_code,
    "bytecode": bytecode,
    "varargs": varargs,
    "base64": encoded_base64,
    "sha256": lambda: hashed("sha256"),
    "md5": lambda: hashed("md5"),
    "huffman": lambda: [huffman_bits()],
    "shift_registers": shift_register_periods,
    "binary_tree": binary_tree,
    "life": life,
    "branches": branches,
    "ticket_lock_4": lambda: ticket_lock(4),
    "atomic_words_6": lambda: atomic_words(6),
    "free_list_5": lambda: [0xFFFF],
    "phases_3": phases,
    **{f"spin_lock_{cores}": partial(spin_lock, cores) for cores in range(2, 7)},
    **{f"work_queue_{cores}": partial(work_queue, cores) for cores in (2, 4, 6)},
    **{f"ring_commit_{cores}": ring_commit for cores in (2, 4, 6)},
    **{f"ping_pong_{cores}": partial(ping_pong, cores) for cores in (2, 6)},
}
"""First result words by program. The other programs contain their expectations in their checks."""
