import { expect, test } from 'vitest'
import { rangeNotPublic, rangeWithoutPlace } from '../../../schemas/tables/ip-ranges.ts'
import { type IpAddress, ipAddress, parseIpAddress } from '../../../schemas/values/ip-address.ts'

const at = (text: string): IpAddress => parseIpAddress(text) as IpAddress

test.each([
  ['34.118.224.0', '34.118.239.255'],
  ['2600:2d00:0:4::', '2600:2d00:0:4:ffff:ffff:ffff:ffff'],
  ['199.36.153.4', '199.36.153.11'],
  ['161.26.0.0', '161.26.255.255'],
  ['166.8.0.0', '166.11.255.255'],
  ['168.63.129.16', '168.63.129.16'],
])(
  "a cloud's service for its own machines is not visited, although it has a place: %s to %s",
  (first, last) => {
    for (const address of [first, last]) {
      expect(rangeNotPublic(at(address))).toBeDefined()
      expect(rangeWithoutPlace(at(address))).toBeUndefined()
    }
  },
)

test.each([
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:c1::a9fe:a9fe',
  'fd20:ce::254',
  'fd00:42::42',
])('a service that describes a cloud machine is not visited: %s', address => {
  expect(rangeNotPublic(at(address))).toBeDefined()
})

test.each(['34.118.223.255', '34.118.240.0', '199.36.153.3', '199.36.153.12', '2600:2d00:0:5::'])(
  'an address next to such a range is public: %s',
  address => {
    expect(rangeNotPublic(at(address))).toBeUndefined()
  },
)

test.each([
  ['0.0.0.0/8', '0.255.255.255'],
  ['10.0.0.0/8', '10.255.255.255'],
  ['172.16.0.0/12', '172.31.255.255'],
  ['192.168.0.0/16', '192.168.255.255'],
  ['100.64.0.0/10', '100.127.255.255'],
  ['127.0.0.0/8', '127.255.255.255'],
  ['169.254.0.0/16', '169.254.255.255'],
  ['192.0.0.0/24', '192.0.0.255'],
  ['192.0.0.0/29', '192.0.0.7'],
  ['192.0.0.8/32', '192.0.0.8'],
  ['192.0.0.170/31', '192.0.0.171'],
  ['192.0.2.0/24', '192.0.2.255'],
  ['198.51.100.0/24', '198.51.100.255'],
  ['203.0.113.0/24', '203.0.113.255'],
  ['192.88.99.0/24', '192.88.99.255'],
  ['198.18.0.0/15', '198.19.255.255'],
  ['224.0.0.0/4', '239.255.255.255'],
  ['240.0.0.0/4', '255.255.255.255'],
  ['255.255.255.255/32', '255.255.255.255'],
  ['::/128', '::'],
  ['::1/128', '::1'],
  ['::/96', '::ffff:ffff'],
  ['64:ff9b::/96', '64:ff9b::ffff:ffff'],
  ['64:ff9b:1::/48', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::/64', '100::ffff:ffff:ffff:ffff'],
  ['100:0:0:1::/64', '100::1:ffff:ffff:ffff:ffff'],
  ['2001::/23', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001::/32', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:2::/48', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  ['2001:10::/28', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:20::/28', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:30::/28', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::/32', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['3fff::/20', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2002::/16', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['5f00::/16', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fc00::/7', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe80::/10', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fec0::/10', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ff00::/8', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['::/3', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['4000::/3', '5fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['8000::/1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
])('%s is refused from its first to its last address, %s', (prefix, last) => {
  const [first = '', length] = prefix.split('/')
  const { family, value } = at(first)
  const size = 1n << BigInt((family === 4 ? 32 : 128) - Number(length))
  expect(ipAddress(family, value + size - 1n).text).toBe(last)
  expect(rangeWithoutPlace(at(first))).toBeDefined()
  expect(rangeWithoutPlace(at(last))).toBeDefined()
  expect(rangeNotPublic(at(first))).toBeDefined()
  expect(rangeNotPublic(at(last))).toBeDefined()
})

test.each([
  ['161.26.0.0', '161.26.255.255', '161.27.0.0'],
  ['166.8.0.0', '166.11.255.255', '166.12.0.0'],
  ['168.63.129.16', '168.63.129.16', '168.63.129.17'],
  ['192.31.196.0', '192.31.196.255', '192.31.197.0'],
  ['192.52.193.0', '192.52.193.255', '192.52.194.0'],
  ['192.175.48.0', '192.175.48.255', '192.175.49.0'],
  ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', '2620:4f:8001::'],
])('from %s to %s there is a place and no page; at %s there may be both', (first, last, next) => {
  for (const text of [first, last]) {
    expect(rangeWithoutPlace(at(text))).toBeUndefined()
    expect(rangeNotPublic(at(text))).toBeDefined()
  }
  expect(rangeNotPublic(at(next))).toBeUndefined()
})

test.each(['2001:1::1', '2001:3::1', '2001:4:112::1'])('%s may have a place, but never a page', text => {
  expect(rangeWithoutPlace(at(text))).toBeUndefined()
  expect(rangeNotPublic(at(text))).toBeDefined()
})

test('outside of 2000::/3 every address is refused', () => {
  for (let high = 0n; high < 0x10000n; high += 0x80n) {
    for (const low of [0n, 1n, (1n << 112n) - 1n]) {
      const address = ipAddress(6, (high << 112n) | low)
      // Without 0:0:..., because the parser has already turned mapped addresses into IPv4.
      if (high >> 13n !== 1n) expect(rangeWithoutPlace(address), address.text).toBeDefined()
    }
  }
})

test.each([
  '1.0.0.0',
  '9.255.255.255',
  '11.0.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.1',
  '192.0.1.0',
  '192.0.3.0',
  '192.31.196.1',
  '192.52.193.1',
  '192.88.98.255',
  '192.88.100.0',
  '192.167.255.255',
  '192.169.0.0',
  '192.175.48.1',
  '198.17.255.255',
  '198.20.0.1',
  '198.51.99.255',
  '198.51.101.0',
  '203.0.112.255',
  '203.0.114.0',
  '223.255.255.254',
  '2000::1',
  '2001:1::1',
  '2001:1::2',
  '2001:1::3',
  '2001:3::1',
  '2001:3:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001:4:112::1',
  '2001:200::',
  '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001:db9::',
  '2001:4860:4860::8888',
  '2003::1',
  '2620:4f:8000::1',
  '2a00::1',
  '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '3fff:1000::',
])('%s may have a place', text => {
  expect(rangeWithoutPlace(at(text))).toBeUndefined()
})

test.each([
  ['100.64.1.2', '100.64.0.0/10', 'carrier-grade NAT'],
  ['169.254.169.254', '169.254.0.0/16', 'link-local'],
  ['192.0.0.8', '192.0.0.8/32', 'the IPv4 dummy address'],
  ['192.0.0.9', '192.0.0.0/24', 'IETF protocol assignments'],
  ['255.255.255.255', '255.255.255.255/32', 'broadcast'],
  ['::', '::/128', 'the unspecified address'],
  ['::1', '::1/128', 'loopback'],
  ['::8.8.8.8', '::/96', 'IPv4-compatible, deprecated'],
  ['64:ff9b:1::1', '64:ff9b:1::/48', 'local NAT64 translation'],
  ['2001:0:53aa::1', '2001::/32', 'Teredo'],
  ['2001:1::4', '2001::/23', 'IETF protocol assignments'],
  ['2001:4:113::1', '2001::/23', 'IETF protocol assignments'],
  ['2002:808:808::1', '2002::/16', '6to4'],
  ['4000::1', '4000::/3', 'not allocated'],
  ['5f00::1', '5f00::/16', 'segment routing'],
  ['fec0::1', 'fec0::/10', 'site-local, deprecated'],
])('%s is in %s (%s)', (text, prefix, name) => {
  expect(rangeWithoutPlace(at(text))).toEqual({ prefix, name })
})
