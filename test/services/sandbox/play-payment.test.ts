/** The play-money wallet of the pages: it signs the offer of a quote, and says of anything else why not. */
import { expect, it } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import { Failure } from '../../../services/offer/errors.ts'
import type { PlayChain } from '../../../services/sandbox/play-chain.ts'
import { playPayment } from '../../../services/sandbox/play-payment.ts'

const { caip2: network, asset, domain } = networks.base
const offer = {
  ...{ scheme: 'exact', network, asset, amount: '2000', maxTimeoutSeconds: 60, extra: domain },
  payTo: '0x00000000000000000000000000000000000000aa',
}
// A signature for an EVM network needs no chain.
const { page } = playPayment([{ network: 'base' } as PlayChain])
const paid = async (accepted: unknown) => {
  const query = { accepted: JSON.stringify(accepted), resource: 'http://127.0.0.1/fx' }
  return page.answer({ accept: '', path: page.path, query, origins: [] })
}

it('signs an offer, also one that does not tell the domain of the coin', async () => {
  for (const each of [offer, { ...offer, extra: undefined }]) {
    const { payload } = JSON.parse(String((await paid(each)).body))
    expect(payload.authorization.value).toBe('2000')
  }
})

it.each([
  [{ amount: '-2000' }, '"-2000" is not an amount'],
  [{ amount: 'x' }, '"x" is not an amount'],
  [{ amount: 2000 }, '2000 is not an amount'],
  [{ payTo: '0xaa' }, 'payTo is "0xaa", not an address'],
  [{ asset: offer.payTo }, 'is not USDC of base'],
  [{ maxTimeoutSeconds: '60' }, 'maxTimeoutSeconds is "60"'],
  [{ network: 'eip155:1' }, 'should be an offer of a quote'],
])('is a refusal in words: %j', async (changed, words) => {
  const refusal = await paid({ ...offer, ...changed }).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(Failure)
  expect(refusal).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(words) })
})
