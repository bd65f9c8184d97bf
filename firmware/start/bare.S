/* Start-up on a modelled core, in the instructions that the image is built for: see firmware/architecture. */
#include "spinach/start/bare.S"
