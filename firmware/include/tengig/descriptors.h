/* What the NIC and the host exchange through memory, and where things lie on the NIC. */
#ifndef TENGIG_DESCRIPTORS_H
#define TENGIG_DESCRIPTORS_H

#include <stdint.h>

#include "spinach/assists.h"
#include "spinach/driver.h"

/* The assists, in the order of the register bus. */
#define dma_read_registers ((struct ring_registers *)0x20000000u)
#define dma_write_registers ((struct ring_registers *)0x20000100u)
#define transmit_registers ((struct ring_registers *)0x20000200u)
#define receive_registers ((struct mac_receive_registers *)0x20000300u)
#define interrupt_registers ((struct interrupt_block *)0x20000400u)

/* Frame memory: a place for each frame to send, by its first buffer descriptor, and a circular buffer for received ones. */
#define FRAME_MEMORY 0x40000000u
#define TRANSMIT_BUFFER_BYTES 0x4000u
#define TRANSMIT_BUFFER(position) (FRAME_MEMORY + (position) * TRANSMIT_BUFFER_BYTES)
#define RECEIVE_BUFFER (FRAME_MEMORY + 0x400000u)
#define RECEIVE_BUFFER_BYTES 0x100000u
#define RECEIVE_ALIGNMENT 8u /* frames begin at multiples of it; a parameter of the MAC's assist */

/* The rings follow the shared state at the bottom of the scratch pad. */
#define RINGS_ADDRESS 0x4000u
#define dma_read_ring ((struct dma_descriptor *)(RINGS_ADDRESS + 0x0000u))
#define dma_write_ring ((struct dma_descriptor *)(RINGS_ADDRESS + 0x1000u))
#define send_bd_ring ((struct buffer_descriptor *)(RINGS_ADDRESS + 0x2000u))
#define receive_bd_ring ((struct buffer_descriptor *)(RINGS_ADDRESS + 0x3000u))
#define return_ring ((struct buffer_descriptor *)(RINGS_ADDRESS + 0x4000u))
#define transmit_ring ((struct transmit_descriptor *)(RINGS_ADDRESS + 0x5000u))
#define receive_ring ((struct receive_descriptor *)(RINGS_ADDRESS + 0x5800u))
#define RINGS_END (RINGS_ADDRESS + 0x6000u)

#endif
