//! Drawing beside the server's own work: on blocking threads, and never on more of them than there are cores.

use protocol::{Drawing, RenderPiece};
use render::Renderer;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Draws. Cloning is cheap; all clones share one memory of what was drawn.
#[derive(Debug, Clone)]
pub(crate) struct Drawings {
    renderer: Arc<Renderer>,
    places: Arc<Semaphore>,
}

impl Default for Drawings {
    /// One that has drawn nothing.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { renderer: Arc::default(), places: Arc::new(Semaphore::new(cores)) }
    }
}

impl Drawings {
    /// The drawings of pieces, in their order; none if the server is going down.
    pub(crate) async fn draw(&self, pieces: Vec<RenderPiece>) -> Option<Vec<Drawing>> {
        self.beside(move |renderer| pieces.iter().map(|piece| renderer.draw(piece)).collect()).await
    }

    /// Cancel-safe: a drawing that nobody waits for any more is finished and remembered.
    async fn beside<T: Send + 'static>(
        &self,
        draw: impl FnOnce(&Renderer) -> T + Send + 'static,
    ) -> Option<T> {
        let place = Arc::clone(&self.places).acquire_owned().await.ok()?;
        let renderer = Arc::clone(&self.renderer);
        let work = move || {
            let drawn = draw(&renderer);
            drop(place);
            drawn
        };
        tokio::task::spawn_blocking(work).await.ok()
    }
}
