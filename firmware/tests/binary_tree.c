/* A treap, a tree kept in balance by random priorities: insertion, removal, order, rank, depth. */
#include "check.h"

#define NODES 128

struct node {
    struct node *child[2];
    uint32_t key;
    uint32_t priority;
    uint32_t size;
};

static struct node pool[NODES];
static uint32_t used;
static uint32_t state = 59;

static uint32_t size_of(const struct node *tree)
{
    return tree ? tree->size : 0;
}

static struct node *resized(struct node *tree)
{
    tree->size = 1 + size_of(tree->child[0]) + size_of(tree->child[1]);
    return tree;
}

static struct node *rotated(struct node *tree, int side)
{
    struct node *top = tree->child[side];
    tree->child[side] = top->child[!side];
    top->child[!side] = resized(tree);
    return resized(top);
}

static struct node *inserted(struct node *tree, uint32_t key)
{
    if (!tree) {
        struct node *node = &pool[used++];
        node->key = key;
        node->priority = next_random(&state);
        node->size = 1;
        return node;
    }
    if (key == tree->key)
        return tree;
    int side = key > tree->key;
    tree->child[side] = inserted(tree->child[side], key);
    return tree->child[side]->priority > tree->priority ? rotated(tree, side) : resized(tree);
}

static struct node *removed(struct node *tree, uint32_t key)
{
    if (!tree)
        return NULL;
    if (key != tree->key) {
        int side = key > tree->key;
        tree->child[side] = removed(tree->child[side], key);
        return resized(tree);
    }
    if (!tree->child[0] || !tree->child[1])
        return tree->child[tree->child[0] == NULL];
    int side = tree->child[1]->priority > tree->child[0]->priority;
    struct node *top = rotated(tree, side);
    top->child[!side] = removed(top->child[!side], key);
    return resized(top);
}

static uint32_t key_of_rank(const struct node *tree, uint32_t rank)
{
    for (;;) {
        uint32_t left = size_of(tree->child[0]);
        if (rank == left)
            return tree->key;
        if (rank < left) {
            tree = tree->child[0];
        } else {
            tree = tree->child[1];
            rank -= left + 1;
        }
    }
}

static uint32_t walk(const struct node *tree, uint32_t low, uint32_t high, uint32_t *digest)
{
    if (!tree)
        return 0;
    check(tree->key >= low && tree->key < high);
    uint32_t left = walk(tree->child[0], low, tree->key, digest);
    *digest = *digest * 31 + tree->key;
    uint32_t right = walk(tree->child[1], tree->key + 1, high, digest);
    return 1 + (left > right ? left : right);
}

void test(void)
{
    struct node *tree = NULL;
    uint32_t digest = 0;
    for (int i = 0; i < NODES; i++)
        tree = inserted(tree, next_random(&state) % 500);
    report(size_of(tree));
    report(walk(tree, 0, 500, &digest));
    for (uint32_t key = 0; key < 500; key += 2)
        tree = removed(tree, key);
    walk(tree, 0, 500, &digest);
    uint32_t count = size_of(tree);
    report(count);
    report(digest);
    for (uint32_t rank = 1; rank < count; rank++)
        check(key_of_rank(tree, rank - 1) < key_of_rank(tree, rank));
    report(key_of_rank(tree, count / 2));
}
