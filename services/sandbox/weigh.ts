/** `npm run call -- weigh`: subscribes to the sandbox's shop, shuts and opens it, and shows the events at its webhook. */
import { isEvm, type NetworkName, networks } from '../../schemas/tables/networks.ts'
import { hookUrl, shopUrl } from '../origins/watch/examples.ts'
import { evmAccount, solanaSigner } from './keys.ts'
import type { Note } from './note.ts'
import type { Heard } from './street.ts'

const steps = { stop: '/shut', start: '/open', heard: '/heard' } as const
type Step = keyof typeof steps
export const isStep = (word: string | undefined): word is Step => word !== undefined && word in steps

/** Controls the shop, or shows the events at the webhook. */
export async function weighStep({ street }: Note, step: Step): Promise<void> {
  const response = await fetch(street + steps[step], { method: 'POST' })
  const heard = (await response.json()) as Heard[]
  if (step !== 'heard') {
    console.log(step === 'stop' ? `${shopUrl} is shut` : `${shopUrl} is open`)
    return
  }
  for (const { at, status, headers, body } of heard) {
    const { type, data } = JSON.parse(body) as { type: string; data: object }
    console.log(`${at} ${headers['webhook-id']} ${type} (answered ${status})\n${JSON.stringify(data)}`)
  }
}

/** The question for /weigh/subscribe: a message with the signature of the shop's wallet. */
export async function signedMessage(
  { url }: Pick<Note, 'url'>,
  network: NetworkName,
): Promise<{ message: string; signature: string }> {
  const payee = isEvm(network) ? evmAccount('payTo').address : (await solanaSigner('payTo')).address
  const response = await fetch(`${url}/weigh/prepare`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: shopUrl, webhookUrl: hookUrl, payee }),
  })
  const { message, error } = (await response.json()) as { message?: string; error?: string }
  if (message === undefined) throw new Error(`${networks[network].title}: ${error}`)
  return { message, signature: await signatureOf(message, network) }
}

async function signatureOf(message: string, network: NetworkName): Promise<string> {
  if (isEvm(network)) return evmAccount('payTo').signMessage({ message })
  const signer = await solanaSigner('payTo')
  const [signed] = await signer.signMessages([{ content: new TextEncoder().encode(message), signatures: {} }])
  return Buffer.from(signed?.[signer.address] ?? []).toString('base64')
}
