/* The statistics block of the host, from what the hardware and the firmware have counted. */
#include "tigon2/events.h"
#include "tigon2/functions.h"

/* Words of the block. */
enum {
    FCS_ERRORS = 1,
    DEFERRED = 5,
    LATE_COLLISIONS = 6,
    EXCESSIVE_COLLISIONS = 7,
    TRANSMIT_ERRORS = 8,
    CARRIER_ERRORS = 9,
    INTERFACE_INDEX = 12,
    INTERFACE_TYPE = 13,
    LARGEST_UNIT = 14,
    SPEED = 15,
    ADMINISTRATIVE_STATE = 16,
    OPERATIONAL_STATE = 17,
    DISCARDED = 19,
    PHYSICAL_ADDRESS = 25,
    IN_UNICAST = 39, /* low halves of 64-bit counts */
    IN_MULTICAST = 41,
    IN_BROADCAST = 43,
    HIGH_SPEED = 53,
};

/* Words that the MAC counts in. */
enum {
    MAC_EXCESSIVE_COLLISIONS = 0,
    MAC_LATE_COLLISIONS = 16,
    MAC_DEFERRED = 17,
    MAC_FCS_ERRORS = 18,
    MAC_UNDERRUNS = 19,
    MAC_CARRIER_ERRORS = 20,
    MAC_DROPPED_FOR_SPACE = 27,
    MAC_KEPT_BROADCAST = 29,
    MAC_KEPT_MULTICAST = 30,
    MAC_KEPT_UNICAST = 31,
};

#define TYPE_ETHERNET 6
#define GIGABIT 1000000000u
#define UP 1
#define DOWN 2

void host_statistics(void)
{
    uint32_t *block = information.statistics;
    const volatile uint32_t *mac = shared->mac_statistics;
    bool is_up = (shared->general.gigabit_link_state & LINK_UP) != 0;
    block[FCS_ERRORS] = mac[MAC_FCS_ERRORS];
    block[DEFERRED] = mac[MAC_DEFERRED];
    block[LATE_COLLISIONS] = mac[MAC_LATE_COLLISIONS];
    block[EXCESSIVE_COLLISIONS] = mac[MAC_EXCESSIVE_COLLISIONS];
    block[TRANSMIT_ERRORS] = mac[MAC_UNDERRUNS];
    block[CARRIER_ERRORS] = mac[MAC_CARRIER_ERRORS];
    block[INTERFACE_INDEX] = shared->general.interface_index;
    block[INTERFACE_TYPE] = TYPE_ETHERNET;
    block[LARGEST_UNIT] = shared->general.largest_unit;
    block[SPEED] = is_up ? GIGABIT : 0;
    block[ADMINISTRATIVE_STATE] = UP;
    block[OPERATIONAL_STATE] = is_up ? UP : DOWN;
    block[DISCARDED] = mac[MAC_DROPPED_FOR_SPACE] + receive_state()->dropped;
    block[PHYSICAL_ADDRESS] = shared->general.address_high;
    block[PHYSICAL_ADDRESS + 1] = shared->general.address_low;
    block[IN_UNICAST] = mac[MAC_KEPT_UNICAST];
    block[IN_MULTICAST] = mac[MAC_KEPT_MULTICAST];
    block[IN_BROADCAST] = mac[MAC_KEPT_BROADCAST];
    block[HIGH_SPEED] = is_up ? GIGABIT / 1000000 : 0;
}
