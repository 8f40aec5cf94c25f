/**
 * Every known way to make a service visit a private address for a stranger. Each fails with a named reason and
 * reaches no server.
 */
import { createServer } from 'node:http'
import { beforeEach, describe, expect, it } from 'vitest'
import { publicFetch } from '../../../../../pipelines/rails/outside/fetching/visit.ts'
import { NotPublic } from '../../../../../pipelines/rails/outside/fetching/visit-failures.ts'
import { spellingsOf } from './spellings.ts'
import { listen, openWeb, publicAddress } from './web.ts'

const web = await openWeb()
const { visit } = web.fetch()

beforeEach(() => {
  Object.assign(web, { visits: 0, strays: 0 })
  web.names = new Map([['shop.sample', [[publicAddress]]]])
})

const endOf = (visiting: Promise<unknown>): Promise<string> =>
  visiting.then(
    () => 'an answer',
    error => (error instanceof NotPublic ? error.reason : String(error)),
  )

const v4 =
  '127.0.0.1 127.9.9.9 0.0.0.0 10.0.0.5 172.16.0.1 172.31.255.254 192.168.1.1 169.254.169.254 100.100.100.200 168.63.129.16 192.0.0.192 198.18.0.1 224.0.0.1 255.255.255.255'
const v6 =
  ':: ::1 0:0:0:0:0:0:0:1 fe80::1 fd00:ec2::254 fc00::1 fec0::1 ff02::1 2001:db8::1 2001:1::1 2001:3::1 100::1 5f00::1 4000::1 ::ffff:0:127.0.0.1'
const hosts = [
  ...v4.split(' ').flatMap(address => spellingsOf(address)),
  ...v6.split(' ').map(address => `[${address}]`),
]

describe('the trap', () => {
  it('is the target of every address except that of the public server', async () => {
    web.names.set('elsewhere.sample', [['9.9.9.9']])
    expect(String((await visit('http://elsewhere.sample/')).bytes)).toBe('a secret')
    expect([web.visits, web.strays]).toEqual([0, 1])
  })

  it('has more than two hundred addresses', () => expect(new Set(hosts).size).toBeGreaterThan(200))
})

describe.each(hosts)('%s', host => {
  it('as a URL', async () => {
    expect(await endOf(visit(`http://${host}/`))).toBe('address')
    expect([web.visits, web.strays]).toEqual([0, 0])
  })

  it('as a redirect', async () => {
    const location = Buffer.from(`//${host}/latest/meta-data`).toString('latin1')
    web.answer = (_, response) => response.writeHead(302, { location }).end()
    expect(await endOf(visit('http://shop.sample/'))).toBe('address')
    expect([web.visits, web.strays]).toEqual([1, 0])
  })
})

describe.each([...v4.split(' '), ...v6.split(' '), '::ffff:127.0.0.1', '64:ff9b::a00:5'])('%s', address => {
  it('as the result of a name', async () => {
    web.names.set('lure.sample', [[address]])
    expect(await endOf(visit('http://lure.sample/'))).toBe('address')
    expect([web.visits, web.strays]).toEqual([0, 0])
  })

  it('as one of several results, first or last', async () => {
    web.names.set('first.sample', [[address, publicAddress]])
    web.names.set('last.sample', [[publicAddress, address]])
    expect(await endOf(visit('http://first.sample/'))).toBe('address')
    expect(await endOf(visit('http://last.sample/'))).toBe('address')
    expect([web.visits, web.strays]).toEqual([0, 0])
  })

  it('as the result of a name after its check', async () => {
    web.names.set('rebound.sample', [[publicAddress], [address]])
    web.answer = (_, response) => response.end('the page')
    expect(String((await visit('http://rebound.sample/')).bytes)).toBe('the page')
    expect([web.visits, web.strays]).toEqual([1, 0])
  })

  it('as the result of a name when a redirect comes back to it', async () => {
    web.names.set('rebound.sample', [[publicAddress], [address]])
    web.answer = (_, response) => response.writeHead(307, { location: '/again' }).end()
    expect(await endOf(visit('http://rebound.sample/'))).toBe('address')
    expect([web.visits, web.strays]).toEqual([1, 0])
  })
})

describe('a refused URL', () => {
  it.each([
    ['scheme', 'ftp://shop.sample/'],
    ['scheme', 'file:///etc/passwd'],
    ['scheme', 'gopher://shop.sample:70/_x'],
    ['scheme', 'data:text/html,x'],
    ['scheme', 'javascript:fetch("http://10.0.0.5")'],
    ['scheme', 'view-source:http://shop.sample/'],
    ['scheme', 'blob:http://shop.sample/5f'],
    ['scheme', 'ws://shop.sample/'],
    ['scheme', 'unix:/var/run/docker.sock'],
    ['user_info', 'http://shop.sample@10.0.0.5/'],
    ['user_info', 'http://10.0.0.5@shop.sample/'],
    ['user_info', 'http://user:password@shop.sample/'],
    ['user_info', 'http://10.0.0.5%2F@shop.sample/'],
    ['port', 'http://shop.sample:22/'],
    ['port', 'http://shop.sample:6379/'],
    ['port', 'https://shop.sample:8443/'],
    ['port', 'http://shop.sample:0/'],
    ['name', 'http://localhost/'],
    ['name', 'http://localhost./'],
    ['name', 'http://LOCALHOST/'],
    ['name', 'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/'],
    ['name', 'http://a.localhost/'],
    ['name', 'http://intranet/'],
    ['name', 'http://metadata.google.internal/'],
    ['name', 'http://kubernetes.default.svc.cluster.local/'],
    ['name', 'http://printer.local./'],
    ['name', 'http://router.home.arpa/'],
    ['name', 'http://facebookcorewwwi.onion/'],
    ['name', 'http://shop..sample/'],
    ['name', 'http://shop.sample../'],
    ['name', 'http://./'],
    ['name', 'http://-shop.sample/'],
    ['name', `http://${'a'.repeat(64)}.sample/`],
    ['name', `http://${'a.'.repeat(130)}sample/`],
    ['name', 'http://shop$sample.org/'],
    ['address', 'http:\\\\10.0.0.5\\'],
    ['address', 'http:10.0.0.5/'],
    ['address', 'http:////10.0.0.5/'],
    ['address', ' http://10.0.0.5/ '],
    ['address', 'ht\ntp://10.0\t.0.5/'],
    ['address', 'http://10.0.0.5#@shop.sample/'],
    ['address', 'http://10.0.0.5?@shop.sample/'],
    ['address', 'http://10.0.0.5\\@shop.sample/'],
    ['malformed', 'http://[::1%25lo]/'],
    ['malformed', 'http://[fe80::1%lo]/'],
    ['malformed', 'http://1.2.3.4.5/'],
    ['malformed', 'http://256.256.256.256/'],
    ['malformed', 'http://0x1ffffffff/'],
    ['malformed', 'http://[::1'],
    ['malformed', 'http://shop.sample:80:80/'],
    ['malformed', 'http://shop.sample:99999/'],
    ['malformed', 'http://shop sample/'],
    ['malformed', 'http://shop%00.sample/'],
    ['malformed', 'http://shop.sample,10.0.0.5/'],
    ['name', 'http://xn--a/'],
    ['malformed', 'shop.sample'],
    ['malformed', '//shop.sample/'],
    ['malformed', '/etc/passwd'],
    ['malformed', ''],
    ['malformed', `http://shop.sample/${'a'.repeat(2048)}`],
  ])('for its %s: %s', async (reason, url) => {
    expect(await endOf(visit(url))).toBe(reason)
    expect([web.visits, web.strays]).toEqual([0, 0])
  })

  it('gets a reason, and no facts about our network', async () => {
    web.names.set('db.corp.sample', [['10.1.2.3']])
    await expect(visit('http://10.0.0.5/x?token=1')).rejects.toThrow(
      '10.0.0.5 is in 10.0.0.0/8 (private), which is not public',
    )
    await expect(visit('http://db.corp.sample/')).rejects.toThrow(
      /^db\.corp\.sample resolves to an address that is not public$/,
    )
    web.answer = (_, response) => response.writeHead(302, { location: 'http://0xa9fea9fe/' }).end()
    await expect(visit('http://shop.sample/')).rejects.toThrow(
      /^shop\.sample redirects to a forbidden address: 169\.254\.169\.254 is in 169\.254\.0\.0\/16/,
    )
  })
})

describe('a server on this machine', () => {
  it('gets no request, by whatever spelling, if nothing is between', async () => {
    let heard = 0
    const server = createServer((_, response) => response.end('a secret'))
    server.on('connection', () => heard++)
    const port = await listen(server)
    const { visit } = publicFetch({ userAgent: 'Farebox/0.0', ports: [port] })
    const loopback = [
      ...spellingsOf('127.0.0.1'),
      '0.0.0.0',
      '0',
      'localhost',
      'localhost.',
      '[::1]',
      '127.1',
    ]
    const known = new Set<string>()
    for (const host of loopback) {
      expect(await endOf(visit(`http://${host}:${port}/`))).toMatch(/^(address|name)$/)
      expect(heard).toBe(0)
      await fetch(`http://${host}:${port}/`).then(
        () => known.add(host),
        () => {},
      )
      heard = 0
    }
    // Without the guard most of these addresses reach this machine.
    expect(known.size).toBeGreaterThan(15)
    server.close().closeAllConnections()
  })
})
