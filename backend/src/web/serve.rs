//! The page's port: connections accepted up to a bound, each with a deadline on its requests' heads.
//!
//! Written out rather than taken from axum's `serve`, which bounds neither.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use super::impatient::Impatient;
use super::{Site, Web, router};
use crate::limits;

/// After a failed accept (no file descriptor left, say) trying again at once would only spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until `shutdown`, then lets open requests and viewers end for [`limits::HTTP_DRAIN`].
///
/// Viewers end when the hub does.
pub async fn serve(listener: TcpListener, site: Site, shutdown: impl Future<Output = ()>) {
    run(listener, Arc::new(Web::new(site)), shutdown).await;
}

pub(super) async fn run(listener: TcpListener, web: Arc<Web>, shutdown: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(limits::HTTP_CONNECTIONS));
    let viewers = Arc::clone(&web.viewers);
    let router = router(web);
    let (ending, end) = watch::channel(false);
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = shutdown.as_mut() => break,
            accepted = accepted => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                let (router, end) = (router.clone(), end.clone());
                tokio::spawn(async move {
                    converse(stream, router, end).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection to the page's port could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    ending.send_replace(true);
    let ended = async {
        let _all = places.acquire_many(permits(limits::HTTP_CONNECTIONS)).await;
        let _all = viewers.acquire_many(permits(limits::VIEWERS)).await;
    };
    let _late = tokio::time::timeout(limits::HTTP_DRAIN, ended).await;
}

/// One connection, to its end or its upgrade to a WebSocket.
async fn converse(stream: TcpStream, router: Router, end: watch::Receiver<bool>) {
    // Frames are small and must leave at once.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection ended before it was served");
        return;
    }
    let stream = Impatient::new(stream, limits::HTTP_SEND);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits::HTTP_HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = ending(end) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection to the page's port ended");
    }
}

async fn ending(mut end: watch::Receiver<bool>) {
    // An error: the server is gone, which is the same.
    let _ending = end.wait_for(|end| *end).await;
}

fn permits(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
