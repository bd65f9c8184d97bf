// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * SINIC and V-SINIC.
 *
 * The card has a queue of packets for each direction and an engine that copies
 * between each queue and memory. It has no descriptors. The driver sends a
 * packet by one store for each piece. It receives a packet by a store of the
 * destination and a load that waits for the end of the copy. On a card with
 * several virtual cards (VNICs) the driver stores destinations ahead, one for
 * each VNIC, and each processor sends through a separate VNIC.
 *
 * With many VNICs the driver can defer the copy of a packet's end until a user
 * receives it: module parameter zero_copy, read when the interface goes up.
 * The end stays in the card's queue, bound to a VNIC, and the card copies it
 * from there to the user's memory (struct skb_deferred). The driver copies an
 * end at once if no VNIC remains for the next packet, and unless the packet is
 * a TCP segment without errors. The card frees room in the order of its queue:
 * an end that is not taken holds the room of all later packets. So while the
 * queue is high, the driver moves the oldest ends to memory.
 *
 * Binkert, Saidi, Reinhardt: "A simple integrated network interface for
 * high-bandwidth servers", sections 3.1 to 3.3.
 */
#include <linux/dma-mapping.h>
#include <linux/etherdevice.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/ip.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/pci.h>

#define SINIC_VENDOR 0x1291
#define SINIC_DEVICE 0x1293

/* Registers; those of a VNIC are in its window. */
#define SINIC_CONFIG 0x00
#define SINIC_COMMAND 0x04
#define SINIC_INTR_STATUS 0x08
#define SINIC_INTR_MASK 0x0c
#define SINIC_RX_MAX_COPY 0x10
#define SINIC_VIRTUAL_COUNT 0x20
#define SINIC_RX_MAX_INTR 0x24
#define SINIC_RX_DATA 0x40
#define SINIC_RX_DONE 0x48
#define SINIC_RX_WAIT 0x50
#define SINIC_TX_DATA 0x58
#define SINIC_TX_DONE 0x60
#define SINIC_TX_WAIT 0x68
#define SINIC_HW_ADDR 0x70
#define SINIC_RX_STATUS 0x78
#define SINIC_VNICS_MAX 256
/* Most VNICs with a destination, unless ends stay in the card: further ones only take cache. */
#define SINIC_POSTED_MAX 64
#define SINIC_VNIC_SHIFT 8

#define CONFIG_RX_EN BIT(0)
#define CONFIG_TX_EN BIT(1)
#define CONFIG_INT_EN BIT(2)
#define CONFIG_ZERO_COPY BIT(12)
#define COMMAND_RESET BIT(0)
#define INTR_RX_PACKET BIT(0)
#define INTR_TX_LOW BIT(7)

#define COPY_LENGTH_SHIFT 40
#define COPY_NOWHERE 1
#define RX_NO_DELAY BIT_ULL(61)
#define TX_CHECKSUM BIT_ULL(62)
#define TX_MORE BIT_ULL(63)

#define DONE_LENGTH(done) ((done) & 0xfffff)
#define DONE_PACKETS(done) ((done) >> 32 & 0xffff)
#define DONE_COMPLETE BIT_ULL(30)
#define RX_IP_PACKET BIT_ULL(20)
#define RX_TCP_PACKET BIT_ULL(22)
#define RX_SEGMENT (BIT_ULL(21) | BIT_ULL(22))
#define RX_ERRORS (BIT_ULL(23) | BIT_ULL(24) | BIT_ULL(25))
#define RX_HIGH BIT_ULL(27)
#define RX_MORE BIT_ULL(29)
/* VNIC of the oldest packet, if that is partly copied; no VNIC otherwise. */
#define RX_HEAD(status) ((status) & 0xffff)
#define RX_MAPPED(status) ((status) >> 32 & 0xffff)
#define RX_DIRTY(status) ((status) >> 48)
#define TX_FULL BIT_ULL(29)

static bool zero_copy;
module_param(zero_copy, bool, 0644);
MODULE_PARM_DESC(zero_copy, "leave the ends of packets to who receives them");

/* Receiving half of a VNIC. */
struct sinic_rx {
	struct sinic *sinic;
	/* Buffer whose address was stored, until the network layer has it. */
	struct sk_buff *skb;
	dma_addr_t address;
	/* End of a packet that the network layer has without it; of no bytes if there is none. */
	struct skb_deferred deferred;
	/* Its rest in memory, if the card needed the room or was switched off. */
	u8 *kept;
	spinlock_t taking;
};

/* Sending half. Each queue of the network layer has one, and each processor has a queue. */
struct sinic_tx {
	/* Piece sent last, whose copy may be in progress. */
	struct sk_buff *skb;
	dma_addr_t address;
	unsigned int bytes;
} ____cacheline_aligned_in_smp;

struct sinic {
	void __iomem *registers;
	struct device *device;
	struct net_device *ndev;
	struct napi_struct napi;
	unsigned int vnics;
	unsigned int rx_bytes;
	u32 mask;
	bool defers;
	bool is_on;

	/* VNICs with a destination that have not been polled, in the order in which packets arrive. */
	spinlock_t posting;
	struct sinic_rx *rx;
	u16 *posted;
	unsigned int first, count;
	/* VNICs without a destination, for lack of memory. */
	DECLARE_BITMAP(starved, SINIC_VNICS_MAX);

	struct sinic_tx *tx;
};

static u64 sinic_load(struct sinic *sinic, unsigned int vnic, u32 where)
{
	return readq(sinic->registers + (vnic << SINIC_VNIC_SHIFT) + where);
}

static void sinic_store(struct sinic *sinic, unsigned int vnic, u32 where, u64 word)
{
	writeq(word, sinic->registers + (vnic << SINIC_VNIC_SHIFT) + where);
}

static void sinic_set_mask(struct sinic *sinic, u32 mask)
{
	sinic->mask = mask;
	writel(mask, sinic->registers + SINIC_INTR_MASK);
}

/* Sending. The network layer serialises the packets of a queue; the card serialises the queues. */

/* Waits for the end of the copy started last; then its memory is free. */
static void sinic_finish_copy(struct sinic *sinic, unsigned int queue)
{
	struct sinic_tx *tx = &sinic->tx[queue];

	if (!tx->bytes)
		return;
	/* The engine may be idle because the packet of another queue waits for its next piece. */
	while (!(sinic_load(sinic, queue, SINIC_TX_WAIT) & DONE_COMPLETE))
		cpu_relax();
	dma_unmap_page(sinic->device, tx->address, tx->bytes, DMA_TO_DEVICE);
	tx->bytes = 0;
	if (tx->skb) {
		dev_consume_skb_any(tx->skb);
		tx->skb = NULL;
	}
}

static bool sinic_copy_piece(struct sinic *sinic, unsigned int queue, dma_addr_t address, unsigned int bytes, u64 flags)
{
	struct sinic_tx *tx = &sinic->tx[queue];

	if (dma_mapping_error(sinic->device, address))
		return false;
	tx->address = address;
	tx->bytes = bytes;
	sinic_store(sinic, queue, SINIC_TX_DATA, address | (u64)bytes << COPY_LENGTH_SHIFT | flags);
	return true;
}

static netdev_tx_t sinic_xmit(struct sk_buff *skb, struct net_device *ndev)
{
	struct sinic *sinic = netdev_priv(ndev);
	unsigned int pieces = skb_shinfo(skb)->nr_frags, piece;
	unsigned int queue = skb_get_queue_mapping(skb);
	struct netdev_queue *stack = netdev_get_tx_queue(ndev, queue);
	u64 last = skb->ip_summed == CHECKSUM_PARTIAL ? TX_CHECKSUM : 0;
	dma_addr_t address;

	sinic_finish_copy(sinic, queue);
	address = dma_map_single(sinic->device, skb->data, skb_headlen(skb), DMA_TO_DEVICE);
	if (!sinic_copy_piece(sinic, queue, address, skb_headlen(skb), pieces ? TX_MORE : last))
		goto lost;
	for (piece = 0; piece < pieces; piece++) {
		skb_frag_t *frag = &skb_shinfo(skb)->frags[piece];

		sinic_finish_copy(sinic, queue);
		address = skb_frag_dma_map(sinic->device, frag, 0, skb_frag_size(frag), DMA_TO_DEVICE);
		if (!sinic_copy_piece(sinic, queue, address, skb_frag_size(frag), piece + 1 < pieces ? TX_MORE : last)) {
			/* End the packet; the receiver drops it for its length. */
			sinic_store(sinic, queue, SINIC_TX_DATA, 0);
			goto lost;
		}
	}
	dev_sw_netstats_tx_add(ndev, 1, skb->len);
	/* The copy of the last piece overlaps with what follows; the socket need not wait for it. */
	skb_orphan(skb);
	sinic->tx[queue].skb = skb;
	if (sinic_load(sinic, queue, SINIC_TX_DONE) & TX_FULL) {
		netif_tx_stop_queue(stack);
		/* The card's queue may have become low before this queue was stopped. */
		if (!(sinic_load(sinic, queue, SINIC_TX_DONE) & TX_FULL))
			netif_tx_start_queue(stack);
	}
	return NETDEV_TX_OK;

lost:
	ndev->stats.tx_dropped++;
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

/* Each processor has a separate queue and VNIC. */
static u16 sinic_select_queue(struct net_device *ndev, struct sk_buff *skb, struct net_device *above)
{
	return smp_processor_id() % ndev->real_num_tx_queues;
}

/* Receiving. */

/* Inline, so that profiles count the wait in its caller. */
static __always_inline u64 sinic_receive_wait(struct sinic *sinic, unsigned int vnic)
{
	u64 done;

	/* The engine is idle for a moment between other copies. */
	while (!((done = sinic_load(sinic, vnic, SINIC_RX_WAIT)) & DONE_COMPLETE))
		cpu_relax();
	return done;
}

static struct sk_buff *sinic_map_buffer(struct sinic *sinic, dma_addr_t *address)
{
	struct sk_buff *skb = netdev_alloc_skb_ip_align(sinic->ndev, sinic->rx_bytes);

	if (!skb)
		return NULL;
	*address = dma_map_single(sinic->device, skb->data, sinic->rx_bytes, DMA_FROM_DEVICE);
	if (!dma_mapping_error(sinic->device, *address))
		return skb;
	dev_kfree_skb_any(skb);
	return NULL;
}

/* Stores the destination of a VNIC's next packet; false without memory. */
static bool sinic_post(struct sinic *sinic, unsigned int vnic)
{
	struct sinic_rx *rx = &sinic->rx[vnic];

	rx->skb = sinic_map_buffer(sinic, &rx->address);
	if (!rx->skb) {
		set_bit(vnic, sinic->starved);
		return false;
	}
	spin_lock_bh(&sinic->posting);
	sinic_store(sinic, vnic, SINIC_RX_DATA, rx->address | (u64)sinic->rx_bytes << COPY_LENGTH_SHIFT);
	sinic->posted[(sinic->first + sinic->count++) % sinic->vnics] = vnic;
	spin_unlock_bh(&sinic->posting);
	return true;
}

static void sinic_feed(struct sinic *sinic)
{
	unsigned int vnic;

	for_each_set_bit(vnic, sinic->starved, sinic->vnics) {
		clear_bit(vnic, sinic->starved);
		if (!sinic_post(sinic, vnic))
			return;
	}
}

/* Copies the next bytes of a packet whose beginning a VNIC has copied. */
static __always_inline int sinic_copy_next(struct sinic *sinic, unsigned int vnic, dma_addr_t address, unsigned int bytes)
{
	u64 done;

	sinic_store(sinic, vnic, SINIC_RX_DATA, address | (u64)bytes << COPY_LENGTH_SHIFT | RX_NO_DELAY);
	done = sinic_receive_wait(sinic, vnic);
	return DONE_LENGTH(done) == bytes ? 0 : -EIO;
}

static int sinic_copy_deferred(struct skb_deferred *deferred, struct page *page, unsigned int offset, unsigned int bytes)
{
	struct sinic_rx *rx = container_of(deferred, struct sinic_rx, deferred);
	struct sinic *sinic = rx->sinic;
	dma_addr_t address = dma_map_page(sinic->device, page, offset, bytes, DMA_FROM_DEVICE);
	int error = -EIO;

	if (dma_mapping_error(sinic->device, address))
		return error;
	spin_lock_bh(&rx->taking);
	if (rx->kept) {
		memcpy(page_address(page) + offset, rx->kept + deferred->taken, bytes);
		error = 0;
	} else {
		error = sinic_copy_next(sinic, rx - sinic->rx, address, bytes);
	}
	deferred->taken += bytes;
	spin_unlock_bh(&rx->taking);
	dma_unmap_page(sinic->device, address, bytes, DMA_FROM_DEVICE);
	return error;
}

/*
 * Moves the rest of a packet that was not released from the card to memory; false without memory. Its VNIC receives no other packet
 * until then, so that there are never more such packets than VNICs.
 */
static bool sinic_keep_deferred(struct sinic_rx *rx, gfp_t gfp_mask)
{
	struct skb_deferred *deferred = &rx->deferred;
	struct sinic *sinic = rx->sinic;
	unsigned int left;
	dma_addr_t address;
	u8 *kept;

	kept = kzalloc(sinic->rx_bytes, gfp_mask);
	if (!kept)
		return false;
	address = dma_map_single(sinic->device, kept, sinic->rx_bytes, DMA_FROM_DEVICE);
	if (dma_mapping_error(sinic->device, address)) {
		kfree(kept);
		return false;
	}
	spin_lock_bh(&rx->taking);
	/* It may have been taken meanwhile. */
	left = rx->kept ? 0 : deferred->bytes - deferred->taken;
	if (left) {
		sinic_copy_next(sinic, rx - sinic->rx, address + deferred->taken, left);
		swap(rx->kept, kept);
	}
	dma_unmap_single(sinic->device, address, sinic->rx_bytes, DMA_FROM_DEVICE);
	spin_unlock_bh(&rx->taking);
	kfree(kept);
	return true;
}

/* The queue is high: moves the oldest ends to memory until it is not, or begins with a packet that was not polled. */
static void sinic_make_room(struct sinic *sinic)
{
	unsigned int vnic;

	do {
		vnic = RX_HEAD(sinic_load(sinic, 0, SINIC_RX_STATUS));
		if (vnic >= sinic->vnics || !READ_ONCE(sinic->rx[vnic].deferred.bytes) ||
		    !sinic_keep_deferred(&sinic->rx[vnic], GFP_ATOMIC))
			return;
	} while (sinic_load(sinic, 0, SINIC_RX_DONE) & RX_HIGH);
}

/* The rest of a packet is not needed; its VNIC receives another. */
static void sinic_release_deferred(struct skb_deferred *deferred)
{
	struct sinic_rx *rx = container_of(deferred, struct sinic_rx, deferred);
	struct sinic *sinic = rx->sinic;
	unsigned int vnic = rx - sinic->rx;
	bool was_last;

	spin_lock_bh(&rx->taking);
	if (rx->kept) {
		kfree(rx->kept);
		rx->kept = NULL;
	} else if (deferred->taken < deferred->bytes) {
		sinic_copy_next(sinic, vnic, COPY_NOWHERE, deferred->bytes - deferred->taken);
	}
	deferred->bytes = 0;
	spin_unlock_bh(&rx->taking);
	/* Otherwise it gets a destination when the interface goes up. */
	if (!sinic->is_on)
		return;
	was_last = !READ_ONCE(sinic->count);
	sinic_post(sinic, vnic);
	/* Packets that waited for a VNIC do not interrupt again. */
	if (was_last) {
		local_bh_disable();
		napi_schedule(&sinic->napi);
		local_bh_enable();
	}
}

static const struct skb_deferred_ops sinic_deferred_ops = {
	.copy = sinic_copy_deferred,
	.release = sinic_release_deferred,
};

/* Leaves the rest of a packet in the card's queue, or copies it if it must; false for a faulty packet. */
static bool sinic_take_rest(struct sinic *sinic, unsigned int vnic, u64 done, unsigned int bytes)
{
	struct sinic_rx *rx = &sinic->rx[vnic];
	struct sk_buff *skb = rx->skb;

	if ((done & RX_TCP_PACKET) && !(done & RX_ERRORS) && sinic->count) {
		rx->deferred = (struct skb_deferred){ .ops = &sinic_deferred_ops, .bytes = bytes };
		skb_shinfo(skb)->deferred = &rx->deferred;
		skb->len += bytes;
		skb->data_len += bytes;
		return true;
	}
	if (sinic_copy_next(sinic, vnic, rx->address + skb->len, bytes))
		return false;
	skb_put(skb, bytes);
	return true;
}

/* Passes the packet that a VNIC has copied to the network layer; true if the VNIC is free again. */
static bool sinic_deliver(struct sinic *sinic, unsigned int vnic, u64 done)
{
	struct sinic_rx *rx = &sinic->rx[vnic];
	struct net_device *ndev = sinic->ndev;
	struct sk_buff *skb = rx->skb;
	bool is_good = true, is_whole;

	skb_put(skb, DONE_LENGTH(done));
	if (done & RX_MORE) {
		/* The card does not report its length; the IP header does. */
		struct iphdr *header = (struct iphdr *)(skb->data + ETH_HLEN);
		unsigned int bytes = ETH_HLEN + ntohs(header->tot_len);

		is_good = sinic->defers && (done & RX_IP_PACKET) && bytes > skb->len &&
			  sinic_take_rest(sinic, vnic, done, bytes - skb->len);
		if (!is_good)
			sinic_copy_next(sinic, vnic, COPY_NOWHERE, sinic->rx_bytes);
	}
	is_whole = !skb_shinfo(skb)->deferred;
	dma_unmap_single(sinic->device, rx->address, sinic->rx_bytes, DMA_FROM_DEVICE);
	rx->skb = NULL;
	if (!is_good) {
		ndev->stats.rx_length_errors++;
		dev_kfree_skb_any(skb);
		return true;
	}
	if ((done & RX_IP_PACKET) && (done & RX_SEGMENT) && !(done & RX_ERRORS))
		skb->ip_summed = CHECKSUM_UNNECESSARY;
	dev_sw_netstats_rx_add(ndev, skb->len);
	skb->protocol = eth_type_trans(skb, ndev);
	/* Packets without their ends cannot be merged, and no packet may overtake another. */
	if (!sinic->defers)
		napi_gro_receive(&sinic->napi, skb);
	else
		netif_receive_skb(skb);
	return is_whole;
}

/* VNIC of the next packet, and its status; false if no packet has arrived. */
static bool sinic_next(struct sinic *sinic, unsigned int *vnic, u64 *done)
{
	if (sinic->vnics == 1 && !sinic->count) {
		/* A single VNIC gets its destination after a packet has arrived. */
		if (!DONE_PACKETS(sinic_load(sinic, 0, SINIC_RX_DONE)) || !sinic_post(sinic, 0))
			return false;
		*done = sinic_receive_wait(sinic, 0);
	} else {
		if (!sinic->count)
			return false;
		*done = sinic_load(sinic, sinic->posted[sinic->first], SINIC_RX_DONE);
	}
	*vnic = sinic->posted[sinic->first];
	return *done & DONE_COMPLETE;
}

/* Receives a packet if there is one. */
static bool sinic_receive(struct sinic *sinic)
{
	unsigned int vnic;
	u64 done;

	if (!sinic_next(sinic, &vnic, &done))
		return false;
	spin_lock(&sinic->posting);
	sinic->first = (sinic->first + 1) % sinic->vnics;
	sinic->count--;
	spin_unlock(&sinic->posting);
	if (sinic_deliver(sinic, vnic, done) && sinic->vnics > 1)
		sinic_post(sinic, vnic);
	if (sinic->defers && (done & RX_HIGH))
		sinic_make_room(sinic);
	return true;
}

/* True if a packet that has arrived is being copied: it does not interrupt again. */
static bool sinic_is_copying(struct sinic *sinic)
{
	u64 status = sinic_load(sinic, 0, SINIC_RX_STATUS);

	return sinic->vnics > 1 && sinic->count && RX_MAPPED(status) > RX_DIRTY(status);
}

static int sinic_poll(struct napi_struct *napi, int budget)
{
	struct sinic *sinic = container_of(napi, struct sinic, napi);
	int received = 0;

	sinic_feed(sinic);
	while (received < budget && sinic_receive(sinic))
		received++;
	if (received == budget)
		return budget;
	/* Packets from here on interrupt as soon as the mask allows it. */
	writel(INTR_RX_PACKET, sinic->registers + SINIC_INTR_STATUS);
	while (received < budget && (sinic_receive(sinic) || sinic_is_copying(sinic)))
		received++;
	if (received < budget && napi_complete_done(napi, received))
		sinic_set_mask(sinic, sinic->mask | INTR_RX_PACKET);
	return received;
}

static irqreturn_t sinic_interrupt(int irq, void *data)
{
	struct sinic *sinic = data;
	u32 status = readl(sinic->registers + SINIC_INTR_STATUS);

	if (!(status & sinic->mask))
		return IRQ_NONE;
	if (status & INTR_TX_LOW)
		netif_tx_wake_all_queues(sinic->ndev);
	if (status & INTR_RX_PACKET && napi_schedule_prep(&sinic->napi)) {
		sinic_set_mask(sinic, sinic->mask & ~INTR_RX_PACKET);
		__napi_schedule(&sinic->napi);
	}
	return IRQ_HANDLED;
}

static int sinic_open(struct net_device *ndev)
{
	struct sinic *sinic = netdev_priv(ndev);
	unsigned int vnic, receiving;

	sinic->first = sinic->count = 0;
	sinic->defers = zero_copy && sinic->vnics > 1;
	napi_enable(&sinic->napi);
	/* A VNIC whose packet was not released gets a destination when it is. */
	bitmap_zero(sinic->starved, sinic->vnics);
	sinic->is_on = true;
	receiving = sinic->vnics == 1 ? 0 : sinic->defers ? sinic->vnics : min_t(unsigned int, sinic->vnics, SINIC_POSTED_MAX);
	for (vnic = 0; vnic < receiving; vnic++)
		if (!sinic->rx[vnic].deferred.bytes)
			sinic_post(sinic, vnic);
	sinic_set_mask(sinic, INTR_RX_PACKET | INTR_TX_LOW);
	writel(CONFIG_RX_EN | CONFIG_TX_EN | CONFIG_INT_EN | (sinic->defers ? CONFIG_ZERO_COPY : 0),
	       sinic->registers + SINIC_CONFIG);
	netif_tx_start_all_queues(ndev);
	return 0;
}

static int sinic_stop(struct net_device *ndev)
{
	struct sinic *sinic = netdev_priv(ndev);
	unsigned int vnic, queue;

	netif_tx_disable(ndev);
	napi_disable(&sinic->napi);
	for (queue = 0; queue < ndev->real_num_tx_queues; queue++)
		sinic_finish_copy(sinic, queue);
	sinic->is_on = false;
	for (vnic = 0; vnic < sinic->vnics; vnic++)
		if (sinic->rx[vnic].deferred.bytes)
			sinic_keep_deferred(&sinic->rx[vnic], GFP_KERNEL | __GFP_NOFAIL);
	/* Discards the destinations of all VNICs, whose buffers are free then, and all packets. */
	writel(COMMAND_RESET, sinic->registers + SINIC_COMMAND);
	for (vnic = 0; vnic < sinic->vnics; vnic++) {
		struct sinic_rx *rx = &sinic->rx[vnic];

		if (!rx->skb)
			continue;
		dma_unmap_single(sinic->device, rx->address, sinic->rx_bytes, DMA_FROM_DEVICE);
		dev_kfree_skb_any(rx->skb);
		rx->skb = NULL;
	}
	return 0;
}

static const struct net_device_ops sinic_operations = {
	.ndo_open = sinic_open,
	.ndo_stop = sinic_stop,
	.ndo_start_xmit = sinic_xmit,
	.ndo_select_queue = sinic_select_queue,
	.ndo_get_stats64 = dev_get_tstats64,
	.ndo_validate_addr = eth_validate_addr,
	.ndo_set_mac_address = eth_mac_addr,
};

static void sinic_read_address(struct sinic *sinic)
{
	u64 word = sinic_load(sinic, 0, SINIC_HW_ADDR);
	u8 address[ETH_ALEN];
	int byte;

	for (byte = 0; byte < ETH_ALEN; byte++)
		address[byte] = word >> (8 * (ETH_ALEN - 1 - byte));
	eth_hw_addr_set(sinic->ndev, address);
}

static int sinic_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct net_device *ndev;
	struct sinic *sinic;
	unsigned int vnic;
	int error;

	ndev = devm_alloc_etherdev_mqs(&pdev->dev, sizeof(*sinic), num_possible_cpus(), 1);
	if (!ndev)
		return -ENOMEM;
	SET_NETDEV_DEV(ndev, &pdev->dev);
	pci_set_drvdata(pdev, ndev);
	sinic = netdev_priv(ndev);
	sinic->ndev = ndev;
	sinic->device = &pdev->dev;

	error = pcim_enable_device(pdev);
	if (!error)
		error = pcim_iomap_regions(pdev, BIT(0), "sinic");
	if (!error)
		error = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(40));
	if (error)
		return error;
	pci_set_master(pdev);
	sinic->registers = pcim_iomap_table(pdev)[0];
	writel(COMMAND_RESET, sinic->registers + SINIC_COMMAND);
	sinic->vnics = readl(sinic->registers + SINIC_VIRTUAL_COUNT);
	sinic->rx_bytes = readl(sinic->registers + SINIC_RX_MAX_COPY);
	sinic->rx = devm_kcalloc(&pdev->dev, sinic->vnics, sizeof(*sinic->rx), GFP_KERNEL);
	sinic->posted = devm_kcalloc(&pdev->dev, sinic->vnics, sizeof(*sinic->posted), GFP_KERNEL);
	sinic->tx = devm_kcalloc(&pdev->dev, ndev->num_tx_queues, sizeof(*sinic->tx), GFP_KERNEL);
	ndev->tstats = devm_netdev_alloc_pcpu_stats(&pdev->dev, struct pcpu_sw_netstats);
	if (!sinic->rx || !sinic->posted || !sinic->tx || !ndev->tstats)
		return -ENOMEM;
	spin_lock_init(&sinic->posting);
	for (vnic = 0; vnic < sinic->vnics; vnic++) {
		sinic->rx[vnic].sinic = sinic;
		spin_lock_init(&sinic->rx[vnic].taking);
	}
	sinic_read_address(sinic);

	ndev->netdev_ops = &sinic_operations;
	ndev->hw_features = NETIF_F_SG | NETIF_F_IP_CSUM;
	ndev->features = ndev->hw_features | NETIF_F_HIGHDMA | NETIF_F_RXCSUM;
	netif_napi_add_weight(ndev, &sinic->napi, sinic_poll, readl(sinic->registers + SINIC_RX_MAX_INTR));
	netif_set_real_num_tx_queues(ndev, min(ndev->num_tx_queues, sinic->vnics));
	error = devm_request_irq(&pdev->dev, pdev->irq, sinic_interrupt, IRQF_SHARED, "sinic", sinic);
	if (!error)
		error = register_netdev(ndev);
	if (error)
		return error;
	netdev_info(ndev, "SINIC with %u VNICs: %pM\n", sinic->vnics, ndev->dev_addr);
	return 0;
}

static void sinic_remove(struct pci_dev *pdev)
{
	unregister_netdev(pci_get_drvdata(pdev));
}

static const struct pci_device_id sinic_ids[] = {
	{ PCI_DEVICE(SINIC_VENDOR, SINIC_DEVICE) },
	{ }
};
MODULE_DEVICE_TABLE(pci, sinic_ids);

static struct pci_driver sinic_driver = {
	.name = "sinic",
	.id_table = sinic_ids,
	.probe = sinic_probe,
	.remove = sinic_remove,
};
module_pci_driver(sinic_driver);

MODULE_DESCRIPTION("Simple integrated network interface card");
MODULE_LICENSE("GPL");
