/* The event queue: pieces of work that could not be finished at once and that any core may take up. */
#ifndef TENGIG_EVENTS_H
#define TENGIG_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "tengig/state.h"

void event_add(uint32_t type, uint32_t start, uint32_t end);

/* Takes the oldest event and handles it; returns whether there was one. */
bool event_handle(void);

static inline bool event_is_waiting(void) { return nic->events_added != nic->events_taken; }

#endif
