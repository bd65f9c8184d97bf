/*
 * Writes content that the card keeps, and sends it ROUNDS times. Before the last time it changes a part, when the peer has all that was
 * sent: as with files, frames that wait refer to the content.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#define AT 5000 /* offset of the content in the device */

static void check(int is_right, const char *what)
{
    if (!is_right) {
        perror(what);
        exit(1);
    }
}

static void fill(unsigned char *bytes, unsigned count, unsigned seed)
{
    for (unsigned i = 0; i < count; i++)
        bytes[i] = (unsigned char)((i + seed) * 2654435761u >> 13);
}

static void wait_until_sent(int connection)
{
    int left = 1;

    while (left > 0) {
        check(ioctl(connection, SIOCOUTQ, &left) == 0, "queue");
        usleep(1000);
    }
}

int main(int count, char **arguments)
{
    static unsigned char content[COUNT], found[COUNT];
    struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    int device = open("/dev/spinach_content0", O_RDWR), connection = socket(AF_INET, SOCK_STREAM, 0);

    check(count == 2 && inet_aton(arguments[1], &peer.sin_addr), "address");
    check(device >= 0, "open");
    check(lseek(device, 0, SEEK_END) == 16 << 20, "size");
    fill(content, COUNT, 0);
    check(pwrite(device, content, COUNT, AT) == COUNT, "write");
    check(connect(connection, (struct sockaddr *)&peer, sizeof peer) == 0, "connect");
    for (int round = 1; round <= ROUNDS; round++) {
        if (round == ROUNDS) {
            wait_until_sent(connection);
            check(pwrite(device, content, CHANGED, AT + CHANGED) == CHANGED, "change");
        }
        off_t at = AT;
        while (at < AT + COUNT)
            check(sendfile(connection, device, &at, (size_t)(AT + COUNT - at)) > 0, "send");
    }
    fill(content + CHANGED, CHANGED, 0);
    check(pread(device, found, COUNT, AT) == COUNT, "read");
    for (int i = 0; i < COUNT; i++)
        check(found[i] == content[i], "compare");
    check(pwrite(device, content, 1, 16 << 20) < 0, "limit");
    puts("content is written and sent");
    return 0;
}
