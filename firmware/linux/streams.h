/* Bulk streams over TCP, as the benchmark netperf makes them. */
#ifndef STREAMS_H
#define STREAMS_H

/* Sends as fast as it goes: ADDRESS PORT STREAMS, and how many milliseconds not to count and to count; without these, for ever. */
void stream(const char *argument);

/* Sends without end from several processes, each a stream to a separate port from a first one on: ADDRESS PORT PROCESSES. */
void streams_apart(const char *argument);

/* Chooses for streams to come: BYTES of a socket's queue, 0 for the kernel's own; BUFFERS to receive to in turn, 0 for as many as the
 * queue fills and one more, as netperf; MILLISECONDS to wait before the first call. */
void stream_buffers(const char *argument);

/* As `stream`, but receives. */
void maerts(const char *argument);

/* The other ends of both, in the background: PORT STREAMS. */
void sink(const char *argument);
void source(const char *argument);

#endif
