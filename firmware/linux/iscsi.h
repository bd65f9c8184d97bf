/* Disks over the network, iSCSI (RFC 7143), with the kernel's initiator and target. */
#ifndef ISCSI_H
#define ISCSI_H

/* Offers a disk that has nothing behind it: what is written is lost, and what is read is anything. */
void iscsi_target(const char *unused);

/* Gives the disk of the target at an address to the kernel, as /dev/sda. */
void iscsi_login(const char *host);

/* Reads from that disk, with a queue of reads: DEPTH BYTES. */
void disk_reads(const char *argument);

#endif
