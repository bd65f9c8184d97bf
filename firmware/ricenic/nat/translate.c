/*
 * Translation of packets. A frame is changed where it lies, and its checksums by what the change adds to them: wrong ones stay wrong, so
 * that the receiver finds out. ARP passes as it is, since both networks end at the host.
 */
#include "ricenic/nic.h"
#include "ricenic/packet.h"

/* Beyond NEAR_BYTES only those of ICMP errors and of headers with options reach. */
#define FAR_BYTES (7 * CACHE_LINE_BYTES)

#define PASS NAT_DROPS /* no reason to drop it */

static enum nat_drop look_at_transport(struct packet *packet)
{
    const half_word *transport = packet->transport;
    uint32_t bytes = packet->transport_bytes;
    switch (packet->ip->protocol) {
    case TCP: {
        uint32_t header = bytes < 20 ? 0 : transport[TCP_FLAGS] >> 10 & 0x3c;
        return header < 20 || header > bytes ? NAT_DROP_MALFORMED : PASS;
    }
    case UDP:
        return bytes < 8 || transport[UDP_BYTES] < 8 || transport[UDP_BYTES] > bytes ? NAT_DROP_MALFORMED : PASS;
    case ICMP:
        return bytes < 8 ? NAT_DROP_MALFORMED : PASS;
    default:
        return NAT_DROP_PROTOCOL;
    }
}

static bool is_header_right(const struct ip_header *ip, uint32_t bytes)
{
    const word *words = (const word *)ip;
    uint32_t sum = 0;
    for (uint32_t word = 0; word < bytes / 4; word++)
        sum += (words[word] >> 16) + (words[word] & 0xffff);
    return folded(sum) == 0xffff;
}

/* Finds the headers of an IP packet in a frame of `length` bytes. */
static enum nat_drop look_at(struct packet *packet, uint32_t frame, uint32_t bytes, bool is_verified)
{
    struct ip_header *ip = (struct ip_header *)(frame + ETHERNET_BYTES);
    packet->ip = ip;
    if (bytes < ETHERNET_BYTES + sizeof *ip || ip->version_length >> 4 != 4)
        return NAT_DROP_MALFORMED;
    uint32_t header = IP_HEADER_BYTES(ip);
    if (header < sizeof *ip || ip->bytes < header || ip->bytes > bytes - ETHERNET_BYTES)
        return NAT_DROP_MALFORMED;
    if (!is_verified && !is_header_right(ip, header))
        return NAT_DROP_BAD_CHECKSUM;
    if (ip->fragment & (MORE_FRAGMENTS | FRAGMENT_OFFSET))
        return NAT_DROP_FRAGMENT;
    packet->transport = (half_word *)((uint32_t)ip + header);
    packet->transport_bytes = ip->bytes - header;
    return look_at_transport(packet);
}

/* Replaces the source of a packet that goes outward, or the destination of one that comes in. */
static void replace_end(const struct packet *packet, bool is_outward, struct endpoint end, bool card_inserts)
{
    struct ip_header *ip = packet->ip;
    half_word *transport = packet->transport;
    word *address = is_outward ? &ip->source : &ip->destination;
    uint32_t place = ip->protocol == ICMP ? ICMP_IDENTIFIER : is_outward ? SOURCE_PORT : DESTINATION_PORT;
    uint32_t change = change_of_word(*address, end.address), change_of_port = change_of_half(transport[place], end.port);
    *address = end.address;
    transport[place] = end.port;
    ip->checksum = adjusted(ip->checksum, change);
    if (ip->protocol == ICMP) {
        transport[ICMP_CHECKSUM] = adjusted(transport[ICMP_CHECKSUM], change_of_port);
        return;
    }
    half_word *checksum = &transport[ip->protocol == TCP ? TCP_CHECKSUM : UDP_CHECKSUM];
    if (card_inserts)
        *checksum = folded(*checksum + change); /* the sum of the pseudo header, which has no port */
    else if (ip->protocol == TCP)
        *checksum = adjusted(*checksum, change + change_of_port);
    else
        *checksum = adjusted_udp(*checksum, change + change_of_port);
}

#define FIN 0x01u
#define SYN 0x02u
#define RST 0x04u

/* Takes note of a packet of a connection, which lives on by it. */
static void take_note(struct connection *connection, const struct packet *packet, bool is_outward)
{
    if (connection->protocol != TCP) {
        use_connection(connection, connection->protocol == UDP ? CLASS_UDP : CLASS_ICMP);
        return;
    }
    uint32_t flags = packet->transport[TCP_FLAGS], seen = connection->tcp;
    bool has_ended = (seen & WAS_RESET) || (seen & (ENDED_OUTWARD | ENDED_INWARD)) == (ENDED_OUTWARD | ENDED_INWARD);
    if (is_outward && flags & SYN && has_ended)
        seen = 0; /* the same ends connect again */
    seen |= is_outward ? SEEN_OUTWARD : SEEN_INWARD;
    if (flags & FIN)
        seen |= is_outward ? ENDED_OUTWARD : ENDED_INWARD;
    if (flags & RST)
        seen |= WAS_RESET;
    connection->tcp = (uint8_t)seen;
    bool is_open = (seen & (SEEN_OUTWARD | SEEN_INWARD)) == (SEEN_OUTWARD | SEEN_INWARD);
    has_ended = (seen & WAS_RESET) || (seen & (ENDED_OUTWARD | ENDED_INWARD)) == (ENDED_OUTWARD | ENDED_INWARD);
    use_connection(connection, is_open && !has_ended ? CLASS_TCP_OPEN : CLASS_TCP_BRIEF);
}

static enum nat_drop outward(const struct packet *packet, bool card_inserts)
{
    uint8_t protocol = packet->ip->protocol;
    const half_word *transport = packet->transport;
    struct endpoint inside, remote;
    bool begins = true;
    if (protocol == ICMP) {
        uint32_t kind = transport[ICMP_KIND] >> 8;
        if (kind != ECHO_REQUEST)
            return translate_error(packet, true);
        inside = source_of(packet, transport[ICMP_IDENTIFIER]);
        remote = destination_of(packet, 0);
    } else {
        inside = source_of(packet, transport[SOURCE_PORT]);
        remote = destination_of(packet, transport[DESTINATION_PORT]);
        const struct nat_forward *forward = forward_of_server(protocol, inside);
        if (forward) {
            struct endpoint end = {nat_settings.external_address, (uint16_t)forward->port};
            replace_end(packet, true, end, card_inserts);
            return PASS;
        }
        begins = protocol != TCP || !(transport[TCP_FLAGS] & RST);
    }
    struct connection *connection = find_outward(protocol, inside, remote);
    if (!connection) {
        if (!begins)
            return NAT_DROP_NO_CONNECTION;
        connection = add_connection(protocol, inside, remote);
        if (!connection)
            return NAT_DROP_NO_PORT;
    }
    take_note(connection, packet, true);
    replace_end(packet, true, (struct endpoint){nat_settings.external_address, outer_port(connection)}, card_inserts);
    return PASS;
}

static enum nat_drop inward(const struct packet *packet)
{
    uint8_t protocol = packet->ip->protocol;
    const half_word *transport = packet->transport;
    uint16_t port;
    struct endpoint remote;
    if (packet->ip->destination != nat_settings.external_address)
        return NAT_DROP_NOT_OURS;
    if (protocol == ICMP) {
        uint32_t kind = transport[ICMP_KIND] >> 8;
        if (kind != ECHO_REPLY)
            return translate_error(packet, false);
        port = transport[ICMP_IDENTIFIER];
        remote = source_of(packet, 0);
    } else {
        port = transport[DESTINATION_PORT];
        remote = source_of(packet, transport[SOURCE_PORT]);
        const struct nat_forward *forward = forward_of_port(protocol, port);
        if (forward) {
            replace_end(packet, false, (struct endpoint){forward->address, (uint16_t)forward->server_port}, false);
            return PASS;
        }
    }
    struct connection *connection = find_inward(protocol, port, remote);
    if (!connection)
        return NAT_DROP_NO_CONNECTION;
    take_note(connection, packet, false);
    replace_end(packet, false, connection->inside, false);
    return PASS;
}

/* Translates a frame that was written by a device and will be read by one. */
static bool translate(uint32_t frame, uint32_t bytes, bool is_outward, bool card_inserts, bool is_verified)
{
    uint32_t reach = NEAR_BYTES;
    uint16_t type = *(const half_word *)(frame + 12);
    enum nat_drop drop = type == ETHER_TYPE_ARP ? PASS : NAT_DROP_NOT_IP;
    if (type == ETHER_TYPE_IP) {
        const struct ip_header *ip = (const struct ip_header *)(frame + ETHERNET_BYTES);
        if (ip->protocol == ICMP || ip->version_length != 0x45) {
            uint32_t far = bytes < FAR_BYTES ? bytes : FAR_BYTES;
            if (far > reach)
                invalidate_range((void *)(frame + reach), far - reach);
            reach = far;
        }
        struct packet packet;
        drop = look_at(&packet, frame, bytes, is_verified);
        if (drop == PASS)
            drop = is_outward ? outward(&packet, card_inserts) : inward(&packet);
    }
    begin_flush((void *)frame, reach);
    if (drop == PASS)
        return true;
    TALLY->counts[is_outward ? drop : NAT_DROPS + drop] = 1;
    return false;
}

TASK(send_frame) bool translate_outward(uint32_t frame, uint32_t bytes, bool card_inserts)
{
    return translate(frame, bytes, true, card_inserts, false);
}

TASK(receive_frame) bool translate_inward(uint32_t frame, uint32_t bytes, bool is_verified)
{
    return translate(frame, bytes, false, false, is_verified);
}
