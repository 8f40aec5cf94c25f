/** How tests open a till, in any process. */
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { openBlobs } from '../../../pipelines/rails/blobs/open-blobs.ts'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { finality, takenBack } from '../../../schemas/finality.ts'
import { mcpTrials } from '../../../schemas/mcp-trials.ts'
import { rejects } from '../../../schemas/rejects.ts'
import { settlements } from '../../../schemas/settlements.ts'
import { tillOpen } from '../../../schemas/till-open.ts'
import { tillPromises } from '../../../schemas/till-promises.ts'
import { tillSecrets } from '../../../schemas/till-secrets.ts'
import type { TillOptions } from '../../../services/till/open-till.ts'
import { sameLog } from '../../same-log.ts'
import { originOf } from '../an-origin.ts'
import { echo, payTo, payToSolana, seek, shout, toil } from './paying.ts'

export const topics = [
  ...[settlements, finality, takenBack, tillPromises, tillOpen, tillSecrets, mcpTrials, rejects],
].map(({ topic }) => topic)
export const openTestLog = (folder: string) => openLog(`sqlite:${folder}/log.db`, { topics })
export const openTestBlobs = (folder: string) => openBlobs(`file:${folder}/blobs`)
/** One folder for all tests that do not look into it. It removes old files by itself. */
const blobs = await openTestBlobs(join(tmpdir(), `farebox-${userInfo().username}`))
/** Nothing listens at this address, so the chain is silent. */
const silent = ['http://127.0.0.1:9']

export type Log = Awaited<ReturnType<typeof openTestLog>>

/** The log as instances see it when they share it. */
export const shared = (log: Log): Log => sameLog(log, { isOwned: false })

export const options = (log: Log, url: string, more: Partial<TillOptions> = {}): TillOptions => ({
  origins: [originOf([echo, shout, seek, toil])],
  log,
  blobs,
  now: Date.now,
  // A test that moves the clock also lets the time pass.
  uptime: more.now ?? (() => performance.now()),
  config: {
    facilitators: [{ url: url }],
    payTo: [
      { name: 'base', address: payTo },
      { name: 'solana', address: payToSolana },
    ],
    rpcUrls: { base: [`${url}/chain`], solana: silent },
  },
  ...more,
})
