/** A proof without a key's signature waits for a node, because a contract may have signed it. A key's proof waits for nothing. */
import http from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { readSignedIn } from '../../../services/till/sale/proof.ts'
import { until } from '../../until.ts'
import { signed } from './paying.ts'
import { challengeOf, proofOf } from './proving.ts'
import { type Bench, failure, openBench, options } from './tills.ts'

/** Opens a node that holds its answer back until the test releases it. */
async function openHeld(bench: Bench) {
  const held: http.ServerResponse[] = []
  const server = http.createServer((_request, response) => void held.push(response))
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  const release = () => {
    for (const response of held.splice(0)) response.writeHead(503).end()
  }
  onTestFinished(() => {
    release()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  const { config } = options(bench.log, bench.facilitator.url)
  const rpcUrls = { ...config.rpcUrls, base: [`http://127.0.0.1:${port}/`] }
  await bench.restart({ config: { ...config, rpcUrls } })
  return { held, release }
}

it('sixteen forged proofs keep no key out, and one caller has two places', async () => {
  const bench = await openBench()
  const { held, release } = await openHeld(bench)
  const [theirs, mine] = [await signed(), await signed()]
  for (const payment of [theirs, mine]) (await bench.buy(payment)).delivered(false)
  const good = await proofOf(await challengeOf(bench.buy(theirs, { caller: 'a forger' })))
  const said = JSON.parse(Buffer.from(good, 'base64').toString())
  const forged = Buffer.from(JSON.stringify({ ...said, signature: `0x${'11'.repeat(64)}1b` })).toString(
    'base64',
  )
  const buyForged = (caller: string) =>
    bench.buy(theirs, { caller, proof: forged }).then(
      () => 'given',
      ({ code }) => code,
    )
  const waiting = Array.from({ length: 2 }, () => buyForged('forger 0'))
  await until(() => held.length === 2, 'the node to be asked by one caller')
  expect(await Promise.race([buyForged('forger 0'), ...waiting])).toBe('payment_unknown')
  for (let n = 2; n < 16; n++) waiting.push(buyForged(`forger ${n >> 1}`))
  await until(() => held.length === 16, 'the node to be asked by all')
  await expect(buyForged('forger 0')).resolves.toBe('payment_unknown')
  const proof = await proofOf(await challengeOf(bench.buy(mine, { caller: 'elsewhere' })))
  await bench.buy(mine, { caller: 'elsewhere', proof })
  await expect(bench.buy(theirs, { caller: 'another', proof: forged })).rejects.toEqual(
    failure('payment_unknown'),
  )
  release()
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['payment_already_used']))
})

it('a proof is read only in strict base64, and up to eight kilobytes', async () => {
  const bench = await openBench()
  const payment = await signed()
  ;(await bench.buy(payment)).delivered(false)
  const good = await proofOf(await challengeOf(bench.buy(payment, { caller: 'elsewhere' })))
  const text = Buffer.from(good, 'base64').toString()
  const padded = (length: number) => Buffer.from(text.padEnd(length)).toString('base64')
  expect(readSignedIn(good)).toMatchObject({ version: '1', address: expect.stringMatching(/^0x/) })
  expect(readSignedIn(padded(6144))).toEqual(readSignedIn(good))
  for (const bad of [padded(6145), ` ${good}`, good.replace(/..$/, '-_'), '', 'e30=', 'bnVsbA=='])
    expect(readSignedIn(bad)).toBe(undefined)
})
