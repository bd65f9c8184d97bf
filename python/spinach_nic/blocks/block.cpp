// Interface of blocks around a model that Verilator has generated with the prefix Vblock.
//
// `spinach verilate` compiles this file together with the model and with block_ports.h, which it writes: DESCRIPTION, and the copies
// between words and signals.

#include "Vblock.h"
#include "block_ports.h"
#include "verilated.h"
#if SPINACH_SAVES
#include "verilated_save.h"
#endif
#if SPINACH_TRACES_VCD
#include "verilated_vcd_c.h"
using Trace = VerilatedVcdC;
#elif SPINACH_TRACES_FST
#include "verilated_fst_c.h"
using Trace = VerilatedFstC;
#endif

#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/stat.h>

namespace {

// Version of the interface; crates/spinach-block/src/interface.rs declares the same table.
constexpr uint64_t VERSION = 2;

// Bytes of the largest file that RTL reads by $readmemh, $readmemb or $fopen.
constexpr off_t LARGEST_FILE = off_t(256) << 20;

struct Failure final : std::runtime_error {
    using std::runtime_error::runtime_error;
};

thread_local std::string last_failure;

#if SPINACH_TRACES_VCD
// Text of a trace, in memory.
class Text final : public VerilatedVcdFile {
public:
    std::string text;
    bool open(const std::string&) override { return true; }
    void close() override {}
    ssize_t write(const char* bytes, ssize_t size) override {
        text.append(bytes, size);
        return size;
    }
};
#endif

struct Instance {
    VerilatedContext context;
    std::unique_ptr<Vblock> top;
    std::string saved;
#if SPINACH_TRACES_VCD
    Text inside;
    std::unique_ptr<Trace> inspection;
    uint64_t inspections = 0;
#endif
#if SPINACH_TRACES_VCD || SPINACH_TRACES_FST
    std::unique_ptr<Trace> trace;
#endif
};

// The instance, whose context is that of the thread from here on: the runtime uses that one, which may be of an instance that is gone.
Instance& instance_of(void* pointer) {
    Instance& instance = *static_cast<Instance*>(pointer);
    Verilated::threadContextp(&instance.context);
    return instance;
}

// Runs `act`; no exception may leave the library.
template <class Act> const char* guarded(Act act) {
    try {
        act();
        return nullptr;
    } catch (const std::exception& error) {
        last_failure = error.what();
    } catch (...) {
        last_failure = "unknown exception";
    }
    return last_failure.c_str();
}

void* create() {
    void* made = nullptr;
    guarded([&] {
        auto instance = std::make_unique<Instance>();
        instance->context.randReset(0);
#if SPINACH_TRACES_VCD || SPINACH_TRACES_FST
        instance->context.traceEverOn(true);
#endif
        instance->top = std::make_unique<Vblock>(&instance->context, "block");
        made = instance.release();
    });
    return made;
}

void destroy(void* pointer) {
    Instance* const instance = &instance_of(pointer);
    guarded([&] {
#if SPINACH_TRACES_VCD || SPINACH_TRACES_FST
        if (instance->trace) instance->trace->close();
#endif
        instance->top->final();
    });
    delete instance;
}

const char* evaluate(void* pointer, const uint64_t* inputs, uint64_t* outputs) {
    return guarded([&] {
        Vblock& top = *instance_of(pointer).top;
        load_inputs(top, inputs);
        top.eval();
        store_outputs(top, outputs);
    });
}

const char* trace(void* pointer, const char* path) {
    return guarded([&] {
#if SPINACH_TRACES_VCD || SPINACH_TRACES_FST
        Instance& instance = instance_of(pointer);
#if SPINACH_TRACES_VCD
        instance.inspection.reset();
#endif
        instance.trace = std::make_unique<Trace>();
        instance.trace->set_time_unit("1fs");
        instance.trace->set_time_resolution("1fs");
        instance.top->trace(instance.trace.get(), 99);
        instance.trace->open(path);
        if (!instance.trace->isOpen()) throw Failure(std::string("the file ") + path + " cannot be written");
#else
        throw Failure("the library was compiled without waveforms");
#endif
    });
}

void dump(void* pointer, uint64_t femtoseconds) {
#if SPINACH_TRACES_VCD || SPINACH_TRACES_FST
    guarded([&] {
        Instance& instance = instance_of(pointer);
        if (instance.trace) instance.trace->dump(femtoseconds);
    });
#endif
}

// A model has one trace at a time, since each clears the marks of what has changed: a file goes first.
const char* inspect(void* pointer, const uint8_t** bytes, uint64_t* size) {
    return guarded([&] {
        *size = 0;
#if SPINACH_TRACES_VCD
        Instance& instance = instance_of(pointer);
        if (instance.trace) return;
        instance.inside.text.clear();
        if (!instance.inspection) {
            instance.inspection = std::make_unique<Trace>(&instance.inside);
            instance.top->trace(instance.inspection.get(), 99);
            instance.inspection->open("inside");
        }
        instance.inspection->dump(++instance.inspections);
        instance.inspection->flush();
        *bytes = reinterpret_cast<const uint8_t*>(instance.inside.text.data());
        *size = instance.inside.text.size();
#endif
    });
}

#if SPINACH_SAVES
class Writer final : public VerilatedSerialize {
public:
    explicit Writer(std::string& bytes) : bytes_(bytes) { m_isOpen = true; header(); }
    void finish() { trailer(); flush(); }
    void flush() override {
        bytes_.append(reinterpret_cast<const char*>(m_bufp), m_cp - m_bufp);
        m_cp = m_bufp;
    }

private:
    std::string& bytes_;
};

class Reader final : public VerilatedDeserialize {
public:
    Reader(const uint8_t* bytes, uint64_t size) : next_(bytes), left_(size) {
        m_isOpen = true;
        m_cp = m_endp = m_bufp;
        header();
    }
    void finish() { trailer(); }

protected:
    // Zeros follow the last byte: the base class asks for more than it reads.
    void fill() override {
        const size_t kept = m_endp - m_cp;
        if (left_ == 0 && ++empty_fills_ > LIMIT) throw Failure("the saved state is too short");
        std::memmove(m_bufp, m_cp, kept);
        const size_t room = bufferSize() - kept;
        const size_t more = left_ < room ? left_ : room;
        std::memcpy(m_bufp + kept, next_, more);
        std::memset(m_bufp + kept + more, 0, room - more);
        next_ += more;
        left_ -= more;
        m_cp = m_bufp;
        m_endp = m_bufp + bufferSize();
    }

private:
    static constexpr int LIMIT = 2;
    const uint8_t* next_;
    uint64_t left_;
    int empty_fills_ = 0;
};
#endif

const char* save(void* pointer, const uint8_t** bytes, uint64_t* size) {
    return guarded([&] {
#if SPINACH_SAVES
        Instance& instance = instance_of(pointer);
        instance.saved.clear();
        Writer writer(instance.saved);
        writer << *instance.top;
        writer.finish();
        *bytes = reinterpret_cast<const uint8_t*>(instance.saved.data());
        *size = instance.saved.size();
#else
        throw Failure("the library was compiled without saving");
#endif
    });
}

const char* restore(void* pointer, const uint8_t* bytes, uint64_t size) {
    return guarded([&] {
#if SPINACH_SAVES
        Instance& instance = instance_of(pointer);
        Reader reader(bytes, size);
        reader >> *instance.top;
        reader.finish();
#if SPINACH_TRACES_VCD
        instance.inspection.reset();  // the next one begins with all values
#endif
#else
        throw Failure("the library was compiled without saving");
#endif
    });
}

struct Interface {
    uint64_t version;
    const char* description;
    void* (*create)();
    void (*destroy)(void*);
    const char* (*evaluate)(void*, const uint64_t*, uint64_t*);
    const char* (*trace)(void*, const char*);
    void (*dump)(void*, uint64_t);
    const char* (*inspect)(void*, const uint8_t**, uint64_t*);
    const char* (*save)(void*, const uint8_t**, uint64_t*);
    const char* (*restore)(void*, const uint8_t*, uint64_t);
};

std::string at(const char* file, int line, const char* what) {
    return std::string(file && *file ? file : "RTL") + ":" + std::to_string(line) + ": " + what;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const Interface spinach_block
    = {VERSION, DESCRIPTION, create, destroy, evaluate, trace, dump, inspect, save, restore};

// The runtime of Verilator calls these in place of its own, which would end the process.
void vl_finish(const char* file, int line, const char*) { throw Failure(at(file, line, "$finish")); }

void vl_stop(const char* file, int line, const char*) {
    throw Failure(at(file, line, "$stop, or an assertion failed"));
}

void vl_fatal(const char* file, int line, const char*, const char* message) {
    throw Failure(at(file, line, message));
}

// The linker replaces fopen by this in the model and in the runtime of Verilator (--wrap).
extern "C" FILE* __real_fopen(const char* name, const char* mode);

extern "C" FILE* __wrap_fopen(const char* name, const char* mode) {
    struct stat status;
    const bool isRead = mode[0] == 'r' && stat(name, &status) == 0;
    if (isRead && !S_ISREG(status.st_mode))
        throw Failure(std::string(name) + " is not a regular file");
    if (isRead && status.st_size > LARGEST_FILE)
        throw Failure(std::string(name) + " is larger than " + std::to_string(LARGEST_FILE >> 20) + " MiB, the limit");
    return __real_fopen(name, mode);
}
