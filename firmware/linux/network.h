/* The network of the simulated server: its address, and commands that move bytes. */
#ifndef NETWORK_H
#define NETWORK_H

/* Gives the network interface an address, as 10.0.0.1/24, and switches it on. */
void address(const char *with_prefix);

/* Switches the loopback interface on. */
void loopback(void);

/* Switches what the kernel does in large pieces, segmentation and reception, "on" or "off". */
void offload(const char *state);

/* Gives the kernel the settings of the published runs, "published", or its defaults, "today". */
void settings(const char *which);

/* Lets the driver of V-SINIC defer copies, "on" or "off"; switches the interface off and on. */
void zero_copy(const char *state);

/* Sends echo requests: an address, and how many. */
void ping(const char *argument);

/* Receives a byte stream on a port until it ends; says how many bytes and what their checksum is. */
void receive(const char *port);

/* The same in the background. */
void serve(const char *port);

/* Sends a byte stream, ADDRESS PORT BYTES; waits until there is a listener. */
void send_stream(const char *argument);

#endif
