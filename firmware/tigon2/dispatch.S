/*
 * The loops that give events to their handlers: the highest event that has come and is attended to, through a table of jumps.
 *
 * `pri` decodes the priority: the number of the highest bit that both operands have, and one; 0 if there is none. `joff` jumps to
 * entry number `rt` of a table of two instructions each. Assemblers do not know them. A handler returns to the loop.
 */
#define V0 2
#define V1 3
#define S2 18
#define K1 27
#define PRI(rd, rs, rt) .word (rs) << 21 | (rt) << 16 | (rd) << 11 | 0x0b
#define JOFF(rs, rt) .word (rs) << 21 | (rt) << 16 | 0x0a

#define EVENTS_A 0x60
#define EVENTS_B 0x70

    .set noreorder
    .set noat

    .macro on handler
    j \handler
    nop
    .endm

    .macro none count
    .rept \count
    jr $s0
    nop
    .endr
    .endm

    .macro dispatch loop, table, events
    .globl \loop
    .globl \table
\loop:
    lw $v1, \events($gp)
    move $ra, $s0
    PRI(V0, V1, K1)
    JOFF(S2, V0)
    nop
\table:
    j \loop + 4 /* no event: look again */
    lw $v1, \events($gp)
    .endm

    /* The bits are those of tigon2/events.h. */
    .section .dispatch.a, "ax", @progbits
    dispatch loop_a, table_a, EVENTS_A
    none 2
    on handle_fetch_send /* 2 */
    none 1
    on handle_send_descriptors /* 4 */
    on handle_fetch_receive
#ifdef TIGON2_PARALLEL
    none 9
    on handle_reads_done /* 15 */
    none 4
    on handle_read_attention /* 20 */
    none 1
    on handle_mailbox
    none 2
    on handle_mac_receive /* 25 */
    on handle_mac_transmit
    none 1
    on handle_send_timer /* 28 */
    none 3

    .section .dispatch.b, "ax", @progbits
    dispatch loop_b, table_b, EVENTS_B
    none 6
    on handle_received /* 6 */
    none 2
    on handle_receive_buffers /* 9 */
    none 4
    on handle_writes_done /* 14 */
    none 4
    on handle_write_attention /* 19 */
    none 1
    on handle_tell_host /* 21 */
    none 2
    on handle_send_consumer /* 24 */
    none 3
    on handle_receive_timer /* 28 */
    none 3
#else
    on handle_received /* 6 */
    none 2
    on handle_receive_buffers /* 9 */
    none 4
    on handle_writes_done /* 14 */
    on handle_reads_done
    none 3
    on handle_write_attention /* 19 */
    on handle_read_attention
    on handle_tell_host
    on handle_mailbox
#ifdef TIGON2_RELEASED_STYLE
    on handle_tick /* 23 */
#else
    none 1
#endif
    on handle_send_consumer /* 24 */
    on handle_mac_receive
    on handle_mac_transmit
    none 1
    on handle_timers /* 28 */
    none 3
#endif
