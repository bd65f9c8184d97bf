//! A design that is ready to run.

use super::arena::AnyKind;
use super::fusing::{Fusing, fuse};
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
}

/// Elaborates a design with the modules of a library.
///
/// # Errors
/// Every mistake that the first failing pass finds, each with its place and an instruction.
pub fn elaborate(design: &Design, registry: &Registry) -> Result<Elaborated, ElaborationError> {
    let (netlist, instances, layout) = elaborating::elaborate(design, registry)?;
    let fusing = fuse(&netlist, &instances.kinds, registry);
    Ok(Elaborated { netlist, kinds: instances.kinds, signals: instances.signals, layout, fusing })
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
