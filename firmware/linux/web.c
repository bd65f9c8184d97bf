/* A web server, and clients that keep it busy: the mix of SPECweb99, not that benchmark itself.
 *
 * The files are in four classes of nine: class c has files of 1 to 9 times 102.4 * 10^c bytes. Of a hundred requests 35, 50, 14 and 1 are
 * for the classes; folders are popular by Zipf's law. Seven of ten requests are for a file as it is. The others are dynamic: a file is
 * put between a head and a foot, and a place in it is replaced by an advertisement that depends on who asks; or a record is posted
 * (SPECweb99's white paper, "workload mix"). Connections stay open for 5 to 15 requests, as in HTTP 1.1.
 */
#define _GNU_SOURCE /* memmem */
#include "web.h"

#include "sockets.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    FOLDERS = 4,
    CLASSES = 4,
    FILES = 9,
    LARGEST = 9 * 102400,
    REQUEST_BYTES = 512,
    CHUNK = 64 << 10,
    CLIENTS_MAXIMUM = 256,
    ADVERTISEMENTS = 360,
    ADVERTISEMENT_BYTES = 16,
};

static const char MARK[] = "<!WEB99CAD>";
static char page[LARGEST + 4096];

static int file_bytes(int class, int number) {
    static const int TENTHS[CLASSES] = {1024, 10240, 102400, 1024000};
    return number * TENTHS[class] / 10;
}

static void file_name(char *name, int folder, int class, int number) {
    sprintf(name, "/tmp/web/%d/%d-%d", folder, class, number);
}

/* The files, with the mark where an advertisement goes. */
static void make_files(void) {
    for (int byte = 0; byte < LARGEST; byte++)
        page[byte] = "abcdefghijklmnopqrstuvwxyz012345"[byte * 7 % 32];
    mkdir("/tmp/web", 0755);
    for (int folder = 0; folder < FOLDERS; folder++) {
        char name[64];
        sprintf(name, "/tmp/web/%d", folder);
        mkdir(name, 0755);
        for (int class = 0; class < CLASSES; class++) {
            for (int number = 1; number <= FILES; number++) {
                int bytes = file_bytes(class, number), middle = bytes / 2;
                char kept[sizeof MARK];
                file_name(name, folder, class, number);
                memcpy(kept, page + middle, sizeof MARK - 1);
                memcpy(page + middle, MARK, sizeof MARK - 1);
                int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
                if (write(file, page, bytes) != bytes)
                    complain(name);
                close(file);
                memcpy(page + middle, kept, sizeof MARK - 1);
            }
        }
    }
}

/* The server. */

static int send_all(int descriptor, const char *bytes, size_t count, int flags) {
    for (size_t done = 0; done < count;) {
        ssize_t sent = send(descriptor, bytes + done, count - done, flags | MSG_NOSIGNAL);
        if (sent <= 0)
            return 0;
        done += sent;
    }
    return 1;
}

static int send_head(int descriptor, int status, long bytes) {
    char head[160];
    int length = sprintf(head, "HTTP/1.1 %d %s\r\nServer: spinach\r\nContent-Type: text/html\r\nContent-Length: %ld\r\n\r\n", status,
                         status == 200 ? "OK" : "Not Found", bytes);
    return send_all(descriptor, head, length, bytes > 0 ? MSG_MORE : 0);
}

static int open_file(int folder, int class, int number, long *bytes) {
    char name[64];
    struct stat found;
    file_name(name, folder, class, number);
    int file = open(name, O_RDONLY);
    if (file >= 0 && fstat(file, &found) == 0)
        *bytes = found.st_size;
    return file;
}

static int serve_file(int descriptor, int folder, int class, int number) {
    long bytes = 0;
    int file = open_file(folder, class, number, &bytes);
    if (file < 0)
        return send_head(descriptor, 404, 0);
    int is_sent = send_head(descriptor, 200, bytes);
    for (long left = bytes; is_sent && left > 0;) {
        ssize_t sent = sendfile(descriptor, file, NULL, left);
        is_sent = sent > 0;
        left -= sent;
    }
    close(file);
    return is_sent;
}

/* A page that depends on who asks. */
static int serve_page(int descriptor, int folder, int class, int number, unsigned user) {
    long bytes = 0;
    int file = open_file(folder, class, number, &bytes);
    if (file < 0)
        return send_head(descriptor, 404, 0);
    int head = sprintf(page, "<html><head><title>SPECweb99-like page</title></head><body><p>user %u</p>\n", user);
    long count = 0;
    for (ssize_t read_bytes; (read_bytes = read(file, page + head + count, CHUNK)) > 0;)
        count += read_bytes;
    close(file);
    for (char *from = page + head; (from = memmem(from, page + head + count - from, MARK, sizeof MARK - 1));)
        sprintf(from, "<a%08x>", user * 2654435761U % ADVERTISEMENTS), from[sizeof MARK - 2] = '>';
    int foot = sprintf(page + head + count, "</body></html>\n");
    long whole = head + count + foot;
    return send_head(descriptor, 200, whole) && send_all(descriptor, page, whole, 0);
}

/* Writes a record of who posted something. */
static int serve_post(int descriptor, unsigned user) {
    char record[64];
    int file = open("/tmp/web/posted", O_WRONLY | O_CREAT | O_APPEND, 0644);
    int bytes = sprintf(record, "%10u %10ld\n", user, (long)time(NULL));
    int is_kept = write(file, record, bytes) == bytes;
    close(file);
    return is_kept && send_head(descriptor, 200, bytes) && send_all(descriptor, record, bytes, 0);
}

/* Answers the requests of a connection, until it is closed. */
static void answer_requests(int descriptor) {
    char request[REQUEST_BYTES + 1];
    for (int filled = 0;;) {
        ssize_t count = recv(descriptor, request + filled, REQUEST_BYTES - filled, 0);
        if (count <= 0)
            return;
        filled += count;
        request[filled] = 0;
        for (char *end; (end = strstr(request, "\r\n\r\n"));) {
            int folder = 0, class = 0, number = 0, is_served = 0;
            unsigned user = 0;
            if (sscanf(request, "GET /file/%d/%d-%d ", &folder, &class, &number) == 3)
                is_served = serve_file(descriptor, folder, class, number);
            else if (sscanf(request, "GET /page/%d/%d-%d?user=%u ", &folder, &class, &number, &user) == 4)
                is_served = serve_page(descriptor, folder, class, number, user);
            else if (sscanf(request, "POST /user=%u ", &user) == 1)
                is_served = serve_post(descriptor, user);
            else
                is_served = send_head(descriptor, 404, 0);
            if (!is_served)
                return;
            filled -= end + 4 - request;
            memmove(request, end + 4, filled + 1);
        }
        if (filled == REQUEST_BYTES)
            return;
    }
}

void web_server(const char *argument) {
    int port = 80, workers = 32, one = 1;
    sscanf(argument, "%d %d", &port, &workers);
    make_files();
    int listening = listen_at(port, NULL);
    if (listening < 0) {
        complain("web-server");
        return;
    }
    for (int number = 0; number < workers; number++) {
        if (fork() != 0)
            continue;
        for (;;) {
            int descriptor = accept(listening, NULL, NULL);
            setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            answer_requests(descriptor);
            close(descriptor);
        }
    }
    close(listening);
    printf("web-server: %d workers\n", workers);
}

/* The clients. */

struct client {
    uint64_t chance;
    unsigned user;
};

/* A number below `limit`. */
static unsigned choose(struct client *client, unsigned limit) {
    client->chance = client->chance * 6364136223846793005 + 1442695040888963407;
    return (client->chance >> 33) % limit;
}

static int choose_by_weight(struct client *client, const int *weights, int count) {
    int sum = 0, number = 0;
    for (int each = 0; each < count; each++)
        sum += weights[each];
    for (int left = choose(client, sum); left >= weights[number]; number++)
        left -= weights[number];
    return number;
}

static int write_request(struct client *client, char *request) {
    /* Zipf's law for as many folders, times 12. */
    static const int FOLDER_WEIGHTS[FOLDERS] = {12, 6, 4, 3}, CLASS_WEIGHTS[CLASSES] = {35, 50, 14, 1};
    /* Files as they are, pages, posts. */
    static const int KINDS[] = {700, 252, 48};
    static const char *const FORMS[] = {"GET /file/%d/%d-%d HTTP/1.1\r\nHost: server\r\n\r\n",
                                        "GET /page/%d/%d-%d?user=%u HTTP/1.1\r\nHost: server\r\n\r\n"};
    int kind = choose_by_weight(client, KINDS, 3);
    if (kind == 2)
        return sprintf(request, "POST /user=%u HTTP/1.1\r\nHost: server\r\nContent-Length: 0\r\n\r\n", client->user);
    int folder = choose_by_weight(client, FOLDER_WEIGHTS, FOLDERS);
    int class = choose_by_weight(client, CLASS_WEIGHTS, CLASSES);
    return sprintf(request, FORMS[kind], folder, class, 1 + choose(client, FILES), client->user);
}

/* Reads an answer; whether it came whole. */
static int take_answer(int descriptor, char *buffer) {
    long filled = 0, whole = -1;
    while (whole < 0 || filled < whole) {
        /* Only the head has to be kept. */
        long place = whole < 0 ? filled : 0;
        ssize_t count = recv(descriptor, buffer + place, CHUNK - place - 1, 0);
        if (count <= 0)
            return 0;
        filled += count;
        if (whole >= 0)
            continue;
        buffer[filled] = 0;
        char *end = strstr(buffer, "\r\n\r\n"), *length = strstr(buffer, "Content-Length: ");
        if (end && length)
            whole = end + 4 - buffer + atol(length + strlen("Content-Length: "));
    }
    return strncmp(buffer, "HTTP/1.1 200", 12) == 0 || whole > 0;
}

struct progress {
    atomic_long answers, failures;
};

static void ask_for_ever(const char *host, int port, unsigned user, struct progress *progress) {
    struct client client = {.chance = user, .user = user};
    char request[REQUEST_BYTES], *buffer = malloc(CHUNK);
    for (;;) {
        int descriptor = connect_to(host, port, NULL);
        if (descriptor < 0)
            _exit(1);
        for (int left = 5 + choose(&client, 11); left > 0; left--) {
            int bytes = write_request(&client, request);
            int is_answered = send_all(descriptor, request, bytes, 0) && take_answer(descriptor, buffer);
            atomic_fetch_add(is_answered ? &progress->answers : &progress->failures, 1);
            if (!is_answered)
                break;
        }
        close(descriptor);
    }
}

void web_clients(const char *argument) {
    char host[32] = "";
    int port = 80, clients = 32;
    long warm_up_ms = 0, measured_ms = 0;
    sscanf(argument, "%31s %d %d %ld %ld", host, &port, &clients, &warm_up_ms, &measured_ms);
    if (clients < 1 || clients > CLIENTS_MAXIMUM) {
        printf("web-clients: from 1 to %d clients\n", CLIENTS_MAXIMUM);
        return;
    }
    struct progress *progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t asking[CLIENTS_MAXIMUM];
    for (int number = 0; number < clients; number++)
        if ((asking[number] = fork()) == 0)
            ask_for_ever(host, port, number + 1, progress);
    printf("web-clients: %d ask\n", clients);
    fflush(stdout);
    if (measured_ms <= 0)
        return;
    nanosleep(&(struct timespec){warm_up_ms / 1000, warm_up_ms % 1000 * 1000000}, NULL);
    long before = progress->answers;
    double began_us = now_us();
    nanosleep(&(struct timespec){measured_ms / 1000, measured_ms % 1000 * 1000000}, NULL);
    long answers = progress->answers - before;
    double us = now_us() - began_us;
    for (int number = 0; number < clients; number++)
        kill(asking[number], SIGKILL);
    while (wait(NULL) > 0)
        ;
    printf("web-clients: %ld answers in %.1f us, %.0f each second, %ld failed\n", answers, us, 1e6 * answers / us,
           (long)progress->failures);
    munmap(progress, sizeof *progress);
}
