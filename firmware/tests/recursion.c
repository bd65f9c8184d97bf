/*
 * Deep and wide recursion: Fibonacci, Ackermann, the towers of Hanoi, queens, permutations, mutual
 * recursion.
 */
#include "check.h"

static uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static uint32_t ackermann(uint32_t m, uint32_t n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static uint32_t pegs[3];

static uint32_t move_tower(uint32_t disks, int from, int to)
{
    if (disks == 0)
        return 0;
    int other = 3 - from - to;
    uint32_t moves = move_tower(disks - 1, from, other);
    uint32_t disk = 1u << (disks - 1);
    check((pegs[from] & (disk | (disk - 1))) == disk); /* nothing smaller on top of it */
    check((pegs[to] & (disk - 1)) == 0);
    pegs[from] ^= disk;
    pegs[to] ^= disk;
    return moves + 1 + move_tower(disks - 1, other, to);
}

static uint32_t queens(uint32_t board, uint32_t columns, uint32_t left, uint32_t right)
{
    if (columns == board)
        return 1;
    uint32_t solutions = 0;
    for (uint32_t free = board & ~(columns | left | right); free; free &= free - 1) {
        uint32_t place = free & -free;
        solutions += queens(board, columns | place, (left | place) << 1, (right | place) >> 1);
    }
    return solutions;
}

static uint32_t permutation_digest;

static void permute(uint8_t *items, uint32_t count)
{
    if (count == 1) {
        for (int i = 0; i < 5; i++)
            permutation_digest = permutation_digest * 31 + items[i];
        return;
    }
    for (uint32_t i = 0; i < count; i++) { /* Heap's algorithm */
        permute(items, count - 1);
        uint32_t other = count & 1 ? 0 : i;
        uint8_t t = items[other];
        items[other] = items[count - 1];
        items[count - 1] = t;
    }
}

static bool is_odd(uint32_t n);

static __attribute__((noinline)) bool is_even(uint32_t n)
{
    return n == 0 || is_odd(n - 1);
}

static __attribute__((noinline)) bool is_odd(uint32_t n)
{
    return n != 0 && is_even(n - 1);
}

void test(void)
{
    uint8_t items[] = {1, 2, 3, 4, 5};
    report(fibonacci(17));
    report(ackermann(2, 9));
    pegs[0] = 0xff;
    report(move_tower(8, 0, 2));
    check(pegs[2] == 0xff);
    report(queens(0x7f, 0, 0, 0));
    permute(items, 5);
    report(permutation_digest);
    report(is_even(100));
    report(is_odd(100));
}
