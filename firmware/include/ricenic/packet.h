/* A packet as address translation sees it: its headers where they lie, and how checksums follow changes (RFC 1624). */
#ifndef RICENIC_PACKET_H
#define RICENIC_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "ricenic/nat.h"

#define ETHERNET_BYTES 14u
#define ETHER_TYPE_IP 0x0800u
#define ETHER_TYPE_ARP 0x0806u

/* Bytes of a frame are read as whichever of these fits. */
typedef uint16_t __attribute__((may_alias)) half_word;
typedef uint32_t __attribute__((may_alias)) word;

struct ip_header {
    uint8_t version_length, service;
    uint16_t bytes, identification, fragment;
    uint8_t hops, protocol;
    uint16_t checksum;
    uint32_t source, destination;
} __attribute__((may_alias));

#define IP_HEADER_BYTES(header) (4u * ((header)->version_length & 15u))
#define MORE_FRAGMENTS 0x2000u
#define FRAGMENT_OFFSET 0x1fffu

/* The half words of the header behind that of IP; those of each protocol by their place. */
#define SOURCE_PORT 0
#define DESTINATION_PORT 1
#define UDP_BYTES 2
#define UDP_CHECKSUM 3
#define TCP_FLAGS 6 /* and the length of the header */
#define TCP_CHECKSUM 8
#define ICMP_KIND 0 /* type and code */
#define ICMP_CHECKSUM 1
#define ICMP_IDENTIFIER 2

#define ECHO_REPLY 0u
#define UNREACHABLE 3u
#define SOURCE_QUENCH 4u
#define ECHO_REQUEST 8u
#define TIME_EXCEEDED 11u
#define PARAMETER_PROBLEM 12u

struct packet {
    struct ip_header *ip;
    half_word *transport;
    uint32_t transport_bytes;
};

/* Change of a sum when a word or half a word is replaced: to be added to it, and folded. */
static inline uint32_t change_of_word(uint32_t old, uint32_t new)
{
    return (~old >> 16) + (~old & 0xffff) + (new >> 16) + (new & 0xffff);
}

static inline uint32_t change_of_half(uint16_t old, uint16_t new) { return (uint32_t)(uint16_t)~old + new; }

static inline uint16_t folded(uint32_t sum)
{
    sum = (sum >> 16) + (sum & 0xffff);
    return (uint16_t)((sum >> 16) + sum);
}

/* A checksum after a change of what it covers. */
static inline uint16_t adjusted(uint16_t checksum, uint32_t change)
{
    return (uint16_t)~folded((uint16_t)~checksum + change);
}

/* Checksum of UDP after a change: 0 says that there is none. */
static inline uint16_t adjusted_udp(uint16_t checksum, uint32_t change)
{
    if (checksum == 0)
        return 0;
    checksum = adjusted(checksum, change);
    return checksum ? checksum : 0xffff;
}

static inline struct endpoint source_of(const struct packet *packet, uint16_t port)
{
    return (struct endpoint){packet->ip->source, port};
}

static inline struct endpoint destination_of(const struct packet *packet, uint16_t port)
{
    return (struct endpoint){packet->ip->destination, port};
}

#endif
