/** The rights of each role in the log. test/contracts/kafka-secured tries the brokers' own refusals. */
import { expect, it } from 'vitest'
import { roles } from '../../../pipelines/rails/environment/roles.ts'
import { openSqliteLog } from '../../../pipelines/rails/log/sqlite-log.ts'
import { duties } from '../../../schemas/duties.ts'
import { datasets } from '../../../schemas/index.ts'
import { settlements } from '../../../schemas/settlements.ts'
import { tillPromises } from '../../../schemas/till-promises.ts'
import { webPages } from '../../../schemas/web-pages.ts'
import { webRequests } from '../../../schemas/web-requests.ts'
import { ownLog } from '../../../services/roles/own-log.ts'
import { rightsOf, topicsOf } from '../../../services/roles/rights.ts'
import { scratchFolder } from '../../scratch.ts'

const names = (of: readonly { name: string }[]) => of.map(({ name }) => name)

it('every topic has a role that writes it and a role that reads it', () => {
  const written = new Set(roles.flatMap(role => names(rightsOf[role].writes)))
  const read = new Set(roles.flatMap(role => names(rightsOf[role].reads)))
  for (const { topic } of datasets)
    expect([topic.name, written.has(topic.name), read.has(topic.name)]).toEqual([topic.name, true, true])
  expect(names(topicsOf(roles)).toSorted()).toEqual(names(datasets.map(({ topic }) => topic)).toSorted())
})

it('the till is for sellers alone, and render knows its questions and answers and nothing else', () => {
  for (const role of roles) {
    const known = names(topicsOf([role])).filter(name => name.startsWith('till.'))
    const own = role === 'query' ? ['till.open', 'till.promises', 'till.secrets'] : []
    expect([role, known.toSorted()]).toEqual([role, own])
  }
  expect(names(topicsOf(['render'])).toSorted()).toEqual([webPages.topic.name, webRequests.topic.name])
  expect(names(rightsOf.render.writes)).toEqual([webPages.topic.name])
})

it('a process can do nothing else, whatever its code asks for', async () => {
  const log = await openSqliteLog(`${scratchFolder()}/log.db`, { topics: datasets.map(({ topic }) => topic) })
  const own = ownLog(log, ['render'], { now: Date.now, onError: () => {} })
  await own.append(webPages.topic, [{ key: 'a', value: '{}' }])
  await expect(own.append(settlements.topic, [])).rejects.toThrow(/^the role render writes settlements/)
  await expect(own.watch(tillPromises.topic, () => {})).rejects.toThrow(
    /^the role render reads till.promises/,
  )
  await expect(own.follow(duties.topic, 'x', () => {})).rejects.toThrow(/^the role render follows x duties/)
  await expect(own.end(tillPromises.topic)).rejects.toThrow(/reads/)
  await expect(own.lag(tillPromises.topic, 'sink')).rejects.toThrow(/follows/)
  await log.close()
})
