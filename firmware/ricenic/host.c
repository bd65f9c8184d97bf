/* The host: its mailboxes, of which the event unit tells, and the status that it reads when it is interrupted. */
#include "ricenic/nic.h"

struct host_rings rings;
OF_RECEIVER struct settings settings;
OF_SENDER uint32_t send_announced, receive_announced;
OF_BOTH uint32_t send_consumed, receive_returned;

static struct {
    struct status_words words;
} ON_OWN_LINES status; /* as the host gets it; read by the DMA unit */
static OF_RECEIVER uint32_t send_told, receive_told, told_at;
static OF_RECEIVER uint32_t status_write;
static OF_RECEIVER bool status_is_under_way;

/* Waits until the driver has said where its rings are, and takes a copy that is near. The driver writes a mailbox behind that. */
void host_start(void)
{
    while (HOST_RINGS->ready != HOST_RINGS_READY) {
        begin_rest(INTERRUPT_EVENTS);
        wait_for_interrupt();
    }
    const volatile uint32_t *words = (const volatile uint32_t *)HOST_RINGS;
    for (uint32_t word = 0; word < sizeof rings / 4; word++)
        ((uint32_t *)&rings)[word] = words[word];
    settings = *(const volatile struct settings *)SETTINGS_ADDRESS;
    send_announced = receive_announced = rings.first_index;
    SHARED(send_consumed) = SHARED(receive_returned) = rings.first_index;
    send_told = receive_told = rings.first_index;
}

/* Reads the mailboxes that were written: the SRAM is far, and the event unit near. */
TASK(fetch_send_bd) void look_at_mailboxes(void)
{
    uint32_t written = EVENTS->mailboxes;
    if (written & 1u << MAILBOX_SEND)
        send_announced = MAILBOX(MAILBOX_SEND);
    if (written & 1u << MAILBOX_RECEIVE)
        receive_announced = MAILBOX(MAILBOX_RECEIVE);
}

TASK(idle) bool is_host_told(void)
{
    return !status_is_under_way && SHARED(send_consumed) == send_told && SHARED(receive_returned) == receive_told;
}

/* True if there are enough news for the host, or old ones, or it can be interrupted. */
TASK(idle) bool is_host_to_be_told(void)
{
    if (status_is_under_way)
        return (int32_t)(writes_done() - status_write) >= 0;
    uint32_t sent = SHARED(send_consumed) - send_told, received = SHARED(receive_returned) - receive_told;
    if (sent == 0 && received == 0) {
        told_at = cycle_count();
        return false;
    }
    return sent >= 2 * settings.send_coalescing || received >= settings.receive_coalescing ||
           cycle_count() - told_at >= settings.coalescing_cycles;
}

/*
 * Writes to the host how far sending and receiving are, and interrupts it when that is there. The status must not change while its write is under way: the host would learn of frames whose return descriptors are written
 * after it.
 */
TASK(send_dispatch_ordering) void tell_host(void)
{
    if (status_is_under_way) {
        status_is_under_way = false;
        HOST_INTERRUPT->raise = 1;
        counters.interrupts++;
        return;
    }
    if (!writes_are_free(1))
        return;
    struct status_words *shown = &status.words;
    shown->send_bd_consumed = send_told = SHARED(send_consumed);
    shown->receive_returned = receive_told = SHARED(receive_returned);
    store_range(shown, sizeof *shown);
    status_write = write_host(rings.status, (uint32_t)shown, sizeof *shown);
    status_is_under_way = true;
    told_at = cycle_count();
}
