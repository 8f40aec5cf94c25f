import type { Upstream } from '../../outside/upstream.ts'

/** Its terms ask for it wherever its places are shown. */
export const dbIpLink = { text: 'IP Geolocation by DB-IP', url: 'https://db-ip.com' }

/** Asked for one file a month, of 60 MB: no sandbox fetches it. */
export const dbIp: Upstream = {
  variable: 'DBIP_URL',
  live: 'https://download.db-ip.com',
  title: 'places of IP addresses',
  credit: `${dbIpLink.text} (${dbIpLink.url}), CC BY 4.0`,
  replacedBy: 'IP_DATABASE',
  sample: () => import('../../samples/ip-database.ts'),
}
