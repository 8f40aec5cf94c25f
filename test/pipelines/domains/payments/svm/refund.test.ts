/** What is looked at on Solana before a refund is sent, on the sandbox's chain behind a node that alters its word. */
import { expect, it, onTestFinished } from 'vitest'
import { tokenAccount } from '../../../../../pipelines/domains/payments/svm/payment.ts'
import { openSvmRefunds } from '../../../../../pipelines/domains/payments/svm/refund.ts'
import { networks } from '../../../../../schemas/tables/networks.ts'
import { startSolanaChain } from '../../../../../services/sandbox/solana-node.ts'
import { paidSale } from '../paid-sale.ts'
import { startNode } from '../rpc-node.ts'

const [ownerAt, amountAt, stateAt] = [32, 64, 108]

it("nothing is made for an account that is closed, frozen, or somebody else's: it would cost a fee with each try", async () => {
  const chain = await startSolanaChain()
  onTestFinished(() => chain.close())
  const { url, state } = await startNode(chain.rpcUrl)
  const refunds = openSvmRefunds({ network: 'solana', rpcUrls: [url], key: chain.refundKey, now: Date.now })
  const sale = { ...(await paidSale(chain)), position: 0 }
  const { payer } = chain
  const prepared = () => refunds.prepare(sale)
  const alter = (owner: string, change: (data: Buffer) => Buffer | null) => {
    state.alter = ({ method, params }, result) => {
      const isIt = String(params[0]) === tokenAccount(owner, networks.solana.asset)
      if (method !== 'getAccountInfo' || !isIt) return result
      const { value } = result as { value: { data: [string, string] } }
      const data = change(Buffer.from(value.data[0], 'base64'))
      return { ...(result as object), value: data && { ...value, data: [data.toString('base64'), 'base64'] } }
    }
  }
  const byte = (at: number, to: number) => (data: Buffer) => data.fill(to, at, at + 1)

  expect(await prepared()).toHaveProperty('message_sha256')
  alter(payer, () => null)
  expect(await prepared()).toEqual({ obstacle: 'no account' })
  alter(payer, byte(ownerAt, 7))
  expect(await prepared()).toEqual({ obstacle: 'no account' })
  alter(payer, byte(stateAt, 2))
  expect(await prepared()).toEqual({ obstacle: 'other' })
  alter(refunds.address, byte(stateAt, 2))
  expect(await prepared()).toEqual({ obstacle: 'other' })
  alter(refunds.address, data => data.fill(0, amountAt, amountAt + 8))
  expect(await prepared()).toEqual({ obstacle: 'balance' })
})
