#include "tengig/dma.h"

#include "spinach/task.h"

#ifdef TENGIG_CENTRAL_DMA_MANAGER

bool publish_reads(void) { return false; }

#else

TASK(send_dispatch_ordering) bool publish_reads(void)
{
    if (!send_lock_try(&nic->reads.publish_lock))
        return false;
    bool has_any = dma_publish(&nic->reads, dma_read_registers);
    unlock(&nic->reads.publish_lock);
    return has_any;
}

#endif

TASK(receive_dispatch_ordering) bool publish_writes(void)
{
    if (!receive_lock_try(&nic->writes.publish_lock))
        return false;
    bool has_any = dma_publish(&nic->writes, dma_write_registers);
    unlock(&nic->writes.publish_lock);
    return has_any;
}
