/** Runs in the browser: finds the wallets that extensions have put into the page, and has one sign a payment. It keeps nothing. */
import { base58, transactionOf } from './try-it-solana.js'

const found = []
let heard = () => {}

const add = wallet => {
  const isKnown = found.some(({ family, name }) => family === wallet.family && name === wallet.name)
  if (isKnown) return
  found.push(wallet)
  heard()
}

/** EIP-6963 names each wallet. An older one stands in window.ethereum alone. */
function findEvm() {
  addEventListener('eip6963:announceProvider', ({ detail: { info, provider } }) =>
    add({ family: 'eip155', name: String(info.name), provider }),
  )
  dispatchEvent(new Event('eip6963:requestProvider'))
  const isAlone = !found.some(({ family }) => family === 'eip155')
  if (window.ethereum?.request && isAlone)
    add({ family: 'eip155', name: 'Wallet of the browser', provider: window.ethereum })
}

/** Wallet Standard: whoever comes first calls the other. */
function findSolana() {
  const api = {
    register: (...wallets) => {
      for (const wallet of wallets)
        if (wallet.features['solana:signTransaction'] && wallet.features['standard:connect'])
          add({ family: 'solana', name: String(wallet.name), wallet })
      return () => {}
    },
  }
  addEventListener('wallet-standard:register-wallet', ({ detail }) => detail(api))
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: api }))
}

/** `listen` hears of each wallet that is found, also later. */
export function findWallets(listen) {
  heard = listen
  findEvm()
  findSolana()
  heard()
}

export const walletsOf = network => found.filter(({ family }) => network.id.startsWith(`${family}:`))

const transferTypes = {
  EIP712Domain: [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ],
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
}

const hex = bytes => `0x${[...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')}`

const isHex = (value, fewest, most) =>
  typeof value === 'string' &&
  value.length <= 2 + 2 * most &&
  value.length >= 2 + 2 * fewest &&
  /^0x([0-9a-f]{2})+$/i.test(value)
/** In bytes. A contract that is a wallet may sign with more than a key does; a longer one fits no header. */
const [shortestSignature, longestSignature] = [64, 4096]

/** Token and domain are the page's own, never those of a quote. A wallet may answer anything. */
async function signEvm({ provider }, { id, asset, domain }, { payTo, amount, maxTimeoutSeconds }) {
  const [from] = await provider.request({ method: 'eth_requestAccounts' })
  if (!isHex(from, 20, 20)) throw new Error('it has shown no account that signs')
  const chainId = Number(id.split(':')[1])
  const at = await provider.request({ method: 'eth_chainId' })
  if (Number(at) !== chainId)
    await provider.request({
      method: 'wallet_switchEthereumChain',
      params: [{ chainId: `0x${chainId.toString(16)}` }],
    })
  const now = Math.floor(Date.now() / 1000)
  const authorization = {
    from,
    to: payTo,
    value: amount,
    validAfter: String(now - 600),
    validBefore: String(now + maxTimeoutSeconds),
    nonce: hex(crypto.getRandomValues(new Uint8Array(32))),
  }
  const typed = {
    types: transferTypes,
    domain: { ...domain, chainId, verifyingContract: asset },
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  }
  const signature = await provider.request({
    method: 'eth_signTypedData_v4',
    params: [from, JSON.stringify(typed)],
  })
  if (!isHex(signature, shortestSignature, longestSignature))
    throw new Error('it gave no signature, so nothing was sent')
  return { signature, authorization }
}

const chains = { '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'solana:mainnet' }

async function signSolana({ wallet }, { id, asset }, { payTo, amount, extra }) {
  const { accounts } = await wallet.features['standard:connect'].connect()
  const account = accounts.find(({ features }) => features.includes('solana:signTransaction'))
  if (!account) throw new Error('it has shown no account that signs')
  const terms = { mint: asset, payTo, amount, feePayer: extra?.feePayer, blockhash: extra?.recentBlockhash }
  const transaction = await transactionOf(account.address, terms)
  const [given] = await wallet.features['solana:signTransaction'].signTransaction({
    ...{ account, transaction },
    chain: chains[id.split(':')[1]] ?? 'solana:devnet',
  })
  if (given?.signedTransaction?.length !== transaction.length)
    throw new Error('it gave no signature, so nothing was sent')
  const signedTransaction = Uint8Array.from(given.signedTransaction)
  const [ofPayer, afterSignatures] = [1 + 64, 1 + 2 * 64]
  const message = bytes => bytes.slice(afterSignatures)
  if (!signedTransaction.slice(ofPayer, afterSignatures).some(Boolean))
    throw new Error('it gave no signature, so nothing was sent')
  if (base58(message(signedTransaction)) !== base58(message(transaction)))
    throw new Error('it has signed something else than was asked')
  return { transaction: btoa(String.fromCharCode(...signedTransaction)) }
}

export const signedBy = (wallet, network, offer) =>
  (wallet.family === 'eip155' ? signEvm : signSolana)(wallet, network, offer)
