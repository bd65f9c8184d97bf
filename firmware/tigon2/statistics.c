/*
 * The statistics block of the host, from what the hardware and the firmware have counted. Of its words, those of sending, of commands
 * and of events are the sending core's, which writes them before it asks for the block to be sent; the others are the receiving core's.
 */
#include "spinach/intrinsics.h"
#include "tigon2/events.h"
#include "tigon2/functions.h"

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
    [COMMAND_HOST_STATE] = STATISTIC_COMMANDS_HOST_STATE,
    [COMMAND_FILTER] = STATISTIC_COMMANDS_FILTER,
    [COMMAND_STANDARD_PRODUCER] = STATISTIC_COMMANDS_STANDARD_PRODUCER,
    [COMMAND_UPDATE_GENERAL] = STATISTIC_COMMANDS_UPDATE_GENERAL,
    [COMMAND_RESET_JUMBO] = STATISTIC_COMMANDS_RESET_JUMBO,
    [COMMAND_ADD_MULTICAST] = STATISTIC_COMMANDS_ADD_MULTICAST,
    [COMMAND_DELETE_MULTICAST] = STATISTIC_COMMANDS_DELETE_MULTICAST,
    [COMMAND_PROMISCUOUS] = STATISTIC_COMMANDS_PROMISCUOUS,
    [COMMAND_NEGOTIATE] = STATISTIC_COMMANDS_NEGOTIATE,
    [COMMAND_SET_ADDRESS] = STATISTIC_COMMANDS_SET_ADDRESS,
    [COMMAND_CLEAR_PROFILE] = STATISTIC_COMMANDS_CLEAR_PROFILE,
    [COMMAND_ALL_MULTICAST] = STATISTIC_COMMANDS_ALL_MULTICAST,
    [COMMAND_CLEAR_STATISTICS] = STATISTIC_COMMANDS_CLEAR_STATISTICS,
    [COMMAND_JUMBO_PRODUCER] = STATISTIC_COMMANDS_JUMBO_PRODUCER,
    [COMMAND_REFRESH_STATISTICS] = STATISTIC_COMMANDS_REFRESH_STATISTICS,
    [COMMAND_ADD_MULTICAST_EXTENDED] = STATISTIC_COMMANDS_ADD_MULTICAST,
    [COMMAND_DELETE_MULTICAST_EXTENDED] = STATISTIC_COMMANDS_DELETE_MULTICAST,
};
static const uint8_t event_words[] = {
    [EVENT_FIRMWARE_RUNS >> 24] = STATISTIC_EVENTS_FIRMWARE_RUNS,
    [EVENT_STATISTICS >> 24] = STATISTIC_EVENTS_STATISTICS,
    [EVENT_LINK_GIGABIT >> 24] = STATISTIC_EVENTS_LINK,
    [EVENT_ERROR_INVALID >> 24] = STATISTIC_EVENTS_ERROR,
    [EVENT_MULTICAST_ADDED >> 24] = STATISTIC_EVENTS_MULTICAST,
    [EVENT_JUMBO_RESET >> 24] = STATISTIC_EVENTS_JUMBO_RESET,
};

void statistics_count_command(uint32_t command)
{
    uint32_t word = command < sizeof command_words ? command_words[command] : 0;
    information.statistics[word == 0 ? STATISTIC_COMMANDS_UNKNOWN : word]++;
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
    block[STATISTIC_INTERFACE_INDEX] = shared->general.interface_index;
    block[STATISTIC_INTERFACE_TYPE] = TYPE_ETHERNET;
    block[STATISTIC_LARGEST_UNIT] = shared->general.largest_unit;
    block[STATISTIC_SPEED] = is_up ? GIGABIT : 0;
    block[STATISTIC_ADMINISTRATIVE_STATE] = UP;
    block[STATISTIC_OPERATIONAL_STATE] = is_up ? UP : DOWN;
    block[STATISTIC_PHYSICAL_ADDRESS] = shared->general.address_high;
    block[STATISTIC_PHYSICAL_ADDRESS + 1] = shared->general.address_low;
    block[STATISTIC_HIGH_SPEED] = is_up ? GIGABIT / 1000000 : 0;
    block[STATISTIC_PROMISCUOUS] = mac_is_promiscuous() ? TRUE : FALSE;
    block[STATISTIC_HAS_CONNECTOR] = TRUE;
}

/* Writes the counts of sending and asks for the block to be sent. */
void statistics_ask(void)
{
    const struct send_state *send = send_state();
    uint32_t *block = information.statistics;
    interface_statistics(block);
    store(STATISTIC_OUT_OCTETS, &send->octets);
    block[STATISTIC_OUT_UNICAST + 1] = send->unicast;
    block[STATISTIC_OUT_MULTICAST + 1] = send->multicast;
    block[STATISTIC_OUT_BROADCAST + 1] = send->broadcast;
    block[STATISTIC_SEND_PRODUCER_UPDATES] = send->mailboxes;
    block[STATISTIC_SEND_CONSUMER_UPDATES] = send->told.indices;
    block[STATISTIC_SEND_THRESHOLDS] = send->told.thresholds;
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
    for (uint32_t word = STATISTIC_COMMANDS_HOST_STATE; word <= STATISTIC_EVENTS_JUMBO_RESET; word++)
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
    receive->errors = receive->too_long = receive->discarded = 0;
    for (uint32_t word = STATISTIC_IN_UNICAST; word < STATISTIC_OUT_OCTETS; word++)
        information.statistics[word] = 0;
}

void statistics_of_receiving(void)
{
    struct receive_state *receive = receive_state();
    uint32_t *block = information.statistics;
    const volatile uint32_t *mac = shared->mac_statistics;
    block[STATISTIC_FCS_ERRORS] = mac[MAC_FCS_ERRORS];
    block[STATISTIC_FRAMES_TOO_LONG] = receive->too_long;
    block[STATISTIC_IN_ERRORS] = receive->errors;
    block[STATISTIC_IN_DISCARDED] = mac[MAC_DROPPED_FOR_SPACE] + receive->discarded;
    store(STATISTIC_IN_OCTETS, &receive->octets);
    follow(STATISTIC_IN_UNICAST, mac[MAC_KEPT_UNICAST]);
    follow(STATISTIC_IN_MULTICAST, mac[MAC_KEPT_MULTICAST]);
    follow(STATISTIC_IN_BROADCAST, mac[MAC_KEPT_BROADCAST]);
    block[STATISTIC_RETURN_PRODUCER_UPDATES] = receive->told.indices;
    block[STATISTIC_RECEIVE_THRESHOLDS] = receive->told.thresholds;
    block[STATISTIC_INTERRUPTS] = receive->told.interrupts + cross.send_interrupts;
    block[STATISTIC_INTERRUPTS_AVOIDED] = receive->told.interrupts_avoided + cross.send_interrupts_avoided;
}
