/* Bulk streams over TCP, as the benchmark netperf makes them: one side sends as fast as the other receives.
 *
 * Where there are several streams, one program serves them in turn, so that all of them have the same bandwidth (section 5.2 of the
 * SINIC paper).
 */
#include "streams.h"

#include "sockets.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CALL_BYTES_MAXIMUM = 64 << 10,
    BUFFERS_MAXIMUM = 256,
    STREAMS_MAXIMUM = 256,
};

enum direction { SENDS, RECEIVES };

struct streams {
    int count, buffers;
    int sockets[STREAMS_MAXIMUM];
};

static uint8_t buffers[BUFFERS_MAXIMUM][CALL_BYTES_MAXIMUM] __attribute__((aligned(4096)));
static int buffer;
/* Of a socket and of a call, as in the published runs; a socket of 0 has what the kernel gives. Buffers of the ring; 0 to follow the
 * queue. How long who is measured waits, with streams open, before it begins: a receiver begins with full queues then. */
static int queue_bytes = 256 << 10, call_bytes = CALL_BYTES_MAXIMUM, ring = 1, wait_ms;

/* Gives a socket the queues of the published runs, whatever the kernel's limits are. */
static void set_queues(int descriptor) {
    int bytes = queue_bytes;
    if (!bytes)
        return;
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes);
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes);
}

/* Moves bytes over each stream in turn; how many, or -1 when a stream has ended. */
static long serve_each(const struct streams *streams, enum direction direction) {
    long bytes = 0;
    /* Of one stream whatever is there is taken; each of several gets the same. */
    int wait = streams->count > 1 ? MSG_WAITALL : 0;
    for (int number = 0; number < streams->count; number++) {
        int descriptor = streams->sockets[number];
        buffer = (buffer + 1) % streams->buffers;
        uint8_t *memory = &buffers[0][0] + (size_t)buffer * call_bytes;
        ssize_t moved = direction == SENDS ? send(descriptor, memory, call_bytes, MSG_NOSIGNAL)
                                           : recv(descriptor, memory, call_bytes, wait);
        if (moved <= 0)
            return -1;
        bytes += moved;
    }
    return bytes;
}

static void close_all(const struct streams *streams) {
    for (int number = 0; number < streams->count; number++)
        close(streams->sockets[number]);
}

/* Chooses the beginning of streams to come. */
void stream_buffers(const char *argument) {
    int bytes = 0, count = 0, ms = 0, call = CALL_BYTES_MAXIMUM;
    sscanf(argument, "%d %d %d %d", &bytes, &count, &ms, &call);
    if (bytes < 0 || count < 0 || count > BUFFERS_MAXIMUM || ms < 0 || call < 1 || call > CALL_BYTES_MAXIMUM) {
        printf("stream-buffers: bytes of a queue, up to %d buffers, milliseconds, up to %d bytes of a call\n", BUFFERS_MAXIMUM,
               CALL_BYTES_MAXIMUM);
        return;
    }
    queue_bytes = bytes;
    call_bytes = call;
    ring = count;
    wait_ms = ms;
}

/* Buffers of the ring of a program that receives from a socket. */
static int ring_of(int descriptor) {
    int bytes = 0, count = ring;
    socklen_t size = sizeof bytes;
    if (!count && getsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, &size) == 0)
        count = bytes / call_bytes + 1;
    return count < 1 ? 1 : count > BUFFERS_MAXIMUM ? BUFFERS_MAXIMUM : count;
}

static int valid(const char *who, int count) {
    if (count >= 1 && count <= STREAMS_MAXIMUM)
        return 1;
    printf("%s: from 1 to %d streams\n", who, STREAMS_MAXIMUM);
    return 0;
}

/* The end that is measured. */
static void measure(const char *name, const char *argument, enum direction direction) {
    char host[32] = "";
    int port = 0;
    double warm_up_ms = 0, measured_ms = 0;
    struct streams streams = {.count = 1, .buffers = 1};
    sscanf(argument, "%31s %d %d %lf %lf", host, &port, &streams.count, &warm_up_ms, &measured_ms);
    if (!valid(name, streams.count))
        return;
    for (int number = 0; number < streams.count; number++) {
        int descriptor = streams.sockets[number] = connect_to(host, port, set_queues);
        if (descriptor < 0) {
            complain(name);
            streams.count = number;
            close_all(&streams);
            return;
        }
    }
    streams.buffers = direction == RECEIVES ? ring_of(streams.sockets[0]) : 1;
    printf("%s: %d streams are open\n", name, streams.count);
    fflush(stdout);
    usleep(1000 * wait_ms);
    double opened_us = now_us(), counts_from_us = opened_us + 1e3 * warm_up_ms, began_us = 0, time_us = 0;
    uint64_t bytes = 0;
    for (long moved; (moved = serve_each(&streams, direction)) >= 0;) {
        time_us = now_us();
        if (began_us > 0)
            bytes += moved;
        else if (time_us >= counts_from_us)
            began_us = time_us;
        if (measured_ms > 0 && began_us > 0 && time_us >= began_us + 1e3 * measured_ms)
            break;
    }
    close_all(&streams);
    double us = time_us - began_us;
    printf("%s: %llu bytes in %.1f us, %.3f Gb/s\n", name, (unsigned long long)bytes, us, us > 0 ? 8e-3 * bytes / us : 0);
}

void stream(const char *argument) {
    measure("stream", argument, SENDS);
}

/* Several processes send a stream each, to separate ports, without end. */
void streams_apart(const char *argument) {
    char host[32] = "";
    int port = 0;
    struct streams own = {.count = 1, .buffers = 1};
    int processes = 1;
    sscanf(argument, "%31s %d %d", host, &port, &processes);
    if (!valid("streams-apart", processes))
        return;
    for (int number = 0; number < processes; number++) {
        if (fork() != 0)
            continue;
        own.sockets[0] = connect_to(host, port + number, set_queues);
        while (own.sockets[0] >= 0 && serve_each(&own, SENDS) >= 0)
            ;
        complain("streams-apart");
        fflush(stdout);
        _exit(1);
    }
    printf("streams-apart: %d processes send\n", processes);
}

void maerts(const char *argument) {
    measure("maerts", argument, RECEIVES);
}

/* The other end: accepts a number of connections, and serves them until they end. */
static void answer(const char *name, const char *argument, enum direction direction) {
    int port = 0;
    struct streams streams = {.count = 1, .buffers = 1};
    sscanf(argument, "%d %d", &port, &streams.count);
    if (!valid(name, streams.count))
        return;
    int listening = listen_at(port, set_queues);
    if (listening < 0) {
        complain(name);
        return;
    }
    printf("%s: %d streams may come\n", name, streams.count);
    fflush(stdout);
    if (fork() == 0) {
        for (;;) {
            for (int number = 0; number < streams.count; number++)
                streams.sockets[number] = accept(listening, NULL, NULL);
            while (serve_each(&streams, direction) >= 0)
                ;
            close_all(&streams);
        }
    }
    close(listening);
}

void sink(const char *argument) {
    answer("sink", argument, RECEIVES);
}

void source(const char *argument) {
    answer("source", argument, SENDS);
}
