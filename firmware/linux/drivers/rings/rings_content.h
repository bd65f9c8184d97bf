/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Content that a card keeps and sends from there, as a device for programs. */
#ifndef RINGS_CONTENT_H
#define RINGS_CONTENT_H

#include <linux/skbuff.h>

struct rings_content;

/* Use that the card makes of a piece of a frame. */
struct rings_content_use {
	u32 flags; /* BD_KEEP_CONTENT, BD_SEND_CONTENT, or 0: the card does not keep it */
	u32 offset; /* of the piece in the memory of the card */
};

/* Makes the device for `bytes` bytes of content; removed with `device`. */
struct rings_content *rings_content_create(struct device *device, u32 bytes);

/*
 * Decides on a piece of a frame to send. `index` is that of its descriptor, and
 * the card is done with all before `done`. Calls are serialised.
 */
struct rings_content_use rings_content_use(struct rings_content *content, const skb_frag_t *piece, u32 index, u32 done);

/* The card does not keep the pieces of a frame: it was not sent. */
void rings_content_forget(struct rings_content *content, const struct sk_buff *skb);

/* The card does not keep anything: it was reset, and uses none of its content. */
void rings_content_forget_all(struct rings_content *content);

#endif
