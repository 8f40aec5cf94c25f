import { expect, it, onTestFinished } from 'vitest'
import { openBlobs } from '../../../../../pipelines/rails/blobs/open-blobs.ts'
import { asCaller } from '../../../../../pipelines/rails/children/caller.ts'
import { openLog } from '../../../../../pipelines/rails/log/open-log.ts'
import { openRenderers } from '../../../../../pipelines/rails/outside/pages/renderers.ts'
import { readEvent } from '../../../../../schemas/dataset/dataset.ts'
import { webPages } from '../../../../../schemas/web-pages.ts'
import { type WebRequest, webRequests } from '../../../../../schemas/web-requests.ts'
import { scratchFolder } from '../../../../scratch.ts'
import { until } from '../../../../until.ts'

it('a renderer learns which calls have the same caller, but not who it is', async () => {
  const folder = scratchFolder(onTestFinished)
  const log = await openLog(`sqlite:${folder}/log.db`, { topics: [webRequests.topic, webPages.topic] })
  const blobs = await openBlobs(`file:${folder}/blobs`, { now: Date.now })
  const asked: WebRequest[] = []
  const watching = await log.watch(webRequests.topic, batch => {
    for (const { value } of batch) {
      const { event } = readEvent(webRequests, value as string)
      if (event) asked.push(event)
    }
  })
  const opened = [
    await openRenderers({ log, blobs, now: Date.now }),
    await openRenderers({ log, blobs, now: Date.now }),
  ] as const
  const from = (ip: string, renderers = opened[0]) =>
    asCaller(ip, () =>
      renderers.render({ url: 'http://a.example/', render: 'always', maxAgeMs: 0 }, 1).catch(() => {}),
    )

  const all = [from('192.0.2.1'), from('192.0.2.1'), from('192.0.2.2'), from('192.0.2.1', opened[1])]
  await until(() => asked.length === 4, 'the requests')
  const [first, again, other, elsewhere] = asked.map(({ caller }) => caller)
  expect(first).toMatch(/^[\w-]{16}$/)
  expect(again).toBe(first)
  expect(new Set([first, other, elsewhere])).toHaveLength(3)

  await Promise.all(all)
  for (const each of [watching, ...opened, blobs, log]) await each.close()
})
