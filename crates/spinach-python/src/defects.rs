//! Defects of the extension: a panic becomes a `DefectError` that asks for a report.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

use pyo3::prelude::*;
use spinach_python_macros::guarded;

use crate::errors::defect_error;

thread_local! {
    /// Nesting depth of guarded calls in this thread.
    static GUARDED: Cell<u32> = const { Cell::new(0) };
    /// Source place of the last panic of a guarded call on this thread.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Hides panics of guarded calls from standard error: their text goes into the exception instead.
pub(crate) fn install_hook() {
    let ordinary = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |information: &PanicHookInfo<'_>| {
        if GUARDED.get() == 0 {
            ordinary(information);
        } else {
            PLACE.set(information.location().map(ToString::to_string));
        }
    }));
}

/// Carries out a call of Python. A panic in it becomes a `DefectError`; `call` names the function in it.
pub(crate) fn guard<T>(call: &str, action: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    GUARDED.set(GUARDED.get() + 1);
    // State that the action leaves half changed is protected by the locks of its owners, which a panic
    // poisons.
    let outcome = catch_unwind(AssertUnwindSafe(action));
    GUARDED.set(GUARDED.get() - 1);
    outcome.unwrap_or_else(|payload| {
        let place = PLACE.take().unwrap_or_else(|| "an unknown place".to_owned());
        Err(Python::attach(|py| defect_error(py, &text_of(payload.as_ref()), &place, call)))
    })
}

fn text_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a text").replace('\n', "; ")
}

/// Panics with this text, so that tests see a defect from outside.
#[guarded]
#[pyfunction]
pub(crate) fn provoke_defect(text: &str) -> PyResult<()> {
    panic!("{text}")
}
