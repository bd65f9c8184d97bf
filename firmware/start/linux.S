/* Start-up as a Linux user program, in the instructions that the image is built for: see firmware/architecture. */
#include "spinach/start/linux.S"
