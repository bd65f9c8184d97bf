/* Merge sort of a linked list, which must also be stable. */
#include "sorts.h"

struct node {
    struct node *next;
    int32_t key;
    uint32_t position;
};

static struct node nodes[SORT_COUNT];
static int32_t values[SORT_COUNT];

static struct node *merge(struct node *a, struct node *b)
{
    struct node head;
    struct node *tail = &head;
    while (a && b) {
        struct node **smaller = b->key < a->key ? &b : &a;
        tail->next = *smaller;
        tail = tail->next;
        *smaller = tail->next;
    }
    tail->next = a ? a : b;
    return head.next;
}

static struct node *sort(struct node *list)
{
    if (!list || !list->next)
        return list;
    struct node *slow = list;
    for (struct node *fast = list->next; fast && fast->next; fast = fast->next->next)
        slow = slow->next;
    struct node *second = slow->next;
    slow->next = NULL;
    return merge(sort(list), sort(second));
}

void test(void)
{
    fill(values, SORT_COUNT);
    for (uint32_t i = 0; i < SORT_COUNT; i++) {
        nodes[i].next = i + 1 < SORT_COUNT ? &nodes[i + 1] : NULL;
        nodes[i].key = values[i] >> 12; /* few keys, many ties */
        nodes[i].position = i;
    }
    size_t count = 0;
    for (struct node *node = sort(nodes); node; node = node->next) {
        check(!node->next || node->key < node->next->key
              || (node->key == node->next->key && node->position < node->next->position));
        values[count++] = node->key;
    }
    check(count == SORT_COUNT);
    judge(values, SORT_COUNT);
}
