/** Two operations of files in one till: whatever the upstream of one does to a crowd, the other sells undisturbed. */
import type { ServerResponse } from 'node:http'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { until } from '../../until.ts'
import { startUpstream } from '../../upstream.ts'
import { openSelling } from '../query/selling.ts'
import { header, signed } from '../till/paying.ts'
import { opened } from './asking.ts'

const crowd = 96
/** Of an operation: eight are asked, and 32 wait. */
const most = 40

async function openShop(slow: (response: ServerResponse) => void) {
  const [bad, good] = [
    await startUpstream((_, response) => slow(response)),
    await startUpstream((_, response) => response.end('1')),
  ]
  const { origin, tools } = await opened(`origin: tides
title: Tides
operations:
  /bad:
    title: An upstream that is no good
    price: 0.002
    question: { nth: { type: integer } }
    from: { http: '${bad.url}/{nth}', within: 20s }
    example: { question: { nth: 1 } }
  /good:
    title: One that is
    price: 0.002
    from: { http: '${good.url}/' }
    example: { question: {} }
`)
  const { operations } = origin
  const shop = await openSelling({ operations, find: tools.find, trustProxy: true })
  /** Each of a crowd has a wallet and an address of his own. */
  const buy = async (path: string, nth: number) => {
    const payment = await signed({}, Date.now(), 'base', privateKeyToAccount(generatePrivateKey()))
    const answer = await shop.ask({
      path,
      body: JSON.stringify(path === '/bad' ? { nth } : {}),
      headers: { 'payment-signature': header(payment), 'x-forwarded-for': `203.0.${nth >> 8}.${nth & 255}` },
    })
    return { status: answer.status, ...((await answer.json()) as { charged?: unknown; error?: string }) }
  }
  return { bad, facilitator: shop.facilitator, buy }
}

const nth = Array.from({ length: crowd }, (_, i) => i)

describe('a crowd at an upstream that', () => {
  it('never answers leaves the till to the other, and those who find no place there pay nothing', async () => {
    const held: ServerResponse[] = []
    const { bad, facilitator, buy } = await openShop(response => void held.push(response))
    const ended: Awaited<ReturnType<typeof buy>>[] = []
    const all = nth.map(async i => void ended.push(await buy('/bad', i)))
    await until(
      () => ended.length === crowd - most && bad.asked.length === 8,
      'the crowd to be in its places',
    )
    for (const { status, error, charged } of ended)
      expect([status, error, charged]).toEqual([502, 'upstream_failed', false])
    for (let i = 0; i < 20; i++) expect(await buy('/good', 1_000 + i)).toMatchObject({ status: 200 })
    expect(ended).toHaveLength(crowd - most)
    expect(facilitator.moved.size).toBe(20)
    await until(() => {
      for (const response of held.splice(0)) response.end('1')
      return ended.length === crowd
    }, 'the others to be served')
    await Promise.all(all)
    expect(ended.filter(({ status }) => status === 200)).toHaveLength(most)
    expect(facilitator.moved.size).toBe(20 + most)
  })

  it('is dead is free for each of them, and the other sells meanwhile', async () => {
    const { bad, facilitator, buy } = await openShop(response => void response.socket?.destroy())
    const ends = Promise.all(nth.map(i => buy('/bad', i)))
    for (let i = 0; i < 20; i++) expect(await buy('/good', 1_000 + i)).toMatchObject({ status: 200 })
    for (const end of await ends) expect(end).toMatchObject({ status: 502, charged: false })
    expect(facilitator.moved.size).toBe(20)
    // After some failures it is left alone.
    expect(bad.asked.length).toBeLessThan(crowd)
  })
})
