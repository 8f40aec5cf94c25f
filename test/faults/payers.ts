/** Each customer has a wallet with money for three purchases, and can misuse it like any owner. */

import { randomBytes } from 'node:crypto'
import { type Address, generateKeyPairSigner } from '@solana/kit'
import { x402Client } from '@x402/core/client'
import { authorizationTypes } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { type Hex, parseAbi, parseSignature } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { networks } from '../../schemas/tables/networks.ts'
import { evmClient } from '../../services/sandbox/evm-chain.ts'
import type { PlayChain } from '../../services/sandbox/play-chain.ts'
import type { SolanaChain } from '../../services/sandbox/solana-chain.ts'
import { tokenAmount, usdcAccount } from '../../services/sandbox/solana-token.ts'
import { type Challenge, proofOf } from '../services/till/proving.ts'
import { price } from './seller-options.ts'

export interface Payer {
  address: string
  client: x402Client
  /** Signs credentials of MPP. Absent on Solana, where nothing is paid over it. */
  account?: PrivateKeyAccount
  /** Signs a proof that a payment was his. */
  prove(challenge: Challenge): Promise<string>
  /** Spends all of the wallet's money elsewhere. */
  drain(): Promise<void>
  /** Cancels the authorization. Its signer may do so until somebody uses it. */
  cancel(nonce: Hex): Promise<void>
  /** Asks the chain how often this amount went from him to the seller, and how often it came back. */
  paid(amount: bigint): Promise<number>
  returned(amount: bigint): Promise<number>
}

/** The wallets of the seller, and the one that pays back. */
export interface Wallets {
  payees: readonly string[]
  refunder: string
}

const { asset, domain } = networks.base
const abi = parseAbi([
  'function mint(address to, uint256 value) returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])
const signing = {
  domain: { ...domain, chainId: 8453, verifyingContract: asset },
  types: {
    ...authorizationTypes,
    CancelAuthorization: [
      { name: 'authorizer', type: 'address' },
      { name: 'nonce', type: 'bytes32' },
    ],
  },
} as const
const funds = 5n * price

export function basePayers(base: PlayChain, { payees, refunder }: Wallets): () => Promise<Payer> {
  const operator = evmClient('base', base.rpcUrl, 'payTo')
  let last: Promise<unknown> = Promise.resolve()
  /** Sends one transaction after the other, because an account numbers them. */
  const send = (functionName: string, args: readonly unknown[]): Promise<void> => {
    const sent = last.then(async () => {
      const call = { address: asset, abi, functionName, args }
      const hash = await operator.writeContract(call as never)
      await operator.waitForTransactionReceipt({ hash })
    })
    last = sent.catch(() => {})
    return sent
  }

  const moved = async (from: readonly string[], to: readonly string[], amount: bigint): Promise<number> => {
    const args = { from: from as Hex[], to: to as Hex[] }
    const logs = await operator.getLogs({ address: asset, event: abi[3], args, fromBlock: 0n })
    return logs.filter(({ args }) => args.value === amount).length
  }

  return async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    await send('mint', [account.address, funds])
    return {
      address: account.address,
      account,
      client: new x402Client().register(networks.base.caip2, new ExactEvmScheme(account)),
      prove: challenge => proofOf(challenge, account),
      async drain() {
        const message = {
          from: account.address,
          to: asset,
          value: funds,
          validAfter: 0n,
          validBefore: BigInt(Math.floor(Date.now() / 1000) + 3600),
          nonce: `0x${randomBytes(32).toString('hex')}` as Hex,
        }
        const primaryType = 'TransferWithAuthorization'
        const signature = await account.signTypedData({ ...signing, primaryType, message })
        await send('transferWithAuthorization', [...Object.values(message), signature])
      },
      async cancel(nonce) {
        const message = { authorizer: account.address, nonce }
        const primaryType = 'CancelAuthorization'
        const { r, s, yParity } = parseSignature(
          await account.signTypedData({ ...signing, primaryType, message }),
        )
        await send('cancelAuthorization', [account.address, nonce, 27 + yParity, r, s])
      },
      paid: amount => moved([account.address], payees, amount),
      returned: amount => moved([refunder], [account.address], amount),
    }
  }
}

export async function solanaPayer(solana: SolanaChain, rpcUrl: string): Promise<Payer> {
  const signer = await generateKeyPairSigner()
  await solana.hold(signer.address, funds)
  const source = (await usdcAccount(signer.address, solana.mint)) as Address
  /** What each transaction did to his account. */
  const moves = (): bigint[] =>
    solana.landed.flatMap(({ err, accounts, before, after }) => {
      const [was, is] = [before, after].map(held => held[accounts.indexOf(source)]?.token)
      return err === null && was && is ? [tokenAmount(is) - tokenAmount(was)] : []
    })
  return {
    address: signer.address,
    client: new x402Client().register(networks.solana.caip2, new ExactSvmScheme(signer, { rpcUrl })),
    prove: challenge => proofOf(challenge, signer as never),
    drain: () => solana.hold(signer.address, 0n),
    cancel: () => Promise.reject(new Error('nothing can be taken back on Solana')),
    paid: async amount => moves().filter(move => move === -amount).length,
    returned: async amount => moves().filter(move => move === amount).length,
  }
}
