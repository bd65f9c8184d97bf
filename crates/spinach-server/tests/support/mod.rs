//! Programs for the machine, compiled for a test.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use spinach_server::boot::Start;
use spinach_server::machine::{Configuration, End, Machine, Outcome};

const COMPILER: &str = "riscv64-linux-gnu-gcc";
const OPTIONS: &[&str] = &[
    "-O2",
    "-Wno-parentheses",
    "-ffreestanding",
    "-nostdlib",
    "-static",
    "-no-pie",
    "-fno-pic",
    "-mcmodel=medany",
    "-Wl,--build-id=none",
    "-Wl,--no-warn-rwx-segments",
];

/// Runs an optional tool; `None` if it is not installed, which is said on the terminal past the test harness.
pub(crate) fn run_optional(command: &mut Command, package: &str) -> Option<Output> {
    match command.output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let tool = command.get_program().to_string_lossy().into_owned();
            let _ = writeln!(io::stderr(), "skipped: {tool} is not installed (Debian package {package})");
            None
        }
        result => Some(result.unwrap()),
    }
}

/// Compiles sources in `tests/programs` to the file `name`; `None` without the compiler.
#[allow(dead_code, reason = "not every program is linked so")]
pub(crate) fn compile(name: &str, sources: &[&str], definitions: &[String]) -> Option<PathBuf> {
    compile_linked(name, "random.ld", sources, definitions)
}

/// The same with a script of the linker.
pub(crate) fn compile_linked(
    name: &str,
    script: &str,
    sources: &[&str],
    definitions: &[String],
) -> Option<PathBuf> {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut command = Command::new(COMPILER);
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs"));
    command
        .args(OPTIONS)
        .arg(format!("-Wl,-T,{script}"))
        .args(definitions)
        .arg("-o")
        .arg(&file)
        .args(sources);
    let output = run_optional(&mut command, "gcc-riscv64-linux-gnu")?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(file)
}

/// A machine about to execute a program.
pub(crate) fn machine(configuration: &Configuration, program: &Path) -> Machine {
    let kernel = std::fs::read(program).unwrap();
    let start = Start { name: "program", kernel, files: &[], arguments: "" };
    Machine::booting(configuration, &start).unwrap()
}

/// Runs until the machine switches itself off; what it printed.
#[allow(dead_code, reason = "not every test prints")]
pub(crate) fn run_to_end(machine: &mut Machine, cycles: u64) -> String {
    let outcome = machine.run(cycles);
    let output = String::from_utf8_lossy(&machine.board.console.output).into_owned();
    assert_eq!(outcome, Outcome::Ended(End::PoweredOff), "printed: {output}");
    output
}
