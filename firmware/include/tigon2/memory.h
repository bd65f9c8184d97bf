/*
 * Division of the SRAM. Addresses wrap at 2 MiB, and smaller memories repeat, so that whatever is fitted ends at 2 MiB: all of the
 * following ends there. Below it lies the image, from 0x4000 of the lowest repetition on.
 *
 * Everything that describes something, for the host or for the hardware, lies together, in 92 KiB from `descriptors` on.
 */
#ifndef TIGON2_MEMORY_H
#define TIGON2_MEMORY_H

#include <stdint.h>

#include "tigon2/addresses.h"

#define STANDARD_DESCRIPTORS 512
#define JUMBO_DESCRIPTORS 256
#define MINI_DESCRIPTORS 1024
#define SEND_DESCRIPTORS_MOST 512
#define DMA_DESCRIPTORS 64
#define TRANSMIT_FRAMES 256
#define RECEIVE_FRAMES 512

/* Offsets in the descriptors. */
#define STANDARD_OFFSET 0x00000u
#define JUMBO_OFFSET 0x04000u
#define MINI_OFFSET 0x08000u
#define SEND_OFFSET 0x10000u
#define TRANSMIT_RING_OFFSET 0x12800u
#define RECEIVE_RING_OFFSET 0x13000u
#define DMA_READ_RING_OFFSET 0x14000u  /* the hardware: 0x1000 behind the receive ring */
#define DMA_WRITE_RING_OFFSET 0x14800u /* the hardware: 0x1800 behind the receive ring */

#define TRANSMIT_RING_BYTES (8 * TRANSMIT_FRAMES)
#define RECEIVE_RING_BYTES (8 * RECEIVE_FRAMES)

/* Send rings of the host in the memory of the card end here, so their length gives their beginning. */
#define LOCAL_SEND_RING_END 0x4000u

/* Descriptors of the MAC. */
struct mac_descriptor {
    volatile uint32_t address;
    volatile uint32_t length; /* and above it the tag to insert, or how the frame came */
};

#define TRANSMIT_INSERT_VLAN 0x40000000u
#define RECEIVE_NOT_USED 0x01000000u
#define RECEIVE_BAD 0x00bf0000u /* all errors but a short frame */
#define CHECK_SEQUENCE_BYTES 4

#endif
