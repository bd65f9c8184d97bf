/*
 * The registers that the host sees: the common configuration of virtio, the interrupt status and the configuration of the network device
 * (virtio 1.2, sections 4.1.4 and 5.1.4). Each load and store of the host is served here, one after the other.
 */
#include "hundredgig/nic.h"

#define COMMON_OFFSET 0x0000u
#define ISR_OFFSET 0x1000u
#define DEVICE_OFFSET 0x2000u
#define QUEUE_PART offsetof(struct virtio_common_configuration, queue)
#define FIELD(name) offsetof(struct virtio_common_configuration, name)
#define QUEUE_FIELD(name) (QUEUE_PART + offsetof(struct virtio_queue_configuration, name))

#define LARGEST_UNIT (LARGEST_FRAME - ETHERNET_HEADER_BYTES)

#define SEGMENTATION_FEATURES                                                                                                       \
    (HARDWARE_SEGMENTATION || FIRMWARE_SEGMENTATION                                                                                 \
         ? 1u << VIRTIO_NET_HOST_TSO4 | 1u << VIRTIO_NET_HOST_TSO6 | 1u << VIRTIO_NET_HOST_ECN                                      \
         : 0)

static const uint32_t offered[2] = {
    1u << VIRTIO_NET_CHECKSUM | (LARGEST_UNIT >= VIRTIO_NET_LEAST_MTU ? 1u << VIRTIO_NET_MTU : 0) | 1u << VIRTIO_NET_MAC |
        1u << VIRTIO_NET_MERGED_BUFFERS | 1u << VIRTIO_NET_STATUS | 1u << VIRTIO_EVENT_INDEX |
        (HARDWARE_CHECKSUMS ? 1u << VIRTIO_NET_GUEST_CHECKSUM : 0) | SEGMENTATION_FEATURES |
        (FIRMWARE_COALESCING ? 1u << VIRTIO_NET_GUEST_TSO4 | 1u << VIRTIO_NET_GUEST_TSO6 : 0) |
        1u << VIRTIO_NET_CONTROL_QUEUE | 1u << VIRTIO_NET_CONTROL_RECEIVE | 1u << VIRTIO_NET_CONTROL_VLAN |
        1u << VIRTIO_NET_CONTROL_MAC | (CORES > 1 ? 1u << VIRTIO_NET_MULTIQUEUE : 0),
    (CORES > 1 ? 1u << (VIRTIO_NET_RSS - 32) : 0) | 1u << (VIRTIO_VERSION_1 - 32) | 1u << (VIRTIO_ORDER_PLATFORM - 32) |
        1u << (VIRTIO_RING_RESET - 32) | (PACKED_RINGS ? 1u << (VIRTIO_RING_PACKED - 32) : 0),
};

static struct virtio_common_configuration common; /* without the part of the selected queue */
static uint32_t accepted[2];
static struct virtio_net_configuration device;
static uint32_t selected; /* place of the selected queue; HOST_QUEUES if there is none */
static bool is_resetting;
static uint32_t broken; /* queues in which the driver broke the protocol */

void configuration_clear_queue(uint32_t number)
{
    volatile struct virtio_queue_configuration *configuration = &SHARED->queues[number];
    bool exists = number < HOST_QUEUES;
    configuration->size = exists ? LARGEST_QUEUE : 0;
    configuration->vector = VIRTIO_NO_VECTOR;
    configuration->notify_offset = exists ? (uint16_t)number : 0;
    configuration->descriptors.low = configuration->descriptors.high = 0;
    configuration->driver.low = configuration->driver.high = 0;
    configuration->device.low = configuration->device.high = 0;
    configuration->enable = 0;
    configuration->reset = 0;
}

/* The control queue is behind the pairs that the driver may use: all of them, or one if it has accepted neither several queues nor RSS
   (virtio 1.2, section 5.1.2). */
static void select_queue(void)
{
    uint32_t number = common.queue_select;
    bool has_several = accepted[0] & 1u << VIRTIO_NET_MULTIQUEUE || accepted[1] & 1u << (VIRTIO_NET_RSS - 32);
    bool is_one_pair = common.status & VIRTIO_FEATURES_OK && !has_several;
    if (is_one_pair && number >= PAIR_QUEUES)
        number = number == PAIR_QUEUES ? HOST_QUEUES - 1 : HOST_QUEUES;
    selected = number < HOST_QUEUES ? number : HOST_QUEUES;
}

static void set_defaults(void)
{
    common = (struct virtio_common_configuration){.vector = VIRTIO_NO_VECTOR, .queues = HOST_QUEUES};
    for (uint32_t queue = 0; queue <= HOST_QUEUES; queue++)
        configuration_clear_queue(queue);
    accepted[0] = accepted[1] = selected = 0;
    FUNCTION->level = 0;
    SHARED->queue_reason = SHARED->configuration_reason = 0;
    for (uint32_t queue = 0; queue < HOST_QUEUES; queue++)
        SHARED->is_broken[queue] = 0;
    broken = 0;
    for (uint32_t byte = 0; byte < sizeof device.mac; byte++)
        device.mac[byte] = (uint8_t)(MAC_ADDRESS >> (40 - 8 * byte));
    commands_reset();
}

void configuration_start(void)
{
    device.status = VIRTIO_LINK_UP;
    device.pairs = CORES;
    device.mtu = (uint16_t)LARGEST_UNIT;
    device.rss_key_bytes = STEERING_KEY_BYTES;
    device.rss_entries = STEERING_ENTRIES;
    device.rss_types = STEERING_ALL_TYPES;
    set_defaults();
}

const uint8_t *configuration_address(void) { return device.mac; }

void configuration_set_address(const uint8_t *address)
{
    for (uint32_t byte = 0; byte < sizeof device.mac; byte++)
        device.mac[byte] = address[byte];
}

/* Commands every core to work, or to stop. */
static void command(bool runs)
{
    for (uint32_t number = 0; number < CORES; number++) {
        SHARED->runs[number] = runs;
        if (runs)
            SHARED->is_running[number] = 1;
        if (number != 0)
            FUNCTION->ring = RING_MESSAGE(number);
    }
}

/* The status keeps its value while transfers of the driver's memory are in flight. */
static void end_reset_if_quiet(void)
{
    if (!is_resetting)
        return;
    for (uint32_t number = 0; number < CORES; number++)
        if (SHARED->is_running[number])
            return;
    is_resetting = false;
    set_defaults();
}

static void signal_configuration(void)
{
    if (common.vector != VIRTIO_NO_VECTOR) {
        FUNCTION->message = common.vector;
        return;
    }
    SHARED->configuration_reason = VIRTIO_ISR_CONFIGURATION;
    FUNCTION->level = 1;
}

void configuration_message(void)
{
    uint32_t before = broken;
    broken = 0;
    for (uint32_t queue = 0; queue < HOST_QUEUES; queue++)
        broken += SHARED->is_broken[queue];
    if (broken == 0)
        common.status &= (uint8_t)~VIRTIO_NEEDS_RESET;
    else
        common.status |= VIRTIO_NEEDS_RESET;
    if (broken > before && !is_resetting)
        signal_configuration();
    end_reset_if_quiet();
}

static void start(void)
{
    SHARED->features = accepted[0];
    SHARED->is_packed = accepted[1] >> (VIRTIO_RING_PACKED - 32) & 1;
    command(true);
    pair_message();
    commands_start();
}

static void write_status(uint32_t status)
{
    if (status == 0) {
        is_resetting = true;
        command(false);
        pair_message();
        return;
    }
    bool is_acceptable = accepted[1] & 1u << (VIRTIO_VERSION_1 - 32) && !(accepted[0] & ~offered[0]) &&
                         !(accepted[1] & ~offered[1]);
    if (!is_acceptable)
        status &= ~VIRTIO_FEATURES_OK;
    uint32_t before = common.status;
    common.status = (uint8_t)(status | (before & VIRTIO_NEEDS_RESET));
    select_queue();
    if (status & ~before & VIRTIO_DRIVER_OK && status & VIRTIO_FEATURES_OK && !is_resetting)
        start();
}

/* Sends the core of the selected queue a message: the queue is to be reset, or was enabled while the core works. */
static void tell_owner(void)
{
    uint32_t owner = selected == HOST_QUEUES - 1 ? 0 : selected / PAIR_QUEUES;
    if (owner == 0)
        pair_message();
    else
        FUNCTION->ring = RING_MESSAGE(owner);
}

static bool is_running(void) { return SHARED->runs[0] != 0; }

/* A queue that no core serves is reset at once; otherwise its core does it. */
static void reset_queue(volatile struct virtio_queue_configuration *queue)
{
    if (!(accepted[1] & 1u << (VIRTIO_RING_RESET - 32)) || !queue->enable)
        return;
    if (!is_running()) {
        configuration_clear_queue(selected);
        return;
    }
    queue->reset = 1;
    tell_owner();
}

/* A queue that cannot be served is not enabled. */
static void enable_queue(volatile struct virtio_queue_configuration *queue)
{
    bool is_power = queue->size != 0 && (queue->size & (queue->size - 1)) == 0 && queue->size <= LARGEST_QUEUE;
    bool is_aligned = !(queue->descriptors.low & 15) && !(queue->driver.low & 1) && !(queue->device.low & 3);
    queue->enable = is_power && is_aligned;
    if (queue->enable && is_running() && accepted[1] & 1u << (VIRTIO_RING_RESET - 32))
        tell_owner();
}

/* Returns the vector that a driver gets, which reads it back: the function has one for its configuration, and one for each queue. */
static uint16_t granted(uint32_t vector) { return vector <= HOST_QUEUES ? (uint16_t)vector : VIRTIO_NO_VECTOR; }

static void write_queue(uint32_t offset, uint32_t value)
{
    volatile struct virtio_queue_configuration *queue = &SHARED->queues[selected];
    if (selected == HOST_QUEUES)
        return;
    if (offset == QUEUE_FIELD(reset) && value == 1)
        reset_queue(queue);
    if (queue->enable)
        return;
    switch (offset) {
    case QUEUE_FIELD(size):
        queue->size = (uint16_t)value;
        break;
    case QUEUE_FIELD(vector):
        queue->vector = granted(value);
        break;
    case QUEUE_FIELD(enable):
        if (value == 1)
            enable_queue(queue);
        break;
    case QUEUE_FIELD(descriptors.low):
        queue->descriptors.low = value;
        break;
    case QUEUE_FIELD(descriptors.high):
        queue->descriptors.high = value;
        break;
    case QUEUE_FIELD(driver.low):
        queue->driver.low = value;
        break;
    case QUEUE_FIELD(driver.high):
        queue->driver.high = value;
        break;
    case QUEUE_FIELD(device.low):
        queue->device.low = value;
        break;
    case QUEUE_FIELD(device.high):
        queue->device.high = value;
        break;
    default: /* The other fields are read-only. */
        break;
    }
}

static void write_common(uint32_t offset, uint32_t value)
{
    switch (offset) {
    case FIELD(feature_select):
        common.feature_select = value;
        common.feature = value < 2 ? offered[value] : 0;
        break;
    case FIELD(driver_feature_select):
        common.driver_feature_select = value;
        common.driver_feature = value < 2 ? accepted[value] : 0;
        break;
    case FIELD(driver_feature):
        common.driver_feature = value;
        if (common.driver_feature_select < 2 && !(common.status & VIRTIO_FEATURES_OK))
            accepted[common.driver_feature_select] = value;
        break;
    case FIELD(vector):
        common.vector = granted(value);
        break;
    case FIELD(status):
        write_status(value & 0xff);
        break;
    case FIELD(queue_select):
        common.queue_select = (uint16_t)value;
        select_queue();
        break;
    default:
        write_queue(offset, value);
    }
}

static uint32_t bytes_at(const volatile void *structure, uint32_t offset, uint32_t size)
{
    uint32_t value = 0;
    for (uint32_t byte = 0; byte < size; byte++)
        value |= (uint32_t)((const volatile uint8_t *)structure)[offset + byte] << 8 * byte;
    return value;
}

/* Returns the reasons of the interrupt. A word is cleared only if it is reported, so a reason that a core adds meanwhile stays pending. */
static uint32_t take_reasons(void)
{
    FUNCTION->level = 0;
    uint32_t reasons = SHARED->queue_reason;
    if (reasons)
        SHARED->queue_reason = 0;
    if (SHARED->configuration_reason) {
        reasons |= SHARED->configuration_reason;
        SHARED->configuration_reason = 0;
    }
    return reasons;
}

static uint32_t read_register(uint32_t offset, uint32_t size)
{
    if (offset + size <= COMMON_OFFSET + sizeof common) {
        if (offset == FIELD(feature))
            return common.feature_select < 2 ? offered[common.feature_select] : 0;
        bool is_of_queue = offset >= QUEUE_PART && offset < FIELD(administration);
        return is_of_queue ? bytes_at(&SHARED->queues[selected], offset - QUEUE_PART, size) : bytes_at(&common, offset, size);
    }
    if (offset == ISR_OFFSET)
        return take_reasons();
    if (offset >= DEVICE_OFFSET && offset + size <= DEVICE_OFFSET + sizeof device)
        return bytes_at(&device, offset - DEVICE_OFFSET, size);
    return 0;
}

void serve_accesses(void)
{
    for (uint32_t access = FUNCTION->access; access != 0; access = FUNCTION->access) {
        uint32_t offset = ACCESS_OFFSET(access), answer = 0;
        if (!(access & ACCESS_WRITE))
            answer = read_register(offset, ACCESS_SIZE(access));
        else if (offset < sizeof common)
            write_common(offset, FUNCTION->data);
        FUNCTION->answer = answer;
    }
}
