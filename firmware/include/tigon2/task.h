/*
 * Tasks of the card that functions serve, so that a profile adds up by task, and the memories that they run from: functions of tasks are
 * copied to the scratch pad of their core; all others stay in SRAM and run through the one line of the instruction cache.
 */
#ifndef TIGON2_TASK_H
#define TIGON2_TASK_H

#define TASK(name) __attribute__((noinline, section(".task." #name)))

#endif
