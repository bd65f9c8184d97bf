//! Helpers that several tests share.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Output};

/// Runs an optional tool on a file made for it; `None` if the tool is not installed, which is said on the
/// terminal past the test harness.
pub(crate) fn run_optional_tool(
    (tool, package): (&str, &str),
    arguments: &[&str],
    (file, content): (&str, &[u8]),
) -> io::Result<Option<Output>> {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(file);
    std::fs::write(&path, content)?;
    // QEMU refuses a program that is not executable, without a word.
    #[cfg(unix)]
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    match Command::new(tool).args(arguments).arg(&path).output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            writeln!(io::stderr(), "skipped: {tool} is not installed (Debian package {package})")?;
            Ok(None)
        }
        result => result.map(Some),
    }
}

/// A small generator of reproducible numbers (SplitMix64), so that a failure names its seed.
pub(crate) struct Random(pub u64);

impl Random {
    /// 32 uniform bits.
    pub(crate) fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> 32) as u32
    }

    /// Uniform below `limit`.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(limit)) >> 32) as u32
    }
}
