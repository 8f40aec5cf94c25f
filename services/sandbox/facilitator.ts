/** An x402 facilitator for the play-money chains: x402's own code behind /supported, /verify and /settle. */
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { toFacilitatorSvmSigner } from '@x402/svm'
import { ExactSvmScheme } from '@x402/svm/exact/facilitator'
import { isEvm, networks } from '../../schemas/tables/networks.ts'
import { evmClient } from './evm-chain.ts'
import { type SandboxPart, solanaSigner } from './keys.ts'
import { json, type Loopback, type LoopbackAnswer, serveLoopback } from './loopback.ts'
import type { PlayChain } from './play-chain.ts'

type Answer = Parameters<typeof serveLoopback>[0]

export const startFacilitator = async (chains: readonly PlayChain[]): Promise<Loopback> =>
  serveLoopback(await facilitating(chains, 'facilitator'))

/** `part`: whose key pays the fees. */
export async function facilitating(chains: readonly PlayChain[], part: SandboxPart): Promise<Answer> {
  const facilitator = new x402Facilitator()
  for (const chain of chains) await register(facilitator, chain, part)
  return ({ method, path, body }) => answer(facilitator, `${method} ${path}`, body)
}

async function register(
  facilitator: x402Facilitator,
  { network, rpcUrl }: PlayChain,
  part: SandboxPart,
): Promise<void> {
  const { caip2 } = networks[network]
  if (isEvm(network)) {
    const client = evmClient(network, rpcUrl, part)
    const writeContract = inTurn(client.writeContract)
    const signer = { ...client, writeContract, address: client.account.address }
    facilitator.register(caip2, new ExactEvmScheme(toFacilitatorEvmSigner(signer as never)))
  } else {
    const signer = toFacilitatorSvmSigner(await solanaSigner(part), { defaultRpcUrl: rpcUrl })
    facilitator.register(caip2, new ExactSvmScheme(signer))
  }
}

/** Sends one transaction after another. An account numbers its transactions, and two at once would use the same number. */
function inTurn<Args extends unknown[], T>(send: (...args: Args) => Promise<T>) {
  let last: Promise<unknown> = Promise.resolve()
  return (...args: Args): Promise<T> => {
    const sent = last.then(() => send(...args))
    last = sent.catch(() => undefined)
    return sent
  }
}

/** x402's facilitator throws on unsupported input. Over HTTP that is the caller's mistake. */
async function answer(facilitator: x402Facilitator, asked: string, body: string): Promise<LoopbackAnswer> {
  if (asked === 'GET /supported') return { body: json(facilitator.getSupported()) }
  if (asked !== 'POST /verify' && asked !== 'POST /settle')
    return { status: 404, body: json({ error: 'not found' }) }
  try {
    const { paymentPayload, paymentRequirements } = JSON.parse(body) as {
      paymentPayload: PaymentPayload
      paymentRequirements: PaymentRequirements
    }
    const result = await (asked === 'POST /verify'
      ? facilitator.verify(paymentPayload, paymentRequirements)
      : facilitator.settle(paymentPayload, paymentRequirements))
    return { body: json(result) }
  } catch (error) {
    return { status: 400, body: json({ error: (error as Error).message }) }
  }
}
