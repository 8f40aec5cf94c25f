/** A payment that the chain shows and the till has forgotten. */
import { randomBytes } from 'node:crypto'
import { type Signed, signed } from '../till/paying.ts'
import type { StubFacilitator } from '../till/stub-facilitator.ts'

const hourAgo = () => String(Math.floor(Date.now() / 1000) - 3600)

export async function takenLongAgo(facilitator: StubFacilitator): Promise<{ payment: Signed; tx: string }> {
  const [payment, tx] = [await signed({ validBefore: hourAgo() }), `0x${randomBytes(32).toString('hex')}`]
  facilitator.chain = 'truthful'
  facilitator.landed.push({ ...(payment.payload.authorization as never as { nonce: string }), tx } as never)
  return { payment, tx }
}
