"""Counters of performance in Linux on a server: perf_event_open, as `perf stat` and `perf record` use it."""

from pathlib import Path

import pytest
from tests.python.servers.test_programs import booted, compiled

SOURCE = r"""
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROUNDS = 400000, LINES = 65536, LINE = 64, PERIOD = 20000, PAGE = 4096 };

#define CACHE(cache, result) (PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct {
    const char *name;
    uint32_t type;
    uint64_t config;
    int has_kernel, has_user;
} EVENTS[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1, 1},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1, 1},
    {"instructions-user", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 1},
    {"instructions-kernel", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1, 0},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0, 1},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 0, 1},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 0, 1},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 0, 1},
    {"loads", PERF_TYPE_HW_CACHE, CACHE(L1D, ACCESS), 0, 1},
    {"load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, MISS), 0, 1},
    {"walks", PERF_TYPE_HW_CACHE, CACHE(DTLB, MISS), 0, 1},
};
enum { COUNT = sizeof EVENTS / sizeof EVENTS[0] };

static int opened(int index, uint64_t period) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = EVENTS[index].type;
    attributes.config = EVENTS[index].config;
    attributes.disabled = 1;
    attributes.exclude_kernel = !EVENTS[index].has_kernel;
    attributes.exclude_user = !EVENTS[index].has_user;
    attributes.sample_period = period;
    attributes.sample_type = PERF_SAMPLE_IP;
    int file = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
    if (file < 0) {
        perror(EVENTS[index].name);
        exit(1);
    }
    return file;
}

static char area[LINES][LINE];

__attribute__((noinline)) static void work(void) {
    asm volatile("mv t0, %0\n1: addi t0, t0, -1\nbnez t0, 1b" : : "r"((long)ROUNDS) : "t0");
    for (int line = 0; line < LINES; line++)
        *(volatile char *)area[line];
}

int main(void) {
    int files[COUNT];
    memset(area, 1, sizeof area);
    for (int index = 0; index < COUNT; index++)
        files[index] = opened(index, 0);
    for (int index = 0; index < COUNT; index++)
        ioctl(files[index], PERF_EVENT_IOC_ENABLE, 0);
    work();
    for (int index = 0; index < COUNT; index++)
        ioctl(files[index], PERF_EVENT_IOC_DISABLE, 0);
    for (int index = 0; index < COUNT; index++) {
        uint64_t count = 0;
        if (read(files[index], &count, sizeof count) != sizeof count)
            return 2;
        printf("%s %llu\n", EVENTS[index].name, (unsigned long long)count);
        close(files[index]);
    }
    /* Instructions of user mode, a sample each PERIOD. */
    int file = opened(2, PERIOD);
    struct perf_event_mmap_page *ring = mmap(NULL, 9 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (ring == MAP_FAILED)
        return 3;
    ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
    work();
    ioctl(file, PERF_EVENT_IOC_DISABLE, 0);
    int samples = 0, inside = 0;
    for (uint64_t at = ring->data_tail; at < ring->data_head;) {
        struct perf_event_header *header = (void *)((char *)ring + PAGE + at % (8 * PAGE));
        if (header->type == PERF_RECORD_SAMPLE) {
            uint64_t pc = *(uint64_t *)(header + 1);
            samples++;
            inside += pc - (uint64_t)work < 256;
        }
        at += header->size;
    }
    printf("samples %d\ninside %d\n", samples, inside);
    return 0;
}
"""
ROUNDS, LINES, PERIOD = 400_000, 65_536, 20_000


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("core", ["functional", "timed"])
def test_programs_count_events_and_sample(
    core: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    made = compiled(tmp_path, SOURCE, "-static")
    assert booted(["--core", core, "--exec", str(made)], monkeypatch) == 0, capfd.readouterr()
    counts = {
        name: int(count) for name, count in (line.split() for line in capfd.readouterr().out.splitlines())
    }
    user = 2 * ROUNDS + 3 * LINES
    assert user < counts["instructions-user"] < user * 1.2
    both = counts["instructions-user"] + counts["instructions-kernel"]
    assert both == pytest.approx(counts["instructions"], rel=0.05)
    assert user // PERIOD <= counts["samples"] < user * 1.2 / PERIOD
    assert counts["inside"] >= counts["samples"] - 2
    if core == "functional":
        # An instruction in each cycle; one more when a handler is entered.
        assert counts["cycles"] == pytest.approx(counts["instructions"], rel=0.02)
        assert counts["branches"] == counts["cache-misses"] == 0
        return
    assert counts["cycles"] > counts["instructions"] / 4
    assert ROUNDS + LINES < counts["branches"] < (ROUNDS + LINES) * 1.1
    assert counts["branch-misses"] < counts["branches"] / 100
    assert LINES < counts["loads"] < LINES * 1.5
    # 4 MiB in lines of the first level, 128 KiB; the second level of 8 MiB has them.
    assert LINES * 0.9 < counts["load-misses"] < LINES * 1.2
    assert counts["cache-references"] >= LINES * 0.9
    assert counts["cache-misses"] < LINES / 4
    assert LINES // 64 <= counts["walks"] < LINES // 64 * 1.5
