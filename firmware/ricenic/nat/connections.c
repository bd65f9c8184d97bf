/*
 * The connections of inner nodes. A connection's place in the table says which port of the card it has, so packets from outside are looked
 * up without a search; those from inside through a hash table.
 *
 * Each class has a time after which a connection without packets ends. A list for each class has its connections by their last packet:
 * those that end stand at its front. Free places wait in a queue, so that the port of a connection that has ended is taken again as late
 * as can be.
 */
#include "ricenic/nic.h"
#include "ricenic/nat.h"

#define NONE 0xffffu
#define TABLE ((struct connection *)NAT_CONNECTIONS)
/* The first connection of each chain, plus 1; 0 for none. */
#define CHAINS ((uint16_t *)(NAT_CONNECTIONS + NAT_MOST_CONNECTIONS * sizeof(struct connection)))

struct list {
    uint16_t oldest, newest;
};

OF_CORE1 uint32_t connections_open;
OF_CORE1 struct nat_settings nat_settings;

static OF_CORE1 struct list lists[CLASSES];
static OF_CORE1 struct list free_places;
static OF_CORE1 uint32_t fresh;       /* places from here on were never taken */
static OF_CORE1 uint32_t chains_mask; /* one less than there are chains */
static OF_CORE1 uint32_t now; /* in ticks of NAT_TICK_CYCLES */

/* From both halves of the time base: the lower one alone begins anew every few seconds, for which a core may rest. */
static uint32_t ticks(void)
{
    _Static_assert(NAT_TICK_CYCLES == 1u << 16, "a tick has 2^16 cycles");
    uint32_t upper, lower, again;
    do {
        __asm__ volatile("mftbu %0\n\tmftb %1\n\tmftbu %2" : "=r"(upper), "=r"(lower), "=r"(again));
    } while (upper != again);
    return upper << 16 | lower >> 16;
}

void connections_start(void)
{
    const volatile uint32_t *words = (const volatile uint32_t *)NAT_SETTINGS_ADDRESS;
    for (uint32_t word = 0; word < sizeof nat_settings / 4; word++)
        ((uint32_t *)&nat_settings)[word] = words[word];
    for (uint32_t class = 0; class < CLASSES; class++)
        lists[class] = (struct list){NONE, NONE};
    free_places = (struct list){NONE, NONE};
    uint32_t chains = 2;
    while (chains < nat_settings.connections)
        chains *= 2;
    chains_mask = chains - 1;
    for (uint32_t chain = 0; chain < chains; chain++)
        CHAINS[chain] = 0;
    now = ticks();
}

static uint32_t timeout(uint32_t class) { return (&nat_settings.timeout_udp)[class]; }

uint16_t outer_port(const struct connection *connection)
{
    return (uint16_t)(nat_settings.first_port + (uint32_t)(connection - TABLE));
}

static uint16_t *chain_of(uint8_t protocol, struct endpoint inside, struct endpoint remote)
{
    uint32_t mixed = (inside.address ^ remote.address << 1) * 0x9e3779b1u;
    mixed ^= ((uint32_t)inside.port << 16 | remote.port) + protocol;
    mixed *= 0x85ebca6bu;
    return &CHAINS[mixed >> 16 & chains_mask];
}

static bool is_same_end(struct endpoint one, struct endpoint other)
{
    return one.address == other.address && one.port == other.port;
}

static void leave_list(struct connection *connection)
{
    struct list *list = &lists[connection->class];
    if (connection->older == NONE)
        list->oldest = connection->newer;
    else
        TABLE[connection->older].newer = connection->newer;
    if (connection->newer == NONE)
        list->newest = connection->older;
    else
        TABLE[connection->newer].older = connection->older;
}

static void join_list(struct connection *connection, enum connection_class class)
{
    struct list *list = &lists[class];
    uint16_t place = (uint16_t)(connection - TABLE);
    connection->class = (uint8_t)class;
    connection->older = list->newest;
    connection->newer = NONE;
    if (list->newest == NONE)
        list->oldest = place;
    else
        TABLE[list->newest].newer = place;
    list->newest = place;
}

static void end_connection(struct connection *connection)
{
    uint16_t place = (uint16_t)(connection - TABLE);
    uint16_t *link = chain_of(connection->protocol, connection->inside, connection->remote);
    while (*link != place + 1)
        link = &TABLE[*link - 1].next;
    *link = connection->next;
    leave_list(connection);
    connection->protocol = 0;
    connection->next = NONE;
    if (free_places.oldest == NONE)
        free_places.oldest = place;
    else
        TABLE[free_places.newest].next = place;
    free_places.newest = place;
    connections_open--;
}

static bool is_over(const struct connection *connection)
{
    return now - connection->used_at >= timeout(connection->class);
}

/* Ends the connections whose time is up. */
static void end_silent(void)
{
    for (uint32_t class = 0; class < CLASSES; class++)
        while (lists[class].oldest != NONE && is_over(&TABLE[lists[class].oldest]))
            end_connection(&TABLE[lists[class].oldest]);
}

/* Called in every turn of the loop, and before the next packet when the core has rested. */
void connections_tick(void)
{
    uint32_t then = now;
    now = ticks();
    if (now != then)
        end_silent();
}

struct connection *find_outward(uint8_t protocol, struct endpoint inside, struct endpoint remote)
{
    for (uint32_t link = *chain_of(protocol, inside, remote); link;) {
        struct connection *connection = &TABLE[link - 1];
        if (connection->protocol == protocol && is_same_end(connection->inside, inside) && is_same_end(connection->remote, remote))
            return connection;
        link = connection->next;
    }
    return NULL;
}

struct connection *find_inward(uint8_t protocol, uint16_t port, struct endpoint remote)
{
    uint32_t place = port - nat_settings.first_port;
    if (place >= fresh)
        return NULL;
    struct connection *connection = &TABLE[place];
    return connection->protocol == protocol && is_same_end(connection->remote, remote) ? connection : NULL;
}

struct connection *add_connection(uint8_t protocol, struct endpoint inside, struct endpoint remote)
{
    uint32_t place;
    if (fresh < nat_settings.connections) {
        place = fresh++;
    } else {
        place = free_places.oldest;
        if (place == NONE)
            return NULL;
        free_places.oldest = TABLE[place].next;
    }
    struct connection *connection = &TABLE[place];
    uint16_t *chain = chain_of(protocol, inside, remote);
    *connection = (struct connection){.inside = inside, .remote = remote, .protocol = protocol, .next = *chain};
    *chain = (uint16_t)(place + 1);
    join_list(connection, protocol == TCP ? CLASS_TCP_BRIEF : protocol == UDP ? CLASS_UDP : CLASS_ICMP);
    connection->used_at = now;
    connections_open++;
    return connection;
}

/* A packet of the connection has passed. */
void use_connection(struct connection *connection, enum connection_class class)
{
    connection->used_at = now;
    if (connection->class == class && connection->newer == NONE)
        return;
    leave_list(connection);
    join_list(connection, class);
}
