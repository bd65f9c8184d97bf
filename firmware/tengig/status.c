#include "tengig/status.h"

#include "spinach/task.h"
#include "tengig/dma.h"

TASK(send_dispatch_ordering) bool update_status(void)
{
    uint32_t slot;
    if (!send_lock_try(&nic->status_lock))
        return false;
    bool is_due = status_is_due();
    /* Before the slot is allocated: all descriptors counted have slots before it, and the DMA keeps their order. */
    uint32_t consumed = nic->send_bd_consumed;
    uint32_t returned = nic->receive_returned;
    is_due = is_due && dma_allocate(&nic->writes, 1, &slot);
    if (is_due) {
        nic->status_under_way = 1;
        nic->timer_due = cycle_count() + nic->settings.timer_interval;
        nic->status_send_told = nic->status.send_bd_consumed = consumed;
        nic->status_receive_told = nic->status.receive_returned = returned;
        write_request(slot, nic->host.status.high, nic->host.status.low, (uint32_t)(uintptr_t)&nic->status, sizeof nic->status,
                      TAG_STATUS);
        raise_signals(SIGNAL(PUBLISH_WRITES));
    }
    unlock(&nic->status_lock);
    return is_due;
}

TASK(send_dispatch_ordering) void status_arrived(void)
{
    nic->status_under_way = 0; /* the words are in host memory */
    interrupt_registers->raise = 1;
}
