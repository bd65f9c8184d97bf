#include "network.h"

#include "sockets.h"

#include <arpa/inet.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STREAM_BYTES = 64 << 10 };

static const char INTERFACE[] = "eth0";

/* Asks something of the interface. */
static int control(unsigned long request, struct ifreq *asked) {
    int descriptor = socket(AF_INET, SOCK_DGRAM, 0);
    strcpy(asked->ifr_name, INTERFACE);
    int result = ioctl(descriptor, request, asked);
    if (result < 0)
        complain(INTERFACE);
    close(descriptor);
    return result;
}

void address(const char *with_prefix) {
    char text[32];
    snprintf(text, sizeof text, "%s", with_prefix);
    char *slash = strchr(text, '/');
    int bits = slash ? atoi(slash + 1) : 24;
    if (slash)
        *slash = 0;
    struct ifreq asked = {0};
    struct sockaddr_in *given = (struct sockaddr_in *)&asked.ifr_addr;
    given->sin_family = AF_INET;
    if (bits < 1 || bits > 32 || inet_pton(AF_INET, text, &given->sin_addr) != 1) {
        printf("address: %s is not an address such as 10.0.0.1/24\n", with_prefix);
        return;
    }
    if (control(SIOCSIFADDR, &asked) < 0)
        return;
    given->sin_addr.s_addr = htonl(~0U << (32 - bits));
    control(SIOCSIFNETMASK, &asked);
    if (control(SIOCGIFFLAGS, &asked) == 0) {
        asked.ifr_flags |= IFF_UP;
        control(SIOCSIFFLAGS, &asked);
    }
}

void loopback(void) {
    struct ifreq asked = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    int descriptor = socket(AF_INET, SOCK_DGRAM, 0);
    ioctl(descriptor, SIOCSIFFLAGS, &asked);
    close(descriptor);
}

void zero_copy(const char *state) {
    int is_on = strcmp(state, "on") == 0;
    /* The driver looks at its parameter when the interface is switched on. */
    if (!write_file("/sys/module/sinic/parameters/zero_copy", is_on ? "Y" : "N"))
        return;
    struct ifreq asked = {0};
    if (control(SIOCGIFFLAGS, &asked) < 0)
        return;
    asked.ifr_flags &= ~IFF_UP;
    control(SIOCSIFFLAGS, &asked);
    asked.ifr_flags |= IFF_UP;
    control(SIOCSIFFLAGS, &asked);
}

void offload(const char *state) {
    static const uint32_t SWITCHES[] = {ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO};
    for (unsigned number = 0; number < sizeof SWITCHES / sizeof SWITCHES[0]; number++) {
        struct ethtool_value value = {SWITCHES[number], strcmp(state, "on") == 0};
        struct ifreq asked = {.ifr_data = (void *)&value};
        /* The card cannot segment; the kernel refuses only to switch that on. */
        if (number > 0 || value.data)
            control(SIOCETHTOOL, &asked);
    }
}

/* Settings by the scripts of the published runs (the boot scripts of the simulator M5). */
static struct {
    const char *name, *published;
    /* The kernel's default. */
    char before[64];
} SETTINGS[] = {
    {"net/ipv4/tcp_timestamps", "0", ""},
    {"net/ipv4/tcp_sack", "0", ""},
    {"net/ipv4/tcp_rmem", "5000000 5000000 5000000", ""},
    {"net/ipv4/tcp_wmem", "5000000 5000000 5000000", ""},
    {"net/ipv4/tcp_mem", "5000000 5000000 5000000", ""},
    {"net/core/rmem_max", "262143", ""},
    {"net/core/wmem_max", "262143", ""},
    {"net/core/rmem_default", "262143", ""},
    {"net/core/wmem_default", "262143", ""},
    {"net/core/optmem_max", "262143", ""},
    {"net/core/netdev_max_backlog", "100000", ""},
};

void settings(const char *which) {
    int is_published = strcmp(which, "published") == 0;
    if (!is_published && strcmp(which, "today") != 0) {
        printf("settings: published or today\n");
        return;
    }
    for (unsigned number = 0; number < sizeof SETTINGS / sizeof SETTINGS[0]; number++) {
        char path[64], *before = SETTINGS[number].before;
        snprintf(path, sizeof path, "/proc/sys/%s", SETTINGS[number].name);
        if (is_published && !*before)
            read_file(path, before, sizeof SETTINGS[number].before);
        const char *text = is_published ? SETTINGS[number].published : before;
        if (*text)
            write_file(path, text);
    }
    offload(is_published ? "off" : "on");
}

static uint16_t checksum(const uint16_t *halves, size_t bytes) {
    uint32_t sum = 0;
    for (size_t half = 0; half < bytes / 2; half++)
        sum += halves[half];
    sum = (sum & 0xffff) + (sum >> 16);
    return ~(sum + (sum >> 16));
}

/* Waits for the answer to a request; how many bytes it had, or -1. */
static long answer(int descriptor, uint16_t sequence) {
    uint16_t packet[1024];
    for (;;) {
        long bytes = recv(descriptor, packet, sizeof packet, 0);
        if (bytes < 0)
            return -1;
        long header = 4 * (((uint8_t *)packet)[0] & 15);
        struct icmphdr *echo = (struct icmphdr *)((uint8_t *)packet + header);
        if (bytes >= header + (long)sizeof *echo && echo->type == ICMP_ECHOREPLY && echo->un.echo.sequence == sequence)
            return bytes - header;
    }
}

void ping(const char *argument) {
    char host[32] = "";
    int count = 1, answered = 0;
    sscanf(argument, "%31s %d", host, &count);
    struct sockaddr_in to = {.sin_family = AF_INET};
    if (inet_pton(AF_INET, host, &to.sin_addr) != 1) {
        printf("ping: %s is not an address\n", host);
        return;
    }
    int descriptor = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
    struct timeval patience = {1, 0};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    for (int number = 1; number <= count; number++) {
        struct {
            struct icmphdr header;
            uint8_t data[56];
        } request = {.header = {.type = ICMP_ECHO, .un.echo = {.id = htons(1), .sequence = htons(number)}}};
        for (unsigned byte = 0; byte < sizeof request.data; byte++)
            request.data[byte] = byte;
        request.header.checksum = checksum((uint16_t *)&request, sizeof request);
        double began = now_us();
        if (sendto(descriptor, &request, sizeof request, 0, (struct sockaddr *)&to, sizeof to) < 0) {
            complain("ping");
            break;
        }
        long bytes = answer(descriptor, htons(number));
        if (bytes < 0) {
            printf("no answer to %d\n", number);
            continue;
        }
        answered++;
        printf("%ld bytes from %s: %d, %.1f us\n", bytes, host, number, now_us() - began);
    }
    printf("%d of %d answered\n", answered, count);
    close(descriptor);
}

/* The bytes of a stream from one place on, and their checksum (FNV-1a, of 64 bits, over words). */
static uint64_t state;
static uint64_t next_word(void) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return state;
}

static uint64_t digest(uint64_t sum, const uint8_t *bytes, size_t count) {
    for (size_t byte = 0; byte < count; byte++)
        sum = (sum ^ bytes[byte]) * 0x100000001b3;
    return sum;
}

static const uint64_t EMPTY = 0xcbf29ce484222325;
static uint8_t buffer[STREAM_BYTES] __attribute__((aligned(8)));

static void report(const char *what, uint64_t bytes, uint64_t sum, double us) {
    printf("%s %llu bytes, checksum %016llx, %.1f us, %.3f Gb/s\n", what, (unsigned long long)bytes,
           (unsigned long long)sum, us, us > 0 ? 8e-3 * bytes / us : 0);
}

void receive(const char *port) {
    int listening = listen_at(atoi(port), NULL);
    if (listening < 0) {
        complain("receive");
        return;
    }
    int descriptor = accept(listening, NULL, NULL);
    close(listening);
    uint64_t bytes = 0, sum = EMPTY;
    double began = now_us();
    for (ssize_t count; (count = read(descriptor, buffer, sizeof buffer)) > 0; bytes += count)
        sum = digest(sum, buffer, count);
    report("received", bytes, sum, now_us() - began);
    close(descriptor);
}

void serve(const char *port) {
    if (fork() == 0) {
        receive(port);
        fflush(stdout);
        _exit(0);
    }
}

void send_stream(const char *argument) {
    char host[32] = "";
    int port = 0;
    unsigned long long total = 0;
    sscanf(argument, "%31s %d %llu", host, &port, &total);
    int descriptor = connect_to(host, port, NULL);
    if (descriptor < 0) {
        complain("send");
        return;
    }
    uint64_t bytes = 0, sum = EMPTY;
    state = total;
    double began = now_us();
    while (bytes < total) {
        size_t count = total - bytes < sizeof buffer ? total - bytes : sizeof buffer;
        for (size_t word = 0; word < sizeof buffer / 8; word++)
            ((uint64_t *)buffer)[word] = next_word();
        sum = digest(sum, buffer, count);
        for (size_t done = 0; done < count;) {
            ssize_t written = write(descriptor, buffer + done, count - done);
            if (written < 0) {
                complain("send");
                close(descriptor);
                return;
            }
            done += written;
        }
        bytes += count;
    }
    shutdown(descriptor, SHUT_WR);
    /* The other end closes when it has all. */
    while (read(descriptor, buffer, sizeof buffer) > 0)
        ;
    report("sent", bytes, sum, now_us() - began);
    close(descriptor);
}
