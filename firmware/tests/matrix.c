/* Integer matrices: product, transpose, power, and a determinant without fractions. */
#include "check.h"

#define SIZE 8

typedef int32_t matrix_t[SIZE][SIZE];

static matrix_t a, b, product, square, transposed, left, right;

static void multiply(matrix_t out, matrix_t x, matrix_t y)
{
    for (int row = 0; row < SIZE; row++) {
        for (int column = 0; column < SIZE; column++) {
            uint32_t sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += (uint32_t)x[row][k] * (uint32_t)y[k][column];
            out[row][column] = (int32_t)sum;
        }
    }
}

static void transpose(matrix_t out, matrix_t in)
{
    for (int row = 0; row < SIZE; row++) {
        for (int column = 0; column < SIZE; column++)
            out[column][row] = in[row][column];
    }
}

/* Bareiss: every division is exact, so a machine's integer division gives the determinant. */
static int32_t determinant(matrix_t in, int size)
{
    static int64_t work[SIZE][SIZE];
    int64_t previous = 1;
    for (int row = 0; row < size; row++) {
        for (int column = 0; column < size; column++)
            work[row][column] = in[row][column];
    }
    for (int k = 0; k + 1 < size; k++) {
        check(work[k][k] != 0);
        for (int row = k + 1; row < size; row++) {
            for (int column = k + 1; column < size; column++) {
                int64_t value = work[row][column] * work[k][k] - work[row][k] * work[k][column];
                check(value % previous == 0);
                work[row][column] = value / previous;
            }
        }
        previous = work[k][k];
    }
    return (int32_t)work[size - 1][size - 1];
}

static uint32_t digest_of(matrix_t in)
{
    uint32_t digest = 0;
    for (int row = 0; row < SIZE; row++) {
        for (int column = 0; column < SIZE; column++)
            digest = digest * 31 + (uint32_t)in[row][column];
    }
    return digest;
}

void test(void)
{
    uint32_t state = 11;
    for (int row = 0; row < SIZE; row++) {
        for (int column = 0; column < SIZE; column++) {
            a[row][column] = (int32_t)(next_random(&state) % 19) - 9;
            b[row][column] = (int32_t)(next_random(&state) % 19) - 9;
        }
    }
    multiply(product, a, b);
    report(digest_of(product));
    transpose(transposed, product);
    transpose(left, b);
    transpose(right, a);
    multiply(square, left, right); /* (AB)' = B'A' */
    check(digest_of(square) == digest_of(transposed));
    multiply(square, a, a);
    multiply(left, square, a);
    multiply(right, a, square);
    check(digest_of(left) == digest_of(right));
    report(digest_of(left));
    for (int size = 2; size <= 5; size++)
        report((uint32_t)determinant(a, size));
}
