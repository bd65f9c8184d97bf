// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * SINIC and V-SINIC.
 *
 * The card has queues of packets and two engines that copy between them and
 * memory, and no descriptors. A packet is sent by one store for each of its
 * pieces. A packet is received by a store that says where it is to go and a
 * load that waits until it is there. A card with several virtual cards
 * (VNICs) is told ahead where the next packets are to go, one on each.
 *
 * Binkert, Saidi, Reinhardt: "Integrated network interfaces for high-bandwidth
 * TCP/IP", sections 3.1 and 3.2.
 */
#include <linux/dma-mapping.h>
#include <linux/etherdevice.h>
#include <linux/interrupt.h>
#include <linux/io.h>
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
#define SINIC_VNIC_SHIFT 8

#define CONFIG_RX_EN BIT(0)
#define CONFIG_TX_EN BIT(1)
#define CONFIG_INT_EN BIT(2)
#define COMMAND_RESET BIT(0)
#define INTR_RX_PACKET BIT(0)
#define INTR_TX_LOW BIT(7)

#define COPY_LENGTH_SHIFT 40
#define TX_CHECKSUM BIT_ULL(62)
#define TX_MORE BIT_ULL(63)

#define DONE_LENGTH(done) ((done) & 0xfffff)
#define DONE_PACKETS(done) ((done) >> 32 & 0xffff)
#define DONE_COMPLETE BIT_ULL(30)
#define RX_IP_PACKET BIT_ULL(20)
#define RX_SEGMENT (BIT_ULL(21) | BIT_ULL(22))
#define RX_ERRORS (BIT_ULL(23) | BIT_ULL(24) | BIT_ULL(25))
#define RX_MORE BIT_ULL(29)
#define TX_FULL BIT_ULL(29)

/* A buffer that a VNIC was told of. */
struct sinic_buffer {
	struct sk_buff *skb;
	dma_addr_t address;
};

struct sinic {
	void __iomem *registers;
	struct device *device;
	struct net_device *ndev;
	struct napi_struct napi;
	unsigned int vnics;
	unsigned int rx_bytes;
	u32 mask;

	/* The buffer of each VNIC, and the VNIC whose packet comes next. */
	struct sinic_buffer *rx;
	unsigned int next;

	/* The last piece that was sent: its copy may still be under way. */
	struct sk_buff *tx_skb;
	dma_addr_t tx_address;
	unsigned int tx_bytes;
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

/* Sending. Transmission is serialised by the network layer. */

/* Waits for the copy that was started last; after that its memory is free. */
static void sinic_finish_copy(struct sinic *sinic)
{
	if (!sinic->tx_bytes)
		return;
	sinic_load(sinic, 0, SINIC_TX_WAIT);
	dma_unmap_page(sinic->device, sinic->tx_address, sinic->tx_bytes, DMA_TO_DEVICE);
	sinic->tx_bytes = 0;
	if (sinic->tx_skb) {
		dev_consume_skb_any(sinic->tx_skb);
		sinic->tx_skb = NULL;
	}
}

static bool sinic_copy_piece(struct sinic *sinic, dma_addr_t address, unsigned int bytes, u64 flags)
{
	if (dma_mapping_error(sinic->device, address))
		return false;
	sinic->tx_address = address;
	sinic->tx_bytes = bytes;
	sinic_store(sinic, 0, SINIC_TX_DATA, address | (u64)bytes << COPY_LENGTH_SHIFT | flags);
	return true;
}

static netdev_tx_t sinic_xmit(struct sk_buff *skb, struct net_device *ndev)
{
	struct sinic *sinic = netdev_priv(ndev);
	unsigned int pieces = skb_shinfo(skb)->nr_frags, piece;
	u64 last = skb->ip_summed == CHECKSUM_PARTIAL ? TX_CHECKSUM : 0;
	dma_addr_t address;

	sinic_finish_copy(sinic);
	address = dma_map_single(sinic->device, skb->data, skb_headlen(skb), DMA_TO_DEVICE);
	if (!sinic_copy_piece(sinic, address, skb_headlen(skb), pieces ? TX_MORE : last))
		goto lost;
	for (piece = 0; piece < pieces; piece++) {
		skb_frag_t *frag = &skb_shinfo(skb)->frags[piece];

		sinic_finish_copy(sinic);
		address = skb_frag_dma_map(sinic->device, frag, 0, skb_frag_size(frag), DMA_TO_DEVICE);
		if (!sinic_copy_piece(sinic, address, skb_frag_size(frag), piece + 1 < pieces ? TX_MORE : last)) {
			/* End the packet; for its length whoever receives it drops it. */
			sinic_store(sinic, 0, SINIC_TX_DATA, 0);
			goto lost;
		}
	}
	ndev->stats.tx_packets++;
	ndev->stats.tx_bytes += skb->len;
	/* The copy of the last piece goes on beside what follows; the socket need not wait for it. */
	skb_orphan(skb);
	sinic->tx_skb = skb;
	if (sinic_load(sinic, 0, SINIC_TX_DONE) & TX_FULL) {
		netif_stop_queue(ndev);
		/* It may have become low before the queue was stopped. */
		if (!(sinic_load(sinic, 0, SINIC_TX_DONE) & TX_FULL))
			netif_start_queue(ndev);
	}
	return NETDEV_TX_OK;

lost:
	ndev->stats.tx_dropped++;
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

/* Receiving. */

/* Tells a VNIC where its next packet is to go; false without memory. */
static bool sinic_post(struct sinic *sinic, unsigned int vnic)
{
	struct sinic_buffer *buffer = &sinic->rx[vnic];

	buffer->skb = napi_alloc_skb(&sinic->napi, sinic->rx_bytes);
	if (!buffer->skb)
		return false;
	buffer->address = dma_map_single(sinic->device, buffer->skb->data, sinic->rx_bytes, DMA_FROM_DEVICE);
	if (dma_mapping_error(sinic->device, buffer->address)) {
		dev_kfree_skb_any(buffer->skb);
		buffer->skb = NULL;
		return false;
	}
	sinic_store(sinic, vnic, SINIC_RX_DATA, buffer->address | (u64)sinic->rx_bytes << COPY_LENGTH_SHIFT);
	return true;
}

/* Hands over the packet that a VNIC has copied. */
static void sinic_deliver(struct sinic *sinic, unsigned int vnic, u64 done)
{
	struct sinic_buffer *buffer = &sinic->rx[vnic];
	struct net_device *ndev = sinic->ndev;
	struct sk_buff *skb = buffer->skb;

	buffer->skb = NULL;
	dma_unmap_single(sinic->device, buffer->address, sinic->rx_bytes, DMA_FROM_DEVICE);
	if (done & RX_MORE) {
		ndev->stats.rx_length_errors++;
		dev_kfree_skb_any(skb);
		return;
	}
	skb_put(skb, DONE_LENGTH(done));
	if ((done & RX_IP_PACKET) && (done & RX_SEGMENT) && !(done & RX_ERRORS))
		skb->ip_summed = CHECKSUM_UNNECESSARY;
	ndev->stats.rx_packets++;
	ndev->stats.rx_bytes += skb->len;
	skb->protocol = eth_type_trans(skb, ndev);
	napi_gro_receive(&sinic->napi, skb);
}

/* Receives a packet if there is one. */
static bool sinic_receive(struct sinic *sinic)
{
	unsigned int vnic = sinic->next;
	u64 done;

	if (sinic->rx[vnic].skb) {
		done = sinic_load(sinic, vnic, SINIC_RX_DONE);
	} else {
		if (!DONE_PACKETS(sinic_load(sinic, vnic, SINIC_RX_DONE)) || !sinic_post(sinic, vnic))
			return false;
		done = sinic_load(sinic, vnic, SINIC_RX_WAIT);
	}
	if (!(done & DONE_COMPLETE))
		return false;
	sinic_deliver(sinic, vnic, done);
	/* One card by itself is told when a packet has come, many are told ahead. */
	if (sinic->vnics > 1)
		sinic_post(sinic, vnic);
	sinic->next = (vnic + 1) % sinic->vnics;
	return true;
}

static int sinic_poll(struct napi_struct *napi, int budget)
{
	struct sinic *sinic = container_of(napi, struct sinic, napi);
	int received = 0;

	while (received < budget && sinic_receive(sinic))
		received++;
	if (received == budget)
		return budget;
	/* What comes from here on interrupts as soon as the mask lets it. */
	writel(INTR_RX_PACKET, sinic->registers + SINIC_INTR_STATUS);
	while (received < budget && sinic_receive(sinic))
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
		netif_wake_queue(sinic->ndev);
	if (status & INTR_RX_PACKET && napi_schedule_prep(&sinic->napi)) {
		sinic_set_mask(sinic, sinic->mask & ~INTR_RX_PACKET);
		__napi_schedule(&sinic->napi);
	}
	return IRQ_HANDLED;
}

static int sinic_open(struct net_device *ndev)
{
	struct sinic *sinic = netdev_priv(ndev);
	unsigned int vnic;

	sinic->next = 0;
	napi_enable(&sinic->napi);
	local_bh_disable();
	for (vnic = 0; sinic->vnics > 1 && vnic < sinic->vnics; vnic++)
		sinic_post(sinic, vnic);
	local_bh_enable();
	sinic_set_mask(sinic, INTR_RX_PACKET | INTR_TX_LOW);
	writel(CONFIG_RX_EN | CONFIG_TX_EN | CONFIG_INT_EN, sinic->registers + SINIC_CONFIG);
	netif_start_queue(ndev);
	return 0;
}

static int sinic_stop(struct net_device *ndev)
{
	struct sinic *sinic = netdev_priv(ndev);
	unsigned int vnic;

	netif_stop_queue(ndev);
	napi_disable(&sinic->napi);
	sinic_finish_copy(sinic);
	/* Forgets what VNICs were told, so that their buffers are free. */
	writel(COMMAND_RESET, sinic->registers + SINIC_COMMAND);
	for (vnic = 0; vnic < sinic->vnics; vnic++) {
		struct sinic_buffer *buffer = &sinic->rx[vnic];

		if (!buffer->skb)
			continue;
		dma_unmap_single(sinic->device, buffer->address, sinic->rx_bytes, DMA_FROM_DEVICE);
		dev_kfree_skb_any(buffer->skb);
		buffer->skb = NULL;
	}
	return 0;
}

static const struct net_device_ops sinic_operations = {
	.ndo_open = sinic_open,
	.ndo_stop = sinic_stop,
	.ndo_start_xmit = sinic_xmit,
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
	int error;

	ndev = devm_alloc_etherdev(&pdev->dev, sizeof(*sinic));
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
	if (!sinic->rx)
		return -ENOMEM;
	sinic_read_address(sinic);

	ndev->netdev_ops = &sinic_operations;
	ndev->hw_features = NETIF_F_SG | NETIF_F_IP_CSUM;
	ndev->features = ndev->hw_features | NETIF_F_HIGHDMA | NETIF_F_RXCSUM;
	netif_napi_add_weight(ndev, &sinic->napi, sinic_poll, readl(sinic->registers + SINIC_RX_MAX_INTR));
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
