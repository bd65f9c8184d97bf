/*
 * ICMP errors: each quotes the start of a packet that was translated the other way, and is translated to match what the node that sent
 * that packet knows (RFC 5508, section 4).
 */
#include "ricenic/nic.h"
#include "ricenic/packet.h"

/* Headers behind ICMP's first 8 bytes: the quoted header, and at least 8 bytes behind it. */
#define OWN_BYTES 8u
#define QUOTED_BYTES 8u

static bool is_error(uint32_t kind)
{
    return kind == UNREACHABLE || kind == SOURCE_QUENCH || kind == TIME_EXCEEDED || kind == PARAMETER_PROBLEM;
}

/* Finds the headers of the packet that an error quotes. Its end may be missing. */
static bool find_quoted(const struct packet *error, struct packet *quoted)
{
    struct ip_header *ip = (struct ip_header *)((uint32_t)error->transport + OWN_BYTES);
    uint32_t bytes = error->transport_bytes - OWN_BYTES;
    if (bytes < sizeof *ip || ip->version_length >> 4 != 4)
        return false;
    uint32_t header = IP_HEADER_BYTES(ip);
    if (header < sizeof *ip || bytes < header + QUOTED_BYTES || ip->fragment & FRAGMENT_OFFSET)
        return false;
    *quoted = (struct packet){ip, (half_word *)((uint32_t)ip + header), bytes - header};
    return true;
}

/* The end that the quoted packet is to have instead: `is_outward` of the error. False if it belongs to no connection. */
static bool find_end(const struct packet *quoted, bool is_outward, struct endpoint *end)
{
    const struct ip_header *ip = quoted->ip;
    const half_word *transport = quoted->transport;
    uint8_t protocol = ip->protocol;
    if (protocol == ICMP) {
        /* Inner nodes send requests, and are sent replies. */
        if (transport[ICMP_KIND] >> 8 != (is_outward ? ECHO_REPLY : ECHO_REQUEST))
            return false;
    } else if (protocol != TCP && protocol != UDP) {
        return false;
    }
    uint16_t own = protocol == ICMP ? transport[ICMP_IDENTIFIER] : transport[is_outward ? DESTINATION_PORT : SOURCE_PORT];
    uint16_t other = protocol == ICMP ? 0 : transport[is_outward ? SOURCE_PORT : DESTINATION_PORT];
    const struct nat_forward *forward = NULL;
    if (is_outward) {
        struct endpoint inside = destination_of(quoted, own);
        if (protocol != ICMP)
            forward = forward_of_server(protocol, inside);
        const struct connection *connection = forward ? NULL : find_outward(protocol, inside, source_of(quoted, other));
        if (!forward && !connection)
            return false;
        *end = (struct endpoint){nat_settings.external_address, forward ? (uint16_t)forward->port : outer_port(connection)};
        return true;
    }
    if (ip->source != nat_settings.external_address)
        return false;
    if (protocol != ICMP)
        forward = forward_of_port(protocol, own);
    if (forward) {
        *end = (struct endpoint){forward->address, (uint16_t)forward->server_port};
        return true;
    }
    const struct connection *connection = find_inward(protocol, own, destination_of(quoted, other));
    if (!connection)
        return false;
    *end = connection->inside;
    return true;
}

/* Replaces one end of the quoted packet; returns what that adds to the sum of the error. */
static uint32_t replace_quoted(const struct packet *quoted, bool is_outward, struct endpoint end)
{
    struct ip_header *ip = quoted->ip;
    half_word *transport = quoted->transport;
    word *address = is_outward ? &ip->destination : &ip->source;
    uint8_t protocol = ip->protocol;
    uint32_t place = protocol == ICMP ? ICMP_IDENTIFIER : is_outward ? DESTINATION_PORT : SOURCE_PORT;
    uint32_t change = change_of_word(*address, end.address), change_of_port = change_of_half(transport[place], end.port);
    uint32_t sum = folded(change) + change_of_port;
    *address = end.address;
    transport[place] = end.port;
    uint16_t old = ip->checksum;
    ip->checksum = adjusted(old, change);
    sum += change_of_half(old, ip->checksum);
    uint32_t where = protocol == ICMP ? ICMP_CHECKSUM : protocol == UDP ? UDP_CHECKSUM : TCP_CHECKSUM;
    if (2 * where + 2 > quoted->transport_bytes)
        return sum; /* not quoted */
    old = transport[where];
    if (protocol == ICMP)
        transport[where] = adjusted(old, change_of_port);
    else if (protocol == UDP)
        transport[where] = adjusted_udp(old, change + change_of_port);
    else
        transport[where] = adjusted(old, change + change_of_port);
    return sum + change_of_half(old, transport[where]);
}

enum nat_drop translate_error(const struct packet *packet, bool is_outward)
{
    struct packet quoted;
    struct endpoint end;
    if (!is_error(packet->transport[ICMP_KIND] >> 8))
        return NAT_DROP_ICMP;
    if (!find_quoted(packet, &quoted) || !find_end(&quoted, is_outward, &end))
        return NAT_DROP_ICMP;
    uint32_t change = replace_quoted(&quoted, is_outward, end);
    packet->transport[ICMP_CHECKSUM] = adjusted(packet->transport[ICMP_CHECKSUM], change);
    /* The error itself: from the card, or to the node that sent the quoted packet. */
    word *address = is_outward ? &packet->ip->source : &packet->ip->destination;
    uint32_t own = is_outward ? nat_settings.external_address : end.address;
    packet->ip->checksum = adjusted(packet->ip->checksum, change_of_word(*address, own));
    *address = own;
    return NAT_DROPS;
}
