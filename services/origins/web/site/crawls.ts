/** The part of the process that sells crawls: the results of those that are done. */
import { type Desk, desk } from '../../../../pipelines/domains/watch/desk.ts'
import type { Blobs } from '../../../../pipelines/rails/blobs/blobs.ts'
import type { Part } from '../../../../pipelines/rails/process.ts'
import { Failure } from '../../../offer/errors.ts'
import type { Tools } from '../../../offer/operation.ts'

export interface Crawls {
  blobs: Pick<Blobs, 'get'>
  /** The address of the origin. */
  origin: string
  /** Webhooks are delivered where watching is sold. */
  hasHooks: boolean
}

export const crawls: Part<Crawls> = {
  name: 'crawls',
  open: async ({ blobs, addressOf, sold }) => ({
    blobs: await blobs(),
    origin: addressOf('web'),
    hasHooks: sold.some(({ origin }) => origin === 'watch'),
  }),
}

/** Throws the free 503 if this deployment has no key to sign links with. */
export function crawlsOf({ use }: Pick<Tools, 'use'>): Crawls & { desk: Desk } {
  const opened = use(desk)
  if (!opened) throw new Failure('not_configured', 'Crawls are not offered by this deployment')
  return { ...use(crawls), desk: opened }
}
