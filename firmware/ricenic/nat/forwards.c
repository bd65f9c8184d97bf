/*
 * Ports that outer nodes may connect to, each forwarded to a server, and the commands of the console. A forwarded port needs no
 * connection: it is the server's, both ways and for as long as it is forwarded. So nobody outside can use up the table.
 */
#include "ricenic/nic.h"
#include "ricenic/console.h"
#include "ricenic/nat.h"

static OF_CORE1 uint32_t forwards_end; /* behind the last that is used */

static void find_end(void)
{
    forwards_end = NAT_FORWARDS;
    while (forwards_end && !nat_settings.forwards[forwards_end - 1].protocol)
        forwards_end--;
}

void forwards_start(void) { find_end(); }

void flush_forwards(void)
{
    flush_range(&nat_settings, sizeof nat_settings);
    flush_range(&forwards_end, sizeof forwards_end);
    flush_range(&connections_open, sizeof connections_open);
}

const struct nat_forward *forward_of_port(uint8_t protocol, uint16_t port)
{
    for (const struct nat_forward *forward = nat_settings.forwards; forward < &nat_settings.forwards[forwards_end]; forward++)
        if (forward->port == port && forward->protocol == protocol)
            return forward;
    return NULL;
}

const struct nat_forward *forward_of_server(uint8_t protocol, struct endpoint server)
{
    for (const struct nat_forward *forward = nat_settings.forwards; forward < &nat_settings.forwards[forwards_end]; forward++)
        if (forward->address == server.address && forward->server_port == server.port && forward->protocol == protocol)
            return forward;
    return NULL;
}

/* An address such as 10.0.0.2. */
static bool read_address(const char *text, uint32_t *address)
{
    *address = 0;
    for (uint32_t part = 0; part < 4; part++) {
        uint32_t byte = 0, digits = 0;
        for (; *text >= '0' && *text <= '9' && digits < 3; text++, digits++)
            byte = 10 * byte + (uint32_t)(*text - '0');
        if (!digits || byte > 255 || *text != (part < 3 ? '.' : 0))
            return false;
        text++;
        *address = *address << 8 | byte;
    }
    return true;
}

static bool read_port(const char *text, uint32_t *port) { return read_number(text, port) && *port && *port <= 0xffff; }

static uint32_t read_protocol(const char *text) { return is_same(text, "tcp") ? TCP : is_same(text, "udp") ? UDP : 0; }

static void write_address(uint32_t address)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        write_decimal(address >> shift & 255);
        write_character(shift ? '.' : ':');
    }
}

static void show_translation(void)
{
    static const char *const reasons[] = {
        "not IP", "malformed", "bad IP checksum", "fragment", "protocol", "no port is free", "not to this card", "no connection", "ICMP",
    };
    _Static_assert(sizeof reasons / sizeof *reasons == NAT_DROPS, "a name for each reason");
    write_named("connections", connections_open);
    for (const struct nat_forward *forward = nat_settings.forwards; forward < &nat_settings.forwards[forwards_end]; forward++) {
        if (!forward->protocol)
            continue;
        write_text(forward->protocol == TCP ? "tcp " : "udp ");
        write_decimal(forward->port);
        write_text(" to ");
        write_address(forward->address);
        write_decimal(forward->server_port);
        write_text("\r\n");
    }
    for (uint32_t reason = 0; reason < 2 * NAT_DROPS; reason++) {
        uint32_t count = TALLY->counts[reason];
        if (!count)
            continue;
        write_text(reason < NAT_DROPS ? "dropped outward, " : "dropped inward, ");
        write_named(reasons[reason % NAT_DROPS], count);
    }
}

static void add_forward(uint32_t protocol, uint32_t port, uint32_t address, uint32_t server_port)
{
    if (port - nat_settings.first_port < nat_settings.connections) {
        write_text("connections have this port\r\n");
        return;
    }
    if (forward_of_port((uint8_t)protocol, (uint16_t)port) ||
        forward_of_server((uint8_t)protocol, (struct endpoint){address, (uint16_t)server_port})) {
        write_text("forwarded already\r\n");
        return;
    }
    for (uint32_t entry = 0; entry < NAT_FORWARDS; entry++) {
        if (!nat_settings.forwards[entry].protocol) {
            nat_settings.forwards[entry] = (struct nat_forward){protocol, port, address, server_port};
            find_end();
            return;
        }
    }
    write_text("no more ports can be forwarded\r\n");
}

static void remove_forward(uint32_t protocol, uint32_t port)
{
    const struct nat_forward *forward = forward_of_port((uint8_t)protocol, (uint16_t)port);
    if (!forward) {
        write_text("not forwarded\r\n");
        return;
    }
    nat_settings.forwards[forward - nat_settings.forwards].protocol = 0;
    find_end();
}

void own_help(void)
{
    write_text("nat                                   connections, forwarded ports, frames dropped\r\n"
               "forward tcp|udp PORT ADDRESS PORT     what comes for a port of the card goes to a server\r\n"
               "unforward tcp|udp PORT                it does no more\r\n");
}

static bool obey_command(uint32_t count, char *const *words)
{
    uint32_t protocol = count > 1 ? read_protocol(words[1]) : 0, port, address, server_port;
    bool is_port = protocol && count > 2 && read_port(words[2], &port);
    if (is_same(words[0], "nat") && count == 1)
        show_translation();
    else if (is_same(words[0], "unforward") && is_port && count == 3)
        remove_forward(protocol, port);
    else if (is_same(words[0], "forward") && is_port && count == 5 && read_address(words[3], &address) && read_port(words[4], &server_port))
        add_forward(protocol, port, address, server_port);
    else
        return false;
    return true;
}

bool obey_own(uint32_t count, char *const *words)
{
#ifdef RICENIC_NAT_SPLIT
    borrow_forwards();
    bool is_done = obey_command(count, words);
    return_forwards();
    return is_done;
#else
    return obey_command(count, words);
#endif
}
