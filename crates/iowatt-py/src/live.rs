//! `volume_needs`, `volume_create`, `volume_check`, `VolumeServer`: live volumes over files and block devices.

use crate::errors::{input_error, internal, plan_error};
use crate::simulate::outcome_dict;
use iowatt_emulate::Emulator;
use iowatt_live::driver::{Beside, Driver, Running, Status};
use iowatt_live::{
    Clients, FileStore, LabelFault, Listener, Options, Recorder, Rows, Store, Volume, VolumeError,
    VolumeSpec, serve,
};
use iowatt_nbd::address::{Address, Server};
use iowatt_sim::{Outcome, Plan, SimError, VirtualPoolResult};
use numpy::IntoPyArray;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Bytes that each store of a volume needs.
#[pyfunction]
pub fn volume_needs(py: Python<'_>, plan_json: &str) -> PyResult<Vec<u64>> {
    Volume::needed_bytes(plan_json).map_err(|error| raised(py, &error, &[]))
}

/// Makes a volume on stores whose content is lost; its bytes.
#[pyfunction]
pub fn volume_create(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    plan_json: String,
    name: String,
    uuid: String,
) -> PyResult<u64> {
    let stores = opened(py, &paths)?;
    let spec = VolumeSpec { name, uuid, plan: plan_json };
    py.detach(|| Volume::create(&spec, &stores)).map_err(|error| raised(py, &error, &paths))
}

/// Checks labels and map of a volume, and repairs what can be repaired; what was found, as JSON.
#[pyfunction]
pub fn volume_check(py: Python<'_>, paths: Vec<PathBuf>) -> PyResult<String> {
    let stores = opened(py, &paths)?;
    let report = py
        .detach(|| Volume::open(&stores).and_then(Volume::check))
        .map_err(|error| raised(py, &error, &paths))?;
    serde_json::to_string(&report).map_err(|error| internal(py, &error.to_string()))
}

/// A volume in service. It serves from its creation until `stop`. Any thread may ask for its state meanwhile.
#[pyclass(frozen)]
pub struct VolumeServer {
    service: Mutex<Option<Service>>,
    /// None once it is stopped: the stores are free then.
    driver: Mutex<Option<Arc<Driver>>>,
    /// How it stood at the stop.
    last: Mutex<Option<Status>>,
    capacity: u64,
    clients: Arc<Clients>,
    /// Where it listens, and its name.
    address: Address,
    uuid: String,
    emulator: Option<Arc<Emulator>>,
    rows: Option<Arc<Rows>>,
    /// Of emulated media, once it is stopped; and for how long it was in service.
    outcome: Mutex<Option<(Outcome, f64)>>,
    started: Instant,
}

struct Service {
    running: Running,
    server: JoinHandle<std::io::Result<()>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl VolumeServer {
    /// Puts the volume on `paths` into service, on the Unix socket `socket` or a port of 127.0.0.1 (0: any). `emulate` is a
    /// plan whose drives pace it; with `record` every request is kept for `take_rows`.
    #[new]
    #[pyo3(signature = (paths, *, socket=None, port=None, threads=8, emulate=None, record=false))]
    fn new(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        socket: Option<PathBuf>,
        port: Option<u16>,
        threads: usize,
        emulate: Option<&str>,
        record: bool,
    ) -> PyResult<Self> {
        let emulator = emulate.map(|plan| emulated(py, plan)).transpose()?;
        let rows = record.then(Arc::<Rows>::default);
        let recorder: Option<Arc<dyn Recorder>> = match (&emulator, &rows) {
            (Some(emulator), _) => Some(Arc::<Emulator>::clone(emulator)),
            (None, Some(rows)) => Some(Arc::<Rows>::clone(rows)),
            (None, None) => None,
        };
        let media = emulator.clone().map(|emulator| emulator as Arc<dyn iowatt_live::Media>);
        let options = Options { threads, beside: Beside { media, recorder }, ..Options::default() };
        let stores = opened(py, &paths)?;
        let (listener, at) = match (socket, port) {
            (Some(path), _) => {
                let listener =
                    UnixListener::bind(&path).map_err(|error| listens(py, &path.display(), &error))?;
                (Listener::Unix(listener), Server::Unix(path))
            }
            (None, port) => {
                let wanted = SocketAddr::from(([127, 0, 0, 1], port.unwrap_or(0)));
                let listener = TcpListener::bind(wanted).map_err(|error| listens(py, &wanted, &error))?;
                let at = listener.local_addr()?;
                (Listener::Tcp(listener), Server::Tcp(at.ip().to_string(), at.port()))
            }
        };
        let started = py.detach(|| {
            let volume = Volume::open(&stores)?;
            if let Some(why) = emulate.and_then(|plan| difference(&volume.label().plan, plan)) {
                return Err(VolumeError::Plan(why));
            }
            let (name, uuid) = (volume.label().name.clone(), volume.label().uuid.clone());
            let running = volume.start(options)?;
            Ok((name, uuid, running))
        });
        let (name, uuid, running) = match started {
            Ok(started) => started,
            Err(error) => {
                if let Server::Unix(path) = &at {
                    let _ = std::fs::remove_file(path);
                }
                return Err(raised(py, &error, &paths));
            }
        };
        let (driver, clients) = (Arc::clone(&running.driver), Arc::new(Clients::default()));
        let served = (Arc::clone(&driver), name.clone(), Arc::clone(&clients));
        let server = std::thread::Builder::new()
            .name("nbd server".into())
            .spawn(move || serve(&served.0, &served.1, &listener, &served.2))?;
        let capacity = driver.capacity_bytes();
        Ok(Self {
            service: Mutex::new(Some(Service { running, server })),
            driver: Mutex::new(Some(driver)),
            last: Mutex::default(),
            capacity,
            clients,
            address: Address { server: at, export: name },
            uuid,
            emulator,
            rows,
            outcome: Mutex::default(),
            started: Instant::now(),
        })
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.address.export
    }

    /// Its identity.
    #[getter]
    fn uuid(&self) -> &str {
        &self.uuid
    }

    /// Its size in bytes.
    #[getter]
    fn capacity_bytes(&self) -> u64 {
        self.capacity
    }

    /// The address that NBD clients take.
    #[getter]
    fn uri(&self) -> String {
        self.address.to_string()
    }

    /// Counts and state, as JSON; of a volume that is stopped, how it stood then.
    fn status(&self, py: Python<'_>) -> PyResult<String> {
        let status = py.detach(|| {
            let serving = lock(&self.driver).clone();
            serving.map(|driver| driver.status()).or_else(|| lock(&self.last).clone())
        });
        let mut status = serde_json::to_value(status).map_err(|error| internal(py, &error.to_string()))?;
        status["clients"] = self.clients.count().into();
        let lateness = self.emulator.as_ref().and_then(|emulator| emulator.lateness());
        status["emulated"] = serde_json::to_value(lateness).unwrap_or_default();
        Ok(status.to_string())
    }

    /// When the recording began, in nanoseconds of Unix time; None where nothing is recorded.
    #[getter]
    fn began_unix_ns(&self) -> Option<u64> {
        self.rows.as_ref().map(|rows| rows.began_unix_ns())
    }

    /// The requests answered since the last call, as columns.
    fn take_rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rows = self.rows.as_ref().map(|rows| rows.take()).unwrap_or_default();
        let columns = PyDict::new(py);
        let longs = |value: fn(&iowatt_live::Row) -> u64| rows.iter().map(value).collect::<Vec<_>>();
        columns.set_item("arrived_ns", longs(|row| row.arrived).into_pyarray(py))?;
        columns.set_item("answered_ns", longs(|row| row.answered).into_pyarray(py))?;
        columns.set_item("offset", longs(|row| row.offset).into_pyarray(py))?;
        columns.set_item("size", longs(|row| row.bytes).into_pyarray(py))?;
        columns.set_item("write", rows.iter().map(|row| row.write).collect::<Vec<_>>().into_pyarray(py))?;
        columns.set_item("ok", rows.iter().map(|row| row.ok).collect::<Vec<_>>().into_pyarray(py))?;
        Ok(columns)
    }

    /// What `simulate` returns, of emulated media, once after `stop`; None else.
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some((outcome, wall_s)) = lock(&self.outcome).take() else { return Ok(None) };
        outcome_dict(py, outcome, wall_s, vec![serde_json::Value::Null]).map(Some)
    }

    /// Disconnects all clients, makes everything durable and marks the volume as stopped in order.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        let stopped = py.detach(|| {
            let Some(Service { running, server }) = lock(&self.service).take() else { return Ok(None) };
            let driver = Arc::clone(&running.driver);
            self.clients.close();
            // A last connection ends the wait for the next one.
            match &self.address.server {
                Server::Unix(path) => drop(UnixStream::connect(path)),
                Server::Tcp(host, port) => drop(TcpStream::connect((host.as_str(), *port))),
            }
            let _ = server.join();
            if let Server::Unix(path) = &self.address.server {
                let _ = std::fs::remove_file(path);
            }
            let outcome = running.stop();
            *lock(&self.last) = Some(driver.status());
            lock(&self.driver).take();
            self.clients.wait_gone(Duration::from_secs(5));
            let results = driver.inspect(VirtualPoolResult::new);
            let emulated = self.emulator.as_ref().map(|emulator| emulator.finish(results));
            outcome.map(|()| emulated)
        });
        let emulated = stopped.map_err(|error| PyOSError::new_err(error.to_string()))?;
        if let Some(outcome) = emulated {
            let outcome = outcome.map_err(|error| emulation_error(py, &error))?;
            *lock(&self.outcome) = Some((outcome, self.started.elapsed().as_secs_f64()));
        }
        Ok(())
    }
}

fn emulated(py: Python<'_>, plan: &str) -> PyResult<Arc<Emulator>> {
    let plan: Plan = serde_json::from_str(plan).map_err(|error| internal(py, &format!("plan: {error}")))?;
    Emulator::new(&plan).map(Arc::new).map_err(|error| emulation_error(py, &error))
}

/// The first difference between a volume's plan and that of the virtual pool whose media are to be emulated.
fn difference(label: &str, plan: &str) -> Option<String> {
    let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
    let (own, emulated) = (parsed(label), parsed(plan)["virtual_pools"][0].take());
    let told = |key: &str, own: &serde_json::Value, other: &serde_json::Value| {
        (own != other).then(|| format!("{key} is {own} in the volume and {other} in the scenario"))
    };
    let of = |scheme: &serde_json::Value| scheme["scheme"].as_object().cloned().unwrap_or_default();
    let (schemes, bytes) = ((of(&own), of(&emulated)), |pool: &serde_json::Value| -> Vec<Option<u64>> {
        let parts = pool["parts"].as_array().cloned().unwrap_or_default();
        parts.iter().map(|part| part["capacity_bytes"].as_u64()).collect()
    });
    let mut keys: Vec<&String> = schemes.0.keys().chain(schemes.1.keys()).collect();
    keys.sort();
    let null = serde_json::Value::Null;
    let at = |scheme: &serde_json::Map<String, serde_json::Value>, key: &str| {
        scheme.get(key).unwrap_or(&null).clone()
    };
    keys.into_iter()
        .find_map(|key| told(&format!("scheme.{key}"), &at(&schemes.0, key), &at(&schemes.1, key)))
        .or_else(|| told("the capacity of the parts", &bytes(&own).into(), &bytes(&emulated).into()))
}

fn emulation_error(py: Python<'_>, error: &SimError) -> PyErr {
    match error {
        SimError::Plan(error) => plan_error(py, error),
        SimError::DataLost { .. } => input_error(py, "data-loss", None, &error.to_string()),
        _ => internal(py, &error.to_string()),
    }
}

fn opened(py: Python<'_>, paths: &[PathBuf]) -> PyResult<Vec<Arc<dyn Store>>> {
    let open = |path: &PathBuf| -> PyResult<Arc<dyn Store>> {
        match FileStore::open(path) {
            Ok(store) => Ok(Arc::new(store)),
            Err(error) => Err(store_error(py, path, &error)),
        }
    };
    paths.iter().map(open).collect()
}

fn store_error(py: Python<'_>, path: &Path, error: &std::io::Error) -> PyErr {
    if error.kind() == std::io::ErrorKind::ResourceBusy {
        let message = "another process uses it, or it is named twice (is the volume in service?)";
        return input_error(py, "in-use", Some(&path.display().to_string()), message);
    }
    let code = match error.kind() {
        std::io::ErrorKind::NotFound => "not-found",
        std::io::ErrorKind::IsADirectory => "wrong-kind",
        _ => "unwritable",
    };
    input_error(py, code, Some(&path.display().to_string()), &error.to_string())
}

fn listens(py: Python<'_>, at: &impl std::fmt::Display, error: &std::io::Error) -> PyErr {
    let code = match error.kind() {
        std::io::ErrorKind::AddrInUse => "in-use",
        std::io::ErrorKind::NotFound => "not-found",
        _ => "unwritable",
    };
    input_error(py, code, Some(&at.to_string()), &error.to_string())
}

/// An error of a volume, at the path of the store that it concerns.
fn raised(py: Python<'_>, error: &VolumeError, paths: &[PathBuf]) -> PyErr {
    let at = |part: usize| paths.get(part).map(|path| path.display().to_string());
    let message = error.to_string();
    match error {
        VolumeError::Plan(_) => input_error(py, "unsupported", at(0).as_deref(), &message),
        VolumeError::Small { part, .. } => input_error(py, "out-of-range", at(*part).as_deref(), &message),
        VolumeError::Label { part, fault: LabelFault::Damaged } => {
            input_error(py, "damaged", at(*part).as_deref(), &message)
        }
        VolumeError::Label { part, .. } => input_error(py, "wrong-format", at(*part).as_deref(), &message),
        VolumeError::Foreign { part, .. } => input_error(py, "conflict", at(*part).as_deref(), &message),
        VolumeError::Map(_) => input_error(py, "damaged", at(0).as_deref(), &message),
        VolumeError::Store { part, .. } => input_error(py, "unreadable", at(*part).as_deref(), &message),
    }
}
