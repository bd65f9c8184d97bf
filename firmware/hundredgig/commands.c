/*
 * Commands of the control queue (virtio 1.2, section 5.1.6.5): number of pairs, steering of received frames, filters. Hardware in front of
 * all cores steers and filters.
 */
#include "hundredgig/nic.h"

#define ADDRESS_BYTES 6u
#define HEADER 2u /* class and command */
#define RSS_TYPES 2u
#define RSS_MASK 6u
#define RSS_UNCLASSIFIED 8u
#define RSS_TABLE 10u

/* The key of the documented examples, which the hardware has after power-on. */
static const uint32_t default_key[STEERING_KEY_BYTES / 4] = {
    0x6d5a56da, 0x255b0ec2, 0x4167253d, 0x43a38fb0, 0xd0ca2bcb, 0xae7b30b4, 0x77cb2da3, 0x8030f20c, 0x6a42b73b, 0xbeac01fa,
};

static bool is_key_changed, has_vlans;
static bool is_promiscuous, takes_all_multicast;
static bool has_all_unicast, has_all_multicast; /* the table has no room for those that are wanted */

static uint32_t word_at(const uint8_t *bytes) { return half_at(bytes) | half_at(bytes + 2) << 16; }

static void put_address(uint32_t entry, const uint8_t *address)
{
    STEERING->address = entry;
    STEERING->address_high =
        (uint32_t)address[0] << 24 | (uint32_t)address[1] << 16 | (uint32_t)address[2] << 8 | address[3];
    STEERING->address_low = FILTER_VALID | (uint32_t)address[4] << 8 | address[5];
}

static void clear_addresses(uint32_t from)
{
    for (uint32_t entry = from; entry < FILTER_ADDRESSES; entry++) {
        STEERING->address = entry;
        STEERING->address_low = 0;
    }
}

static void set_filter(void)
{
    uint32_t all = (has_all_unicast ? FILTER_ALL_UNICAST : 0) |
                   (takes_all_multicast || has_all_multicast ? FILTER_ALL_MULTICAST : 0);
    /* Promiscuous mode, which the driver has at first, passes frames of any VLAN; without receive modes it does not count. */
    bool is_by_vlan = has_feature(VIRTIO_NET_CONTROL_VLAN) && !(is_promiscuous && has_feature(VIRTIO_NET_CONTROL_RECEIVE));
    put_address(0, configuration_address());
    STEERING->filter = (is_promiscuous ? 0 : FILTER_ENABLED | all) | (is_by_vlan ? FILTER_BY_VLAN : 0);
}

/* Everything passes until the driver commands otherwise. */
void commands_reset(void)
{
    is_promiscuous = true;
    takes_all_multicast = has_all_unicast = has_all_multicast = false;
    STEERING->lanes = 1;
    STEERING->types = STEERING_ALL_TYPES;
    STEERING->unclassified = 0;
    STEERING->filter = 0;
    for (uint32_t word = 0; is_key_changed && word < STEERING_KEY_BYTES / 4; word++)
        STEERING->key[word] = default_key[word];
    for (uint32_t word = 0; has_vlans && word < VLAN_WORDS; word++) {
        STEERING->vlan_word = word;
        STEERING->vlans = 0;
    }
    is_key_changed = has_vlans = false;
}

void commands_start(void)
{
    if (has_feature(VIRTIO_NET_CONTROL_VLAN))
        set_filter();
}

static bool set_pairs(const uint8_t *command, uint32_t bytes)
{
    uint32_t pairs = half_at(command + HEADER);
    if (bytes != HEADER + 2 || pairs == 0 || pairs > CORES)
        return false;
    STEERING->types = STEERING_ALL_TYPES;
    STEERING->unclassified = 0;
    STEERING->lanes = pairs;
    return true;
}

/* The card may choose the queues of frames to send, so it only checks their number. */
static bool set_rss(const uint8_t *command, uint32_t bytes)
{
    if (bytes < RSS_TABLE)
        return false;
    uint32_t types = word_at(command + RSS_TYPES), mask = half_at(command + RSS_MASK);
    uint32_t unclassified = half_at(command + RSS_UNCLASSIFIED), end = RSS_TABLE + 2 * (mask + 1);
    bool is_power = (mask & (mask + 1)) == 0 && mask < STEERING_ENTRIES;
    if (!is_power || types & ~STEERING_ALL_TYPES || unclassified >= CORES || bytes < end + 3)
        return false;
    const uint8_t *key = command + end + 3;
    uint32_t send_queues = half_at(command + end), key_bytes = command[end + 2];
    if (send_queues == 0 || send_queues > CORES || key_bytes > STEERING_KEY_BYTES || bytes < end + 3 + key_bytes)
        return false;
    for (uint32_t entry = 0; entry <= mask; entry++)
        if (half_at(command + RSS_TABLE + 2 * entry) >= CORES)
            return false;
    STEERING->types = types;
    STEERING->unclassified = unclassified;
    for (uint32_t entry = 0; entry < STEERING_ENTRIES; entry++) {
        STEERING->entry = entry;
        STEERING->lane = half_at(command + RSS_TABLE + 2 * (entry & mask));
    }
    for (uint32_t word = 0; word < STEERING_KEY_BYTES / 4; word++) {
        uint32_t value = 0;
        for (uint32_t byte = 4 * word; byte < 4 * word + 4; byte++)
            value = value << 8 | (byte < key_bytes ? key[byte] : 0);
        STEERING->key[word] = value;
    }
    is_key_changed = true;
    return true;
}

static bool set_receive_mode(const uint8_t *command, uint32_t bytes)
{
    if (bytes != HEADER + 1 || command[1] > VIRTIO_SET_ALL_MULTICAST)
        return false;
    *(command[1] == VIRTIO_SET_PROMISCUOUS ? &is_promiscuous : &takes_all_multicast) = command[HEADER] != 0;
    set_filter();
    return true;
}

/* Two lists of addresses, of single cards and of groups, each behind its length. A list without room in the table passes as a whole. */
static bool set_table(const uint8_t *command, uint32_t bytes, bool is_cut)
{
    uint32_t at = HEADER, used = 1, starts[2] = {0, 0}, counts[2] = {~0u, ~0u};
    for (uint32_t list = 0; list < 2 && !is_cut; list++) {
        counts[list] = bytes - at >= 4 ? word_at(command + at) : ~0u;
        at = starts[list] = at + 4;
        if (at > bytes || counts[list] > (bytes - at) / ADDRESS_BYTES)
            return false;
        at += ADDRESS_BYTES * counts[list];
    }
    if (!is_cut && at != bytes)
        return false;
    bool is_full[2];
    for (uint32_t list = 0; list < 2; list++) {
        is_full[list] = counts[list] > FILTER_ADDRESSES - used;
        for (uint32_t entry = 0; entry < counts[list] && !is_full[list]; entry++)
            put_address(used++, command + starts[list] + ADDRESS_BYTES * entry);
    }
    clear_addresses(used);
    has_all_unicast = is_full[0];
    has_all_multicast = is_full[1];
    set_filter();
    return true;
}

static bool set_vlan(const uint8_t *command, uint32_t bytes)
{
    uint32_t vlan = half_at(command + HEADER);
    if (bytes != HEADER + 2 || vlan >= 32 * VLAN_WORDS || command[1] > VIRTIO_DELETE_VLAN)
        return false;
    STEERING->vlan_word = vlan / 32;
    uint32_t bit = 1u << vlan % 32, others = STEERING->vlans & ~bit;
    STEERING->vlans = command[1] == VIRTIO_ADD_VLAN ? others | bit : others;
    has_vlans = true;
    return true;
}

static bool set_address(const uint8_t *command, uint32_t bytes)
{
    if (bytes != HEADER + ADDRESS_BYTES)
        return false;
    configuration_set_address(command + HEADER);
    set_filter();
    return true;
}

/* Executes a command of which COMMAND_BYTES are here, at most; the others do not matter if there is no room for all addresses. */
bool execute_command(const uint8_t *command, uint32_t bytes)
{
    bool is_cut = bytes > COMMAND_BYTES;
    if (bytes < HEADER)
        return false;
    if (command[0] == VIRTIO_CLASS_MAC && command[1] == VIRTIO_SET_MAC_TABLE && has_feature(VIRTIO_NET_CONTROL_RECEIVE))
        return set_table(command, bytes, is_cut);
    if (is_cut)
        return false;
    if (command[0] == VIRTIO_CLASS_MULTIQUEUE && command[1] == VIRTIO_SET_PAIRS)
        return set_pairs(command, bytes);
    if (command[0] == VIRTIO_CLASS_MULTIQUEUE && command[1] == VIRTIO_SET_RSS)
        return set_rss(command, bytes);
    if (command[0] == VIRTIO_CLASS_RECEIVE && has_feature(VIRTIO_NET_CONTROL_RECEIVE))
        return set_receive_mode(command, bytes);
    if (command[0] == VIRTIO_CLASS_VLAN && has_feature(VIRTIO_NET_CONTROL_VLAN))
        return set_vlan(command, bytes);
    return command[0] == VIRTIO_CLASS_MAC && command[1] == VIRTIO_SET_MAC_ADDRESS && has_feature(VIRTIO_NET_CONTROL_MAC) &&
           set_address(command, bytes);
}
