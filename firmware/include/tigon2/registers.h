/*
 * The registers of the Tigon-2, as its processors see them. The host sees the same offsets in its base address region.
 */
#ifndef TIGON2_REGISTERS_H
#define TIGON2_REGISTERS_H

#include <stdint.h>

/* Hidden from compilers, the base stays in one register, and every access is one instruction. */
static inline __attribute__((always_inline, const)) uint32_t register_base(void)
{
    uint32_t base;
    __asm__("" : "=r"(base) : "0"(0xc0000000u));
    return base;
}

#define REGISTER(offset) (*(volatile uint32_t *)(uintptr_t)(register_base() + (offset)))

/* Control. */
#define LOCAL_CONTROL REGISTER(0x044)
#define LOCAL_CONTROL_INTERRUPT 0x00000004u /* writing 1 asserts the interrupt of the host */
#define SEMAPHORE_A REGISTER(0x048)         /* the one semaphore, as core A sees it: any write takes or gives back */
#define SEMAPHORE_B REGISTER(0x04c)
#define CONFIGURATION REGISTER(0x050)
#define CONFIGURATION_PRESCALE 0x0000007fu /* core cycles of a tick of the timer, less one */
#define TIMER REGISTER(0x054)
#define TIMER_REFERENCE_A REGISTER(0x058) /* EVENT_TIMER of core A while the timer is not before it */
#define TIMER_REFERENCE_B REGISTER(0x078)
#define EVENTS_A REGISTER(0x060)
#define EVENTS_B REGISTER(0x070)
#define MAILBOX_EVENTS_A REGISTER(0x064) /* a bit for each mailbox written; cleared by writing 1 */
#define MAILBOX_EVENTS_B REGISTER(0x074)
#define ASSIST REGISTER(0x11c)
#define ASSIST_ENABLE 0x00000001u
#define ASSIST_OFF 0u
#define ASSIST_INITIALISE 0x00000020u
#define CORE_STATE_A REGISTER(0x140)
#define CORE_STATE_B REGISTER(0x240)
#define CORE_STATE_HALTED 0x00010000u
#define CORE_STATE_HALT 0xffff0000u /* any of these */
#define PROGRAM_COUNTER_B REGISTER(0x244)

/* The DMA channels themselves, for transfers without a ring or by software that reads the ring. */
#define READ_HOST_HIGH REGISTER(0x090)
#define READ_HOST_LOW REGISTER(0x094)
#define READ_LENGTH REGISTER(0x09c)
#define READ_STATE REGISTER(0x0b0)
#define READ_LOCAL REGISTER(0x0b4)
#define READ_CHECKSUM REGISTER(0x0b8)
#define WRITE_HOST_HIGH REGISTER(0x080)
#define WRITE_HOST_LOW REGISTER(0x084)
#define WRITE_STATE REGISTER(0x0a0)
#define WRITE_LOCAL REGISTER(0x0a4)
#define WRITE_CHECKSUM REGISTER(0x0a8)
#define WRITE_LENGTH REGISTER(0x0ac)

/* The rings of DMA descriptors: 64 entries of 32 bytes. */
#define READ_PRODUCER REGISTER(0x100)
#define READ_REFERENCE REGISTER(0x104) /* the hardware has done what lies before */
#define READ_CONSUMER REGISTER(0x108)  /* the firmware has taken note of what lies before */
#define READ_CHECKED_PRODUCER REGISTER(0x10c) /* 0 while the ring is full */
#define READ_LOW_PRODUCER REGISTER(0x110)
#define READ_LOW_REFERENCE REGISTER(0x114)
#define READ_LOW_CONSUMER REGISTER(0x118)
#define WRITE_PRODUCER REGISTER(0x120)
#define WRITE_REFERENCE REGISTER(0x124)
#define WRITE_CONSUMER REGISTER(0x128)
#define WRITE_CHECKED_PRODUCER REGISTER(0x12c)
#define WRITE_LOW_PRODUCER REGISTER(0x130)
#define WRITE_LOW_REFERENCE REGISTER(0x134)
#define WRITE_LOW_CONSUMER REGISTER(0x138)

/* The packet buffers and the rings of the MAC. */
#define RECEIVE_BUFFER_BASE REGISTER(0x0c0)
#define RECEIVE_BUFFER_PRODUCER REGISTER(0x0c4)
#define RECEIVE_BUFFER_CONSUMER REGISTER(0x0c8)
#define TRANSMIT_BUFFER_BASE REGISTER(0x0d0)
#define TRANSMIT_BUFFER_PRODUCER REGISTER(0x0d4)
#define TRANSMIT_BUFFER_CONSUMER REGISTER(0x0d8)
#define RECEIVE_RING_PRODUCER REGISTER(0x0e0)
#define RECEIVE_RING_REFERENCE REGISTER(0x0e4)
#define RECEIVE_RING_CONSUMER REGISTER(0x0e8)
#define TRANSMIT_RING_PRODUCER REGISTER(0x0f0)
#define TRANSMIT_RING_REFERENCE REGISTER(0x0f4)
#define TRANSMIT_RING_CONSUMER REGISTER(0x0f8) /* frames before it have left */

/* The MAC. */
#define MAC_TRANSMIT_STATE REGISTER(0x200)
#define MAC_RECEIVE_STATE REGISTER(0x220)
#define MAC_RESET 0x00000001u
#define MAC_ENABLE 0x00000002u
#define MAC_STOP 0x00000004u
#define MAC_PROMISCUOUS 0x00000008u
#define MAC_RECEIVE_MODE 0x00000800u
#define MAC_OBEY_PAUSE 0x00010000u
#define MAC_SYNCHRONISED 0x00040000u
#define MAC_TRANSMIT_ATTENTIONS 0x3f000000u
#define MAC_RECEIVE_ATTENTIONS 0xf7000000u
#define MAC_RECEIVE_OVERFLOW 0x40000000u
#define MAC_LINK_ATTENTIONS 0x03000000u /* the link, and its synchronisation */
#define LINK_SENT_WORD REGISTER(0x204)
#define LINK_RECEIVED_WORD REGISTER(0x224)
#define MAC_ADDRESS_HIGH REGISTER(0x208)
#define MAC_ADDRESS_LOW REGISTER(0x20c)
#define MAC_BACKOFF_SEED REGISTER(0x210)
#define MAC_VLAN_AND_GAP REGISTER(0x214)
#define MAC_THRESHOLDS REGISTER(0x21c)
#define MAC_HASH(word) REGISTER(0x228 + 4 * (word))

#endif
