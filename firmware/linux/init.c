/* The first and only program of the simulated server: mounts what programs expect, then reads commands from the console.
 *
 * Commands are few, so that the archive needs nothing but this program: `help` lists them. What the kernel's command line gives as
 * `address=10.0.0.1/24` is the address of the network interface, and `run=COMMAND;COMMAND` is executed first. `program=given` replaces
 * the commands by the program in the folder `exec`, `program=shell` by the disk's shell, `disk=1` and `share=1` mount what they name.
 * Modules in the folder `drivers` are loaded first.
 */
#include "iscsi.h"
#include "network.h"
#include "program.h"
#include "sockets.h"
#include "streams.h"
#include "web.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 512 };

static void list(const char *path) {
    DIR *folder = opendir(*path ? path : "/");
    if (!folder) {
        complain(path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            printf("%s  ", entry->d_name);
    printf("\n");
    closedir(folder);
}

static void show(const char *path) {
    int file = open(path, O_RDONLY);
    if (file < 0) {
        complain(path);
        return;
    }
    char buffer[4096];
    for (ssize_t count; (count = read(file, buffer, sizeof buffer)) > 0;)
        fwrite(buffer, 1, count, stdout);
    close(file);
}

static void name(const char *unused) {
    struct utsname names;
    (void)unused;
    if (uname(&names) == 0)
        printf("%s %s %s\n", names.sysname, names.release, names.machine);
}

/* Sums the first n terms of the series of pi with numbers of 64 bits. */
static void compute(const char *count) {
    double sum = 0;
    long terms = *count ? atol(count) : 1000;
    for (long k = terms; k-- > 0;)
        sum += (k & 1 ? -4.0 : 4.0) / (2 * k + 1);
    printf("%.15f\n", sum);
}

/* Starts n processes that each count to a million. */
static void fork_some(const char *count) {
    int processes = *count ? atoi(count) : 1;
    for (int number = 0; number < processes; number++) {
        if (fork() == 0) {
            volatile long sum = 0;
            for (long step = 0; step < 1000000; step++)
                sum += step;
            _exit(sum == 499999500000 ? 0 : 1);
        }
    }
    int good = 0;
    for (int status; wait(&status) > 0;)
        good += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    printf("%d of %d processes ended well\n", good, processes);
}

static void pause_ms(const char *duration) {
    long ms = atol(duration);
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void echo(const char *text) {
    printf("%s\n", text);
}

static void switch_off(const char *unused) {
    (void)unused;
    fflush(stdout);
    sync();
    reboot(RB_POWER_OFF);
}

static void help(const char *unused);

static const struct command {
    const char *name, *meaning;
    void (*execute)(const char *argument);
    /* True if it is executed in a separate process, which Ctrl-C ends. */
    int is_in_front;
} COMMANDS[] = {
    {"address", "gives the network interface an address, as 10.0.0.1/24", address, 0},
    {"cat", "shows a file", show, 1},
    {"echo", "prints its argument", echo, 0},
    {"fork", "starts processes: NUMBER", fork_some, 1},
    {"help", "lists the commands", help, 0},
    {"iscsi-login", "takes the disk of a target: ADDRESS", iscsi_login, 0},
    {"iscsi-target", "offers a disk with nothing behind it", iscsi_target, 0},
    {"ls", "lists a folder", list, 0},
    {"maerts", "receives as fast as it goes: ADDRESS PORT STREAMS", maerts, 1},
    {"offload", "switches segmentation and reception in large pieces on or off", offload, 0},
    {"pi", "computes pi: TERMS", compute, 1},
    {"ping", "sends echo requests: ADDRESS COUNT", ping, 1},
    {"poweroff", "switches the server off", switch_off, 0},
    {"reads", "reads from that disk, with a queue of reads: DEPTH BYTES", disk_reads, 1},
    {"receive", "receives a byte stream on a port", receive, 1},
    {"send", "sends a byte stream: ADDRESS PORT BYTES", send_stream, 1},
    {"serve", "receives a byte stream on a port in the background", serve, 0},
    {"settings", "gives the network the settings that were published, or today's", settings, 0},
    {"sink", "receives what `stream` sends, in the background: PORT STREAMS", sink, 0},
    {"sleep", "waits: MILLISECONDS", pause_ms, 1},
    {"source", "sends what `maerts` receives, in the background: PORT STREAMS", source, 0},
    {"stream", "sends as fast as it goes: ADDRESS PORT STREAMS", stream, 1},
    {"stream-buffers", "chooses queues, buffers and calls of streams to come: BYTES BUFFERS MILLISECONDS [CALL-BYTES]", stream_buffers, 0},
    {"streams-apart", "sends from several processes, each to the next port: ADDRESS PORT PROCESSES", streams_apart, 1},
    {"uname", "says which kernel runs", name, 0},
    {"web-clients", "keeps a web server busy: ADDRESS PORT CLIENTS", web_clients, 1},
    {"web-server", "serves files and pages: PORT WORKERS", web_server, 0},
    {"zerocopy", "defers copies of what V-SINIC receives, or not", zero_copy, 0},
};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0] };

static void help(const char *unused) {
    (void)unused;
    for (int number = 0; number < COMMAND_COUNT; number++)
        printf("%-16s%s\n", COMMANDS[number].name, COMMANDS[number].meaning);
}

static void execute(char *line) {
    line += strspn(line, " \t");
    line[strcspn(line, "\r\n")] = 0;
    char *argument = line + strcspn(line, " ");
    if (*argument)
        *argument++ = 0;
    if (!*line)
        return;
    for (int number = 0; number < COMMAND_COUNT; number++) {
        if (strcmp(line, COMMANDS[number].name) == 0) {
            if (COMMANDS[number].is_in_front)
                execute_in_front(COMMANDS[number].execute, argument);
            else
                COMMANDS[number].execute(argument);
            fflush(stdout);
            return;
        }
    }
    printf("%s: no such command; `help` lists them\n", line);
}

/* Executes the commands that the kernel's command line gives. */
static void execute_given(void) {
    static char line[4096];
    FILE *file = fopen("/proc/cmdline", "r");
    if (!file)
        return;
    char *given = fgets(line, sizeof line, file) ? strstr(line, "run=") : NULL;
    fclose(file);
    if (!given)
        return;
    given += strlen("run=");
    given[strcspn(given, " \n")] = 0;
    for (char *rest, *command = strtok_r(given, ";", &rest); command; command = strtok_r(NULL, ";", &rest)) {
        for (char *comma = command; (comma = strchr(comma, ','));)
            *comma = ' ';
        execute(command);
    }
}

int main(void) {
    mkdir("/proc", 0755);
    mkdir("/sys", 0755);
    mkdir("/tmp", 0755);
    mount("proc", "/proc", "proc", 0, NULL);
    mount("sysfs", "/sys", "sysfs", 0, NULL);
    mount("tmpfs", "/tmp", "tmpfs", 0, NULL);
    mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
    mkdir("/dev/pts", 0755);
    mount("devpts", "/dev/pts", "devpts", 0, "ptmxmode=0666");
    take_terminal();
    load_drivers();
    /* IPv6 sends frames unasked, which measurements of commands must not count. Programs have it. */
    if (!getenv("program"))
        write_file("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
    loopback();
    /* Words of the command line that the kernel does not know become the environment. */
    const char *given = getenv("address");
    if (given)
        address(given);
    mount_given();
    execute_program();
    printf("server: ready\n");
    fflush(stdout);
    execute_given();
    for (char line[LINE_BYTES];;) {
        collect();
        printf("# ");
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin)) {
            clearerr(stdin);
            pause_ms("100");
            continue;
        }
        execute(line);
    }
}
