// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Any card with rings behind the PCI function of Spinach: RiceNIC, the 10 Gb/s
 * NIC, the starter.
 *
 * Base address register 0 has two halves. The lower is the card's memory, with
 * two mailboxes and a block that says where in host memory the rings are. In
 * the upper are the registers of the interrupt and a description of the card:
 * offsets of the mailboxes and the block, sizes, abilities. In host memory are
 * the rings: buffers to send, buffers for received frames, and what the card
 * returns of those; and two words with the progress of the card.
 *
 *   driver                              card
 *   fills descriptors, writes the
 *   count of all so far to a mailbox -> reads descriptors, moves frames,
 *                                       writes descriptors of received frames,
 *                                       then both words of the status,
 *   compares them with its own counts<- then interrupts
 *
 * All counts run freely modulo 2^32. The place in a ring is the count modulo
 * its entries. All words are big-endian, in host memory, too.
 *
 * Firmware reads once where the rings are. A card that the driver can reset
 * reads that anew, so the driver can be unloaded, and begin again when frames
 * to send do not leave. With any other card rings and driver stay for as long
 * as the kernel runs.
 */
#include <linux/dma-mapping.h>
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/rtnetlink.h>
#include <linux/workqueue.h>

#include "rings_content.h"
#include "spinach/driver.h"
#include "spinach/ring_function.h"

#define INTERRUPT_STATUS offsetof(struct interrupt_latch_registers, status)
#define INTERRUPT_ENABLED offsetof(struct interrupt_latch_registers, enabled)

/* A frame has this many pieces at most, and the card this many under way. */
#define MOST_PIECES (MAX_SKB_FRAGS + 1)
#define SEND_ENTRIES 256
#define RECEIVE_ENTRIES 256
/* The fields of a checksum's beginning and its place have 8 bits each. */
#define CHECKSUM_REACH 256
/* A reset takes as long as frames and transfers under way; a simulated card is slow. */
#define RESET_POLL_US 1000
#define RESET_PATIENCE_US 10000000
#define SEND_PATIENCE (10 * HZ)

/* A piece of a frame to send, or a buffer for a frame received. */
struct rings_buffer {
	struct sk_buff *skb; /* with the last piece of a frame */
	dma_addr_t address;
	unsigned int bytes;
	enum { LINEAR, PAGE, ON_CARD } place; /* ON_CARD has no address */
};

/* All that card and driver share in host memory. */
struct rings_shared {
	struct buffer_descriptor send[SEND_ENTRIES];
	struct buffer_descriptor receive[RECEIVE_ENTRIES];
	struct buffer_descriptor returned[RECEIVE_ENTRIES];
	struct status_words status;
};

/* Statistics of `ethtool -S`. */
struct rings_counts {
	u64 interrupts;
	u64 polls;
	u64 send_doorbells;
	u64 receive_doorbells;
	u64 pieces_sent;
	u64 checksums_left;
	u64 checksums_right;
	u64 checksums_wrong;
	u64 ring_full;
	u64 no_memory;
	u64 content_kept;
	u64 content_sent;
	u64 resets;
};

struct rings {
	u8 __iomem *window;
	/* The upper half of the window. */
	u8 __iomem *registers;
	struct ring_description card;
	struct device *device;
	struct net_device *ndev;
	struct napi_struct napi;
	struct work_struct restart;
	/* NULL if the card keeps none. */
	struct rings_content *content;

	struct rings_shared *shared;
	dma_addr_t shared_address;

	/* Descriptors that are filled, announced to the card, and done with. */
	struct rings_buffer send[SEND_ENTRIES];
	u32 send_filled;
	u32 send_announced;
	u32 send_done;
	struct rings_buffer receive[RECEIVE_ENTRIES];
	u32 receive_filled;
	u32 receive_announced;
	u32 receive_done;

	struct rings_counts counts;
};

/* The card's words. */

static u32 rings_read(struct rings *nic, u32 where)
{
	return ioread32be(nic->window + where);
}

static void rings_write(struct rings *nic, u32 where, u32 word)
{
	iowrite32be(word, nic->window + where);
}

static u32 read_register(struct rings *nic, u32 where)
{
	return ioread32be(nic->registers + where);
}

static void write_register(struct rings *nic, u32 where, u32 word)
{
	iowrite32be(word, nic->registers + where);
}

/* Words in host memory, as the card has them. */

static u32 from_card(const volatile uint32_t *word)
{
	return be32_to_cpup((const __force __be32 *)word);
}

static struct host_address to_host_address(dma_addr_t address)
{
	return (struct host_address){
		.high = (__force u32)cpu_to_be32(upper_32_bits(address)),
		.low = (__force u32)cpu_to_be32(lower_32_bits(address)),
	};
}

static void fill_descriptor(struct buffer_descriptor *descriptor, const struct rings_buffer *buffer, u32 flags,
			    u32 opaque)
{
	descriptor->address = to_host_address(buffer->address);
	descriptor->flags_length = (__force u32)cpu_to_be32(flags | buffer->bytes);
	descriptor->opaque = (__force u32)cpu_to_be32(opaque);
}

/* Sending. */

static u32 rings_send_room(const struct rings *nic)
{
	return SEND_ENTRIES - (nic->send_filled - READ_ONCE(nic->send_done));
}

static void rings_unmap_piece(struct rings *nic, struct rings_buffer *buffer)
{
	if (buffer->place == PAGE)
		dma_unmap_page(nic->device, buffer->address, buffer->bytes, DMA_TO_DEVICE);
	else if (buffer->place == LINEAR)
		dma_unmap_single(nic->device, buffer->address, buffer->bytes, DMA_TO_DEVICE);
}

/* Describes the first piece of a frame, which is not a page, with flags and the word for them. */
static bool rings_map_first(struct rings *nic, u32 index, struct sk_buff *skb, u32 flags, u32 opaque)
{
	struct rings_buffer *buffer = &nic->send[index % SEND_ENTRIES];

	buffer->place = LINEAR;
	buffer->bytes = skb_headlen(skb);
	buffer->address = dma_map_single(nic->device, skb->data, buffer->bytes, DMA_TO_DEVICE);
	fill_descriptor(&nic->shared->send[index % SEND_ENTRIES], buffer, flags, opaque);
	return !dma_mapping_error(nic->device, buffer->address);
}

/* Describes a further piece. */
static bool rings_map_page(struct rings *nic, u32 index, const skb_frag_t *piece, u32 flags)
{
	struct rings_buffer *buffer = &nic->send[index % SEND_ENTRIES];
	struct rings_content_use use = { 0 };

	if (nic->content)
		use = rings_content_use(nic->content, piece, index, READ_ONCE(nic->send_done));
	buffer->bytes = skb_frag_size(piece);
	if (use.flags & BD_SEND_CONTENT) {
		nic->counts.content_sent++;
		buffer->place = ON_CARD;
		buffer->address = 0;
	} else {
		nic->counts.content_kept += !!use.flags;
		buffer->place = PAGE;
		buffer->address = skb_frag_dma_map(nic->device, piece, 0, buffer->bytes, DMA_TO_DEVICE);
	}
	fill_descriptor(&nic->shared->send[index % SEND_ENTRIES], buffer, flags | use.flags, use.offset);
	return buffer->place == ON_CARD || !dma_mapping_error(nic->device, buffer->address);
}

/* Describes piece `piece` of a frame, -1 for the first; `checksum` is for that. False if the card cannot reach it. */
static bool rings_map_piece(struct rings *nic, u32 index, struct sk_buff *skb, int piece, u32 checksum_flags,
			    u32 checksum)
{
	bool is_last = piece + 1 == skb_shinfo(skb)->nr_frags;
	u32 end = is_last ? BD_END : 0;

	nic->send[index % SEND_ENTRIES].skb = is_last ? skb : NULL;
	if (piece < 0)
		return rings_map_first(nic, index, skb, checksum_flags | end, checksum);
	return rings_map_page(nic, index, &skb_shinfo(skb)->frags[piece], end);
}

/* Tells the card of all descriptors that were filled. */
static void rings_announce_send(struct rings *nic)
{
	if (nic->send_announced == nic->send_filled)
		return;
	dma_wmb();
	nic->send_announced = nic->send_filled;
	nic->counts.send_doorbells++;
	rings_write(nic, nic->card.send_mailbox, nic->send_filled);
}

/* Transmission is serialised by the network layer. */
static netdev_tx_t rings_xmit(struct sk_buff *skb, struct net_device *ndev)
{
	struct rings *nic = netdev_priv(ndev);
	int frags = skb_shinfo(skb)->nr_frags, piece;
	u32 first = nic->send_filled, index = first, flags = 0, opaque = 0;

	if (skb->ip_summed == CHECKSUM_PARTIAL) {
		u32 start = skb_checksum_start_offset(skb);

		flags = BD_INSERT_CHECKSUM;
		opaque = start << 8 | (start + skb->csum_offset);
		nic->counts.checksums_left++;
	}
	for (piece = -1; piece < frags; piece++, index++)
		if (!rings_map_piece(nic, index, skb, piece, flags, opaque))
			goto unmap;
	nic->counts.pieces_sent += index - first;
	nic->send_filled = index;
	netdev_sent_queue(ndev, skb->len);
	if (rings_send_room(nic) < MOST_PIECES) {
		netif_stop_queue(ndev);
		nic->counts.ring_full++;
		/* There may have become room before the queue was stopped. */
		smp_mb();
		if (rings_send_room(nic) >= MOST_PIECES)
			netif_start_queue(ndev);
	}
	if (!netdev_xmit_more() || netif_queue_stopped(ndev))
		rings_announce_send(nic);
	return NETDEV_TX_OK;

unmap:
	while (index-- != first)
		rings_unmap_piece(nic, &nic->send[index % SEND_ENTRIES]);
	if (nic->content)
		rings_content_forget(nic->content, skb);
	ndev->stats.tx_dropped++;
	dev_kfree_skb_any(skb);
	rings_announce_send(nic);
	return NETDEV_TX_OK;
}

/* Frees what the card is done with. */
static void rings_take_sent(struct rings *nic, u32 consumed, int budget)
{
	struct net_device *ndev = nic->ndev;
	unsigned int frames = 0, bytes = 0;
	u32 done = nic->send_done;

	if (done == consumed)
		return;
	for (; done != consumed; done++) {
		struct rings_buffer *buffer = &nic->send[done % SEND_ENTRIES];

		rings_unmap_piece(nic, buffer);
		if (!buffer->skb)
			continue;
		frames++;
		bytes += buffer->skb->len;
		napi_consume_skb(buffer->skb, budget);
	}
	WRITE_ONCE(nic->send_done, done);
	ndev->stats.tx_packets += frames;
	ndev->stats.tx_bytes += bytes;
	netdev_completed_queue(ndev, frames, bytes);
	smp_mb();
	if (netif_queue_stopped(ndev) && rings_send_room(nic) >= MOST_PIECES)
		netif_wake_queue(ndev);
}

/* The card takes checksums only near the beginning of a frame. */
static netdev_features_t rings_features_check(struct sk_buff *skb, struct net_device *ndev,
						netdev_features_t features)
{
	if (skb->ip_summed == CHECKSUM_PARTIAL &&
	    skb_checksum_start_offset(skb) + skb->csum_offset >= CHECKSUM_REACH)
		features &= ~NETIF_F_CSUM_MASK;
	return features;
}

/* Receiving. */

/* Gives the card buffers for as many frames as its ring holds, or as memory suffices for. */
static void rings_post_buffers(struct rings *nic, gfp_t gfp)
{
	while (nic->receive_filled - nic->receive_done < RECEIVE_ENTRIES) {
		u32 place = nic->receive_filled % RECEIVE_ENTRIES;
		struct rings_buffer *buffer = &nic->receive[place];

		buffer->skb = __netdev_alloc_skb_ip_align(nic->ndev, nic->card.receive_buffer, gfp);
		if (!buffer->skb) {
			nic->counts.no_memory++;
			break;
		}
		buffer->bytes = nic->card.receive_buffer;
		buffer->address = dma_map_single(nic->device, buffer->skb->data, nic->card.receive_buffer, DMA_FROM_DEVICE);
		if (dma_mapping_error(nic->device, buffer->address)) {
			dev_kfree_skb_any(buffer->skb);
			buffer->skb = NULL;
			break;
		}
		fill_descriptor(&nic->shared->receive[place], buffer, BD_END, place);
		nic->receive_filled++;
	}
	if (nic->receive_announced == nic->receive_filled)
		return;
	dma_wmb();
	nic->receive_announced = nic->receive_filled;
	nic->counts.receive_doorbells++;
	rings_write(nic, nic->card.receive_mailbox, nic->receive_filled);
}

/* Takes the oldest frame that the card has returned. Without one of proper length, nothing. */
static struct sk_buff *rings_take_frame(struct rings *nic)
{
	const struct buffer_descriptor *returned = &nic->shared->returned[nic->receive_done % RECEIVE_ENTRIES];
	struct rings_buffer *buffer = &nic->receive[from_card(&returned->opaque) % RECEIVE_ENTRIES];
	u32 flags_length = from_card(&returned->flags_length), bytes = BD_LENGTH(flags_length);
	struct sk_buff *skb = buffer->skb;

	nic->receive_done++;
	dma_unmap_single(nic->device, buffer->address, nic->card.receive_buffer, DMA_FROM_DEVICE);
	buffer->skb = NULL;
	if (flags_length & BD_TRUNCATED || bytes < ETH_ZLEN || bytes > nic->card.receive_buffer) {
		nic->ndev->stats.rx_length_errors++;
		dev_kfree_skb_any(skb);
		return NULL;
	}
	skb_put(skb, bytes);
	if (flags_length & BD_CHECKSUM_RIGHT) {
		nic->counts.checksums_right++;
		if (nic->ndev->features & NETIF_F_RXCSUM)
			skb->ip_summed = CHECKSUM_UNNECESSARY;
	} else if (flags_length & BD_CHECKSUM_WRONG) {
		/* The kernel sees for itself, and counts it where it belongs. */
		nic->counts.checksums_wrong++;
	}
	return skb;
}

static int rings_receive(struct rings *nic, u32 returned, int budget)
{
	struct net_device *ndev = nic->ndev;
	int frames = 0;

	while (nic->receive_done != returned && frames < budget) {
		struct sk_buff *skb = rings_take_frame(nic);

		frames++;
		if (!skb)
			continue;
		ndev->stats.rx_packets++;
		ndev->stats.rx_bytes += skb->len;
		skb->protocol = eth_type_trans(skb, ndev);
		napi_gro_receive(&nic->napi, skb);
	}
	return frames;
}

/* Both directions. */

/* Returns the card's progress. Host memory that it reports as written may be read after this. */
static struct status_words rings_status(const struct rings *nic)
{
	struct status_words status = {
		.send_bd_consumed = from_card(&nic->shared->status.send_bd_consumed),
		.receive_returned = from_card(&nic->shared->status.receive_returned),
	};

	dma_rmb();
	return status;
}

static int rings_poll(struct napi_struct *napi, int budget)
{
	struct rings *nic = container_of(napi, struct rings, napi);
	struct status_words status = rings_status(nic);
	int received;

	nic->counts.polls++;
	rings_take_sent(nic, status.send_bd_consumed, budget);
	received = rings_receive(nic, status.receive_returned, budget);
	rings_post_buffers(nic, GFP_ATOMIC);
	if (received < budget && napi_complete_done(napi, received)) {
		/* Of what happens from here on the card tells by an interrupt. */
		write_register(nic, INTERRUPT_STATUS, 1);
		write_register(nic, INTERRUPT_ENABLED, 1);
		status = rings_status(nic);
		if (status.send_bd_consumed != nic->send_done || status.receive_returned != nic->receive_done)
			napi_schedule(napi);
	}
	return received;
}

static irqreturn_t rings_interrupt(int irq, void *data)
{
	struct rings *nic = data;

	if (!(read_register(nic, INTERRUPT_STATUS) & 1))
		return IRQ_NONE;
	nic->counts.interrupts++;
	write_register(nic, INTERRUPT_ENABLED, 0);
	napi_schedule(&nic->napi);
	return IRQ_HANDLED;
}

/* The beginning of the card's work. */

static dma_addr_t rings_place(const struct rings *nic, const void *part)
{
	return nic->shared_address + (part - (const void *)nic->shared);
}

static void rings_write_address(struct rings *nic, u32 where, const void *part)
{
	dma_addr_t address = rings_place(nic, part);

	rings_write(nic, where + offsetof(struct host_address, high), upper_32_bits(address));
	rings_write(nic, where + offsetof(struct host_address, low), lower_32_bits(address));
}

static void rings_write_ring(struct rings *nic, u32 where, const struct buffer_descriptor *ring, u32 entries)
{
	rings_write_address(nic, where + offsetof(struct host_ring, address), ring);
	rings_write(nic, where + offsetof(struct host_ring, entries), entries);
}

static u32 rings_is_ready(struct rings *nic)
{
	return rings_read(nic, nic->card.configuration + offsetof(struct host_rings, ready));
}

/* All counts are as the card begins: nothing is announced or done. */
static void rings_clear(struct rings *nic)
{
	u32 first = nic->card.first_index;

	memset(nic->shared, 0, sizeof(*nic->shared));
	nic->shared->status.send_bd_consumed = (__force u32)cpu_to_be32(first);
	nic->shared->status.receive_returned = (__force u32)cpu_to_be32(first);
	nic->send_filled = nic->send_announced = nic->send_done = first;
	nic->receive_filled = nic->receive_announced = nic->receive_done = first;
}

/* Tells the firmware where the rings are; it begins when the last word is written. */
static void rings_begin(struct rings *nic)
{
	const struct rings_shared *shared = nic->shared;
	const u32 block = nic->card.configuration;

	rings_clear(nic);
	rings_write_ring(nic, block + offsetof(struct host_rings, send), shared->send, SEND_ENTRIES);
	rings_write_ring(nic, block + offsetof(struct host_rings, receive), shared->receive, RECEIVE_ENTRIES);
	rings_write_ring(nic, block + offsetof(struct host_rings, returned), shared->returned, RECEIVE_ENTRIES);
	rings_write_address(nic, block + offsetof(struct host_rings, status), (const void *)&shared->status);
	rings_write(nic, block + offsetof(struct host_rings, first_index), nic->card.first_index);
	/* Mailboxes begin with 0, and firmware does not write those in memory. */
	if (nic->card.first_index) {
		rings_write(nic, nic->card.send_mailbox, nic->card.first_index);
		rings_write(nic, nic->card.receive_mailbox, nic->card.first_index);
	}
	rings_write(nic, block + offsetof(struct host_rings, ready), HOST_RINGS_READY);
}

/* Ends the card's work. It uses no memory of the host after this. */
static int rings_end(struct rings *nic)
{
	u32 ready;

	if (rings_is_ready(nic) != HOST_RINGS_READY)
		return 0;
	nic->counts.resets++;
	rings_write(nic, nic->card.reset, 1);
	return read_poll_timeout(rings_is_ready, ready, ready != HOST_RINGS_READY, RESET_POLL_US, RESET_PATIENCE_US,
				 false, nic);
}

/* Frees all buffers, none of which the card uses. */
static void rings_free_buffers(struct rings *nic)
{
	u32 place;

	for (; nic->send_done != nic->send_filled; nic->send_done++) {
		struct rings_buffer *buffer = &nic->send[nic->send_done % SEND_ENTRIES];

		rings_unmap_piece(nic, buffer);
		if (buffer->skb)
			nic->ndev->stats.tx_dropped++;
		dev_kfree_skb_any(buffer->skb);
	}
	netdev_reset_queue(nic->ndev);
	for (place = 0; place < RECEIVE_ENTRIES; place++) {
		struct rings_buffer *buffer = &nic->receive[place];

		if (!buffer->skb)
			continue;
		dma_unmap_single(nic->device, buffer->address, nic->card.receive_buffer, DMA_FROM_DEVICE);
		dev_kfree_skb_any(buffer->skb);
		buffer->skb = NULL;
	}
}

/* Up and down. Buffers stay with the card while the interface is down. */

static void rings_discard_frames(struct rings *nic)
{
	u32 returned = rings_status(nic).receive_returned;

	while (nic->receive_done != returned) {
		dev_kfree_skb_any(rings_take_frame(nic));
		nic->ndev->stats.rx_dropped++;
	}
}

static int rings_open(struct net_device *ndev)
{
	struct rings *nic = netdev_priv(ndev);

	rings_discard_frames(nic);
	rings_post_buffers(nic, GFP_KERNEL);
	napi_enable(&nic->napi);
	netif_start_queue(ndev);
	/* It looks for what there is, and enables the interrupt. */
	local_bh_disable();
	napi_schedule(&nic->napi);
	local_bh_enable();
	return 0;
}

static int rings_stop(struct net_device *ndev)
{
	struct rings *nic = netdev_priv(ndev);

	netif_stop_queue(ndev);
	rings_announce_send(nic);
	napi_disable(&nic->napi);
	write_register(nic, INTERRUPT_ENABLED, 0);
	return 0;
}

/* Resets the card and begins again, with the interface up or down. The caller has the RTNL. */
static int rings_restart(struct rings *nic)
{
	struct net_device *ndev = nic->ndev;
	bool is_up = netif_running(ndev);
	int error;

	if (is_up) {
		netif_tx_disable(ndev);
		rings_stop(ndev);
	}
	error = rings_end(nic);
	if (error) {
		netdev_err(ndev, "the card does not complete its reset\n");
		netif_device_detach(ndev);
		/* It is disabled again when the interface is set down. */
		if (is_up)
			napi_enable(&nic->napi);
		return error;
	}
	if (nic->content)
		rings_content_forget_all(nic->content);
	rings_free_buffers(nic);
	rings_begin(nic);
	netif_trans_update(ndev);
	return is_up ? rings_open(ndev) : 0;
}

static void rings_restart_work(struct work_struct *work)
{
	struct rings *nic = container_of(work, struct rings, restart);

	rtnl_lock();
	if (netif_running(nic->ndev) && netif_device_present(nic->ndev))
		rings_restart(nic);
	rtnl_unlock();
}

/* Frames do not leave. */
static void rings_tx_timeout(struct net_device *ndev, unsigned int queue)
{
	struct rings *nic = netdev_priv(ndev);

	if (nic->card.reset)
		schedule_work(&nic->restart);
}

static const struct net_device_ops rings_operations = {
	.ndo_open = rings_open,
	.ndo_stop = rings_stop,
	.ndo_start_xmit = rings_xmit,
	.ndo_features_check = rings_features_check,
	.ndo_tx_timeout = rings_tx_timeout,
	.ndo_validate_addr = eth_validate_addr,
	.ndo_set_mac_address = eth_mac_addr,
};

/* ethtool. */

static const char rings_names[][ETH_GSTRING_LEN] = {
	"interrupts",      "polls",	     "send_doorbells",	"receive_doorbells", "pieces_sent",
	"checksums_left", "checksums_right", "checksums_wrong", "ring_full",	      "no_memory",
	"content_kept",    "content_sent",    "resets",
};
static_assert(ARRAY_SIZE(rings_names) == sizeof(struct rings_counts) / sizeof(u64));

static int rings_get_sset_count(struct net_device *ndev, int set)
{
	return set == ETH_SS_STATS ? ARRAY_SIZE(rings_names) : -EOPNOTSUPP;
}

static void rings_get_strings(struct net_device *ndev, u32 set, u8 *data)
{
	if (set == ETH_SS_STATS)
		memcpy(data, rings_names, sizeof(rings_names));
}

static void rings_get_ethtool_stats(struct net_device *ndev, struct ethtool_stats *stats, u64 *data)
{
	struct rings *nic = netdev_priv(ndev);

	memcpy(data, &nic->counts, sizeof(nic->counts));
}

static int rings_get_link_ksettings(struct net_device *ndev, struct ethtool_link_ksettings *settings)
{
	const struct rings *nic = netdev_priv(ndev);

	settings->base.speed = nic->card.rate_mbps;
	settings->base.duplex = DUPLEX_FULL;
	settings->base.autoneg = AUTONEG_DISABLE;
	settings->base.port = PORT_OTHER;
	return 0;
}

/* `ethtool --reset`: everything of the card is reset at once. */
static int rings_ethtool_reset(struct net_device *ndev, u32 *flags)
{
	struct rings *nic = netdev_priv(ndev);
	int error;

	if (!nic->card.reset)
		return -EOPNOTSUPP;
	error = rings_restart(nic);
	if (!error)
		*flags = 0;
	return error;
}

static const struct ethtool_ops rings_ethtool_operations = {
	.reset = rings_ethtool_reset,
	.get_link = ethtool_op_get_link,
	.get_link_ksettings = rings_get_link_ksettings,
	.get_sset_count = rings_get_sset_count,
	.get_strings = rings_get_strings,
	.get_ethtool_stats = rings_get_ethtool_stats,
};

/* The driver. */

/* Reads the card's description. */
static int rings_read_description(struct rings *nic)
{
	u32 *words = (u32 *)&nic->card, word;

	for (word = 0; word < sizeof(nic->card) / sizeof(u32); word++)
		words[word] = read_register(nic, RING_DESCRIPTION_OFFSET + sizeof(u32) * word);
	if (nic->card.magic != RING_DESCRIPTION_MAGIC)
		return dev_err_probe(nic->device, -ENODEV, "the card does not describe its rings\n");
	return 0;
}

static int rings_map(struct rings *nic, struct pci_dev *pdev)
{
	int error = pcim_enable_device(pdev);

	if (!error)
		error = pcim_iomap_regions(pdev, BIT(0), "spinach_rings");
	if (!error)
		error = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (error)
		return error;
	nic->window = (u8 __iomem *)pcim_iomap_table(pdev)[0];
	nic->registers = nic->window + pci_resource_len(pdev, 0) / 2;
	error = rings_read_description(nic);
	if (error)
		return error;
	nic->shared = dmam_alloc_coherent(&pdev->dev, sizeof(*nic->shared), &nic->shared_address, GFP_KERNEL);
	return nic->shared ? 0 : -ENOMEM;
}

/* Cards pass all frames on. One without a MAC address gets a random one. */
static void rings_set_address(struct rings *nic)
{
	u8 address[ETH_ALEN];

	u64_to_ether_addr((u64)nic->card.mac_address_high << 32 | nic->card.mac_address_low, address);
	if (is_valid_ether_addr(address))
		eth_hw_addr_set(nic->ndev, address);
	else
		eth_hw_addr_random(nic->ndev);
}

static int rings_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct net_device *ndev;
	struct rings *nic;
	int error;

	ndev = devm_alloc_etherdev(&pdev->dev, sizeof(*nic));
	if (!ndev)
		return -ENOMEM;
	SET_NETDEV_DEV(ndev, &pdev->dev);
	pci_set_drvdata(pdev, ndev);
	nic = netdev_priv(ndev);
	nic->ndev = ndev;
	nic->device = &pdev->dev;
	error = rings_map(nic, pdev);
	if (error)
		return error;
	if (!nic->card.reset && rings_is_ready(nic) == HOST_RINGS_READY)
		return dev_err_probe(&pdev->dev, -EBUSY, "the firmware has begun for another driver\n");

	INIT_WORK(&nic->restart, rings_restart_work);
	rings_set_address(nic);
	ndev->netdev_ops = &rings_operations;
	ndev->ethtool_ops = &rings_ethtool_operations;
	if (!(nic->card.flags & RING_ONE_BUFFER))
		ndev->hw_features |= NETIF_F_SG;
	if (nic->card.flags & RING_CHECKSUMS)
		ndev->hw_features |= NETIF_F_HW_CSUM | NETIF_F_RXCSUM;
	ndev->features = ndev->hw_features | NETIF_F_HIGHDMA;
	ndev->max_mtu = nic->card.largest_frame - ETH_HLEN;
	ndev->mtu = min(ndev->mtu, ndev->max_mtu);
	ndev->watchdog_timeo = SEND_PATIENCE;
	netif_napi_add(ndev, &nic->napi, rings_poll);
	error = devm_request_irq(&pdev->dev, pdev->irq, rings_interrupt, IRQF_SHARED, "spinach_rings", nic);
	if (error)
		return error;
	if (nic->card.content_bytes) {
		nic->content = rings_content_create(&pdev->dev, nic->card.content_bytes);
		if (IS_ERR(nic->content))
			return PTR_ERR(nic->content);
	}
	pci_set_master(pdev);
	/* A driver before this one may have left it at work. */
	error = rings_end(nic);
	if (error)
		return dev_err_probe(&pdev->dev, error, "the card does not complete its reset\n");
	rings_begin(nic);
	/* The card does nothing yet: nothing is announced. */
	error = register_netdev(ndev);
	if (error)
		return error;
	/* From here on a card that cannot be reset has addresses of host memory. */
	if (!nic->card.reset)
		__module_get(THIS_MODULE);
	netdev_info(ndev, "card with rings, %u Mb/s, %pM\n", nic->card.rate_mbps, ndev->dev_addr);
	return 0;
}

/* Only called for cards that can be reset. */
static void rings_remove(struct pci_dev *pdev)
{
	struct net_device *ndev = pci_get_drvdata(pdev);
	struct rings *nic = netdev_priv(ndev);

	unregister_netdev(ndev);
	cancel_work_sync(&nic->restart);
	if (rings_end(nic)) {
		/* Without DMA the card cannot change memory that is freed. */
		dev_err(&pdev->dev, "the card does not complete its reset\n");
		pci_clear_master(pdev);
	}
	rings_free_buffers(nic);
}

static const struct pci_device_id rings_ids[] = {
	{ PCI_DEVICE(RING_FUNCTION_VENDOR, RING_FUNCTION_DEVICE) },
	{ }
};
MODULE_DEVICE_TABLE(pci, rings_ids);

static struct pci_driver rings_driver = {
	.name = "spinach_rings",
	.id_table = rings_ids,
	.probe = rings_probe,
	.remove = rings_remove,
	.driver.suppress_bind_attrs = true,
};
module_pci_driver(rings_driver);

MODULE_DESCRIPTION("Cards with rings behind the PCI function of Spinach");
MODULE_LICENSE("GPL");
