//! The system as gdb's remote protocol sees it: every core, or hart, is a thread.

use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gdbstub::arch::{Arch, Registers};
use gdbstub::common::{Signal, Tid};
use gdbstub::conn::ConnectionExt;
use gdbstub::stub::MultiThreadStopReason;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::multithread::{
    MultiThreadBase, MultiThreadRangeStepping, MultiThreadRangeSteppingOps, MultiThreadResume,
    MultiThreadResumeOps, MultiThreadSchedulerLocking, MultiThreadSchedulerLockingOps, MultiThreadSingleStep,
    MultiThreadSingleStepOps,
};
use gdbstub::target::ext::base::reverse_exec::{
    ReplayLogPosition, ReverseCont, ReverseContOps, ReverseStep, ReverseStepOps,
};
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint,
    SwBreakpointOps, WatchKind,
};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps, outputln};
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::{Target, TargetError, TargetResult};
use spinach_isa::debugging::{Hit, Resume, Watched};

use super::debugged::{Debugged, Job, Order, Orders, Report, StopReason};
use super::layout::Layout;

/// The client's side: passes jobs to the thread that runs the simulation.
pub(super) struct Client {
    pub layout: Layout,
    pub cores: usize,
    can_go_back: bool,
    pub jobs: Sender<Job>,
    pub reports: Receiver<Report>,
    /// Flag that stops the run.
    pub interrupt: Arc<AtomicBool>,
    /// Core of the last report to the client.
    current: Tid,
    /// Resume actions per core, since the client began to give them.
    actions: Vec<Option<Resume>>,
    /// Resume action of all other cores.
    others: Resume,
}

/// Every instruction set of the cores, as far as the protocol cares.
pub(super) enum AnyArch {}

/// The bytes of all registers in the order of the target description; `None` for those that are not there.
#[derive(Default, Debug, Clone, PartialEq)]
pub(super) struct RegisterBytes(Vec<Option<u8>>);

impl Registers for RegisterBytes {
    type ProgramCounter = u64;

    fn pc(&self) -> u64 {
        0
    }

    fn gdb_serialize(&self, write_byte: impl FnMut(Option<u8>)) {
        self.0.iter().copied().for_each(write_byte);
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        self.0 = bytes.iter().copied().map(Some).collect();
        Ok(())
    }
}

impl Arch for AnyArch {
    type Usize = u64;
    type Registers = RegisterBytes;
    type BreakpointKind = usize;
    type RegId = ();
}

/// Reason for the loss of the connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum Lost {
    #[error("the run has ended")]
    RunEnded,
    #[error("{0}")]
    Failed(String),
}

const BAD_ADDRESS: u8 = 14;

fn tid(core: usize) -> Tid {
    Tid::new(core + 1).unwrap_or(Tid::MIN)
}

fn core(tid: Tid) -> usize {
    tid.get() - 1
}

impl Client {
    pub(super) fn new(
        layout: Layout,
        (cores, can_go_back): (usize, bool),
        jobs: Sender<Job>,
        reports: Receiver<Report>,
        interrupt: Arc<AtomicBool>,
    ) -> Self {
        let actions = vec![None; cores];
        let (current, others) = (Tid::MIN, Resume::Continue);
        Self { layout, cores, can_go_back, jobs, reports, interrupt, current, actions, others }
    }

    /// Executes a job on the thread that runs the system, and returns its result.
    fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut dyn Debugged, &mut Orders) -> T + Send + 'static,
    ) -> Result<T, Lost> {
        let (answer, answered) = channel();
        let job: Job = Box::new(move |debugged, orders| {
            // The receiver is gone if the connection was lost.
            let _ = answer.send(job(debugged, orders));
        });
        self.jobs.send(job).map_err(|_| Lost::RunEnded)?;
        answered.recv().map_err(|_| Lost::RunEnded)
    }

    /// Like `ask`, but a failure is reported to the client as a failed request.
    fn ask_or_refuse<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut dyn Debugged) -> Result<T, String> + Send + 'static,
    ) -> TargetResult<T, Self> {
        match self.ask(move |debugged, _| job(debugged)) {
            Ok(answer) => answer.map_err(|reason| TargetError::Fatal(Lost::Failed(reason))),
            Err(lost) => Err(TargetError::Fatal(lost)),
        }
    }

    fn order(&mut self, order: Order) -> Result<(), Lost> {
        let begun = self.ask(move |debugged, orders| {
            debugged.begin()?;
            orders.order = Some(order);
            Ok(())
        })?;
        begun.map_err(Lost::Failed)
    }

    fn set_action(&mut self, tid: Tid, action: Resume) {
        if let Some(place) = self.actions.get_mut(core(tid)) {
            *place = Some(action);
        }
    }

    fn stop_reason(&mut self, report: Report) -> MultiThreadStopReason<u64> {
        let (reason, watched) = match report {
            Report::Exited(code) => return MultiThreadStopReason::Exited(code),
            Report::Stopped(reason, watched) => (reason, watched),
        };
        match reason {
            StopReason::Requested => {
                MultiThreadStopReason::SignalWithThread { tid: self.current, signal: Signal::SIGINT }
            }
            StopReason::Fault { core } => {
                self.current = tid(core);
                MultiThreadStopReason::SignalWithThread { tid: self.current, signal: Signal::SIGABRT }
            }
            StopReason::HistoryStart => {
                MultiThreadStopReason::ReplayLog { tid: Some(self.current), pos: ReplayLogPosition::Begin }
            }
            StopReason::Hit { core, hit } => {
                self.current = tid(core);
                let tid = self.current;
                match hit {
                    Hit::Step => MultiThreadStopReason::SignalWithThread { tid, signal: Signal::SIGTRAP },
                    Hit::Instruction(_) => MultiThreadStopReason::SwBreak(tid),
                    Hit::Data { index, address } => watch_reason(tid, watched.get(index).copied(), address),
                }
            }
        }
    }
}

fn watch_reason(tid: Tid, watched: Option<Watched>, address: u64) -> MultiThreadStopReason<u64> {
    let Some(watched) = watched else {
        return MultiThreadStopReason::SignalWithThread { tid, signal: Signal::SIGTRAP };
    };
    let kind = match (watched.reads, watched.writes) {
        (true, true) => WatchKind::ReadWrite,
        (true, false) => WatchKind::Read,
        _ => WatchKind::Write,
    };
    MultiThreadStopReason::Watch { tid, kind, addr: address.max(watched.address) }
}

impl Target for Client {
    type Arch = AnyArch;
    type Error = Lost;

    fn base_ops(&mut self) -> BaseOps<'_, AnyArch, Lost> {
        BaseOps::MultiThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }

    fn support_target_description_xml_override(
        &mut self,
    ) -> Option<TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }
}

impl MultiThreadBase for Client {
    fn read_registers(&mut self, registers: &mut RegisterBytes, tid: Tid) -> TargetResult<(), Self> {
        let core = core(tid);
        let view = self.ask_or_refuse(move |debugged| debugged.view(core))?;
        registers.0 = self.layout.bytes(&view.ok_or(TargetError::NonFatal)?);
        Ok(())
    }

    fn write_registers(&mut self, registers: &RegisterBytes, tid: Tid) -> TargetResult<(), Self> {
        let core = core(tid);
        let view = self.ask_or_refuse(move |debugged| debugged.view(core))?;
        let view = view.ok_or(TargetError::NonFatal)?;
        let changes = self.layout.changes(&view, &registers.0).ok_or(TargetError::NonFatal)?;
        let done = self.ask_or_refuse(move |debugged| debugged.set(core, &changes))?;
        if done { Ok(()) } else { Err(TargetError::NonFatal) }
    }

    fn read_addrs(&mut self, start: u64, data: &mut [u8], tid: Tid) -> TargetResult<usize, Self> {
        let (core, length) = (core(tid), data.len());
        let bytes = self.ask_or_refuse(move |debugged| {
            let mut bytes = vec![0; length];
            let found = debugged.read(core, start, &mut bytes)?;
            Ok(found.map(|()| bytes))
        })?;
        data.copy_from_slice(&bytes.ok_or(TargetError::Errno(BAD_ADDRESS))?);
        Ok(length)
    }

    fn write_addrs(&mut self, start: u64, data: &[u8], tid: Tid) -> TargetResult<(), Self> {
        let (core, bytes) = (core(tid), data.to_vec());
        let found = self.ask_or_refuse(move |debugged| debugged.write(core, start, &bytes))?;
        found.ok_or(TargetError::Errno(BAD_ADDRESS))
    }

    fn list_active_threads(&mut self, is_active: &mut dyn FnMut(Tid)) -> Result<(), Lost> {
        (0..self.cores).map(tid).for_each(is_active);
        Ok(())
    }

    fn support_resume(&mut self) -> Option<MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl MultiThreadResume for Client {
    fn resume(&mut self) -> Result<(), Lost> {
        let actions = self.actions.iter().map(|action| action.unwrap_or(self.others));
        self.order(Order::Forward(actions.collect()))
    }

    fn clear_resume_actions(&mut self) -> Result<(), Lost> {
        self.actions = vec![None; self.cores];
        self.others = Resume::Continue;
        Ok(())
    }

    fn set_resume_action_continue(&mut self, tid: Tid, _: Option<Signal>) -> Result<(), Lost> {
        self.set_action(tid, Resume::Continue);
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<MultiThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_range_step(&mut self) -> Option<MultiThreadRangeSteppingOps<'_, Self>> {
        Some(self)
    }

    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, Tid, Self>> {
        if self.can_go_back { Some(self) } else { None }
    }

    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, Tid, Self>> {
        if self.can_go_back { Some(self) } else { None }
    }

    fn support_scheduler_locking(&mut self) -> Option<MultiThreadSchedulerLockingOps<'_, Self>> {
        Some(self)
    }
}

impl MultiThreadSingleStep for Client {
    fn set_resume_action_step(&mut self, tid: Tid, _: Option<Signal>) -> Result<(), Lost> {
        self.set_action(tid, Resume::Step(0, 0));
        Ok(())
    }
}

impl MultiThreadRangeStepping for Client {
    fn set_resume_action_range_step(&mut self, tid: Tid, start: u64, end: u64) -> Result<(), Lost> {
        self.set_action(tid, Resume::Step(start, end));
        Ok(())
    }
}

/// Time cannot advance for one core alone. Stops of the others are reported when they are resumed.
impl MultiThreadSchedulerLocking for Client {
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), Lost> {
        self.others = Resume::Background;
        Ok(())
    }
}

impl ReverseCont<Tid> for Client {
    fn reverse_cont(&mut self) -> Result<(), Lost> {
        let actions = vec![Resume::Continue; self.cores];
        self.order(Order::Back(actions))
    }
}

impl ReverseStep<Tid> for Client {
    fn reverse_step(&mut self, tid: Tid) -> Result<(), Lost> {
        // gdb names no thread if all go back, and the library then takes the first: the thread that stopped is meant.
        let tid = if tid == Tid::MIN { self.current } else { tid };
        let mut actions = vec![Resume::Continue; self.cores];
        if let Some(place) = actions.get_mut(core(tid)) {
            *place = Resume::Step(0, 0);
        }
        self.order(Order::Back(actions))
    }
}

impl Breakpoints for Client {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for Client {
    fn add_sw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        self.ask_or_refuse(move |debugged| {
            let instructions = &mut debugged.points().instructions;
            let place = instructions.partition_point(|known| *known < address);
            instructions.insert(place, address);
            Ok(true)
        })
    }

    fn remove_sw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        self.ask_or_refuse(move |debugged| {
            let instructions = &mut debugged.points().instructions;
            let place = instructions.binary_search(&address).ok();
            Ok(place.map(|place| instructions.remove(place)).is_some())
        })
    }
}

impl HwBreakpoint for Client {
    fn add_hw_breakpoint(&mut self, address: u64, kind: usize) -> TargetResult<bool, Self> {
        self.add_sw_breakpoint(address, kind)
    }

    fn remove_hw_breakpoint(&mut self, address: u64, kind: usize) -> TargetResult<bool, Self> {
        self.remove_sw_breakpoint(address, kind)
    }
}

fn watched(address: u64, bytes: u64, kind: WatchKind) -> Watched {
    let (reads, writes) = match kind {
        WatchKind::Read => (true, false),
        WatchKind::Write => (false, true),
        WatchKind::ReadWrite => (true, true),
    };
    Watched { address, bytes, reads, writes }
}

impl HwWatchpoint for Client {
    fn add_hw_watchpoint(&mut self, address: u64, bytes: u64, kind: WatchKind) -> TargetResult<bool, Self> {
        self.ask_or_refuse(move |debugged| {
            debugged.points().data.push(watched(address, bytes, kind));
            Ok(true)
        })
    }

    fn remove_hw_watchpoint(
        &mut self,
        address: u64,
        bytes: u64,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        self.ask_or_refuse(move |debugged| {
            let data = &mut debugged.points().data;
            let place = data.iter().position(|known| *known == watched(address, bytes, kind));
            Ok(place.map(|place| data.remove(place)).is_some())
        })
    }
}

impl MonitorCmd for Client {
    fn handle_monitor_cmd(&mut self, command: &[u8], mut out: ConsoleOutput<'_>) -> Result<(), Lost> {
        let command = String::from_utf8_lossy(command).into_owned();
        let text = self.ask(move |debugged, _| debugged.answer(&command))?;
        for line in text.lines() {
            outputln!(out, "{line}");
        }
        Ok(())
    }
}

impl TargetDescriptionXmlOverride for Client {
    fn target_description_xml(
        &self,
        annex: &[u8],
        offset: u64,
        length: usize,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        if annex != b"target.xml" {
            return Err(TargetError::NonFatal);
        }
        let xml = self.layout.xml.as_bytes();
        let rest = xml.get(usize::try_from(offset).unwrap_or(usize::MAX)..).unwrap_or_default();
        let count = rest.len().min(length).min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

/// Waits for the next event: a report of the run, or a byte from gdb.
pub(super) enum EventLoop {}

impl BlockingEventLoop for EventLoop {
    type Target = Client;
    type Connection = TcpStream;
    type StopReason = MultiThreadStopReason<u64>;

    fn wait_for_stop_reason(
        client: &mut Client,
        connection: &mut TcpStream,
    ) -> Result<Event<Self::StopReason>, WaitForStopReasonError<Lost, std::io::Error>> {
        loop {
            match client.reports.recv_timeout(Duration::from_millis(2)) {
                Ok(report) => return Ok(Event::TargetStopped(client.stop_reason(report))),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(WaitForStopReasonError::Target(Lost::RunEnded));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if connection.peek().map_err(WaitForStopReasonError::Connection)?.is_some() {
                let byte = ConnectionExt::read(connection).map_err(WaitForStopReasonError::Connection)?;
                return Ok(Event::IncomingData(byte));
            }
        }
    }

    fn on_interrupt(client: &mut Client) -> Result<Option<Self::StopReason>, Lost> {
        client.interrupt.store(true, Ordering::Relaxed);
        Ok(None)
    }
}

/// Final result of the connection's thread.
pub(super) type Ending = Arc<Mutex<Option<String>>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_cores_counted_from_one() {
        assert_eq!([0, 1, 5].map(|core| tid(core).get()), [1, 2, 6]);
        assert_eq!([0, 1, 5].map(|number| core(tid(number))), [0, 1, 5]);
    }
}
