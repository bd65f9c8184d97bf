#include "tengig/locks.h"

#include "spinach/task.h"

static inline bool try_lock(spin_lock_t *lock)
{
    if (load_linked(&lock->held) != 0)
        return false;
    bool was_free = store_conditional(&lock->held, 1);
    compiler_barrier();
    return was_free;
}

static inline void take_lock(spin_lock_t *lock)
{
    while (!try_lock(lock)) {
        while (lock->held)
            spin_pause();
    }
}

/* The same twice, so that a profile can tell what sending and receiving wait for. */
TASK(send_locking) bool send_lock_try(spin_lock_t *lock) { return try_lock(lock); }
TASK(send_locking) void send_lock_take(spin_lock_t *lock) { take_lock(lock); }
TASK(receive_locking) bool receive_lock_try(spin_lock_t *lock) { return try_lock(lock); }
TASK(receive_locking) void receive_lock_take(spin_lock_t *lock) { take_lock(lock); }
