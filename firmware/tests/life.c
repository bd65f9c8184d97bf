/*
 * Conway's game of life on a torus of 32 by 32, whole rows at a time with bit-parallel adders, and cell by
 * cell.
 */
#include "check.h"

#define SIZE 32

static uint32_t rows[SIZE], by_row[SIZE], by_cell[SIZE];

static uint32_t left(uint32_t x)
{
    return x << 1 | x >> 31;
}

static uint32_t right(uint32_t x)
{
    return x >> 1 | x << 31;
}

/* Adds three bits per column: the result is 2 * twos + ones. */
static void add3(uint32_t a, uint32_t b, uint32_t c, uint32_t *ones, uint32_t *twos)
{
    *ones = a ^ b ^ c;
    *twos = (a & b) | (c & (a ^ b));
}

static void step_rows(uint32_t *next)
{
    for (int y = 0; y < SIZE; y++) {
        uint32_t above = rows[(y + 31) % SIZE];
        uint32_t here = rows[y];
        uint32_t below = rows[(y + 1) % SIZE];
        uint32_t a1, a2, b1, b2, sum1, carry, c2, d4;
        add3(left(above), above, right(above), &a1, &a2);
        add3(left(below), below, right(below), &b1, &b2);
        uint32_t m1 = left(here) ^ right(here);
        uint32_t m2 = left(here) & right(here);
        add3(a1, b1, m1, &sum1, &carry);
        add3(a2, b2, m2, &c2, &d4);
        uint32_t twos = c2 ^ carry;
        uint32_t fours = d4 | (c2 & carry);
        next[y] = twos & ~fours & (sum1 | here);
    }
}

static uint32_t alive(int x, int y)
{
    return rows[y & 31] >> (x & 31) & 1;
}

static void step_cells(uint32_t *next)
{
    for (int y = 0; y < SIZE; y++) {
        next[y] = 0;
        for (int x = 0; x < SIZE; x++) {
            uint32_t neighbours = 0;
            for (int dy = -1; dy <= 1; dy++) {
                for (int dx = -1; dx <= 1; dx++)
                    neighbours += (dx || dy) && alive(x + dx, y + dy);
            }
            next[y] |= (uint32_t)(neighbours == 3 || (neighbours == 2 && alive(x, y))) << x;
        }
    }
}

void test(void)
{
    uint32_t state = 61;
    for (int y = 0; y < SIZE; y++)
        rows[y] = next_random(&state) & next_random(&state);
    for (int generation = 0; generation < 2; generation++) {
        uint32_t population = 0;
        step_rows(by_row);
        step_cells(by_cell);
        for (int y = 0; y < SIZE; y++) {
            check(by_row[y] == by_cell[y]);
            rows[y] = by_row[y];
            population += (uint32_t)__builtin_popcount(rows[y]);
        }
        report(population);
    }
}
