import type { Upstream } from '../../rails/outside/upstreams/upstream.ts'

/** The terms of DB-IP require this link wherever its places are shown. */
export const dbIpLink = { text: 'IP Geolocation by DB-IP', url: 'https://db-ip.com' }

/** We fetch one file of 60 MB a month. The sandbox does not fetch it. */
export const dbIp: Upstream = {
  variable: 'DBIP_URL',
  live: 'https://download.db-ip.com',
  title: 'places of IP addresses',
  credit: `${dbIpLink.text} (${dbIpLink.url}), CC BY 4.0`,
  replacedBy: 'IP_DATABASE',
  sample: () => import('../../samples/ip-database.ts'),
}
