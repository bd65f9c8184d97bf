/* Functions that programs with sockets share. */
#ifndef SOCKETS_H
#define SOCKETS_H

/* Says what went wrong, as errno has it. */
void complain(const char *what);

/* Microseconds since the kernel started. */
double now_us(void);

/* Writes a text to a file of the kernel; whether it took it. */
int write_file(const char *path, const char *text);

/* Reads a text from a file of the kernel, as much of it as fits. */
void read_file(const char *path, char *text, int bytes);

/* Connects to a peer that may not listen yet. Prepares the socket before, if there is something to prepare; -1 with errno if it does
 * not connect. */
int connect_to(const char *host, int port, void (*prepare)(int descriptor));

/* Listens on a port; -1 with errno if that is not possible. Connections inherit what was prepared. */
int listen_at(int port, void (*prepare)(int descriptor));

#endif
