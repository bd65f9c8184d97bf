/* virtio 1.2: what a device and its driver share (sections 2.7, 4.1.4 and 5.1). All of it is little-endian. */
#ifndef SPINACH_VIRTIO_H
#define SPINACH_VIRTIO_H

#include <stdint.h>

/* An address in host memory. */
struct guest_address {
    uint32_t low, high;
};

/* A descriptor of a split ring. */
struct virtq_descriptor {
    struct guest_address address;
    uint32_t length;
    uint16_t flags, next;
};

#define VIRTQ_NEXT 1u  /* the chain continues at `next` */
#define VIRTQ_WRITE 2u /* the device writes the buffer */

/* The first words of the available ring, which the driver writes. */
struct virtq_available {
    uint16_t flags, index;
};

#define VIRTQ_NO_INTERRUPT 1u

/* An element of the used ring, which the device writes behind a word like that of the available ring. */
struct virtq_used_element {
    uint32_t head, length;
};

#define VIRTQ_RING_OFFSET 4u  /* of the entries in both rings */
#define VIRTQ_INDEX_OFFSET 2u /* of the index in both rings */

/* Event indices, behind the entries of a ring: of the used chain that the driver waits for, and of the available chain that the device
   waits for. */
#define VIRTQ_USED_EVENT_OFFSET(size) (VIRTQ_RING_OFFSET + (size) * 2u)
#define VIRTQ_AVAILABLE_EVENT_OFFSET(size) (VIRTQ_RING_OFFSET + (size) * (uint32_t)sizeof(struct virtq_used_element))

/* An entry of a packed ring as the device writes it. The driver's entries are descriptors whose last two fields are the identity of the
   buffer, then flags. */
struct virtq_packed_used {
    struct guest_address unused;
    uint32_t length;
    uint16_t identity, flags;
};

/* Flags of an entry: both are the wrap bit in a used entry, the second is its opposite in an available one. */
#define VIRTQ_AVAILABLE 0x80u
#define VIRTQ_USED 0x8000u

/* Event structure of either side: an entry and its wrap bit in the low half, in the high half which entries cause an event. */
#define VIRTQ_EVENT_WRAP 0x8000u
#define VIRTQ_EVENTS_ALL 0u
#define VIRTQ_EVENTS_AT 2u /* when that entry is available or used; only with EVENT_INDEX */

/* The header in front of each frame; with VERSION_1 it always has `buffers`. */
struct virtio_net_header {
    uint8_t flags, segmentation;
    uint16_t header_length, segment_size, checksum_start, checksum_offset, buffers;
};

/* Status of the device. */
#define VIRTIO_FEATURES_OK 8u
#define VIRTIO_DRIVER_OK 4u
#define VIRTIO_NEEDS_RESET 64u

/* Flags of that header. */
#define VIRTIO_NET_NEEDS_CHECKSUM 1u /* the device inserts it */
#define VIRTIO_NET_DATA_VALID 2u     /* the device has verified it */

/* Kinds of segmentation; the last is a flag. */
#define VIRTIO_NET_SEGMENT_TCP4 1u
#define VIRTIO_NET_SEGMENT_TCP6 4u
#define VIRTIO_NET_SEGMENT_ECN 0x80u

/* Feature bits. */
#define VIRTIO_NET_CHECKSUM 0u
#define VIRTIO_NET_GUEST_CHECKSUM 1u
#define VIRTIO_NET_MTU 3u
#define VIRTIO_NET_MAC 5u
#define VIRTIO_NET_GUEST_TSO4 7u
#define VIRTIO_NET_GUEST_TSO6 8u
#define VIRTIO_NET_HOST_TSO4 11u
#define VIRTIO_NET_HOST_TSO6 12u
#define VIRTIO_NET_HOST_ECN 13u
#define VIRTIO_NET_MERGED_BUFFERS 15u
#define VIRTIO_NET_STATUS 16u
#define VIRTIO_NET_CONTROL_QUEUE 17u
#define VIRTIO_NET_CONTROL_RECEIVE 18u
#define VIRTIO_NET_CONTROL_VLAN 19u
#define VIRTIO_NET_MULTIQUEUE 22u
#define VIRTIO_NET_CONTROL_MAC 23u
#define VIRTIO_NET_RSS 60u
#define VIRTIO_EVENT_INDEX 29u
#define VIRTIO_VERSION_1 32u
#define VIRTIO_RING_PACKED 34u
#define VIRTIO_ORDER_PLATFORM 36u
#define VIRTIO_RING_RESET 40u

/* Commands of the control queue: class and command, data, and a byte for the answer. */
#define VIRTIO_CLASS_RECEIVE 0u
#define VIRTIO_SET_PROMISCUOUS 0u
#define VIRTIO_SET_ALL_MULTICAST 1u
#define VIRTIO_CLASS_MAC 1u
#define VIRTIO_SET_MAC_TABLE 0u
#define VIRTIO_SET_MAC_ADDRESS 1u
#define VIRTIO_CLASS_VLAN 2u
#define VIRTIO_ADD_VLAN 0u
#define VIRTIO_DELETE_VLAN 1u
#define VIRTIO_CLASS_MULTIQUEUE 4u
#define VIRTIO_SET_PAIRS 0u
#define VIRTIO_SET_RSS 1u
#define VIRTIO_COMMAND_DONE 0u
#define VIRTIO_COMMAND_FAILED 1u

#define VIRTIO_NET_LEAST_MTU 68u /* that a device may offer */

#define VIRTIO_NO_VECTOR 0xffffu
#define VIRTIO_LINK_UP 1u

/* Reasons of an interrupt. */
#define VIRTIO_ISR_QUEUE 1u
#define VIRTIO_ISR_CONFIGURATION 2u

/* Configuration of a queue, and of the device: the common configuration, whose part from queue_size on belongs to the selected queue. */
struct virtio_queue_configuration {
    uint16_t size, vector, enable, notify_offset;
    struct guest_address descriptors, driver, device;
    uint16_t notify_data, reset;
};

struct virtio_common_configuration {
    uint32_t feature_select, feature, driver_feature_select, driver_feature;
    uint16_t vector, queues;
    uint8_t status, generation;
    uint16_t queue_select;
    struct virtio_queue_configuration queue;
    uint32_t administration;
};

struct virtio_net_configuration {
    uint8_t mac[6];
    uint16_t status, pairs, mtu;
    uint32_t speed;
    uint8_t duplex, rss_key_bytes;
    uint16_t rss_entries;
    uint32_t rss_types;
};

#endif
