/** The production resolver against a real DNS server. */
import { afterEach, expect, it } from 'vitest'
import { dnsResolver } from '../../../../../pipelines/rails/outside/fetching/resolver.ts'
import { NotPublic, VisitFailed } from '../../../../../pipelines/rails/outside/fetching/visit-failures.ts'
import { type Answer, type DnsServer, nxdomain, servfail, startDns } from './dns-server.ts'
import { openWeb, publicAddress } from './web.ts'

const web = await openWeb()
const opened: DnsServer[] = []
afterEach(() => {
  for (const dns of opened.splice(0)) dns.close()
  Object.assign(web, { visits: 0, strays: 0 })
})

async function dnsWith(answer: Answer) {
  const dns = await startDns(answer)
  opened.push(dns)
  const resolve = dnsResolver([dns.address])
  return { dns, resolve, ...web.fetch({ resolve }) }
}
const never = new AbortController().signal

it('gives the addresses of both families', async () => {
  const { resolve } = await dnsWith((_, type) =>
    type === 'A' ? ['93.184.216.34', '1.1.1.1'] : ['2606:4700::1111'],
  )
  expect(await resolve('shop.sample', never)).toEqual(['93.184.216.34', '1.1.1.1', '2606:4700::1111'])
})

it.each([nxdomain, servfail, []])('accepts one family if the other has %j', async other => {
  const { resolve } = await dnsWith((_, type) => (type === 'A' ? [publicAddress] : other))
  expect(await resolve('shop.sample', never)).toEqual([publicAddress])
})

it.each([
  [nxdomain, 'ENOTFOUND'],
  [servfail, 'ESERVFAIL'],
  [[], 'ENODATA'],
])('gives the reason if there is none: %j', async (answer, code) => {
  const { resolve } = await dnsWith(() => answer)
  const resolving = resolve('shop.sample', never)
  await expect(resolving).rejects.toBeInstanceOf(VisitFailed)
  await expect(resolving).rejects.toThrow(`shop.sample has no address: ${code}`)
})

it('asks for the exact name: no search list, no hosts file', async () => {
  const { dns, resolve } = await dnsWith(() => nxdomain)
  for (const name of ['a.b', 'localhost']) await resolve(name, never).catch(() => {})
  expect(new Set(dns.asked)).toEqual(new Set(['A a.b', 'AAAA a.b', 'A localhost', 'AAAA localhost']))
})

it('waits no longer than the visit', async () => {
  const { visit } = await dnsWith(() => undefined)
  await expect(visit('http://shop.sample/', { totalMs: 100 })).rejects.toThrow('takes longer than 100 ms')
})

it('resolves a name once for a hop, so that a second answer has no effect', async () => {
  let answers = 0
  const { dns, visit } = await dnsWith((_, type) => {
    if (type === 'AAAA') return []
    return ++answers === 1 ? [publicAddress] : ['127.0.0.1']
  })
  expect(String((await visit('http://rebound.sample/')).bytes)).toBe('hello')
  expect(dns.asked.toSorted()).toEqual(['A rebound.sample', 'AAAA rebound.sample'])
  await expect(visit('http://rebound.sample/')).rejects.toBeInstanceOf(NotPublic)
  expect([web.visits, web.strays]).toEqual([1, 0])
})

it.each(['::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', 'fd00:ec2::254'])(
  'trusts no name with %s',
  async address => {
    const { visit } = await dnsWith((_, type) => (type === 'A' ? [publicAddress] : [address]))
    await expect(visit('http://lure.sample/')).rejects.toThrow(
      'lure.sample resolves to an address that is not public',
    )
    expect([web.visits, web.strays]).toEqual([0, 0])
  },
)
