/** Addresses without a place on earth: the IANA special-purpose registries, and all unallocated addresses. */
import { type IpAddress, parseIpAddress } from '../values/ip-address.ts'

interface IpRange {
  prefix: string
  name: string
}

const noPlace: readonly (readonly [prefix: string, name: string])[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'carrier-grade NAT'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'IETF protocol assignments'],
  ['192.0.0.0/29', 'DS-Lite'],
  ['192.0.0.8/32', 'the IPv4 dummy address'],
  ['192.0.0.170/31', 'NAT64 discovery'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', 'the former 6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['255.255.255.255/32', 'broadcast'],

  ['::/128', 'the unspecified address'],
  ['::1/128', 'loopback'],
  ['::/96', 'IPv4-compatible, deprecated'],
  // NAT64, Teredo and 6to4 carry an IPv4 address: a database that lists them gives the place of the relay, not of the
  // caller.
  ['64:ff9b::/96', 'NAT64 translation'],
  ['64:ff9b:1::/48', 'local NAT64 translation'],
  ['100::/64', 'discard-only'],
  ['100:0:0:1::/64', 'the dummy prefix'],
  ['2001::/23', 'IETF protocol assignments'],
  ['2001::/32', 'Teredo'],
  ['2001:2::/48', 'benchmarking'],
  ['2001:10::/28', 'ORCHID, deprecated'],
  ['2001:20::/28', 'ORCHIDv2'],
  ['2001:30::/28', 'drone remote identification'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['3fff::/20', 'documentation'],
  ['5f00::/16', 'segment routing'],
  ['fc00::/7', 'unique local'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'site-local, deprecated'],
  ['ff00::/8', 'multicast'],

  // Everything outside 2000::/3, by the blocks of the IPv6 address space registry.
  ...[
    ['::/8', '100::/8', '200::/7', '400::/6', '800::/5', '1000::/4', '4000::/3', '6000::/3', '8000::/3'],
    ['a000::/3', 'c000::/3', 'e000::/4', 'f000::/5', 'f800::/6', 'fe00::/9'],
  ]
    .flat()
    .map(prefix => [prefix, 'not allocated'] as const),
]

/** Parts of the ranges above that the registries call global. They may have a place: the database decides. */
const global = ['2001:1::1/128', '2001:1::2/128', '2001:1::3/128', '2001:3::/32', '2001:4:112::/48']

/**
 * Addresses with a place but without a public page: services of clouds for their own machines, relays, sinks.
 * Addresses of other clouds are in the ranges above: 169.254.0.0/16 (AWS, Google, Azure, Oracle, DigitalOcean,
 * Hetzner), 100.100.100.200 (Alibaba), 192.0.0.192 (Oracle), fd00::/8 (AWS, Oracle, Scaleway).
 */
const noPage: readonly (readonly [prefix: string, name: string])[] = [
  // cloud.google.com/kubernetes-engine/docs/concepts/alias-ips: the default of every cluster, the same in each.
  ['34.118.224.0/20', 'services of a cluster of Google Kubernetes Engine'],
  ['2600:2d00:0:4::/64', 'services of a cluster of Google Kubernetes Engine'],
  // cloud.google.com/vpc/docs/configure-private-google-access: private and restricted.googleapis.com.
  ['199.36.153.4/30', 'services of Google Cloud to its machines'],
  ['199.36.153.8/30', 'services of Google Cloud to its machines'],
  ['161.26.0.0/16', 'services of IBM Cloud to its machines'],
  ['166.8.0.0/14', 'services of IBM Cloud to its machines'],
  ['168.63.129.16/32', 'services of Azure to its machines'],
  ['192.31.196.0/24', 'AS112'],
  ['192.52.193.0/24', 'multicast tunneling'],
  ['192.175.48.0/24', 'AS112'],
  ['2620:4f:8000::/48', 'AS112'],
]

const named = (ranges: typeof noPlace) =>
  ranges.map(([prefix, name]) => ({ ...parsed(prefix), range: { prefix, name } }))
const closed = [...named(noPlace), ...named(noPage)]

const byLength = [...named(noPlace), ...global.map(prefix => ({ ...parsed(prefix), range: undefined }))].sort(
  (a, b) => b.length - a.length,
)
const ranges = { 4: byLength.filter(r => r.family === 4), 6: byLength.filter(r => r.family === 6) }

function parsed(prefix: string) {
  const [text = '', digits] = prefix.split('/')
  const { family, value } = parseIpAddress(text) as IpAddress
  const length = Number(digits)
  const shift = BigInt((family === 4 ? 32 : 128) - length)
  return { family, length, shift, bits: value >> shift }
}

/** The narrowest range that explains why this address has no public location. Undefined if it has one. */
export const rangeWithoutPlace = ({ family, value }: IpAddress): IpRange | undefined =>
  ranges[family].find(range => value >> range.shift === range.bits)?.range

/** The range that explains why we do not visit this address for a caller: it may lead into a network of our own. */
export const rangeNotPublic = ({ family, value }: IpAddress): IpRange | undefined =>
  closed.find(range => range.family === family && value >> range.shift === range.bits)?.range
