//! The Python binding: JSON in, NumPy out, GIL released. No logic of its own.
#![allow(missing_docs)] // the Python-facing signatures are documented in `_native.pyi`

mod cache;
mod durability;
mod errors;
mod files;
mod idle;
mod live;
mod policy;
mod policy_trial;
mod replay;
mod replay_run;
mod simulate;
mod stages;
mod trace;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // The first use of NumPy calls into Python, where a signal may raise; the `numpy` crate panics then.
    // Imports are not interrupted.
    module.py().import("numpy")?;
    numpy::dtype::<u8>(module.py());
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    trace::register(module)?;
    module.add_class::<stages::StagesReader>()?;
    module.add_function(wrap_pyfunction!(cache::cache_simulate, module)?)?;
    module.add_function(wrap_pyfunction!(policy::evaluate_policy, module)?)?;
    module.add_class::<policy_trial::PolicyTrial>()?;
    module.add_function(wrap_pyfunction!(policy::policy_foresees, module)?)?;
    module.add_function(wrap_pyfunction!(policy::break_even, module)?)?;
    module.add_function(wrap_pyfunction!(replay::replay_one, module)?)?;
    module.add_function(wrap_pyfunction!(replay::replay_open, module)?)?;
    module.add_function(wrap_pyfunction!(replay_run::replay_run, module)?)?;
    module.add_function(wrap_pyfunction!(replay_run::nbd_export, module)?)?;
    module.add_class::<files::FileSet>()?;
    module.add_function(wrap_pyfunction!(files::file_operations, module)?)?;
    module.add_class::<live::VolumeServer>()?;
    module.add_function(wrap_pyfunction!(live::volume_needs, module)?)?;
    module.add_function(wrap_pyfunction!(live::volume_create, module)?)?;
    module.add_function(wrap_pyfunction!(live::volume_check, module)?)?;
    module.add_function(wrap_pyfunction!(durability::durability, module)?)?;
    module.add_function(wrap_pyfunction!(simulate::simulate, module)?)?;
    Ok(())
}
