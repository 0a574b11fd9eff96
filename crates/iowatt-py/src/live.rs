//! `volume_needs`, `volume_create`, `volume_check`, `VolumeServer`: live volumes over files and block devices.

use crate::errors::{input_error, internal};
use iowatt_live::driver::Driver;
use iowatt_live::driver::Running;
use iowatt_live::{
    Clients, FileStore, LabelFault, Listener, Options, Store, Volume, VolumeError, VolumeSpec, serve,
};
use iowatt_nbd::address::{Address, Server};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

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

/// A volume in service. It serves from its creation until `stop`.
#[pyclass]
pub struct VolumeServer {
    running: Option<Running>,
    /// None once it is stopped: the stores are free then.
    driver: Option<Arc<Driver>>,
    capacity: u64,
    clients: Arc<Clients>,
    server: Option<JoinHandle<std::io::Result<()>>>,
    /// Where it listens, and its name.
    address: Address,
    uuid: String,
}

#[pymethods]
impl VolumeServer {
    /// Puts the volume on `paths` into service, on the Unix socket `socket` or a port of 127.0.0.1 (0: any).
    #[new]
    #[pyo3(signature = (paths, *, socket=None, port=None, threads=8))]
    fn new(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        socket: Option<PathBuf>,
        port: Option<u16>,
        threads: usize,
    ) -> PyResult<Self> {
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
            let (name, uuid) = (volume.label().name.clone(), volume.label().uuid.clone());
            let running = volume.start(Options { threads, ..Options::default() })?;
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
            running: Some(running),
            driver: Some(driver),
            capacity,
            clients,
            server: Some(server),
            address: Address { server: at, export: name },
            uuid,
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

    /// Counts and state, as JSON.
    fn status(&self, py: Python<'_>) -> PyResult<String> {
        let driver = self.driver.as_ref().ok_or_else(|| PyValueError::new_err("the volume is stopped"))?;
        let status = py.detach(|| driver.status());
        let mut status = serde_json::to_value(status).map_err(|error| internal(py, &error.to_string()))?;
        status["clients"] = self.clients.count().into();
        Ok(status.to_string())
    }

    /// Disconnects all clients, makes everything durable and marks the volume as stopped in order.
    fn stop(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some(running) = self.running.take() else { return Ok(()) };
        let server = self.server.take();
        self.driver = None;
        py.detach(|| {
            self.clients.close();
            // A last connection ends the wait for the next one.
            match &self.address.server {
                Server::Unix(path) => drop(UnixStream::connect(path)),
                Server::Tcp(host, port) => drop(TcpStream::connect((host.as_str(), *port))),
            }
            if let Some(server) = server {
                let _ = server.join();
            }
            if let Server::Unix(path) = &self.address.server {
                let _ = std::fs::remove_file(path);
            }
            let outcome = running.stop();
            self.clients.wait_gone(Duration::from_secs(5));
            outcome
        })
        .map_err(|error| PyOSError::new_err(error.to_string()))
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
    let code = match error.kind() {
        std::io::ErrorKind::ResourceBusy => "in-use",
        std::io::ErrorKind::NotFound => "not-found",
        std::io::ErrorKind::IsADirectory => "wrong-kind",
        _ => "unwritable",
    };
    input_error(py, code, Some(&path.display().to_string()), &error.to_string())
}

fn listens(py: Python<'_>, at: &impl std::fmt::Display, error: &std::io::Error) -> PyErr {
    let code = if error.kind() == std::io::ErrorKind::AddrInUse { "in-use" } else { "unwritable" };
    input_error(py, code, Some(&at.to_string()), &error.to_string())
}

/// An error of a volume, at the path of the store that it concerns.
fn raised(py: Python<'_>, error: &VolumeError, paths: &[PathBuf]) -> PyErr {
    let at = |part: usize| paths.get(part).map(|path| path.display().to_string());
    let message = error.to_string();
    match error {
        VolumeError::Plan(_) => input_error(py, "unsupported", None, &message),
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
