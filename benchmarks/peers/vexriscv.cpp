// Runs a program on VexRiscv, as Verilator compiles it: some bare cores, each with a memory of its own that answers at once.
//
// Arguments: the image of the memory from address 0 on, the entry, the address of a word to print, how many cores, and for how many
// cycles. Prints the cycles of all that passed, that word of the first core, and the processor time.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "VVexRiscv.h"
#include "verilated.h"

namespace {

constexpr std::size_t MEMORY_BYTES = 1 << 20;

struct Core {
    VVexRiscv top;
    std::vector<uint32_t> memory;

    Core(const std::vector<char> &image, uint32_t entry) : memory(MEMORY_BYTES / 4) {
        for (std::size_t at = 0; at < image.size() && at < MEMORY_BYTES; at++)
            memory[at / 4] |= static_cast<uint32_t>(static_cast<uint8_t>(image[at])) << (8 * (at % 4));
        top.externalResetVector = entry;
        top.timerInterrupt = top.softwareInterrupt = 0;
        top.externalInterruptArray = 0;
        top.iBusWishbone_ERR = top.dBusWishbone_ERR = 0;
        top.reset = 1;
        for (int edge = 0; edge < 20; edge++) {
            top.clk = edge & 1;
            top.eval();
        }
        top.reset = 0;
    }

    void cycle() {
        top.clk = 0;
        top.eval();
        constexpr uint32_t MASK = MEMORY_BYTES / 4 - 1;
        top.iBusWishbone_ACK = top.iBusWishbone_CYC & top.iBusWishbone_STB;
        top.iBusWishbone_DAT_MISO = memory[top.iBusWishbone_ADR & MASK];
        const bool data = top.dBusWishbone_CYC & top.dBusWishbone_STB;
        top.dBusWishbone_ACK = data;
        uint32_t &word = memory[top.dBusWishbone_ADR & MASK];
        top.dBusWishbone_DAT_MISO = word;
        if (data && top.dBusWishbone_WE) {
            uint32_t mask = 0;
            for (int byte = 0; byte < 4; byte++)
                if (top.dBusWishbone_SEL >> byte & 1)
                    mask |= 0xffu << (8 * byte);
            word = (word & ~mask) | (top.dBusWishbone_DAT_MOSI & mask);
        }
        top.clk = 1;
        top.eval();
    }
};

double processor_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 6) {
        std::fprintf(stderr, "usage: %s IMAGE ENTRY WORD CORES CYCLES\n", argv[0]);
        return 2;
    }
    std::ifstream file(argv[1], std::ios::binary);
    const std::vector<char> image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const auto number = [&](int index) { return std::strtoull(argv[index], nullptr, 0); };
    const uint32_t entry = static_cast<uint32_t>(number(2)), word = static_cast<uint32_t>(number(3));
    const uint64_t cycles = number(5);
    std::vector<std::unique_ptr<Core>> cores;
    for (uint64_t core = 0; core < number(4); core++)
        cores.push_back(std::make_unique<Core>(image, entry));
    const double began = processor_seconds();
    for (uint64_t cycle = 0; cycle < cycles; cycle++)
        for (auto &core : cores)
            core->cycle();
    const double seconds = processor_seconds() - began;
    std::printf("{\"cycles\": %llu, \"word\": %u, \"seconds\": %.6f}\n", static_cast<unsigned long long>(cycles),
                cores[0]->memory.at(word / 4), seconds);
    return 0;
}
