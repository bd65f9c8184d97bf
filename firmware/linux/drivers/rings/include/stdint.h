/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Lets the kernel include the headers that the card's firmware has. */
#include <linux/types.h>
