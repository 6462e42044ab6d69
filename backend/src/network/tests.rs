//! Both networks do what the coordinator and its clients rely on.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::*;

const LOOPBACK: &str = "127.0.0.1:0";

fn listener(network: &Network, address: &str) -> Listener {
    let socket = network.bind(address.parse().unwrap()).unwrap();
    socket.listen(8).unwrap()
}

#[tokio::test]
async fn on_both_networks_bytes_go_both_ways_and_an_end_is_an_end() {
    for network in [Network::Tcp, Network::Memory(MemoryNetwork::default())] {
        let mut listener = listener(&network, LOOPBACK);
        let address = listener.local_addr().unwrap();
        let mut client = network.connect(None, address).await.unwrap();
        let (mut server, peer) = listener.accept().await.unwrap();
        assert_eq!(peer, client.local_addr().unwrap());
        assert_eq!(address, server.local_addr().unwrap());
        client.write_all(b"ask").await.unwrap();
        let mut asked = [0; 3];
        server.read_exact(&mut asked).await.unwrap();
        assert_eq!(server.try_write(b"answer").unwrap(), 6);
        drop(server);
        let mut answered = Vec::new();
        client.read_to_end(&mut answered).await.unwrap();
        assert_eq!((&asked[..], &answered[..]), (&b"ask"[..], &b"answer"[..]));
    }
}

#[tokio::test]
async fn a_client_has_the_host_it_dials_from() {
    let memory = Network::Memory(MemoryNetwork::default());
    let mut cases = vec![(memory, "10.0.3.8")];
    if cfg!(target_os = "linux") {
        cases.push((Network::Tcp, "127.0.7.9"));
    }
    for (network, host) in cases {
        let mut listener = listener(&network, LOOPBACK);
        let host: IpAddr = host.parse().unwrap();
        let address = listener.local_addr().unwrap();
        let _client = network.connect(Some(host), address).await.unwrap();
        let (_server, peer) = listener.accept().await.unwrap();
        assert_eq!(peer.ip(), host);
    }
}

#[tokio::test]
async fn an_address_that_is_held_and_not_listened_on_is_refused_and_free_again_once_let_go() {
    for network in [Network::Tcp, Network::Memory(MemoryNetwork::default())] {
        let mut first = listener(&network, LOOPBACK);
        let address = first.local_addr().unwrap();
        assert!(network.connect(None, address).await.is_ok());
        first.accept().await.unwrap();
        drop(first);
        let held = network.bind(address).unwrap();
        let refused = network.connect(None, address).await.unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
        let mut again = held.listen(8).unwrap();
        assert!(network.connect(None, address).await.is_ok());
        again.accept().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn in_memory_a_host_that_is_not_there_never_answers() {
    let network = Network::Memory(MemoryNetwork::default());
    let _there = listener(&network, "10.0.0.1:9092");
    let dial = |to: &str| network.connect(None, to.parse().unwrap());
    let refused = dial("10.0.0.1:9093").await.unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
    let hour = Duration::from_secs(3600);
    assert!(timeout(hour, dial("10.0.0.2:9092")).await.is_err());
    assert!(network.resolve("10.0.0.2", 1).await.is_ok());
    assert!(network.resolve("broker.example", 1).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn in_memory_a_reader_that_does_not_read_holds_its_writer_up() {
    let network = Network::Memory(MemoryNetwork::default());
    let mut listener = listener(&network, LOOPBACK);
    let mut client = network
        .connect(None, listener.local_addr().unwrap())
        .await
        .unwrap();
    let (mut server, _) = listener.accept().await.unwrap();
    let mut written = 0;
    let full = loop {
        match client.try_write(&[7; 10_000]) {
            Ok(more) => written += more,
            Err(error) => break error,
        }
    };
    assert_eq!(full.kind(), io::ErrorKind::WouldBlock);
    assert!(
        timeout(Duration::from_secs(60), client.write(b"x"))
            .await
            .is_err()
    );
    let mut read = vec![0; written];
    server.read_exact(&mut read).await.unwrap();
    assert_eq!(client.write(b"x").await.unwrap(), 1);
    drop(server);
    assert!(client.try_write(b"x").is_err());
}
