// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Content that the card keeps: /dev/spinach_content0 for the first card. A
 * program writes content there, and sends it with sendfile() or splice(). The
 * device has a page of host memory for each page of the card's memory. Frames
 * to send refer to these pages, so the driver recognises content by its page:
 *
 *   piece of a frame			the card
 *   not kept yet			reads it from host memory, keeps it
 *   kept				sends its copy; the host is not read
 *
 * Only writes to the device change content. After one the card reads the page
 * anew. Its copy is not replaced while earlier frames are sent from it; until
 * then pieces of the page are sent from host memory.
 */
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pipe_fs_i.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>

#include "rings_content.h"
#include "spinach/driver.h"

struct content_page {
	struct page *page; /* NULL before the first access */
	/* The card has the bytes from `begin` to `end`. */
	u32 begin;
	u32 end;
	/* The last descriptor for which the card uses its copy. */
	u32 last_use;
	bool is_used;
	/* Its content changed since the card read it. */
	bool is_changed;
};

struct rings_content {
	struct miscdevice misc;
	u32 bytes;
	int number;
	struct mutex allocation;
	/* Of everything in `pages` but `page`. */
	spinlock_t lock;
	struct content_page *pages;
	/* Places in `pages`, as values, by the number of the page in physical memory. */
	struct xarray by_frame;
};

static DEFINE_IDA(content_numbers);

/* The pieces of frames to send. */

static struct content_page *content_page_of(struct rings_content *content, const skb_frag_t *piece)
{
	void *value = xa_load(&content->by_frame, page_to_pfn(skb_frag_page(piece)));

	if (!value || skb_frag_off(piece) + skb_frag_size(piece) > PAGE_SIZE)
		return NULL;
	return &content->pages[xa_to_value(value)];
}

static bool is_in_use(const struct content_page *page, u32 done)
{
	return page->is_used && (s32)(page->last_use - done) >= 0;
}

/* Adds a piece to what the card has: one range, so of two that do not meet the new one. */
static void extend_kept(struct content_page *page, u32 begin, u32 end)
{
	if (begin > page->end || end < page->begin) {
		page->begin = begin;
		page->end = end;
	} else {
		page->begin = min(page->begin, begin);
		page->end = max(page->end, end);
	}
}

struct rings_content_use rings_content_use(struct rings_content *content, const skb_frag_t *piece, u32 index, u32 done)
{
	u32 begin = skb_frag_off(piece), end = begin + skb_frag_size(piece);
	struct content_page *page = content_page_of(content, piece);
	struct rings_content_use use = { 0 };

	if (!page)
		return use;
	spin_lock_bh(&content->lock);
	if (page->is_changed && !is_in_use(page, done))
		page->is_changed = false;
	if (!page->is_changed) {
		use.offset = (page - content->pages) * PAGE_SIZE + begin;
		if (begin >= page->begin && end <= page->end) {
			use.flags = BD_SEND_CONTENT;
		} else {
			use.flags = BD_KEEP_CONTENT;
			extend_kept(page, begin, end);
		}
		page->last_use = index;
		page->is_used = true;
	}
	spin_unlock_bh(&content->lock);
	return use;
}

static void forget_page(struct rings_content *content, struct content_page *page)
{
	spin_lock_bh(&content->lock);
	page->begin = page->end = 0;
	page->is_changed = true;
	spin_unlock_bh(&content->lock);
}

void rings_content_forget(struct rings_content *content, const struct sk_buff *skb)
{
	int piece;

	for (piece = 0; piece < skb_shinfo(skb)->nr_frags; piece++) {
		struct content_page *page = content_page_of(content, &skb_shinfo(skb)->frags[piece]);

		if (page)
			forget_page(content, page);
	}
}

void rings_content_forget_all(struct rings_content *content)
{
	u32 number;

	for (number = 0; number < content->bytes >> PAGE_SHIFT; number++) {
		forget_page(content, &content->pages[number]);
		content->pages[number].is_used = false;
	}
}

/* The device. */

static struct rings_content *content_of(struct file *file)
{
	return container_of(file->private_data, struct rings_content, misc);
}

/* The page at an offset; empty at the first access. */
static struct content_page *content_page_at(struct rings_content *content, loff_t offset)
{
	struct content_page *entry = &content->pages[offset >> PAGE_SHIFT];
	struct page *page;
	int error = 0;

	mutex_lock(&content->allocation);
	if (!entry->page) {
		page = alloc_page(GFP_KERNEL | __GFP_ZERO);
		error = page ? xa_err(xa_store(&content->by_frame, page_to_pfn(page),
					       xa_mk_value(entry - content->pages), GFP_KERNEL)) : -ENOMEM;
		if (!error)
			entry->page = page;
		else if (page)
			__free_page(page);
	}
	mutex_unlock(&content->allocation);
	return error ? ERR_PTR(error) : entry;
}

/* Bytes up to the end of the page, of the content, and of what is asked for. */
static size_t content_part(const struct rings_content *content, loff_t offset, size_t count)
{
	if (offset < 0 || offset >= content->bytes)
		return 0;
	return min_t(size_t, count, PAGE_SIZE - offset_in_page(offset));
}

static ssize_t content_write(struct file *file, const char __user *data, size_t count, loff_t *offset)
{
	struct rings_content *content = content_of(file);
	size_t written = 0, part;

	if (count && content_part(content, *offset, count) == 0)
		return -ENOSPC;
	while ((part = content_part(content, *offset, count - written)) > 0) {
		struct content_page *entry = content_page_at(content, *offset);
		unsigned long left;

		if (IS_ERR(entry))
			return written ?: PTR_ERR(entry);
		left = copy_from_user(page_address(entry->page) + offset_in_page(*offset), data + written, part);
		/* The card reads the page after this. */
		forget_page(content, entry);
		written += part - left;
		*offset += part - left;
		if (left)
			return written ?: -EFAULT;
	}
	return written;
}

static ssize_t content_read(struct file *file, char __user *data, size_t count, loff_t *offset)
{
	struct rings_content *content = content_of(file);
	size_t read = 0, part;

	while ((part = content_part(content, *offset, count - read)) > 0) {
		struct content_page *entry = content_page_at(content, *offset);

		if (IS_ERR(entry))
			return read ?: PTR_ERR(entry);
		if (copy_to_user(data + read, page_address(entry->page) + offset_in_page(*offset), part))
			return read ?: -EFAULT;
		read += part;
		*offset += part;
	}
	return read;
}

static loff_t content_llseek(struct file *file, loff_t offset, int whence)
{
	return fixed_size_llseek(file, offset, whence, content_of(file)->bytes);
}

static void content_release(struct splice_pipe_desc *pages, unsigned int number)
{
	put_page(pages->pages[number]);
}

/* Puts the pages themselves into a pipe, so that frames to send refer to them. */
static ssize_t content_splice_read(struct file *file, loff_t *offset, struct pipe_inode_info *pipe, size_t count,
				   unsigned int flags)
{
	struct rings_content *content = content_of(file);
	struct page *pages[PIPE_DEF_BUFFERS];
	struct partial_page parts[PIPE_DEF_BUFFERS];
	struct splice_pipe_desc given = {
		.pages = pages,
		.partial = parts,
		.nr_pages_max = PIPE_DEF_BUFFERS,
		.ops = &nosteal_pipe_buf_ops,
		.spd_release = content_release,
	};
	loff_t at = *offset;
	ssize_t moved;
	size_t part;

	while (given.nr_pages < PIPE_DEF_BUFFERS && (part = content_part(content, at, count)) > 0) {
		struct content_page *entry = content_page_at(content, at);

		if (IS_ERR(entry)) {
			if (!given.nr_pages)
				return PTR_ERR(entry);
			break;
		}
		get_page(entry->page);
		pages[given.nr_pages] = entry->page;
		parts[given.nr_pages++] = (struct partial_page){ .offset = offset_in_page(at), .len = part };
		at += part;
		count -= part;
	}
	moved = splice_to_pipe(pipe, &given);
	if (moved > 0)
		*offset += moved;
	return moved;
}

static const struct file_operations content_operations = {
	.owner = THIS_MODULE,
	.llseek = content_llseek,
	.read = content_read,
	.write = content_write,
	.splice_read = content_splice_read,
};

/* The beginning and the end. */

static void content_remove(void *data)
{
	struct rings_content *content = data;
	u32 number;

	misc_deregister(&content->misc);
	for (number = 0; number < content->bytes >> PAGE_SHIFT; number++)
		if (content->pages[number].page)
			put_page(content->pages[number].page);
	xa_destroy(&content->by_frame);
	kvfree(content->pages);
	ida_free(&content_numbers, content->number);
}

struct rings_content *rings_content_create(struct device *device, u32 bytes)
{
	struct rings_content *content = devm_kzalloc(device, sizeof(*content), GFP_KERNEL);
	int error;

	if (!content)
		return ERR_PTR(-ENOMEM);
	content->bytes = bytes & PAGE_MASK;
	mutex_init(&content->allocation);
	spin_lock_init(&content->lock);
	xa_init(&content->by_frame);
	content->number = ida_alloc(&content_numbers, GFP_KERNEL);
	if (content->number < 0)
		return ERR_PTR(content->number);
	content->pages = kvcalloc(content->bytes >> PAGE_SHIFT, sizeof(*content->pages), GFP_KERNEL);
	content->misc.minor = MISC_DYNAMIC_MINOR;
	content->misc.name = devm_kasprintf(device, GFP_KERNEL, "spinach_content%d", content->number);
	content->misc.fops = &content_operations;
	content->misc.parent = device;
	error = content->pages && content->misc.name ? misc_register(&content->misc) : -ENOMEM;
	if (error) {
		kvfree(content->pages);
		ida_free(&content_numbers, content->number);
		return ERR_PTR(error);
	}
	error = devm_add_action_or_reset(device, content_remove, content);
	return error ? ERR_PTR(error) : content;
}
