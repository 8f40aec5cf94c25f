import { expect, it, onTestFinished } from 'vitest'
import { ipLookup } from '../../../pipelines/lookups/ip.ts'
import { createOutside } from '../../../pipelines/rails/outside/upstreams/open-outside.ts'
import { type IpAddress, parseIpAddress } from '../../../schemas/values/ip-address.ts'
import { startUpstreams } from '../../../services/sandbox/upstreams.ts'
import { scratchFolder } from '../../scratch.ts'

it('is fetched and checked like the live one, and says that it is a sample', async () => {
  const now = () => Date.parse('2026-11-21T12:00:00Z')
  const { urls, close } = await startUpstreams({}, {}, { now, live: async () => false })
  onTestFinished(close)
  const outside = createOutside({ at: urls, contact: 'nobody', now })(new AbortController().signal)
  const looking = ipLookup.open({ dataDir: scratchFolder(), npm: '/no/npm' })
  await looking.prepare?.run(outside)
  const find = (text: string) => looking.find(parseIpAddress(text) as IpAddress, outside)
  expect(await find('8.8.8.8')).toMatchObject({
    city: 'Mountain View',
    database: 'DB-IP City Lite 2026-11 (sample)',
  })
  expect(await find('2606:4700::1')).toMatchObject({ city: 'Montreal' })
})
