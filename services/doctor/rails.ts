/** Are the log, the store and the places of large answers there, and are they well? */
import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openBlobs } from '../../pipelines/rails/blobs/open-blobs.ts'
import { openLog, placeOf } from '../../pipelines/rails/log/open-log.ts'
import { logVariables } from '../../pipelines/rails/log/variables.ts'
import type { StoreCondition } from '../../pipelines/rails/store/condition.ts'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import { blobsUrlOf, pagesUrlOf } from '../config/blobs-place.ts'
import { usesStore } from '../config/config.ts'
import { topicsOf } from '../roles/rights.ts'
import { type Diagnosis, type Look, reasonOf, says } from './diagnosis.ts'

/** The nearest folder above that is there. */
async function canWrite(path: string): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    const error = await access(at, constants.W_OK).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error,
    )
    if (!error) return true
    if (error.code !== 'ENOENT' || at === dirname(at)) return false
  }
}

async function folder(part: string, path: string): Promise<Diagnosis> {
  const say = says(part)
  return (await canWrite(path))
    ? say('well', `${path} can be written`)
    : say('wrong', `${path} cannot be written by this user`)
}

export const lookAtLog: Look = async ({ config, patienceMs }) => {
  const say = says('log')
  const at = config.read(logVariables)
  const { file, kafka } = placeOf(at)
  if (file) return [await folder('log', dirname(file))]
  try {
    await kafka()
    const topics = topicsOf(config.ROLES)
    const log = await openLog(at, { topics, creates: false, startMs: patienceMs })
    try {
      const { brokers, partitions } = await log.condition()
      const behind = partitions.filter(one => one.behind > 0).length
      const leaderless = partitions.filter(one => one.leaderless > 0).map(({ topic }) => topic)
      return [
        say(
          'well',
          `${brokers?.present} brokers hold the ${topics.length} topics of ${config.ROLES.join(',')}`,
        ),
        ...(brokers && brokers.present < brokers.known
          ? [say('wrong', `${brokers.known - brokers.present} of ${brokers.known} brokers are away`)]
          : []),
        ...(behind > 0 ? [say('watch', `copies of ${behind} topics are not up to date`)] : []),
        ...(leaderless.length ? [say('wrong', `nobody leads ${leaderless.join(', ')}`)] : []),
      ]
    } finally {
      await log.close()
    }
  } catch (error) {
    return [say('wrong', reasonOf(error))]
  }
}

const fullShare = 0.1
const mostParts = 1000

function conditionWords({ servers, disks, tables }: StoreCondition): Diagnosis[] {
  const say = says('store')
  return [
    ...disks
      .filter(({ free, total }) => free < fullShare * total)
      .map(({ host, free, total }) =>
        say('wrong', `the disk of ${host} has ${Math.round((100 * free) / total)} % left`),
      ),
    ...servers.flatMap(({ host, readonlyTables, failedMutations }) => [
      ...(readonlyTables > 0
        ? [say('wrong', `${readonlyTables} tables of ${host} take no rows: they have lost Keeper`)]
        : []),
      ...(failedMutations > 0
        ? [say('wrong', `${failedMutations} changes of tables have failed on ${host}`)]
        : []),
    ]),
    ...tables
      .filter(({ parts }) => parts >= mostParts)
      .map(({ table, parts }) => say('watch', `${table} has ${parts} parts: merges do not keep up`)),
  ]
}

export const lookAtStore: Look = async ({ config }) => {
  const say = says('store')
  if (!usesStore(config)) return []
  if (config.STORE_URL.startsWith('embedded:'))
    return [await folder('store', config.STORE_URL.slice('embedded:'.length))]
  try {
    const store = await openStore(config.STORE_URL, { cluster: config.STORE_CLUSTER })
    try {
      const [row] = await store.query<{ version: string }>('select version() as version')
      return [
        say('well', `ClickHouse ${row?.version} takes our login`),
        ...conditionWords(await store.condition()),
      ]
    } finally {
      await store.close()
    }
  } catch (error) {
    return [say('wrong', reasonOf(error))]
  }
}

export const lookAtBlobs: Look = async ({ config }) => {
  const say = says('blobs')
  const { ROLES } = config
  const places = [
    ...(ROLES.includes('query') ? [['large answers', blobsUrlOf(config)] as const] : []),
    ...(ROLES.includes('query') || ROLES.includes('render') ? [['pages', pagesUrlOf(config)] as const] : []),
  ]
  return Promise.all(
    places.map(async ([what, url]) => {
      if (url.startsWith('file:')) return folder('blobs', url.slice('file:'.length))
      let problem: unknown
      try {
        const blobs = await openBlobs(url, { onError: error => (problem ??= error) })
        await blobs.close()
      } catch (error) {
        problem = error
      }
      return problem
        ? say('wrong', `${what}: ${reasonOf(problem)}`)
        : say('well', `the bucket of ${what} answers`)
    }),
  )
}
