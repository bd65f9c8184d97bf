//! The faces that a simulated wire or host shows to the machine it runs on: devices through which Ethernet frames come and go.

mod device;
mod interface;
mod stream;
mod tap;

use std::path::Path;

pub use device::{Face, FaceError, LONGEST_MESSAGE, Sent};

/// Opens the device called `tap:NAME`, `interface:NAME` or `stream:PATH`.
///
/// # Errors
/// If the name is invalid, does not exist, or may not be used.
pub fn open(name: &str) -> Result<Box<dyn Face>, FaceError> {
    let forms = "give tap:NAME, interface:NAME, stream:PATH, or for spinach run simbricks:CONNECTION";
    let refused = || FaceError::new(format!("unknown device {name:?}"), forms);
    let (kind, argument) = name.split_once(':').ok_or_else(refused)?;
    match kind {
        _ if argument.is_empty() => Err(refused()),
        "tap" => Ok(Box::new(tap::Tap::open(argument)?)),
        "interface" => Ok(Box::new(interface::Interface::open(argument)?)),
        "stream" => Ok(Box::new(stream::Stream::open(Path::new(argument))?)),
        "simbricks" => {
            let message = format!("{name} follows its peer, and this run wall time");
            Err(FaceError::new(message, "use spinach run, or spinach attach with --simbricks-pcie"))
        }
        _ => Err(refused()),
    }
}
