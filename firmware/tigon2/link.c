/* The MAC and the link. All of this is the sending core's. */
#include "tigon2/events.h"
#include "tigon2/functions.h"

#define FULL_DUPLEX_VLAN_AND_GAP 0x8100251fu
#define THRESHOLDS 0x100b07e3u
#define LINK_WORD_LAST_BIT 0x8000u
#define TICKS_BETWEEN_NEGOTIATIONS 1000u
#define HASH_WORDS 4
#define HASH_BITS 128
#define CRC32_REFLECTED 0xedb88320u

static uint8_t group_counts[HASH_BITS];
static bool accepts_all_groups;
static bool is_promiscuous;
static bool is_up;

void mac_set_address(void)
{
    uint32_t low = shared->general.address_low;
    MAC_ADDRESS = shared->general.address_high;
    MAC_ADDRESS_LOW = low;
    MAC_BACKOFF_SEED = low;
}

static uint32_t obeys_pause(void) { return shared->general.gigabit_link & LINK_OBEY_PAUSE; }

static uint32_t receive_mode(void)
{
    return MAC_RECEIVE_MODE | (is_promiscuous ? MAC_PROMISCUOUS : 0) | (obeys_pause() ? MAC_OBEY_PAUSE : 0);
}

static void link_is_up(void)
{
    is_up = true;
    MAC_SEND_STATE = MAC_ENABLE;
    MAC_RECEIVE_STATE = MAC_ENABLE | receive_mode();
    shared->general.gigabit_link_state = LINK_UP | LINK_SPEED_1000 | LINK_FULL_DUPLEX | obeys_pause();
    host_event(EVENT_LINK_GIGABIT);
}

#ifdef TIGON2_RELEASED_STYLE

static bool is_wanted;

/* True if each bit of the word that is sent to the other side is received, with the transceiver looped back. */
static bool loopback_holds(void)
{
    for (uint32_t bit = 1; bit <= LINK_WORD_LAST_BIT; bit <<= 1) {
        LINK_SENT_WORD = bit;
        if (LINK_RECEIVED_WORD != bit)
            return false;
    }
    return true;
}

/* Switches the receiver off. The hardware says in the very next access that it has lost and found synchronisation, and not before. */
static inline uint32_t switch_off_and_look(uint32_t mode)
{
    uint32_t state;
    __asm__ volatile("sw %1, 0x220(%2)\n\tlw %0, 0x220(%2)" : "=&r"(state) : "r"(mode), "r"(register_base()) : "memory");
    return state;
}

/* Both sides begin from a receiver that was on and is off. Without synchronisation it is tried again later. */
void mac_negotiate(void)
{
    if (is_up || !is_wanted)
        return;
    MAC_RECEIVE_STATE = MAC_ENABLE | receive_mode();
    bool is_heard = loopback_holds();
    uint32_t state = switch_off_and_look(receive_mode());
    MAC_RECEIVE_STATE = MAC_RECEIVE_ATTENTIONS | receive_mode();
    if (is_heard && (state & MAC_LINK_ATTENTIONS))
        link_is_up();
    else
        send_deadline(DEADLINE_LINK, TICKS_BETWEEN_NEGOTIATIONS);
}

static inline void connect(void)
{
    is_wanted = true;
    mac_negotiate();
}

static inline void disconnect(void) { is_wanted = false; }

#else

/* A link of fibre needs no more than both ends: it is up when the MAC is on. */
static inline void connect(void) { link_is_up(); }
static inline void disconnect(void) {}

#endif

void mac_start(void)
{
    if (is_up)
        return;
    mac_set_address();
    MAC_TAG_TYPE = FULL_DUPLEX_VLAN_AND_GAP;
    MAC_THRESHOLDS = THRESHOLDS;
    connect();
}

void mac_stop(void)
{
    disconnect();
    if (!is_up)
        return;
    is_up = false;
    MAC_RECEIVE_STATE = MAC_STOP | receive_mode();
    MAC_SEND_STATE = MAC_STOP;
    shared->general.gigabit_link_state = 0;
    host_event(EVENT_LINK_DOWN);
}

void mac_promiscuous(bool accept)
{
    is_promiscuous = accept;
    if (is_up)
        MAC_RECEIVE_STATE = MAC_ENABLE | receive_mode();
}

bool mac_is_promiscuous(void) { return is_promiscuous; }

static void write_hash(void)
{
    for (uint32_t word = 0; word < HASH_WORDS; word++) {
        uint32_t bits = 0;
        for (uint32_t bit = 0; bit < 32; bit++) {
            if (accepts_all_groups || group_counts[32 * word + bit] != 0)
                bits |= 0x80000000u >> bit;
        }
        MAC_HASH(word) = bits;
    }
}

void mac_all_multicast(bool accept)
{
    accepts_all_groups = accept;
    write_hash();
}

static uint32_t crc32_byte(uint32_t crc, uint32_t byte)
{
    crc ^= byte;
    for (uint32_t bit = 0; bit < 8; bit++)
        crc = crc >> 1 ^ (crc & 1 ? CRC32_REFLECTED : 0);
    return crc;
}

/* The place of a group in the hash, counted from the most significant bit of the first word: the low 7 bits of the CRC-32 of its address. */
static uint32_t hash_of(uint32_t high, uint32_t low)
{
    uint32_t crc = crc32_byte(0xffffffffu, high >> 8 & 0xff);
    crc = crc32_byte(crc, high & 0xff);
    crc = crc32_byte(crc, low >> 24);
    crc = crc32_byte(crc, low >> 16 & 0xff);
    crc = crc32_byte(crc, low >> 8 & 0xff);
    crc = crc32_byte(crc, low & 0xff);
    return ~crc & (HASH_BITS - 1);
}

void mac_multicast(uint32_t high, uint32_t low, bool add)
{
    uint8_t *count = &group_counts[hash_of(high, low)];
    if (add)
        (*count)++;
    else if (*count != 0)
        (*count)--;
    write_hash();
    host_event(add ? EVENT_MULTICAST_ADDED : EVENT_MULTICAST_DELETED);
}

/* Attentions are acknowledged by writing them back; the hardware has counted what was lost. */
void handle_mac_receive(void)
{
    uint32_t state = MAC_RECEIVE_STATE;
#ifdef TIGON2_RELEASED_STYLE
    if (is_up && state & MAC_RECEIVE_OVERFLOW) {
        MAC_RECEIVE_STATE = (state & ~MAC_RECEIVE_ATTENTIONS) | MAC_STOP;
        receive_recover();
    }
#endif
    MAC_RECEIVE_STATE = state;
}

void handle_mac_transmit(void) { MAC_SEND_STATE = MAC_SEND_STATE; }

/*
 * Nothing answered the DMA: host and card no longer agree on where things are. The channel stays as it is, for the host to look at,
 * until the host resets the card.
 */
void handle_read_attention(void)
{
    events_ignore(EVENT_BIT(EVENT_READ_ATTENTION));
    host_event(EVENT_ERROR_CONFIGURATION);
}

/* No word reaches the host any more; an interrupt does. */
void handle_write_attention(void)
{
    events_ignore(EVENT_BIT(EVENT_WRITE_ATTENTION));
    LOCAL_CONTROL |= LOCAL_CONTROL_INTERRUPT;
}
