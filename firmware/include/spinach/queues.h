/* The descriptors of the devices that take them from queues. The module reference describes queue_transmit and queue_receive. */
#ifndef SPINACH_QUEUES_H
#define SPINACH_QUEUES_H

/* Bits of the control register. A reset is complete when its bit reads as 0. */
#define QUEUE_ENABLE 1u
#define QUEUE_RESET 2u

/* The lower half of a descriptor of a piece of a frame to send. */
#define TRANSMIT_LAST 0x80000000u
#define TRANSMIT_CHECKSUM 0x40000000u
#define TRANSMIT_LARGEST_OFFSET 255u /* of a checksum in a frame */
#define TRANSMIT_CHECKSUM_AT(start, insert) (TRANSMIT_CHECKSUM | (insert) << 22 | (start) << 14)

/* The word on how the next frame is cut: payload of each piece, bytes of all headers, offset of the IP header. */
#define TRANSMIT_LARGEST_HEADERS 255u
#define TRANSMIT_SEGMENT(size, headers, network) ((network) << 22 | (headers) << 14 | (size))

/* The word on a frame received. */
#define RECEIVED 0x80000000u
#define RECEIVED_CHECKSUM_WRONG 0x40000000u
#define RECEIVED_CHECKSUM_RIGHT 0x20000000u
#define RECEIVED_BYTES(completion) ((completion) & 0x3fffu)

#endif
