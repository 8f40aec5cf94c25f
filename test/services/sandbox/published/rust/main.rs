//! Pays questions with x402-reqwest, as its documentation has it, and prints the answers.

use std::{env, sync::Arc};

use x402_reqwest::{ReqwestWithPayments, ReqwestWithPaymentsBuild, X402Client};

fn said(name: &str) -> String {
    env::var(name).unwrap()
}

#[cfg(not(feature = "solana"))]
fn paying() -> X402Client<x402_types::scheme::client::FirstMatch> {
    let signer: alloy_signer_local::PrivateKeySigner = said("FAREBOX_KEY").parse().unwrap();
    X402Client::new().register(x402_chain_eip155::V2Eip155ExactClient::new(Arc::new(signer)))
}

#[cfg(feature = "solana")]
fn paying() -> X402Client<x402_types::scheme::client::FirstMatch> {
    let signer = solana_keypair::Keypair::from_base58_string(&said("SOLANA_KEY"));
    let node = solana_client::nonblocking::rpc_client::RpcClient::new(said("FAREBOX_SOLANA_RPC"));
    X402Client::new().register(x402_chain_solana::V2SolanaExactClient::new(Arc::new(signer), Arc::new(node)))
}

#[tokio::main]
async fn main() {
    let http = reqwest::Client::new().with_payments(paying()).build();
    for question in [r#"{"from":"USD","to":"JPY"}"#, r#"{"from":"EUR","to":"USD"}"#] {
        let asked = http
            .post(format!("{}/fx", said("FAREBOX_URL")))
            .header("content-type", "application/json")
            .body(question);
        println!("{}", asked.send().await.unwrap().text().await.unwrap());
    }
}
