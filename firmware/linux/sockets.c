#include "sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPTS = 200, ATTEMPT_MS = 10, QUEUE = 1024 };

void complain(const char *what) {
    printf("%s: %s\n", what, strerror(errno));
}

double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * now.tv_sec + 1e-3 * now.tv_nsec;
}

int write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY);
    int is_written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (!is_written)
        complain(path);
    if (file >= 0)
        close(file);
    return is_written;
}

void read_file(const char *path, char *text, int bytes) {
    int file = open(path, O_RDONLY);
    ssize_t count = file >= 0 ? read(file, text, bytes - 1) : -1;
    if (count < 0)
        complain(path);
    text[count > 0 ? count : 0] = 0;
    if (file >= 0)
        close(file);
}

int connect_to(const char *host, int port, void (*prepare)(int descriptor)) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    if (inet_pton(AF_INET, host, &to.sin_addr) != 1) {
        errno = EINVAL;
        return -1;
    }
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int descriptor = socket(AF_INET, SOCK_STREAM, 0);
        if (prepare)
            prepare(descriptor);
        if (connect(descriptor, (const struct sockaddr *)&to, sizeof to) == 0)
            return descriptor;
        int error = errno;
        close(descriptor);
        errno = error;
        if (error != ECONNREFUSED)
            break;
        nanosleep(&(struct timespec){0, ATTEMPT_MS * 1000000}, NULL);
    }
    return -1;
}

int listen_at(int port, void (*prepare)(int descriptor)) {
    int listening = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (prepare)
        prepare(listening);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
    if (bind(listening, (struct sockaddr *)&at, sizeof at) == 0 && listen(listening, QUEUE) == 0)
        return listening;
    int error = errno;
    close(listening);
    errno = error;
    return -1;
}
