/** Does the public address lead to a seller that asks for payment to our own wallets? */
import { networks } from '../../schemas/tables/networks.ts'
import { saleConfig, sold } from '../config/config.ts'
import { ask } from './asking.ts'
import { type Diagnosis, type Look, type Patient, reasonOf, says } from './diagnosis.ts'

const say = says('door')

interface Offer {
  network?: unknown
  payTo?: unknown
}

/** Undefined if nothing asks for payment there. */
function offersIn({ status, headers }: Awaited<ReturnType<typeof ask>>): Offer[] | undefined {
  if (status !== 402) return undefined
  try {
    const quote = JSON.parse(Buffer.from(headers.get('payment-required') ?? '', 'base64').toString())
    return Array.isArray(quote?.accepts) ? quote.accepts : undefined
  } catch {
    return undefined
  }
}

export const lookAtDoor: Look = async patient => {
  const { config } = patient
  if (!config.ROLES.includes('query')) return []
  const doors = sold(config).flatMap(({ url, operations: [first] }) =>
    first ? [{ url, path: first.path }] : [],
  )
  const firstAt = new Map(doors.toReversed().map(door => [door.url, door]))
  return Promise.all([...firstAt.values()].map(door => doorOf(patient, door)))
}

async function doorOf(patient: Patient, { url, path }: { url: string; path: string }): Promise<Diagnosis> {
  const { config } = patient
  try {
    const heard = await ask(patient, url + path, { method: 'POST' })
    const offers = offersIn(heard)
    if (!offers) return say('wrong', `${url}${path} answers HTTP ${heard.status}, and asks for no payment`)
    const foreign = saleConfig(config).payTo.filter(
      ({ name, address }) =>
        !offers.some(offer => offer.network === networks[name].caip2 && offer.payTo === address),
    )
    if (foreign.length === 0) return say('well', `${url} asks for payment to our wallets`)
    const names = foreign.map(({ name }) => networks[name].payTo).join(', ')
    // A file of prices may name others for an operation, and a network that nobody settles on leaves the quotes.
    const isWrong = offers.length === saleConfig(config).payTo.length && !config.PRICES && !config.SELL
    return say(isWrong ? 'wrong' : 'watch', `${url}${path} does not ask for payment to ${names}`)
  } catch (error) {
    return say('wrong', `${url} does not answer: ${reasonOf(error)}`)
  }
}
