// Pays questions with x402's clients for fetch and axios, as their documentation has it, and prints the answers.
import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit'
import { wrapAxiosWithPayment } from '@x402/axios'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import axios from 'axios'
import { privateKeyToAccount } from 'viem/accounts'

const { CLIENT, NETWORK, FAREBOX_URL, FAREBOX_KEY, SOLANA_KEY, FAREBOX_SOLANA_RPC: rpcUrl } = process.env
const payer = new x402Client()
if (NETWORK === 'base') payer.register('eip155:*', new ExactEvmScheme(privateKeyToAccount(FAREBOX_KEY)))
else {
  const signer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(SOLANA_KEY))
  payer.register('solana:*', new ExactSvmScheme(signer, { rpcUrl }))
}

const pay = wrapFetchWithPayment(fetch, payer)
const byFetch = async question => {
  const headers = { 'content-type': 'application/json' }
  const answer = await pay(`${FAREBOX_URL}/fx`, { method: 'POST', headers, body: JSON.stringify(question) })
  return answer.json()
}
const client = wrapAxiosWithPayment(axios.create({ baseURL: FAREBOX_URL }), payer)
const byAxios = async question => (await client.post('/fx', question)).data

for (const question of [
  { from: 'USD', to: 'JPY' },
  { from: 'EUR', to: 'USD' },
])
  console.log(JSON.stringify(await (CLIENT === 'axios' ? byAxios : byFetch)(question)))
