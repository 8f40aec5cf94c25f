/** Pays on Solana. The facilitator, who pays the fee, signs after us. */
import { randomBytes, sign } from 'node:crypto'
import { networks, type SvmNetworkName } from '../../../../schemas/tables/networks.ts'
import type { SvmTrace } from '../../../../schemas/till-promises.ts'
import { sha256 } from '../../../rails/signing/sha256.ts'
import type { PayingWallet, WalletOptions } from '../wallet.ts'
import { openSvmFinder } from './finder.ts'
import { tokenAccount } from './payment.ts'
import { type FeePayer, feePayerOf } from './sponsored.ts'
import { transferMessage } from './transfer-message.ts'

/** As x402's own client has them, with room for the memo. */
const limits = { units: 40_000, microLamports: 1 }
const signatures = 2
const signatureBytes = 64

export function openSvmWallet(network: SvmNetworkName, { key, rpcUrls, now }: WalletOptions): PayingWallet {
  const { asset, caip2, decimals } = networks[network]
  const payer = feePayerOf(key) as FeePayer
  const source = tokenAccount(payer.address, asset)
  const finder = openSvmFinder({ rpcUrls, now })
  return {
    address: payer.address,
    async sign({ payTo, amount, feePayer = '' }) {
      // Then our signature would be the only one, and the fee ours.
      if (feePayer === payer.address) throw new Error('the quote names the wallet itself as the fee payer')
      const blockhash = await finder.recentBlockhash()
      const message = transferMessage({
        ...{ owner: payer.address, feePayer, ...limits, source, mint: asset, decimals, amount, blockhash },
        destination: tokenAccount(payTo, asset),
        // Without it two payments of one price within a block would be one message.
        memo: randomBytes(16).toString('hex'),
      })
      const own = sign(null, message, payer.key)
      // The fee payer's place comes first, and is empty.
      const bytes = [Buffer.of(signatures), Buffer.alloc(signatureBytes), own, message]
      const trace: SvmTrace = { network: caip2, source, message_sha256: sha256(message), blockhash }
      return { trace, payload: { transaction: Buffer.concat(bytes).toString('base64') } }
    },
    find: (trace, sinceMs, tx) => finder.find(trace as SvmTrace, sinceMs, tx),
  }
}
