/* Commands of the host, which it puts into a ring in the shared memory. */
#include "tigon2/events.h"
#include "tigon2/functions.h"

#define TURN_ON 1
#define TURN_OFF 2

/* The host has changed the thresholds of its notifications. */
static void update_general(void)
{
    send_tune();
    cross.tuning_is_old = 1;
    receive_events_raise(EVENT_BIT(EVENT_TELL_HOST));
}

static void refresh_statistics(void)
{
    statistics_ask();
    host_event(EVENT_STATISTICS);
}

static void switch_on(uint32_t code, void (*change)(bool))
{
    if (code == TURN_ON || code == TURN_OFF)
        change(code == TURN_ON);
    else
        host_event(EVENT_ERROR_INVALID);
}

static void host_state(bool is_up)
{
    if (is_up) {
        update_general();
        mac_start();
    } else {
        mac_stop();
    }
}

/* Obeys the command at `position`; returns the position of the next. */
static uint32_t obey(uint32_t position)
{
    uint32_t word = shared->commands[position];
    statistics_count_command(command_of(word));
    uint32_t first = shared->commands[(position + 1) & (COMMAND_ENTRIES - 1)];
    uint32_t second = shared->commands[(position + 2) & (COMMAND_ENTRIES - 1)];
    uint32_t high = shared->general.multicast_high;
    uint32_t low = shared->general.multicast_low;
    switch (command_of(word)) {
    case COMMAND_HOST_STATE:
        switch_on(code_of(word), host_state);
        break;
    case COMMAND_UPDATE_GENERAL:
        update_general();
        break;
    case COMMAND_RESET_JUMBO:
        receive_reset_jumbo();
        break;
    case COMMAND_ADD_MULTICAST:
        mac_multicast(high, low, true);
        break;
    case COMMAND_DELETE_MULTICAST:
        mac_multicast(high, low, false);
        break;
    case COMMAND_ADD_MULTICAST_EXTENDED:
        mac_multicast(first, second, true);
        return position + 3;
    case COMMAND_DELETE_MULTICAST_EXTENDED:
        mac_multicast(first, second, false);
        return position + 3;
    case COMMAND_PROMISCUOUS:
        switch_on(code_of(word), mac_promiscuous);
        break;
    case COMMAND_ALL_MULTICAST:
        switch_on(code_of(word), mac_all_multicast);
        break;
    case COMMAND_SET_ADDRESS:
        mac_set_address();
        break;
    case COMMAND_CLEAR_STATISTICS:
        statistics_clear();
        break;
    case COMMAND_REFRESH_STATISTICS:
        refresh_statistics();
        break;
    case COMMAND_STANDARD_PRODUCER:
        receive_fetch(STANDARD);
        break;
    case COMMAND_JUMBO_PRODUCER:
        receive_fetch(JUMBO);
        break;
    case COMMAND_NEGOTIATE:
    case COMMAND_CLEAR_PROFILE:
    case COMMAND_FILTER:
        break; /* the link is as it is, and there is no profile */
    default:
        host_event(EVENT_ERROR_UNIMPLEMENTED);
        break;
    }
    return position + 1;
}

void commands_obey(void)
{
    uint32_t consumer = shared->general.command_consumer & (COMMAND_ENTRIES - 1);
    uint32_t producer = shared->mailboxes[MAILBOX_COMMAND].value & (COMMAND_ENTRIES - 1);
    while (consumer != producer)
        consumer = obey(consumer) & (COMMAND_ENTRIES - 1);
    shared->general.command_consumer = consumer;
}
