/* Linked lists out of a pool: insertion, removal, reversal, and a doubly linked queue of recent use. */
#include "check.h"

#define NODES 40

struct node {
    struct node *next;
    uint32_t value;
};

static struct node pool[NODES];
static struct node *free_nodes;

static struct node *take(void)
{
    struct node *node = free_nodes;
    check(node != NULL);
    free_nodes = node->next;
    return node;
}

static void insert_sorted(struct node **list, uint32_t value)
{
    while (*list && (*list)->value < value)
        list = &(*list)->next;
    struct node *node = take();
    node->value = value;
    node->next = *list;
    *list = node;
}

static uint32_t remove_multiples(struct node **list, uint32_t of)
{
    uint32_t removed = 0;
    while (*list) {
        struct node *node = *list;
        if (node->value % of == 0) {
            *list = node->next;
            node->next = free_nodes;
            free_nodes = node;
            removed++;
        } else {
            list = &node->next;
        }
    }
    return removed;
}

static struct node *reversed(struct node *list)
{
    struct node *done = NULL;
    while (list) {
        struct node *rest = list->next;
        list->next = done;
        done = list;
        list = rest;
    }
    return done;
}

struct entry {
    struct entry *older, *newer;
    uint32_t key;
};

static struct entry cache[8];
static struct entry ends; /* newer: the oldest entry; older: the newest */

static void unlink_entry(struct entry *entry)
{
    entry->older->newer = entry->newer;
    entry->newer->older = entry->older;
}

static void make_newest(struct entry *entry)
{
    entry->older = ends.older;
    entry->newer = &ends;
    ends.older->newer = entry;
    ends.older = entry;
}

static bool look_up(uint32_t key)
{
    for (struct entry *entry = ends.older; entry != &ends; entry = entry->older) {
        if (entry->key == key) {
            unlink_entry(entry);
            make_newest(entry);
            return true;
        }
    }
    struct entry *oldest = ends.newer;
    unlink_entry(oldest);
    oldest->key = key;
    make_newest(oldest);
    return false;
}

void test(void)
{
    struct node *list = NULL;
    uint32_t state = 47;
    for (size_t i = 0; i < NODES; i++) {
        pool[i].next = free_nodes;
        free_nodes = &pool[i];
    }
    for (int i = 0; i < NODES; i++)
        insert_sorted(&list, next_random(&state) % 1000);
    check(free_nodes == NULL);
    report(remove_multiples(&list, 3));
    list = reversed(list);
    uint32_t digest = 0;
    for (struct node *node = list; node; node = node->next) {
        check(!node->next || node->value >= node->next->value);
        digest = digest * 31 + node->value;
    }
    report(digest);

    ends.older = ends.newer = &ends;
    for (uint32_t i = 0; i < 8; i++) {
        cache[i].key = 1000 + i;
        make_newest(&cache[i]);
    }
    uint32_t hits = 0;
    for (int i = 0; i < 300; i++) {
        uint32_t random = next_random(&state);
        hits += look_up(random & 1 ? random >> 30 : random >> 28);
    }
    report(hits);
}
