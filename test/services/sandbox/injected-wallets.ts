/** Wallets as extensions put them into a page: they announce themselves, and sign with the sandbox's play keys. */
import { getBase58Decoder } from '@solana/kit'
import type { Page } from 'playwright-core'
import { privateKeyToAccount } from 'viem/accounts'
import { evmKey, solanaKey } from './running.ts'

interface Asked {
  method: string
  params?: unknown[]
}

/** What the page had the wallets sign. */
export interface Signings {
  typed: Record<string, Record<string, unknown>>[]
  transactions: number
}

/** `refuses`: whoever has the wallet says no. */
export async function injectWallets(
  page: Page,
  refuses: () => boolean | Promise<boolean> = () => false,
): Promise<Signings> {
  const signings: Signings = { typed: [], transactions: 0 }
  const account = privateKeyToAccount(evmKey)
  await page.exposeFunction('askEvm', async ({ method, params }: Asked) => {
    if (method === 'eth_requestAccounts') return [account.address]
    if (method === 'eth_chainId') return '0x2105'
    if (method !== 'eth_signTypedData_v4') throw new Error(`it was asked for ${method}`)
    if (await refuses()) throw new Error('User rejected the request')
    const typed = JSON.parse(String(params?.[1]))
    signings.typed.push(typed)
    return account.signTypedData(typed)
  })
  const secret = Uint8Array.from(JSON.parse(solanaKey) as number[])
  const pair = await solanaPair(secret)
  const address = getBase58Decoder().decode(
    new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey)),
  )
  await page.exposeFunction('askSolana', async (bytes: number[]) => {
    signings.transactions++
    const signed = Uint8Array.from(bytes)
    const signature = await crypto.subtle.sign('Ed25519', pair.privateKey, signed.slice(129))
    // The first signer pays the fee; the second is the payer.
    signed.set(new Uint8Array(signature), 65)
    return [...signed]
  })
  await page.addInitScript(inPage, address)
  return signings
}

async function solanaPair(secret: Uint8Array) {
  const { createKeyPairFromPrivateKeyBytes } = await import('@solana/kit')
  return createKeyPairFromPrivateKeyBytes(secret as never, true)
}

/** Written as text, since it runs in the browser and knows its window. */
const inPage = Function(
  'address',
  `
const info = { uuid: '1', name: 'Play wallet', icon: '', rdns: 'example.play' }
const provider = { request: asked => window.askEvm(asked) }
const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
addEventListener('eip6963:requestProvider', announce)
const account = { address, features: ['solana:signTransaction'], chains: ['solana:mainnet'] }
const wallet = {
  name: 'Play phantom', version: '1.0.0', accounts: [account], chains: ['solana:mainnet'],
  features: {
    'standard:connect': { connect: async () => ({ accounts: [account] }) },
    'solana:signTransaction': {
      signTransaction: async ({ transaction }) => [{ signedTransaction: Uint8Array.from(await window.askSolana([...transaction])) }],
    },
  },
}
const register = api => api.register(wallet)
dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }))
addEventListener('wallet-standard:app-ready', ({ detail }) => register(detail))
`,
) as (address: string) => void
