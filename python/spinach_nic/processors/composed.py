"""The five-stage core wired from library modules.

To be read next to figure 3.3 of the thesis. It is the executable specification of `PipelinedCore`, which does
the same in one module, cycle by cycle: same ports, same parameters.

All signals inside are words that are presented in every cycle. A pipeline register is a pipe and a function
in front of it that decides between its present and a new word; fan-out is a tee that lets everybody see.
"""

from __future__ import annotations

from collections.abc import Callable

from spinach_nic.library import (
    Alu,
    FetchUnit,
    Function,
    Initiator,
    InstructionDecoder,
    LoadStoreUnit,
    MultiportedMemory,
    Pipe,
    SystemControl,
    Tee,
)
from spinach_nic.model import Bundle, Component, parameter
from spinach_nic.model.ports import Input, Output
from spinach_nic.model.tracing import Signal
from spinach_nic.processors import control
from spinach_nic.processors.policies import decode_stage, execute_stage, memory_stage, words
from spinach_nic.support.units import B, Size


class ComposedCore(Component):
    """A core with the classic five-stage pipeline, wired from modules."""

    identity: int = parameter(default=0, doc="Number of the core.", range=(0, 65535))
    entry: int = parameter(default=0, doc="Address at which execution begins.")
    instruction_set: str = parameter(
        default="mips", doc="Instruction set that the core executes.", choices=("mips",)
    )
    bit_array: bool = parameter(default=True, doc="True if the core has `set` and `update`.")
    priority_decode: str = parameter(
        default="none",
        doc="Extensions of the Tigon-2: none, or the bit that has priority.",
        choices=("none", "highest_first", "lowest_first"),
    )
    exception_vector: int = parameter(
        default=0, doc="Address of the exception handler; 0 if every exception stops the core."
    )
    starts_halted: bool = parameter(
        default=False, doc="True if the core waits at its entry until `control` resumes it."
    )
    on_fault: str = parameter(
        default="stop",
        doc="Effect of a fault: it stops the simulation, or only halts the core.",
        choices=("stop", "halt"),
    )
    history: int = parameter(default=16, doc="Number of completed instructions to remember.")
    profile_start: int = parameter(default=0, doc="First address of the profiled range of instructions.")
    profile_bytes: Size = parameter(default=B(0), doc="Size of the profiled range of instructions, in bytes.")
    guard_start: int = parameter(
        default=0, doc="First address of the range that no load or store may access."
    )
    guard_bytes: Size = parameter(
        default=B(0), doc="Size of the range that no load or store may access, in bytes."
    )
    branch_stage: str = parameter(
        default="decode",
        doc="Stage in which branches and jumps through registers resolve.",
        choices=("decode", "execute"),
    )
    load_use_delay: int = parameter(
        default=1, doc="Cycles from the answer of a load until its value can be used.", range=(0, 4)
    )
    annulled_slots: int = parameter(
        default=1, doc="Issue slots that an annulled delay slot costs.", range=(1, 4)
    )
    store_buffer: int = parameter(default=0, doc="Number of refused stores that may wait.", range=(0, 64))
    memory_stages: int = parameter(default=1, doc="Number of memory stages of the pipeline.", range=(1, 2))
    multiply_latency: int = parameter(
        default=1, doc="Cycles from a multiplication until its result can be used.", range=(1, 1024)
    )
    divide_latency: int = parameter(
        default=1, doc="Cycles from a division until its result can be used.", range=(1, 1024)
    )

    def build(self) -> None:
        """Make the parts of figure 3.3 and wire them, stage by stage."""
        # By module and port: whose output, and who reads it.
        self._readers: dict[tuple[int, str], tuple[Output, list[Input]]] = {}
        self._make_units()
        self._make_registers()
        self._decode()
        self._transfers()
        self._execute()
        self._memory()
        self._fan_out()

    def _make_units(self) -> None:
        self.fetch_unit = FetchUnit(
            identity=self.identity, entry=self.entry, annulled_slots=self.annulled_slots
        )
        self.decoder = InstructionDecoder(
            instruction_set=self.instruction_set,
            bit_array=self.bit_array,
            priority_decode=self.priority_decode,
        )
        self.register_file = MultiportedMemory(size=B(4 * 32), latency=0)
        self.read_s, self.read_t, self.write_back = Initiator(), Initiator(), Initiator()
        for reader in (self.read_s, self.read_t, self.write_back):
            reader.memory >> self.register_file.port
        self.alu = Alu()
        self.load_store_unit = LoadStoreUnit(
            identity=self.identity, store_buffer=self.store_buffer, stages=self.memory_stages
        )
        self.system = SystemControl(
            identity=self.identity,
            entry=self.entry,
            bit_array=self.bit_array,
            priority_decode=self.priority_decode,
            exception_vector=self.exception_vector,
            starts_halted=self.starts_halted,
            on_fault=self.on_fault,
            history=self.history,
            profile_start=self.profile_start,
            profile_bytes=self.profile_bytes,
            memory_stages=self.memory_stages,
        )
        self.control = self.system.control
        self.interrupt = self.system.interrupt
        self.fetch = Bundle(
            "fetch",
            {"request": self.fetch_unit.memory_request, "response": self.fetch_unit.memory_response},
        )
        self.data = Bundle(
            "data",
            {
                "request": self.load_store_unit.memory_request,
                "response": self.load_store_unit.memory_response,
            },
        )

    def _make_registers(self) -> None:
        # Named by the stage that looks at them.
        self.decode_condition, self.decode_instruction, self.follows = Pipe(), Pipe(), Pipe()
        self.execute_control, self.execute_instruction = Pipe(), Pipe()
        self.execute_operands, self.execute_immediate = Pipe(), Pipe()
        self.memory_control, self.memory_instruction = Pipe(), Pipe()
        self.memory_data, self.memory_outcome = Pipe(), Pipe()
        if self.memory_stages == 2:
            self.last_control, self.last_instruction = Pipe(), Pipe()
            self.last_data, self.last_outcome = Pipe(), Pipe()
        self.completed, self.written = Pipe(), Pipe()
        self.multiplier, self.busy = Pipe(), Pipe()

    def _logic(self, policy: Callable[..., Signal], *sources: Output) -> Function:
        """Return a function of the words of `sources`."""
        function = Function(policy=policy, absent="zero")
        for lane, source in enumerate(sources):
            self._wire(source, function.input[lane])
        return function

    def _wire(self, source: Output, *readers: Input) -> None:
        key = (id(source.module), source.declaration.name)
        self._readers.setdefault(key, (source, []))[1].extend(readers)

    def _fan_out(self) -> None:
        tees = []
        for source, readers in self._readers.values():
            if len(readers) == 1:
                source >> readers[0]
                continue
            tee = Tee(mode="level")
            tees.append(tee)
            source >> tee.input
            for lane, reader in enumerate(readers):
                tee.output[lane] >> reader
        self.fan_out = tees

    def _decode(self) -> None:
        self._wire(self.decode_instruction.output, self.decoder.instruction)
        self._wire(self.decoder.source_s, self.read_s.address)
        self._wire(self.decoder.source_t, self.read_t.address)
        self.result = self._logic(
            execute_stage.result,
            self.execute_control.output,
            self.execute_instruction.output,
            self.alu.result,
            self.multiplier.output,
            self.system.read,
        )
        self.value = self._logic(
            memory_stage.value,
            self._last("control"),
            self._last("data"),
            self.load_store_unit.value,
        )
        first = [self.memory_control.output, self.memory_data.output] if self.memory_stages == 2 else []
        younger = (
            self.execute_control.output,
            self.result.output,
            *first,
            self._last("control"),
            self.value.output,
            self.completed.output,
            self.written.output,
        )
        forward = decode_stage.forward(self.memory_stages)
        self.forward_s = self._logic(forward, self.decoder.source_s, *younger, self.read_s.output)
        self.forward_t = self._logic(forward, self.decoder.source_t, *younger, self.read_t.output)
        latencies = decode_stage.Latencies(
            self.load_use_delay,
            self.branch_stage == "decode",
            self.memory_stages,
            self.multiply_latency,
            self.divide_latency,
        )
        self.hazard = self._logic(
            decode_stage.hazard(latencies),
            self.decoder.control,
            self.execute_control.output,
            *first[:1],
            self._last("control"),
            self.completed.output,
            self.busy.output,
        )
        self.operands = self.execute_operands.output
        if self.load_use_delay == 0:
            self.loaded_operands = self._logic(
                decode_stage.loaded_operands(self.memory_stages),
                self.execute_operands.output,
                self.execute_control.output,
                self._last("control"),
                self.value.output,
                *first[:1],
            )
            self.operands = self.loaded_operands.output

    def _transfers(self) -> None:
        wait, redirect, order = self.load_store_unit.wait, self.system.redirect, self.system.order
        condition, instruction = self.decode_condition.output, self.decode_instruction.output
        execute = self.execute_control.output
        self.branch = self._logic(
            execute_stage.branch,
            execute,
            self.operands,
            self.execute_instruction.output,
            self.execute_immediate.output,
        )
        self.address = self._logic(execute_stage.address, execute, self.operands, self.alu.result)
        self.outcome = self._logic(
            execute_stage.outcome(self.guard_start, self.guard_bytes.bytes),
            execute,
            self.alu.result,
            self.address.output,
            self.system.status,
            self.branch.output,
        )
        self.executes = self._logic(execute_stage.executes, execute, wait, redirect, self.outcome.output)
        self.executed = self._logic(
            execute_stage.executed(self.branch_stage == "execute"),
            execute,
            self.executes.output,
            self.branch.output,
            self.system.read,
        )
        executed = self.executed.output
        self.issue = self._logic(
            decode_stage.issue,
            condition,
            wait,
            self.hazard.output,
            self.outcome.output,
            execute,
            self.memory_outcome.output,
            redirect,
            executed,
            self.system.status,
        )
        issue = self.issue.output
        self.decoded = self._logic(
            decode_stage.decoded(self.branch_stage == "decode"),
            self.decoder.control,
            self.forward_s.output,
            self.forward_t.output,
            instruction,
            self.decoder.immediate,
            issue,
            self.follows.output,
        )
        decoded = self.decoded.output
        self._register(
            "follows", decode_stage.follows, self.decoder.control, issue, redirect, executed, decoded, order
        )
        events = (redirect, executed, decoded, condition, wait, issue, order)
        self.command = self._logic(decode_stage.command, *events, instruction)
        self._wire(self.command.output, self.fetch_unit.command)
        self.runs = self._logic(memory_stage.runs, self.system.status)
        self._wire(self.runs.output, self.fetch_unit.enable)
        self.selection = self._logic(decode_stage.selection(self.annulled_slots), *events)
        selected = self.selection.output
        self._register("decode_condition", decode_stage.choose, selected, self.fetch_unit.condition)
        self._register("decode_instruction", decode_stage.choose, selected, self.fetch_unit.instruction)
        self.account = self._logic(
            decode_stage.account,
            wait,
            self.load_store_unit.wait_last,
            self.memory_instruction.output,
            self._last("instruction"),
            condition,
            issue,
            instruction,
            self.fetch_unit.status,
        )
        self._wire(self.account.output, self.system.account)

    def _register(self, name: str, policy: Callable[..., Signal], *sources: Output) -> None:
        """Give the register `name` its next word: a function of its present one and of others."""
        register: Pipe = getattr(self, name)
        following = self._logic(policy, register.output, *sources)
        setattr(self, f"next_{name}", following)
        self._wire(following.output, register.input)

    def _last(self, part: str) -> Output:
        """Return the content of the register of the last memory stage."""
        register: Pipe = getattr(self, f"{'last' if self.memory_stages == 2 else 'memory'}_{part}")
        return register.output

    def _stage_register(self, name: str, policy: Callable[..., Signal], *sources: Output) -> None:
        """The same for a pipeline register: it keeps its word while the memory stage waits."""
        self._register(name, policy, self.load_store_unit.wait, *sources)

    def _execute(self) -> None:
        redirect, executes = self.system.redirect, self.executes.output
        execute, operands = self.execute_control.output, self.operands
        self._stage_register(
            "execute_control",
            execute_stage.enter_execute,
            self.decoder.control,
            self.decode_condition.output,
            self.issue.output,
            self.follows.output,
            redirect,
        )
        self._stage_register("execute_instruction", words.hold, self.decode_instruction.output)
        self._stage_register("execute_immediate", words.hold, self.decoder.immediate)
        # While execute waits it keeps its operands, with what was loaded for them meanwhile.
        self.next_operands = self._logic(
            execute_stage.enter_operands,
            operands,
            self.load_store_unit.wait,
            self.forward_s.output,
            self.forward_t.output,
        )
        self._wire(self.next_operands.output, self.execute_operands.input)
        self.first_operand = self._logic(execute_stage.first_operand, execute, operands)
        self.second_operand = self._logic(
            execute_stage.second_operand, execute, operands, self.execute_immediate.output
        )
        self.opcode = self._logic(control.opcode, execute)
        self._wire(self.first_operand.output, self.alu.a)
        self._wire(self.second_operand.output, self.alu.b)
        self._wire(self.opcode.output, self.alu.opcode)
        self._register("multiplier", execute_stage.multiplier, execute, executes, self.alu.result, operands)
        self._register(
            "busy", decode_stage.busy(self.multiply_latency, self.divide_latency), execute, executes
        )
        self.operand = self._logic(words.lower, operands)
        self._wire(self.execute_instruction.output, self.system.executing)
        self._wire(execute, self.system.executing_control)
        self._wire(self.operand.output, self.system.operand)
        self._wire(executes, self.system.executes)

    def _memory(self) -> None:
        redirect, execute = self.system.redirect, self.execute_control.output
        self.refer = self._logic(memory_stage.refer, execute, self.executes.output)
        self.reference_address = self._logic(
            memory_stage.reference_address, self.execute_instruction.output, self.address.output
        )
        self.reference_data = self._logic(memory_stage.reference_data, execute, self.operands)
        self._wire(self.refer.output, self.load_store_unit.control)
        self._wire(self.reference_address.output, self.load_store_unit.address)
        self._wire(self.reference_data.output, self.load_store_unit.data)
        for name, new in (
            ("memory_control", execute),
            ("memory_instruction", self.execute_instruction.output),
            ("memory_outcome", self.outcome.output),
        ):
            self._stage_register(name, memory_stage.enter_memory, new, execute, redirect)
        self._stage_register("memory_data", memory_stage.enter_data, self.address.output, self.result.output)
        wait_last = self.load_store_unit.wait_last
        stages = [self.memory_control.output]
        if self.memory_stages == 2:
            stages.append(self._last("control"))
            for part in ("control", "instruction", "outcome", "data"):
                entering: Pipe = getattr(self, f"memory_{part}")
                self._register(
                    f"last_{part}",
                    memory_stage.enter_last,
                    wait_last,
                    self.load_store_unit.wait,
                    entering.output,
                    redirect,
                )
        self.memory_address = self._logic(words.upper, self._last("data"))
        self.is_busy = self._logic(memory_stage.busy_stages(self.memory_stages), execute, *stages)
        self._wire(self.is_busy.output, self.system.busy)
        self._wire(self._last("instruction"), self.system.completing)
        self._wire(self._last("control"), self.system.completing_control)
        self._wire(self._last("outcome"), self.system.completing_outcome)
        self._wire(self.memory_address.output, self.system.completing_address)
        self._wire(self.load_store_unit.value, self.system.value)
        self._wire(wait_last, self.system.wait)
        self._wire(self.load_store_unit.late_fault, self.system.late_fault)
        self._register(
            "completed",
            memory_stage.complete,
            self._last("control"),
            wait_last,
            redirect,
        )
        self._wire(self.value.output, self.written.input)
        self.file_address = self._logic(memory_stage.file_address, self.completed.output)
        self.file_data = self._logic(memory_stage.file_data, self.completed.output, self.written.output)
        self._wire(self.file_address.output, self.write_back.address)
        self._wire(self.file_data.output, self.write_back.data)
