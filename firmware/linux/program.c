#include "program.h"

#include "guest/spinach.h"
#include "sockets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { ARGUMENTS_BYTES = 64 << 10, ARGUMENTS_MAXIMUM = 4096, NOT_FOUND = 127, NOT_EXECUTABLE = 126 };

static const char CONSOLE[] = "/dev/hvc0", DISK[] = "/dev/vda", ROOT[] = "/root", SHARED[] = "/host";
static const char FOLDER[] = "/exec", DRIVERS[] = "/drivers";
static int has_root;

void take_terminal(void) {
    setsid();
    signal(SIGTTOU, SIG_IGN);
    int console = open(CONSOLE, O_RDWR);
    if (console < 0)
        return;
    ioctl(console, TIOCSCTTY, 0);
    for (int descriptor = 0; descriptor < 3; descriptor++)
        dup2(console, descriptor);
    if (console > 2)
        close(console);
}

void collect(void) {
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
}

/* Waits for a process in front, then takes its place. */
static int wait_for(pid_t process) {
    int status = 0;
    setpgid(process, process);
    tcsetpgrp(STDIN_FILENO, process);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    tcsetpgrp(STDIN_FILENO, getpid());
    return status;
}

static pid_t fork_in_front(void) {
    fflush(stdout);
    pid_t process = fork();
    if (process == 0) {
        setpgid(0, 0);
        tcsetpgrp(STDIN_FILENO, getpid());
        signal(SIGTTOU, SIG_DFL);
    }
    return process;
}

void execute_in_front(void (*command)(const char *argument), const char *argument) {
    pid_t process = fork_in_front();
    if (process == 0) {
        command(argument);
        fflush(stdout);
        _exit(0);
    }
    if (process < 0)
        complain("fork");
    else if (WIFSIGNALED(wait_for(process)))
        printf("\n");
}

static void bind_into_root(const char *path) {
    char place[64];
    snprintf(place, sizeof place, "%s%s", ROOT, path);
    mkdir(place, 0755);
    if (mount(path, place, NULL, MS_BIND | MS_REC, NULL) < 0)
        complain(place);
}

void mount_given(void) {
    if (getenv("disk")) {
        mkdir(ROOT, 0755);
        has_root = mount(DISK, ROOT, "ext4", MS_NOATIME, NULL) == 0 || mount("/dev/vda1", ROOT, "ext4", MS_NOATIME, NULL) == 0;
        if (!has_root)
            complain(DISK);
    }
    if (getenv("share")) {
        mkdir(SHARED, 0755);
        if (mount("host", SHARED, "9p", MS_NOATIME, "trans=virtio,version=9p2000.L,msize=262144,cache=mmap") < 0)
            complain(SHARED);
    }
}

void load_drivers(void) {
    struct dirent **found;
    int count = scandir(DRIVERS, &found, NULL, alphasort);
    for (int number = 0; number < count; number++) {
        const char *name = found[number]->d_name;
        if (*name != '.') {
            char path[sizeof DRIVERS + sizeof found[number]->d_name];
            snprintf(path, sizeof path, "%s/%s", DRIVERS, name);
            int file = open(path, O_RDONLY | O_CLOEXEC);
            if (file < 0 || syscall(SYS_finit_module, file, "", 0) < 0)
                complain(path);
            if (file >= 0)
                close(file);
        }
        free(found[number]);
    }
    if (count >= 0)
        free(found);
}

static void enter_root(void) {
    static const char *const PLACES[] = {"/dev", "/proc", "/sys", "/tmp"};
    for (unsigned number = 0; number < sizeof PLACES / sizeof PLACES[0]; number++)
        bind_into_root(PLACES[number]);
    bind_into_root(FOLDER);
    if (getenv("share"))
        bind_into_root(SHARED);
    if (chroot(ROOT) < 0 || chdir("/") < 0)
        complain(ROOT);
}

/* The terminal of the program: as wide as the person's, or without any change of bytes. */
static void prepare_terminal(void) {
    const char *rows = getenv("rows"), *columns = getenv("columns");
    struct winsize size = {.ws_row = rows ? atoi(rows) : 0, .ws_col = columns ? atoi(columns) : 0};
    ioctl(STDIN_FILENO, TIOCSWINSZ, &size);
    struct termios terminal;
    if (getenv("plain") && tcgetattr(STDIN_FILENO, &terminal) == 0) {
        terminal.c_lflag &= ~ECHO;
        terminal.c_oflag &= ~OPOST;
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
    }
}

static void replace_by_program(void) {
    static char text[ARGUMENTS_BYTES] = "/bin/sh", *arguments[ARGUMENTS_MAXIMUM + 1] = {text, "-l"};
    int count = 2;
    if (strcmp(getenv("program"), "shell") != 0) {
        int file = open("/exec/arguments", O_RDONLY);
        ssize_t bytes = file < 0 ? -1 : read(file, text, sizeof text - 1);
        close(file);
        count = 0;
        for (char *at = text; bytes > 0 && at < text + bytes && count < ARGUMENTS_MAXIMUM; at += strlen(at) + 1)
            arguments[count++] = at;
        arguments[count] = NULL;
    }
    int input = getenv("input") ? open("/exec/input", O_RDONLY) : -1;
    if (input >= 0) {
        dup2(input, STDIN_FILENO);
        close(input);
    }
    if (has_root)
        enter_root();
    if (getenv("share") && chdir(SHARED) < 0)
        complain(SHARED);
    static const char *const VARIABLES[] = {"plain", "input", "program", "disk", "share", "rows", "columns", "address"};
    for (unsigned number = 0; number < sizeof VARIABLES / sizeof VARIABLES[0]; number++)
        unsetenv(VARIABLES[number]);
    setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/exec", 1);
    setenv("HOME", has_root ? "/root" : "/", 1);
    setenv("PYTHONPATH", FOLDER, 1);
    if (count)
        execvp(arguments[0], arguments);
    int error = errno;
    fprintf(stderr, "%s: %s\n", count ? arguments[0] : "no program", strerror(error));
    _exit(error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
}

void execute_program(void) {
    if (!getenv("program"))
        return;
    prepare_terminal();
    pid_t process = fork_in_front();
    if (process == 0)
        replace_by_program();
    int status = process < 0 ? NOT_EXECUTABLE << 8 : wait_for(process);
    tcdrain(STDOUT_FILENO);
    sync();
    spinach_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}
