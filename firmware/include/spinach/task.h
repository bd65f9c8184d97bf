/*
 * Tasks of NIC processing that functions serve, so that a profile adds up by task.
 *
 * The linker script gathers the functions of a task and marks where they begin and end with the symbols
 * task_NAME_start and task_NAME_end.
 */
#ifndef SPINACH_TASK_H
#define SPINACH_TASK_H

#define TASK(name) __attribute__((noinline, section(".text.task." #name)))

#endif
