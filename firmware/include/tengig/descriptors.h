/* Structures that the NIC and the host exchange through memory, and their addresses on the NIC. */
#ifndef TENGIG_DESCRIPTORS_H
#define TENGIG_DESCRIPTORS_H

#include <stdint.h>

#include "spinach/assists.h"
#include "spinach/driver.h"
#include "tengig/addresses.h"

/* The assists, in the order of the register bus. */
#define dma_read_registers ((struct ring_registers *)DMA_READ_REGISTERS)
#define dma_write_registers ((struct ring_registers *)DMA_WRITE_REGISTERS)
#define transmit_registers ((struct ring_registers *)TRANSMIT_REGISTERS)
#define receive_registers ((struct mac_receive_registers *)RECEIVE_REGISTERS)
#define interrupt_registers ((struct interrupt_block *)INTERRUPT_REGISTERS)

/* Frame memory: a place for each frame to send, by its first buffer descriptor, and a circular buffer for received ones. */
#define TRANSMIT_BUFFER(position) (FRAME_MEMORY + (position) * TRANSMIT_BUFFER_BYTES)

/* The rings follow the shared state at the bottom of the scratch pad. */
#define dma_read_ring ((struct dma_descriptor *)(RINGS_ADDRESS + 0x0000u))
#define dma_write_ring ((struct dma_descriptor *)(RINGS_ADDRESS + 0x1000u))
#define send_bd_ring ((struct buffer_descriptor *)(RINGS_ADDRESS + 0x2000u))
#define receive_bd_ring ((struct buffer_descriptor *)(RINGS_ADDRESS + 0x3000u))
#define return_ring ((struct buffer_descriptor *)(RINGS_ADDRESS + 0x4000u))
#define transmit_ring ((struct mac_descriptor *)(RINGS_ADDRESS + 0x5000u))
#define receive_ring ((struct mac_descriptor *)(RINGS_ADDRESS + 0x5800u))

#endif
