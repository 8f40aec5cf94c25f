/** Many addresses in one payment. */
import { batchOf } from '../../../offer/batch.ts'
import { ip } from './ip.ts'

export const ipBatch = batchOf(ip, {
  id: 'ipLookups',
  path: '/ip/batch',
  price: '0.02',
  title: 'Where up to 100 IP addresses are',
  about: 'Country, region, city, network and coordinates of public IPv4 and IPv6 addresses.',
})
