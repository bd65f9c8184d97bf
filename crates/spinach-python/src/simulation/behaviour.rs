//! Behaviour of a block as a Python object.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use spinach_modules::blocks::{Behaviour, CalledOutputs, CalledValue, GiveBehaviour};
use spinach_modules::values::{Access, Reference, Response};
use spinach_python_macros::guarded;

use super::{Simulation, module_id};
use crate::policy::raise;

#[guarded]
#[pymethods]
impl Simulation {
    /// Gives a block that is called its behaviour: an object with `settle`, `commit`, `save` and `restore`.
    fn give_behaviour(&self, py: Python<'_>, module: usize, behaviour: Py<PyAny>) -> PyResult<()> {
        let mut engine = self.engine()?;
        let id = module_id(py, &engine, module)?;
        engine.ask(id, &mut GiveBehaviour(Some(Box::new(Called(behaviour)))));
        Ok(())
    }
}

struct Called(Py<PyAny>);

impl Called {
    // An exception ends the run, which raises it.
    fn call<R>(&self, act: impl FnOnce(Python<'_>, &Bound<'_, PyAny>) -> PyResult<R>) -> Result<R, String> {
        Python::attach(|py| {
            act(py, self.0.bind(py)).map_err(|error| {
                let reason = error.to_string();
                raise(error);
                reason
            })
        })
    }
}

impl Behaviour for Called {
    fn settle(&mut self) -> Result<CalledOutputs, String> {
        self.call(|_, behaviour| {
            let settled = behaviour.call_method0("settle")?;
            let (presented, accepts, is_idle) =
                settled.extract::<(Vec<Option<Bound<'_, PyAny>>>, Vec<bool>, bool)>()?;
            let presented =
                presented.into_iter().map(|value| value.map(|value| from_python(&value)).transpose());
            Ok(CalledOutputs { presented: presented.collect::<PyResult<_>>()?, accepts, is_idle })
        })
    }

    fn commit(
        &mut self,
        cycle: u64,
        received: Vec<Option<CalledValue>>,
        sent: Vec<bool>,
    ) -> Result<Vec<u64>, String> {
        self.call(|py, behaviour| {
            let received =
                received.into_iter().map(|value| value.map(|value| to_python(py, value)).transpose());
            let received = received.collect::<PyResult<Vec<_>>>()?;
            behaviour.call_method1("commit", (cycle, received, sent))?.extract()
        })
    }

    fn save(&self) -> Result<Vec<u8>, String> {
        // Without `raise`: the error of the checkpoint has the reason.
        Python::attach(|py| {
            let saved = self.0.bind(py).call_method0("save").and_then(|saved| saved.extract::<Vec<u8>>());
            saved.map_err(|error| error.value(py).to_string())
        })
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), String> {
        Python::attach(|py| {
            let restored = self.0.bind(py).call_method1("restore", (PyBytes::new(py, state),));
            restored.map(drop).map_err(|error| error.value(py).to_string())
        })
    }
}

// A frame is bytes and `is_intact`, a word an integer, a response data and `is_fault`, a reference the rest.
fn to_python(py: Python<'_>, value: CalledValue) -> PyResult<Bound<'_, PyAny>> {
    Ok(match value {
        CalledValue::Word(word) => word.into_pyobject(py)?.into_any(),
        CalledValue::Frame { bytes, is_intact } => {
            (PyBytes::new(py, &bytes), is_intact).into_pyobject(py)?.into_any()
        }
        CalledValue::Response(response) => (response.data, response.is_fault).into_pyobject(py)?.into_any(),
        CalledValue::Reference(reference) => {
            let Reference { address, access, size, enables, source, data } = reference;
            (address, access as u8, size, enables, source, data).into_pyobject(py)?.into_any()
        }
    })
}

fn from_python(value: &Bound<'_, PyAny>) -> PyResult<CalledValue> {
    let Ok(parts) = value.cast::<PyTuple>() else { return value.extract().map(CalledValue::Word) };
    if parts.len() == 6 {
        let (address, writes, size, enables, source, data): (u64, u8, u8, u16, u16, u128) =
            parts.extract()?;
        let access = if writes == 0 { Access::Read } else { Access::Write };
        return Ok(CalledValue::Reference(Reference { address, access, size, enables, source, data }));
    }
    let (first, flag): (Bound<'_, PyAny>, bool) = parts.extract()?;
    Ok(match first.cast::<PyBytes>() {
        Ok(bytes) => CalledValue::Frame { bytes: bytes.as_bytes().into(), is_intact: flag },
        Err(_) => CalledValue::Response(Response { data: first.extract()?, is_fault: flag }),
    })
}
