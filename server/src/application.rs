//! The composition root: the only place where the concrete parts meet. The binary and the tests use the same door:
//! [`Application::build`], then [`Application::run_until_stopped`].

mod workshop;

use crate::accept;
use crate::assets::Assets;
use crate::auth::Auth;
use crate::auth::configured::{self, Unprotected};
use crate::auth::store::Logins;
use crate::backend::EngineBackend;
use crate::config::{AgentConfig, Config, DEFAULT_AGENT, ListenConfig};
use crate::drawings::Drawings;
use crate::guard::Guard;
use crate::http::metrics;
use crate::instances::{InstanceError, Instances};
use crate::models::Models;
use crate::router;
use crate::ssr::{self, Pages};
use crate::state::AppState;
use crate::tool_servers::ToolServers;
use app::Boot;
use axum::Router;
use db::{Clock, DataDir, DataDirLock, Database, DbError, SystemClock, UuidSource};
use model::ModelError;
use protocol::limits;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use think::World;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use workshop::Workshop;

/// The instance that the page opens.
const PAGE_INSTANCE: &str = "default";
const HEAD_MAX: Duration = Duration::from_millis(limits::REQUEST_HEAD_MS);
const GRACE: Duration = Duration::from_millis(limits::SHUTDOWN_GRACE_MS);

/// A server that listens and does not serve yet.
pub struct Application {
    address: SocketAddr,
    listener: TcpListener,
    router: Router,
    state: AppState,
    server_file: Database,
    tool_servers: ToolServers,
    /// Keeps other servers away from the data until this one is gone.
    _lock: DataDirLock,
}

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The data folder or a file in it.
    #[error(transparent)]
    Data(#[from] DbError),
    /// A provider's address.
    #[error(transparent)]
    Models(#[from] ModelError),
    /// The address or the password.
    #[error(transparent)]
    Unprotected(#[from] Unprotected),
    /// The address.
    #[error("{}", cannot_listen(*address, source))]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Application {
    /// Takes the data folder, opens the files, and listens; nothing is answered before
    /// [`Application::run_until_stopped`].
    ///
    /// # Errors
    /// [`StartError`], each with a text that names the file or address and, where there is one, the way out.
    pub async fn build(config: Config) -> Result<Self, StartError> {
        let lock = DataDir::lock(&config.data.folder)?;
        let server_file = Database::open(&config.data.server_file()).await?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let logins = Logins::new(server_file.clone());
        configured::take_over(config.password.as_ref(), &logins, &*clock).await?;
        configured::check(config.listen.addr, &logins).await?;
        let listener = listen(&config.listen).await?;
        let address = listener
            .local_addr()
            .map_err(|source| StartError::Listen { address: config.listen.addr, source })?;
        let models = Arc::new(Models::new(&config.models, &clock)?);
        models.settle().await;
        let world = World { clock, ids: Arc::new(UuidSource) };
        let sources = (Arc::clone(&world.clock), Arc::clone(&world.ids));
        let auth = Auth::new(logins, sources, (address, &config.listen.base_path));
        ssr::start_reactive_system();
        let tool_servers = ToolServers::start(&config);
        let state = assemble(&config, &models, (world, auth), &tool_servers);
        open_page_instance(&state, &config).await?;
        open_scheduled_instances(&state, &config).await;
        let guard = Guard::new(&config.listen, address);
        let router = router::router(state.clone(), guard, &config.listen.base_path);
        Ok(Self { address, listener, router, state, server_file, tool_servers, _lock: lock })
    }

    /// Where it listens; with port 0 configured, the port it was given.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Cancel this to begin the orderly end.
    pub fn stopper(&self) -> CancellationToken {
        self.state.stopping.clone()
    }

    /// Serves until it is told to stop, then ends in order: no new requests; turns stopped, what had arrived kept;
    /// sockets closed with 1012; files closed. All this within [`limits::SHUTDOWN_GRACE_MS`].
    ///
    /// # Errors
    /// None at present: a listener that gives no connections is asked again.
    pub async fn run_until_stopped(self) -> std::io::Result<()> {
        let Self { listener, router, state, server_file, tool_servers, .. } = self;
        let limits = (HEAD_MAX, state.room.connections);
        let server = accept::serve(listener, router, state.stopping.clone(), limits);
        let stopped = async {
            tokio::select! {
                () = state.instances.keep(state.instances.idle()) => {}
                () = models_are_found(&state) => {}
                () = state.auth.look_after() => {}
                () = state.stopping.cancelled() => {}
            }
            state.instances.shutdown().await;
            tool_servers.stop().await;
            state.sockets.close();
            state.sockets.wait().await;
        };
        let late = async {
            state.stopping.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        tokio::select! {
            _ = futures::future::join(server, stopped) => {}
            () = late => tracing::warn!("some connections did not end in time and are dropped"),
        }
        if let Err(error) = server_file.close().await {
            tracing::warn!("a file was not closed in good order: {error}");
        }
        tracing::info!("stopped");
        Ok(())
    }
}

/// Looks for a model for as long as there is none; never returns.
async fn models_are_found(state: &AppState) {
    state.models.keep_looking(&*state.pages.clock).await;
    std::future::pending().await
}

fn assemble(
    config: &Config,
    models: &Arc<Models>,
    (world, auth): (World, Auth),
    tool_servers: &ToolServers,
) -> AppState {
    let clock = Arc::clone(&world.clock);
    let workshop = Workshop { config, models, tool_servers, clock: &clock };
    let specs = config.agents.iter().map(|agent| workshop.spec(agent)).collect();
    let instances = Arc::new(Instances::new(specs, config.data.clone(), world));
    let agent = page_agent(config);
    let model =
        agent.and_then(|agent| agent.model.clone()).unwrap_or_else(|| models.default_alias().to_owned());
    let agent = agent.map(|agent| agent.name.clone()).unwrap_or_default();
    let pages = Pages {
        options: config.site.leptos_options(),
        backend: Arc::new(EngineBackend::new(
            Arc::clone(&instances),
            agent.clone(),
            PAGE_INSTANCE,
            Handle::current(),
        )),
        boot: Boot {
            agent,
            instance: PAGE_INSTANCE.to_owned(),
            endpoint: models.endpoint(),
            ..Boot::new(&*config.listen.base_path, model, 0)
        },
        settled: {
            let models = Arc::clone(models);
            Arc::new(move |name| think::ModelSource::settled(&*models, name))
        },
        clock,
        reload_port: config.site.reload_port,
        makers: ssr::makers(),
    };
    AppState {
        auth: Arc::new(auth),
        instances,
        models: Arc::clone(models),
        pages: Arc::new(pages),
        drawings: Drawings::default(),
        assets: Arc::new(Assets::new(&config.site)),
        sockets: TaskTracker::new(),
        room: crate::open_files::make_room(),
        stopping: CancellationToken::new(),
        recorder: metrics::start(),
    }
}

/// The agent of the page: [`DEFAULT_AGENT`] if there is one, else the first by name.
fn page_agent(config: &Config) -> Option<&AgentConfig> {
    config.agents.iter().find(|agent| agent.name == DEFAULT_AGENT).or_else(|| config.agents.first())
}

/// Opens what the page will ask for, so that interrupted turns are put in order before anybody looks. A file of a
/// newer version ends the start: the whole data folder is most likely newer. Anything else is told and left for
/// whoever asks for that instance; others are not affected.
async fn open_page_instance(state: &AppState, config: &Config) -> Result<(), DbError> {
    let Some(agent) = page_agent(config) else { return Ok(()) };
    match state.instances.engine(&agent.name, PAGE_INSTANCE).await {
        Ok(_) => Ok(()),
        Err(InstanceError::File(error @ DbError::Newer { .. })) => Err(error),
        Err(error) => {
            tracing::error!(agent = %agent.name, "the page's agent cannot be used: {error}");
            Ok(())
        }
    }
}

/// Opens the instance of each agent that has something to do by itself.
async fn open_scheduled_instances(state: &AppState, config: &Config) {
    for agent in config.agents.iter().filter(|agent| !agent.schedules.is_empty()) {
        if let Err(error) = state.instances.engine(&agent.name, PAGE_INSTANCE).await {
            tracing::error!(agent = %agent.name, "the agent's schedules cannot be kept: {error}");
        }
    }
}

async fn listen(listen: &ListenConfig) -> Result<TcpListener, StartError> {
    let address = listen.addr;
    TcpListener::bind(address).await.map_err(|source| StartError::Listen { address, source })
}

fn cannot_listen(address: SocketAddr, source: &std::io::Error) -> String {
    if source.kind() == std::io::ErrorKind::AddrInUse {
        return format!(
            "{address} is in use by another program; stop it, or choose another address with BOUGH_ADDR"
        );
    }
    format!("cannot listen at {address}: {source}")
}
