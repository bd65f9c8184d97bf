/* The contexts: events from their mailboxes, whose address is whose, and how they start and stop. */
#include "ricenic/cdna.h"

struct cdna_settings cdna;
struct settings settings;

static uint8_t by_last_byte[256]; /* of the addresses: the first context; 0 for none */

void contexts_start(void)
{
    cdna = *(const volatile struct cdna_settings *)CDNA_SETTINGS_ADDRESS;
    settings = *(const volatile struct settings *)SETTINGS_ADDRESS;
    for (uint32_t context = 0; context < cdna.contexts; context++) {
        CONTEXT(context)->state = CDNA_STATE_OFF;
        CONTEXT(context)->under_way = 0;
    }
}

uint32_t next_in(const struct context_set *set, uint32_t after)
{
    uint32_t first = (after + 1) % CONTEXTS_MOST;
    /* The rest of the word of the first, the others, and that word once more. */
    uint32_t mask = 0xffffffffu >> (first & 31);
    for (uint32_t turn = 0, word = first / 32; turn <= CONTEXTS_MOST / 32; turn++, word = (word + 1) % (CONTEXTS_MOST / 32)) {
        uint32_t found = set->words[word] & mask;
        if (found)
            return 32 * word + (uint32_t)__builtin_clz(found);
        mask = 0xffffffffu;
    }
    return 0;
}

static uint8_t *chain_of(uint32_t low) { return &by_last_byte[low & 255]; }

/* The context with this Ethernet address; 0 for none. */
uint32_t context_of_mac_address(uint32_t high, uint32_t low)
{
    uint32_t context = *chain_of(low);
    while (context && (CONTEXT(context)->mac_address_low != low || CONTEXT(context)->mac_address_high != high))
        context = CONTEXT(context)->mac_address_next;
    return context;
}

static void forget_mac_address(uint32_t context)
{
    uint32_t before = *chain_of(CONTEXT(context)->mac_address_low);
    if (before == context) {
        *chain_of(CONTEXT(context)->mac_address_low) = (uint8_t)CONTEXT(context)->mac_address_next;
        return;
    }
    while (before && CONTEXT(before)->mac_address_next != context)
        before = CONTEXT(before)->mac_address_next;
    if (before)
        CONTEXT(before)->mac_address_next = CONTEXT(context)->mac_address_next;
}

static struct context_set stopping;

static void set_state(uint32_t context, enum cdna_state state, enum cdna_fault fault)
{
    CONTEXT(context)->state = state;
    CONTEXT(context)->fault = fault;
    put_in(&stopping, context);
}

TASK(idle) bool are_stops_confirmed(void) { return is_empty(&stopping); }

/* Tells the hypervisor of a new state. That a context is stopped means that nothing of it is under way: its memory is another's to have. */
void confirm_stops(void)
{
    uint32_t context = next_in(&stopping, 0);
    if (!context || (CONTEXT(context)->state == CDNA_STATE_STOPPED && CONTEXT(context)->under_way))
        return;
    take_out(&stopping, context);
    SETUP_OF(context)->fault = CONTEXT(context)->fault;
    SETUP_OF(context)->state = CONTEXT(context)->state;
    if (CONTEXT(context)->fault)
        was_stopped(context);
}

/* Ends a context, by command of the hypervisor (without a fault) or as it broke a rule. What it has under way comes to its end. */
void stop_context(uint32_t context, enum cdna_fault fault)
{
    if (CONTEXT(context)->state != CDNA_STATE_RUNNING)
        return;
    set_state(context, CDNA_STATE_STOPPED, fault);
    forget_mac_address(context);
    stop_sending(context);
    stop_receiving(context);
}

static bool is_ring(uint32_t entries) { return entries && entries <= CDNA_MOST_ENTRIES && !(entries & (entries - 1)); }

bool start_context(uint32_t context)
{
    struct context *own = CONTEXT(context);
    if (own->under_way)
        return false;
    const volatile struct cdna_setup *setup = SETUP_OF(context);
    own->send = (struct host_ring){{setup->send_high, setup->send_low}, setup->send_entries};
    own->receive = (struct host_ring){{setup->receive_high, setup->receive_low}, setup->receive_entries};
    own->returned = (struct host_address){setup->returned_high, setup->returned_low};
    own->status_address = (struct host_address){setup->status_high, setup->status_low};
    own->mac_address_high = setup->mac_address_high;
    own->mac_address_low = setup->mac_address_low;
    own->send_announced = own->send_asked = own->send_described = own->send_fetched = 0;
    own->slots_taken = own->slots_ready = own->slots_given = own->slots_done = 0;
    own->is_begun = 0;
    own->credit = 0;
    own->receive_announced = own->receive_asked = own->receive_described = own->receive_used = 0;
    own->frames_queued = own->frames_delivered = own->frames_freed = 0;
    if (!is_ring(own->send.entries) || !is_ring(own->receive.entries) || context_of_mac_address(own->mac_address_high, own->mac_address_low)) {
        set_state(context, CDNA_STATE_STOPPED, CDNA_FAULT_COMMAND);
        return true;
    }
    own->mac_address_next = *chain_of(own->mac_address_low);
    *chain_of(own->mac_address_low) = (uint8_t)context;
    set_state(context, CDNA_STATE_RUNNING, CDNA_FAULT_NONE);
    return true;
}

static void take_event(uint32_t context)
{
    EVENTS->context = context;
    uint32_t written = EVENTS->mailboxes;
    if (context == 0) {
        if (written & 1u << MAILBOX_COMMANDS)
            commands_announced = MAILBOX_OF(0, MAILBOX_COMMANDS);
        if (written & 1u << MAILBOX_VECTORS)
            vectors_taken = MAILBOX_OF(0, MAILBOX_VECTORS);
        return;
    }
    if (CONTEXT(context)->state != CDNA_STATE_RUNNING)
        return;
    if (written & 1u << MAILBOX_SEND)
        send_announced_by(context);
    if (written & 1u << MAILBOX_RECEIVE)
        receive_announced_by(context);
}

/* Two reads find the next mailbox that was written, however many there are. */
TASK(fetch_send_bd) void look_at_events(void)
{
    for (uint32_t first = 0; first < cdna.contexts; first += 32) {
        for (uint32_t pending = EVENTS->contexts[first / 32]; pending; pending &= pending - 1)
            take_event(first + 31 - (uint32_t)__builtin_clz(pending & -pending));
    }
}
