/* Disks over the network, iSCSI (RFC 7143), with the kernel's initiator and target.
 *
 * The kernel's target does the login of initiators. The kernel's initiator leaves it to a program, usually iscsid: this is the part
 * that a login without authentication takes. It uses a socket that the kernel has afterwards.
 */
#define _GNU_SOURCE /* O_DIRECT */
#include "iscsi.h"

#include "sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/netlink.h>
#include <linux/random.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TARGET "iqn.2026-01.org.spinach:null"
#define INITIATOR "iqn.2026-01.org.spinach:server"
#define CONFIGURATION "/sys/kernel/config/target"
#define PORTAL CONFIGURATION "/iscsi/" TARGET "/tpgt_1"
#define STORE CONFIGURATION "/core/rd_mcp_0/null"
#define DISK "/dev/sda"

enum {
    PORT = 3260,
    /* 8,000,000 sectors of 512 bytes, as in the published runs; a page has 4096. */
    STORE_PAGES = 1000000,
    SECTOR_BYTES = 512,
    SECTORS = 8000000,
};

/* The target. */

static int make_folder(const char *path) {
    if (mkdir(path, 0755) == 0 || errno == EEXIST)
        return 1;
    complain(path);
    return 0;
}

/* The devices, which are not there before they are needed. */
static void show_devices(void) {
    static int are_shown;
    if (!are_shown)
        are_shown = mount("devtmpfs", "/dev", "devtmpfs", 0, NULL) == 0;
}

/* The target waits for random numbers, of which a simulated server has no source: it is given some, always the same. */
static void seed_random_numbers(void) {
    struct {
        struct rand_pool_info head;
        uint32_t words[16];
    } seed = {.head = {.entropy_count = 512, .buf_size = sizeof seed.words}};
    for (int word = 0; word < 16; word++)
        seed.words[word] = 0x9e3779b9U * (word + 1);
    int file = open("/dev/random", O_WRONLY);
    if (file < 0 || ioctl(file, RNDADDENTROPY, &seed) < 0)
        complain("/dev/random");
    if (file >= 0)
        close(file);
}

void iscsi_target(const char *unused) {
    (void)unused;
    char control[64];
    show_devices();
    seed_random_numbers();
    snprintf(control, sizeof control, "rd_pages=%d,rd_nullio=1", STORE_PAGES);
    mount("configfs", "/sys/kernel/config", "configfs", 0, NULL);
    int is_offered = make_folder(CONFIGURATION "/core/rd_mcp_0") && make_folder(STORE) &&
                     write_file(STORE "/control", control) && write_file(STORE "/enable", "1") &&
                     make_folder(CONFIGURATION "/iscsi") && make_folder(CONFIGURATION "/iscsi/" TARGET) &&
                     make_folder(PORTAL) && make_folder(PORTAL "/np/0.0.0.0:3260") &&
                     write_file(PORTAL "/attrib/authentication", "0") &&
                     write_file(PORTAL "/attrib/generate_node_acls", "1") &&
                     write_file(PORTAL "/attrib/cache_dynamic_acls", "1") &&
                     write_file(PORTAL "/attrib/demo_mode_write_protect", "0") && make_folder(PORTAL "/lun/lun_0") &&
                     symlink(STORE, PORTAL "/lun/lun_0/null") == 0 && write_file(PORTAL "/enable", "1");
    printf("iscsi-target: %s\n", is_offered ? "offers " TARGET : "could not be set up");
}

/* The login. */

/* The header of requests and responses, and what is said in it (sections 11.12 and 11.13). */
struct login_header {
    uint8_t opcode, flags, version[2];
    uint32_t data_length;
    uint8_t session[8];
    uint32_t task;
    uint16_t connection, unused;
    uint32_t numbers[3];
    uint8_t status[2], rest[10];
};
enum {
    LOGIN = 0x43,
    LOGIN_RESPONSE = 0x23,
    /* From negotiation of parameters to the phase in which everything may be asked. */
    TO_FULL_FEATURE = 0x87,
    FIRST_COMMAND = 1,
};

static const char KEYS[] = "InitiatorName=" INITIATOR "\0TargetName=" TARGET
                           "\0SessionType=Normal\0HeaderDigest=None\0DataDigest=None\0ErrorRecoveryLevel=0"
                           "\0InitialR2T=No\0ImmediateData=Yes\0MaxBurstLength=262144\0FirstBurstLength=262144"
                           "\0MaxOutstandingR2T=1\0MaxConnections=1\0DataPDUInOrder=Yes\0DataSequenceInOrder=Yes"
                           "\0DefaultTime2Wait=0\0DefaultTime2Retain=0\0MaxRecvDataSegmentLength=65536";

static int read_all(int descriptor, void *bytes, size_t count) {
    return recv(descriptor, bytes, count, MSG_WAITALL) == (ssize_t)count;
}

/* Logs in over a socket; the number of the status that comes next, or -1. */
static long log_in(int descriptor) {
    struct {
        struct login_header header;
        char keys[(sizeof KEYS + 3) & ~3];
    } request = {.header = {.opcode = LOGIN, .flags = TO_FULL_FEATURE, .data_length = htonl(sizeof KEYS)}};
    /* A random identifier. */
    request.header.session[0] = 0x80;
    request.header.numbers[0] = htonl(FIRST_COMMAND);
    memcpy(request.keys, KEYS, sizeof KEYS);
    if (write(descriptor, &request, sizeof request) != sizeof request)
        return -1;
    struct login_header response;
    char keys[4096];
    if (!read_all(descriptor, &response, sizeof response))
        return -1;
    uint32_t length = (ntohl(response.data_length) + 3) & ~3U;
    if (length > sizeof keys || (length && !read_all(descriptor, keys, length)))
        return -1;
    int is_done = response.opcode == LOGIN_RESPONSE && response.flags == TO_FULL_FEATURE && response.status[0] == 0;
    if (!is_done)
        printf("iscsi-login: refused, status %d.%d\n", response.status[0], response.status[1]);
    return is_done ? (long)ntohl(response.numbers[0]) + 1 : -1;
}

/* The kernel's initiator, over netlink (include/scsi/iscsi_if.h of the kernel). */

enum { CREATE_SESSION = 11, CREATE_CONNECTION = 13, BIND_CONNECTION = 15, SET_PARAMETER = 16, START_CONNECTION = 17 };
enum {
    MAX_RECEIVED = 0,
    MAX_SENT = 1,
    HEADER_DIGEST = 2,
    DATA_DIGEST = 3,
    INITIAL_R2T = 4,
    MAX_R2T = 5,
    IMMEDIATE_DATA = 6,
    FIRST_BURST = 7,
    MAX_BURST = 8,
    IN_ORDER = 9,
    SEQUENCES_IN_ORDER = 10,
    RECOVERY_LEVEL = 11,
    EXPECTED_STATUS = 14,
};

struct event {
    uint32_t type, error;
    uint64_t transport;
    union {
        struct {
            uint32_t first_command;
            uint16_t commands, depth;
        } session;
        struct {
            uint32_t session, connection;
            union {
                struct {
                    uint64_t descriptor;
                    uint32_t is_leading;
                } bind;
                struct {
                    uint32_t parameter, length;
                } set;
            };
        } of;
    };
    union {
        int32_t error;
        struct {
            uint32_t session, host;
        } made;
        uint64_t room[2];
    } answer;
} __attribute__((aligned(8)));

struct message {
    struct nlmsghdr header;
    struct event event;
    char text[32];
};

/* Asks the kernel; its answer is in the message. Whether it agreed. */
static int ask(int netlink, uint32_t type, struct message *message, size_t text_bytes) {
    size_t bytes = offsetof(struct message, text) + text_bytes;
    message->header = (struct nlmsghdr){.nlmsg_len = bytes, .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST};
    message->event.type = type;
    struct message answer;
    if (send(netlink, message, bytes, 0) < 0)
        return 0;
    do {
        if (recv(netlink, &answer, sizeof answer, 0) < (ssize_t)offsetof(struct message, text))
            return 0;
    } while (answer.header.nlmsg_type != type);
    message->event.answer = answer.event.answer;
    return answer.event.type == type && answer.event.error == 0;
}

struct session {
    int netlink;
    uint64_t transport;
    uint32_t number, host;
};

static int set(const struct session *session, uint32_t parameter, long value) {
    struct message message = {.event = {.transport = session->transport}};
    int length = snprintf(message.text, sizeof message.text, "%ld", value) + 1;
    message.event.of.session = session->number;
    message.event.of.set.parameter = parameter;
    message.event.of.set.length = length;
    return ask(session->netlink, SET_PARAMETER, &message, length);
}

static int hand_over(struct session *session, int descriptor, long status) {
    struct message message = {.event = {.transport = session->transport}};
    message.event.session.first_command = FIRST_COMMAND;
    message.event.session.commands = 128;
    message.event.session.depth = 64;
    if (!ask(session->netlink, CREATE_SESSION, &message, 0))
        return 0;
    session->number = message.event.answer.made.session;
    session->host = message.event.answer.made.host;
    message = (struct message){.event = {.transport = session->transport, .of = {.session = session->number}}};
    if (!ask(session->netlink, CREATE_CONNECTION, &message, 0))
        return 0;
    message = (struct message){.event = {.transport = session->transport, .of = {.session = session->number}}};
    message.event.of.bind.descriptor = descriptor;
    message.event.of.bind.is_leading = 1;
    if (!ask(session->netlink, BIND_CONNECTION, &message, 0) || message.event.answer.error)
        return 0;
    static const struct {
        uint32_t parameter;
        long value;
    } PARAMETERS[] = {
        {MAX_RECEIVED, 65536}, {MAX_SENT, 8192},   {HEADER_DIGEST, 0}, {DATA_DIGEST, 0},        {INITIAL_R2T, 0},    {MAX_R2T, 1},
        {IMMEDIATE_DATA, 1},   {FIRST_BURST, 262144}, {MAX_BURST, 262144}, {IN_ORDER, 1}, {SEQUENCES_IN_ORDER, 1}, {RECOVERY_LEVEL, 0},
    };
    for (unsigned number = 0; number < sizeof PARAMETERS / sizeof PARAMETERS[0]; number++)
        if (!set(session, PARAMETERS[number].parameter, PARAMETERS[number].value))
            return 0;
    if (!set(session, EXPECTED_STATUS, status))
        return 0;
    message = (struct message){.event = {.transport = session->transport, .of = {.session = session->number}}};
    return ask(session->netlink, START_CONNECTION, &message, 0) && message.event.answer.error == 0;
}

/* The kernel scans for disks in a separate thread. */
static int appears(const char *device) {
    for (int milliseconds = 0; milliseconds < 1000; milliseconds++) {
        if (access(device, R_OK) == 0)
            return 1;
        usleep(1000);
    }
    complain("iscsi-login");
    return 0;
}

void iscsi_login(const char *host) {
    char handle[32], scan[64];
    struct sockaddr_nl here = {.nl_family = AF_NETLINK};
    struct session session = {.netlink = socket(AF_NETLINK, SOCK_RAW, NETLINK_ISCSI)};
    read_file("/sys/class/iscsi_transport/tcp/handle", handle, sizeof handle);
    session.transport = strtoull(handle, NULL, 10);
    if (session.netlink < 0 || bind(session.netlink, (struct sockaddr *)&here, sizeof here) < 0) {
        complain("iscsi-login");
        return;
    }
    int descriptor = connect_to(host, PORT, NULL);
    if (descriptor < 0) {
        complain("iscsi-login");
        return;
    }
    long status = log_in(descriptor);
    if (status < 0 || !hand_over(&session, descriptor, status)) {
        printf("iscsi-login: no disk\n");
        close(descriptor);
        return;
    }
    show_devices();
    snprintf(scan, sizeof scan, "/sys/class/scsi_host/host%u/scan", session.host);
    if (write_file(scan, "- - -") && appears(DISK))
        printf("iscsi-login: the disk is %s\n", DISK);
}

/* The reads. */

enum { DEPTH_MAXIMUM = 256, BYTES_MAXIMUM = 256 << 10 };
/* Of three reads two are anywhere, as in the published runs, and one follows the last. */
enum { ANYWHERE = 2, OF = 3 };

static uint64_t place_after(uint64_t sector, uint32_t sectors) {
    static uint64_t chance = 1;
    chance = chance * 6364136223846793005 + 1442695040888963407;
    uint32_t number = chance >> 33;
    if (number % OF < ANYWHERE)
        sector = number / OF;
    return (sector + sectors) % (SECTORS - sectors) / sectors * sectors;
}

void disk_reads(const char *argument) {
    int depth = 50, bytes = 8192;
    sscanf(argument, "%d %d", &depth, &bytes);
    int disk = open(DISK, O_RDONLY | O_DIRECT);
    aio_context_t context = 0;
    if (disk < 0 || syscall(SYS_io_setup, DEPTH_MAXIMUM, &context) < 0) {
        complain("reads");
        return;
    }
    if (depth < 1 || depth > DEPTH_MAXIMUM || bytes < SECTOR_BYTES || bytes > BYTES_MAXIMUM || bytes % SECTOR_BYTES) {
        printf("reads: 1 to %d pieces of whole sectors, of at most %d bytes\n", DEPTH_MAXIMUM, BYTES_MAXIMUM);
        return;
    }
    static struct iocb requests[DEPTH_MAXIMUM];
    uint64_t sector = 0;
    char *memory = aligned_alloc(4096, (size_t)depth * BYTES_MAXIMUM);
    if (!memory) {
        complain("reads");
        return;
    }
    struct io_event events[DEPTH_MAXIMUM];
    for (int number = 0; number < depth; number++)
        events[number].obj = (uint64_t)(uintptr_t)&requests[number];
    printf("reads: %d at once\n", depth);
    fflush(stdout);
    for (int done = depth;;) {
        struct iocb *next[DEPTH_MAXIMUM];
        for (int number = 0; number < done; number++) {
            struct iocb *request = next[number] = (struct iocb *)(uintptr_t)events[number].obj;
            sector = place_after(sector, bytes / SECTOR_BYTES);
            *request = (struct iocb){
                .aio_lio_opcode = IOCB_CMD_PREAD,
                .aio_fildes = disk,
                .aio_buf = (uint64_t)(uintptr_t)(memory + (request - requests) * (size_t)BYTES_MAXIMUM),
                .aio_nbytes = bytes,
                .aio_offset = SECTOR_BYTES * sector,
            };
        }
        if (syscall(SYS_io_submit, context, done, next) != done ||
            (done = syscall(SYS_io_getevents, context, 1, depth, events, NULL)) < 1) {
            complain("reads");
            return;
        }
    }
}
