//! The example of RFC 7677, a server of our own for SHA-512, and servers that are not what they should be.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::{Hash, ScramExchange, ScramFault, ScramUser};
use crate::limits;
use crate::secret::Secret;

fn user(hash: Hash, name: &str) -> ScramUser {
    ScramUser::new(hash, name.to_owned(), Secret::new("pencil".to_owned()), false)
}

const FIRST: &str = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";

/// The exchange of RFC 7677, section 3, up to the server's last message.
fn rfc_7677() -> ScramExchange {
    let mut exchange = ScramExchange::new(user(Hash::Sha256, "user"), "rOprNGfwEbeRWgbNEkqO".to_owned());
    assert_eq!(exchange.first(), "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
    let last = exchange.next(FIRST.as_bytes()).unwrap().unwrap();
    assert_eq!(
        last,
        "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,\
         p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
    );
    exchange
}

#[test]
fn the_example_of_rfc_7677_is_played_to_its_end() {
    let mut exchange = rfc_7677();
    let end = exchange.next(b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    assert_eq!(end, Ok(None));
    assert_eq!(exchange.next(b"v=x"), Err(ScramFault::Over));
}

#[test]
fn a_server_that_does_not_know_the_password_is_found_out() {
    let forged = BASE64.encode([7; 32]);
    for (message, fault) in [
        (format!("v={forged}"), ScramFault::FalseServer),
        ("v=".to_owned(), ScramFault::FalseServer),
        (
            "e=other-error\u{1b}".to_owned(),
            ScramFault::Refused("other-error\\u{1b}".to_owned()),
        ),
        ("v=!".to_owned(), ScramFault::Unreadable("last")),
        (String::new(), ScramFault::Unreadable("last")),
    ] {
        assert_eq!(rfc_7677().next(message.as_bytes()), Err(fault), "{message}");
    }
}

#[test]
fn sha_512_agrees_with_a_server_that_works_it_out_itself() {
    use ring::{hmac, pbkdf2};
    let mut exchange = ScramExchange::new(user(Hash::Sha512, "a=b,c"), "mine".to_owned());
    assert_eq!(exchange.first(), "n,,n=a=3Db=2Cc,r=mine");
    let first = format!("r=mineyours,s={},i=8192", BASE64.encode(b"salt"));
    let last = exchange.next(first.as_bytes()).unwrap().unwrap();

    let mut salted = [0; 64];
    let count = std::num::NonZeroU32::new(8192).unwrap();
    pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA512, count, b"salt", b"pencil", &mut salted);
    let sign = |key: &[u8], text: &[u8]| hmac::sign(&hmac::Key::new(hmac::HMAC_SHA512, key), text);
    let signed = format!("n=a=3Db=2Cc,r=mine,{first},c=biws,r=mineyours");
    // The server keeps only the hash of the client's key; the proof must give that key.
    let (without_proof, proof) = last.split_once(",p=").unwrap();
    assert_eq!(without_proof, "c=biws,r=mineyours");
    let client_key = sign(&salted, b"Client Key");
    let stored = ring::digest::digest(&ring::digest::SHA512, client_key.as_ref());
    let signature = sign(stored.as_ref(), signed.as_bytes());
    let proof = BASE64.decode(proof).unwrap();
    let given: Vec<u8> = proof.iter().zip(signature.as_ref()).map(|(a, b)| a ^ b).collect();
    assert_eq!(given, client_key.as_ref());

    let server_key = sign(&salted, b"Server Key");
    let signature = sign(server_key.as_ref(), signed.as_bytes());
    let end = exchange.next(format!("v={}", BASE64.encode(signature.as_ref())).as_bytes());
    assert_eq!(end, Ok(None));
}

#[test]
fn a_delegation_token_says_that_it_is_one() {
    let token = ScramUser::new(
        Hash::Sha256,
        "id".to_owned(),
        Secret::new("hmac".to_owned()),
        true,
    );
    let exchange = ScramExchange::new(token, "x".to_owned());
    assert_eq!(exchange.first(), "n,,n=id,r=x,tokenauth=true");
}

#[test]
fn a_first_message_that_is_not_fair_is_refused() {
    let cases = [
        (
            "r=otherNonce,s=c2FsdA==,i=4096".to_owned(),
            ScramFault::ForeignNonce,
        ),
        ("r=mine,s=c2FsdA==,i=4096".to_owned(), ScramFault::ForeignNonce),
        (
            "r=mineX,s=c2FsdA==,i=4095".to_owned(),
            ScramFault::Iterations(4095),
        ),
        ("r=mineX,s=c2FsdA==,i=0".to_owned(), ScramFault::Iterations(0)),
        (
            format!("r=mineX,s=c2FsdA==,i={}", limits::SCRAM_ITERATIONS + 1),
            ScramFault::Iterations(limits::SCRAM_ITERATIONS + 1),
        ),
        ("r=mineX,s=!,i=4096".to_owned(), ScramFault::Unreadable("first")),
        ("r=mineX,i=4096".to_owned(), ScramFault::Unreadable("first")),
        (
            "m=x,r=mineX,s=c2FsdA==,i=4096".to_owned(),
            ScramFault::Unreadable("first"),
        ),
        (
            "e=unknown-user".to_owned(),
            ScramFault::Refused("unknown-user".to_owned()),
        ),
    ];
    for (message, fault) in cases {
        let mut exchange = ScramExchange::new(user(Hash::Sha256, "user"), "mine".to_owned());
        assert_eq!(exchange.next(message.as_bytes()), Err(fault), "{message}");
    }
}

#[test]
fn nothing_that_a_server_says_makes_it_panic() {
    proptest::proptest!(|(first: Vec<u8>, second: Vec<u8>)| {
        let mut exchange = ScramExchange::new(user(Hash::Sha256, "user"), "mine".to_owned());
        let _either = exchange.next(&first);
        let _either = exchange.next(&second);
        let mut exchange = rfc_7677();
        let _either = exchange.next(&second);
    });
}

#[test]
fn an_exchange_prints_no_secret() {
    let printed = format!("{:?}", rfc_7677());
    assert!(!printed.contains("pencil"), "{printed}");
}
