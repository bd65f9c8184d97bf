/* Sending: from the host's descriptors to the wire. */
#ifndef TENGIG_SEND_H
#define TENGIG_SEND_H

#include <stdbool.h>
#include <stdint.h>

/* Each looks for work of its kind, does some of it, and returns whether it did any. */
bool fetch_send_bds(void);
bool fetch_frames(void);
bool commit_frames(void);
bool retire_transmits(void);

/* A fetch of send descriptors has completed. */
void send_bds_arrived(uint32_t batch);

/* Continues to request the data of the buffers from `start` up to `end`. */
void fetch_buffers_again(uint32_t start, uint32_t end);

#endif
