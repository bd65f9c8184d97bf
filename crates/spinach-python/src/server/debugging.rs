//! A debugger's client holds a server.

use pyo3::prelude::*;
use spinach_observe::debugger::ServerDebugger;
use spinach_python_macros::guarded;

use super::{Running, Server};
use crate::errors::spinach_error;

#[guarded]
#[pymethods]
impl Server {
    /// Waits at `address`, as `127.0.0.1:1234`, for a client that debugs the harts of a server, which are functional. From now on `run` runs only
    /// when the client lets it. Returns where it waits.
    #[pyo3(signature = (address, node=0))]
    fn listen(&self, py: Python<'_>, address: &str, node: usize) -> PyResult<String> {
        let mut running = self.running();
        let debugger = ServerDebugger::listen(&mut running.network, node, address).map_err(|reason| {
            let help = "debug functional cores, at an address of this machine that is free";
            spinach_error(py, format!("cannot wait for a debugger: {reason}"), help)
        })?;
        let address = debugger.address().to_string();
        running.debugger = Some(debugger);
        Ok(address)
    }

    /// Reports the end of the run to the client, with an exit code; returns the reason if the connection broke. Nothing without a
    /// client.
    fn finish_debugging(&self, py: Python<'_>, code: u8) -> Option<String> {
        py.detach(|| {
            let mut running = self.running();
            let Running { network, debugger, .. } = &mut *running;
            debugger.take().and_then(|mut debugger| debugger.finish(network, code))
        })
    }
}
