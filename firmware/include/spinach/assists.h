/*
 * The hardware assists, and what they exchange with firmware through memory. The module reference describes dma_assist,
 * mac_transmit_assist, mac_receive_assist and interrupt in full.
 *
 * Indices that count work run freely modulo 2^32; the place in a ring is the index modulo its entries, a power of two.
 */
#ifndef SPINACH_ASSISTS_H
#define SPINACH_ASSISTS_H

#include "spinach/layouts.h"

#define RECEIVED_LENGTH(status_length) ((status_length) & 0xffffu)
#define RECEIVED_STATUS(status_length) ((status_length) & 0xffff0000u)

#endif
