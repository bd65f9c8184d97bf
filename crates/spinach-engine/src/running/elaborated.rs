//! A design that is ready to run.

use super::arena::AnyKind;
use super::fusing::{Fusing, fuse};
use super::islands::{self, Places};
use super::registry::Registry;
use crate::contract::Signals;
use crate::describing::{Design, ElaborationError, Problem};
use crate::elaborating::{self, Layout, Netlist};

/// A design that passed every check, with its modules made and its schedule laid out.
pub struct Elaborated {
    /// The checked and numbered system.
    pub netlist: Netlist,
    pub(crate) kinds: Vec<Box<dyn AnyKind>>,
    pub(crate) signals: Box<Signals>,
    pub(crate) layout: Layout,
    /// Fused schedule that runs in place of the separate modules, if any.
    pub(crate) fusing: Option<Fusing>,
    /// The parts of a design with joints. They have the modules, and `kinds` none.
    pub(crate) islands: Option<(Vec<Elaborated>, Places)>,
}

/// Elaborates a design with the modules of a library.
///
/// # Errors
/// Every mistake that the first failing pass finds, each with its place and an instruction.
pub fn elaborate(design: &Design, registry: &Registry) -> Result<Elaborated, ElaborationError> {
    let Some((design, joints)) = islands::take_joints(design, registry)? else {
        return elaborate_whole(design, registry);
    };
    let (netlist, instances, layout) = elaborating::elaborate(&design, registry)?;
    let signals = instances.signals;
    // Two sets of memories would take twice the room.
    drop(instances.kinds);
    let islands = islands::elaborate(design, &joints, &netlist, registry)?;
    Ok(Elaborated { netlist, kinds: Vec::new(), signals, layout, fusing: None, islands: Some(islands) })
}

/// Elaborates a design without joints.
pub(super) fn elaborate_whole(design: &Design, registry: &Registry) -> Result<Elaborated, ElaborationError> {
    let (netlist, instances, layout) = elaborating::elaborate(design, registry)?;
    let fusing = fuse(&netlist, &instances.kinds, registry);
    let (kinds, signals) = (instances.kinds, instances.signals);
    Ok(Elaborated { netlist, kinds, signals, layout, fusing, islands: None })
}

impl Elaborated {
    /// Report of the pass named `pass`, as text.
    ///
    /// # Errors
    /// If the pass does not exist.
    pub fn dump(&self, pass: &str) -> Result<String, Problem> {
        elaborating::dump(pass, &self.netlist, &self.layout)
    }
}
