/* Programs in front of the console, and the program of `spinach boot --exec`. */
#ifndef PROGRAM_H
#define PROGRAM_H

/* Makes the console the terminal of this session, so that Ctrl-C reaches the process in front. */
void take_terminal(void);

/* Executes a command in a separate process in front of the console, and waits for it. */
void execute_in_front(void (*command)(const char *argument), const char *argument);

/* Collects background processes that have ended. */
void collect(void);

/* Mounts the disk and the shared folder that the kernel's command line names. */
void mount_given(void);

/* Loads the modules in the folder `drivers`, in the order of their names. */
void load_drivers(void);

/* Executes the program that the kernel's command line names, then ends the simulation with its exit status. Returns without one. */
void execute_program(void);

#endif
