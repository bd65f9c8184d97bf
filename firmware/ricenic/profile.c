/*
 * A statistical profiler: a timer interrupts the core with the console now and then, and the instruction that comes next is counted. The
 * time until then is drawn anew each time, so that it does not follow the loop. The table of functions is loaded with the firmware.
 */
#include "ricenic/nic.h"

#include "ricenic/console.h"

#define PERIOD 10000u /* cycles, on average */
#define FEWEST_CYCLES 1000u
#define SHOWN 32u

#define PIT "987"
#define TSR "984"
#define TCR "986"
#define TIMER_PASSED 0x08000000u
#define TIMER_INTERRUPTS 0x04000000u

struct function {
    uint32_t address, bytes;
    char name[FUNCTION_NAME_BYTES];
};

#define FUNCTIONS (*(const uint32_t *)FUNCTION_TABLE) /* how many */
#define FUNCTION ((const struct function *)(FUNCTION_TABLE + 4))
#define COUNTS ((uint32_t *)PROFILE_COUNTS)
#define TOTALS ((uint32_t *)PROFILE_TOTALS) /* of the functions, when they are shown */

static OF_RECEIVER uint32_t samples, period, random_word;

/* Sets the timer for half the period to one and a half. */
static void set_timer(void)
{
    random_word ^= random_word << 13; /* Marsaglia: Xorshift RNGs, 2003 */
    random_word ^= random_word >> 17;
    random_word ^= random_word << 5;
    uint32_t cycles = period / 2 + (uint32_t)((uint64_t)random_word * period >> 32);
    __asm__ volatile("mtspr " PIT ", %0" ::"r"(cycles));
}

/* Called by the handler of the timer with the instruction that comes next. */
void serve_timer(uint32_t address);
void serve_timer(uint32_t address)
{
    __asm__ volatile("mtspr " TSR ", %0" ::"r"(TIMER_PASSED));
    set_timer();
    COUNTS[(address - CODE) / 4]++;
    samples++;
}

static void stop(void) { __asm__ volatile("mtspr " TCR ", %0" ::"r"(0)); }

static uint32_t count_of(const struct function *function)
{
    const uint32_t *first = &COUNTS[(function->address - CODE) / 4];
    uint32_t sum = 0;
    for (uint32_t word = 0; word < function->bytes / 4; word++)
        sum += first[word];
    return sum;
}

static void start(uint32_t cycles)
{
    stop();
    samples = 0;
    period = cycles;
    random_word = 1;
    for (uint32_t number = 0; number < FUNCTIONS; number++) {
        uint32_t *first = &COUNTS[(FUNCTION[number].address - CODE) / 4];
        for (uint32_t word = 0; word < FUNCTION[number].bytes / 4; word++)
            first[word] = 0;
    }
    set_timer();
    __asm__ volatile("mtspr " TCR ", %0" ::"r"(TIMER_INTERRUPTS));
}

/* The functions that were met most, that with the most first. */
static void show(void)
{
    write_named("samples", samples);
    for (uint32_t number = 0; number < FUNCTIONS; number++)
        TOTALS[number] = count_of(&FUNCTION[number]);
    uint32_t last = ~0u, last_number = 0;
    for (uint32_t shown = 0; shown < SHOWN; shown++) {
        uint32_t most = 0, found = 0;
        for (uint32_t number = 0; number < FUNCTIONS; number++) {
            uint32_t count = TOTALS[number];
            bool is_left = count < last || (count == last && number > last_number);
            if (is_left && count > most) {
                most = count;
                found = number;
            }
        }
        if (most == 0)
            return;
        write_named(FUNCTION[found].name, most);
        last = most;
        last_number = found;
    }
}

void profile_command(uint32_t count, char *const *words)
{
    uint32_t cycles = PERIOD;
    if (count == 1) {
        __asm__ volatile("wrteei 0" ::: "memory"); /* nothing is counted while it is shown */
        show();
        __asm__ volatile("wrteei 1" ::: "memory");
    } else if (is_same(words[1], "stop")) {
        stop();
    } else if (is_same(words[1], "start") && (count == 2 || read_number(words[2], &cycles)) && cycles >= FEWEST_CYCLES) {
        start(cycles);
    } else {
        write_text("profile: not understood; try help\r\n");
    }
}
