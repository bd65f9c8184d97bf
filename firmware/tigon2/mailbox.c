/* Mailboxes that the host writes: mostly its producer indices. */
#include "tigon2/events.h"
#include "tigon2/functions.h"
#include "tigon2/task.h"

#define BIT(mailbox) (1u << (mailbox))

static inline void send_produced(void)
{
    struct send_state *send = send_state();
    send->mailboxes++;
    send->produced = shared->mailboxes[MAILBOX_SEND].value & send->mask;
    if (send->is_in_host) {
        send_fetch();
    } else if (send->arrived != send->produced) {
        send->arrived = send->produced;
        send_events_set(EVENT_BIT(EVENT_SEND_DESCRIPTORS));
    }
}

TASK(send_dispatch_ordering) void handle_mailbox(void)
{
    uint32_t written = MAILBOX_EVENTS_A;
    MAILBOX_EVENTS_A = written;
    if (written & BIT(MAILBOX_STANDARD))
        receive_fetch(STANDARD);
    if (written & BIT(MAILBOX_SEND))
        send_produced();
    if (written & (BIT(MAILBOX_INTERRUPT) | BIT(MAILBOX_COMMAND) | BIT(MAILBOX_JUMBO) | BIT(MAILBOX_MINI))) {
        if (written & BIT(MAILBOX_INTERRUPT))
            mailbox_interrupt();
        if (written & BIT(MAILBOX_JUMBO))
            receive_fetch(JUMBO);
        if (written & BIT(MAILBOX_MINI))
            receive_fetch(MINI);
        /* Last, since a command may take back what the host said before. */
        if (written & BIT(MAILBOX_COMMAND))
            commands_obey();
    }
}
