/*
 * Stops of a core by its firmware: the `break` instruction with a code in bits 25 to 16, which is where assemblers put the operand of
 * `break N`. Codes 6 and 7 belong to the compiler (overflow and division by zero).
 *
 * This file is included by C and by assembly.
 */
#ifndef SPINACH_STOP_H
#define SPINACH_STOP_H

#define SPINACH_STOP_DONE 0      /* the work is finished and the firmware found nothing wrong */
#define SPINACH_STOP_FAILED 1    /* the firmware's own check failed */
#define SPINACH_STOP_EXCEPTION 2 /* an exception reached the vector; see spinach_exception_record */

#endif
