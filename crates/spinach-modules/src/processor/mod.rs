//! Processor cores and the parts they are made of.
//!
//! All cores have the same ports: an initiator of the memory protocol for instructions (`fetch`), one for data (`data`) and
//! an input for commands from outside (`control`). They execute the same programs with the same architectural results;
//! what differs is how they spend their cycles. The functional and the pipelined core execute any instruction set of
//! `spinach-isa`, chosen by a parameter; the core composed of stages (`composed_core`) and the VLIW core (`vliw_core`), which has
//! several lanes of both ports and executes programs that were scheduled for it, execute one.

pub mod accounts;
mod calls;
mod composed_core;
pub mod control;
mod data_port;
pub mod debugging;
mod decoded;
mod delays;
mod event_flags;
mod event_queue;
mod event_unit;
mod form;
mod functional_core;
pub mod history;
mod interrupt_controller;
pub mod interrupts;
mod pipelined_core;
mod prefix_matcher;
pub mod profile;
pub mod program;
pub mod report;
mod settings;
pub mod stop;
mod tally;
mod timer;
mod uart;
mod vliw_core;

pub use composed_core::{Alu, FetchUnit, InstructionDecoder, LoadStoreUnit, SystemControl};
pub use event_flags::EventFlags;
pub use event_queue::EventQueue;
pub use event_unit::EventUnit;
pub use functional_core::FunctionalCore;
pub use interrupt_controller::InterruptController;
pub use pipelined_core::PipelinedCore;
use pipelined_core::{CachedCore, FetchingCore, FlatCore, MappedCore, MovingCore, PrivateCore};
pub use prefix_matcher::PrefixMatcher;
pub use tally::Tally;
pub use timer::Timer;
pub use uart::Uart;
pub use vliw_core::VliwCore;

use spinach_engine::Registry;
use spinach_isa::architecture::Architecture;
use spinach_isa::registered::{Classic, NAMES, Visitor, visit};

use crate::parts::numbers::Numbers;

/// Adds the cores that execute one instruction set.
struct Cores<'a>(&'a mut Registry);

impl Visitor for Cores<'_> {
    type Output = ();

    fn visit<A: Architecture>(self) {
        self.0.register_choice::<FunctionalCore<A>>("instruction_set", A::NAME);
        self.0.register_choice::<PipelinedCore<A>>("instruction_set", A::NAME);
        self.0.register_fusion::<CachedCore<A>>();
        self.0.register_fusion::<FlatCore<A>>();
        self.0.register_fusion::<MovingCore<A>>();
        self.0.register_fusion::<MappedCore<A>>();
        self.0.register_fusion::<FetchingCore<A>>();
        self.0.register_fusion::<PrivateCore<A>>();
    }
}

/// The numbers that compositions of cores share with the library.
pub(crate) const NUMBERS: [(&str, Numbers); 3] = [
    ("control_field", composed_core::CONTROL_FIELDS),
    ("control_system", composed_core::SYSTEM_OPERATIONS),
    ("control_kind", composed_core::CONTROL_KINDS),
];

pub(crate) fn register(registry: &mut Registry) {
    for name in NAMES {
        visit(name, Cores(registry));
    }
    registry.register::<Alu>();
    registry.register::<EventFlags>();
    registry.register::<EventQueue>();
    registry.register::<EventUnit>();
    registry.register::<PrefixMatcher>();
    registry.register::<FetchUnit>();
    registry.register::<InterruptController>();
    registry.register::<LoadStoreUnit>();
    registry.register_choice::<InstructionDecoder>("instruction_set", Classic::NAME);
    registry.register::<SystemControl>();
    registry.register::<Tally>();
    registry.register::<Timer>();
    registry.register::<Uart>();
    registry.register_choice::<VliwCore<Classic>>("instruction_set", Classic::NAME);
}
