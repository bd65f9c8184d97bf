/*
 * The statistics block of the host, from what the hardware and the firmware have counted. Of its words, those of sending, of commands
 * and of events are the sending core's, which writes them before it asks for the block to be sent; the others are the receiving core's.
 */
#include "spinach/intrinsics.h"
#include "tigon2/events.h"
#include "tigon2/functions.h"

/* Words of the block. Those that count to more than 32 bits are the upper halves; the lower follow. */
enum {
    FCS_ERRORS = 1,
    FRAMES_TOO_LONG = 10,
    INTERFACE_INDEX = 12,
    INTERFACE_TYPE = 13,
    LARGEST_UNIT = 14,
    SPEED = 15,
    ADMINISTRATIVE_STATE = 16,
    OPERATIONAL_STATE = 17,
    IN_DISCARDED = 19,
    IN_ERRORS = 20,
    PHYSICAL_ADDRESS = 25,
    IN_OCTETS = 36,
    IN_UNICAST = 38,
    IN_MULTICAST = 40,
    IN_BROADCAST = 42,
    OUT_OCTETS = 44,
    OUT_UNICAST = 46,
    OUT_MULTICAST = 48,
    OUT_BROADCAST = 50,
    HIGH_SPEED = 53,
    PROMISCUOUS = 54,
    HAS_CONNECTOR = 55,
    COMMANDS_HOST_STATE = 56,
    COMMANDS_FILTER = 57,
    COMMANDS_STANDARD_PRODUCER = 58,
    COMMANDS_UPDATE_GENERAL = 59,
    COMMANDS_RESET_JUMBO = 60,
    COMMANDS_ADD_MULTICAST = 61,
    COMMANDS_DELETE_MULTICAST = 62,
    COMMANDS_PROMISCUOUS = 63,
    COMMANDS_NEGOTIATE = 64,
    COMMANDS_SET_ADDRESS = 65,
    COMMANDS_CLEAR_PROFILE = 66,
    COMMANDS_ALL_MULTICAST = 67,
    COMMANDS_CLEAR_STATISTICS = 68,
    COMMANDS_JUMBO_PRODUCER = 69,
    COMMANDS_REFRESH_STATISTICS = 71,
    COMMANDS_UNKNOWN = 72,
    EVENTS_FIRMWARE_RUNS = 73,
    EVENTS_STATISTICS = 74,
    EVENTS_LINK = 75,
    EVENTS_ERROR = 76,
    EVENTS_MULTICAST = 77,
    EVENTS_JUMBO_RESET = 78,
    SEND_PRODUCER_UPDATES = 79,
    SEND_CONSUMER_UPDATES = 80,
    RETURN_PRODUCER_UPDATES = 81,
    INTERRUPTS = 82,
    INTERRUPTS_AVOIDED = 83,
    SEND_THRESHOLDS = 85,
    RECEIVE_THRESHOLDS = 86,
};

/* Words that the MAC counts in. */
enum {
    MAC_FCS_ERRORS = 18,
    MAC_DROPPED_FOR_SPACE = 27,
    MAC_KEPT_BROADCAST = 29,
    MAC_KEPT_MULTICAST = 30,
    MAC_KEPT_UNICAST = 31,
};

#define TYPE_ETHERNET 6
#define GIGABIT 1000000000u
#define UP 1
#define DOWN 2
#define TRUE 1
#define FALSE 2

/* The word that counts each command and each event, by its number; a command that has none is unknown. */
static const uint8_t command_words[] = {
    [COMMAND_HOST_STATE] = COMMANDS_HOST_STATE,
    [COMMAND_FILTER] = COMMANDS_FILTER,
    [COMMAND_STANDARD_PRODUCER] = COMMANDS_STANDARD_PRODUCER,
    [COMMAND_UPDATE_GENERAL] = COMMANDS_UPDATE_GENERAL,
    [COMMAND_RESET_JUMBO] = COMMANDS_RESET_JUMBO,
    [COMMAND_ADD_MULTICAST] = COMMANDS_ADD_MULTICAST,
    [COMMAND_DELETE_MULTICAST] = COMMANDS_DELETE_MULTICAST,
    [COMMAND_PROMISCUOUS] = COMMANDS_PROMISCUOUS,
    [COMMAND_NEGOTIATE] = COMMANDS_NEGOTIATE,
    [COMMAND_SET_ADDRESS] = COMMANDS_SET_ADDRESS,
    [COMMAND_CLEAR_PROFILE] = COMMANDS_CLEAR_PROFILE,
    [COMMAND_ALL_MULTICAST] = COMMANDS_ALL_MULTICAST,
    [COMMAND_CLEAR_STATISTICS] = COMMANDS_CLEAR_STATISTICS,
    [COMMAND_JUMBO_PRODUCER] = COMMANDS_JUMBO_PRODUCER,
    [COMMAND_REFRESH_STATISTICS] = COMMANDS_REFRESH_STATISTICS,
    [COMMAND_ADD_MULTICAST_EXTENDED] = COMMANDS_ADD_MULTICAST,
    [COMMAND_DELETE_MULTICAST_EXTENDED] = COMMANDS_DELETE_MULTICAST,
};
static const uint8_t event_words[] = {
    [EVENT_FIRMWARE_RUNS >> 24] = EVENTS_FIRMWARE_RUNS,
    [EVENT_STATISTICS >> 24] = EVENTS_STATISTICS,
    [EVENT_LINK_GIGABIT >> 24] = EVENTS_LINK,
    [EVENT_ERROR_INVALID >> 24] = EVENTS_ERROR,
    [EVENT_MULTICAST_ADDED >> 24] = EVENTS_MULTICAST,
    [EVENT_JUMBO_RESET >> 24] = EVENTS_JUMBO_RESET,
};

void statistics_count_command(uint32_t command)
{
    uint32_t word = command < sizeof command_words ? command_words[command] : 0;
    information.statistics[word == 0 ? COMMANDS_UNKNOWN : word]++;
}

void statistics_count_event(uint32_t event) { information.statistics[event_words[event >> 24]]++; }

static void store(uint32_t word, const struct octets *octets)
{
    information.statistics[word] = octets->high;
    information.statistics[word + 1] = octets->low;
}

/* A word of the MAC has wrapped if it is less than it was. */
static void follow(uint32_t word, uint32_t value)
{
    if (value < information.statistics[word + 1])
        information.statistics[word]++;
    information.statistics[word + 1] = value;
}

static void interface_statistics(uint32_t *block)
{
    bool is_up = (shared->general.gigabit_link_state & LINK_UP) != 0;
    block[INTERFACE_INDEX] = shared->general.interface_index;
    block[INTERFACE_TYPE] = TYPE_ETHERNET;
    block[LARGEST_UNIT] = shared->general.largest_unit;
    block[SPEED] = is_up ? GIGABIT : 0;
    block[ADMINISTRATIVE_STATE] = UP;
    block[OPERATIONAL_STATE] = is_up ? UP : DOWN;
    block[PHYSICAL_ADDRESS] = shared->general.address_high;
    block[PHYSICAL_ADDRESS + 1] = shared->general.address_low;
    block[HIGH_SPEED] = is_up ? GIGABIT / 1000000 : 0;
    block[PROMISCUOUS] = mac_is_promiscuous() ? TRUE : FALSE;
    block[HAS_CONNECTOR] = TRUE;
}

/* Writes the counts of sending and asks for the block to be sent. */
void statistics_ask(void)
{
    const struct send_state *send = send_state();
    uint32_t *block = information.statistics;
    interface_statistics(block);
    store(OUT_OCTETS, &send->octets);
    block[OUT_UNICAST + 1] = send->unicast;
    block[OUT_MULTICAST + 1] = send->multicast;
    block[OUT_BROADCAST + 1] = send->broadcast;
    block[SEND_PRODUCER_UPDATES] = send->mailboxes;
    block[SEND_CONSUMER_UPDATES] = send->told.indices;
    block[SEND_THRESHOLDS] = send->told.thresholds;
    cross.send_interrupts = send->told.interrupts;
    cross.send_interrupts_avoided = send->told.interrupts_avoided;
    compiler_barrier(); /* the words before the request */
    cross.statistics_asked++;
    receive_events_raise(EVENT_BIT(EVENT_TELL_HOST));
}

void statistics_clear(void)
{
    struct send_state *send = send_state();
    send->octets = (struct octets){0, 0};
    send->unicast = send->multicast = send->broadcast = send->mailboxes = 0;
    send->told = (struct told){0, 0, 0, 0};
    for (uint32_t word = COMMANDS_HOST_STATE; word <= EVENTS_JUMBO_RESET; word++)
        information.statistics[word] = 0;
    cross.statistics_are_cleared = 1;
    receive_events_raise(EVENT_BIT(EVENT_TELL_HOST));
}

/* On the receiving core, which follows the words of the MAC: if another cleared them, it would take them for wrapped. */
void statistics_begin_anew(void)
{
    struct receive_state *receive = receive_state();
    cross.statistics_are_cleared = 0;
    for (uint32_t word = 0; word < sizeof shared->mac_statistics / 4; word++)
        shared->mac_statistics[word] = 0;
    receive->octets = (struct octets){0, 0};
    receive->told = (struct told){0, 0, 0, 0};
    receive->errors = receive->too_long = 0;
    for (uint32_t word = IN_UNICAST; word < OUT_OCTETS; word++)
        information.statistics[word] = 0;
}

void statistics_of_receiving(void)
{
    struct receive_state *receive = receive_state();
    uint32_t *block = information.statistics;
    const volatile uint32_t *mac = shared->mac_statistics;
    block[FCS_ERRORS] = mac[MAC_FCS_ERRORS];
    block[FRAMES_TOO_LONG] = receive->too_long;
    block[IN_ERRORS] = receive->errors;
    block[IN_DISCARDED] = mac[MAC_DROPPED_FOR_SPACE];
    store(IN_OCTETS, &receive->octets);
    follow(IN_UNICAST, mac[MAC_KEPT_UNICAST]);
    follow(IN_MULTICAST, mac[MAC_KEPT_MULTICAST]);
    follow(IN_BROADCAST, mac[MAC_KEPT_BROADCAST]);
    block[RETURN_PRODUCER_UPDATES] = receive->told.indices;
    block[RECEIVE_THRESHOLDS] = receive->told.thresholds;
    block[INTERRUPTS] = receive->told.interrupts + cross.send_interrupts;
    block[INTERRUPTS_AVOIDED] = receive->told.interrupts_avoided + cross.send_interrupts_avoided;
}
