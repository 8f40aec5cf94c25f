/** The places of large answers and rendered pages, with the key if the place is a bucket. */
import { readS3Address } from '../../pipelines/rails/blobs/s3-address.ts'
import { ConfigError } from '../../pipelines/rails/environment/variables.ts'
import type { Config } from './config.ts'

// Only SQLite is sure to be one process. Over Kafka there may be many, so the operator has to name a place that all of them share.
const isAlone = ({ LOG_URL }: Config) => LOG_URL.startsWith('sqlite:')

/** Checks the places of this process before anything opens. */
export function checkPlaces(config: Config): void {
  if (config.ROLES.includes('query')) blobsUrlOf(config)
  if (config.ROLES.includes('query') || config.ROLES.includes('render')) pagesUrlOf(config)
}

export function blobsUrlOf(config: Config): string {
  if (!config.BLOBS_URL && !isAlone(config))
    throw new ConfigError(
      'BLOBS_URL is unset; it should be s3://host/bucket, or a file:<folder> that all query processes share, while LOG_URL is kafka:, for one of them replays what another sold',
    )
  return keyed('BLOBS_URL', config.BLOBS_URL ?? `file:${config.DATA_DIR}/blobs`, config)
}

/** Rendered pages have a place of their own. `render` runs strangers' scripts, so it must not reach paid answers. */
export function pagesUrlOf(config: Config): string {
  const { PAGES_URL, BLOBS_URL } = config
  if (PAGES_URL) return keyed('PAGES_URL', PAGES_URL, config)
  if (!BLOBS_URL && !isAlone(config))
    throw new ConfigError(
      'PAGES_URL is unset; it should be s3://host/bucket/pages, or a file:<folder> that all query and render processes share, while LOG_URL is kafka:',
    )
  const answers = blobsUrlOf(config)
  if (answers.startsWith('file:')) return `${answers}/pages`
  const url = new URL(answers)
  url.pathname = `${url.pathname}/pages`
  return url.href
}

function keyed(variable: string, given: string, config: Config): string {
  const { AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret, AWS_REGION } = config
  const address = readS3Address(given)
  if (!address) return given
  const url = new URL(given)
  if (!address.key) {
    if (!key || !secret)
      throw new ConfigError(
        `${key ? 'AWS_SECRET_ACCESS_KEY' : 'AWS_ACCESS_KEY_ID'} is unset; it should be set while ${variable} is s3:// without a key`,
      )
    url.username = encodeURIComponent(key)
    url.password = encodeURIComponent(secret)
  }
  if (!address.region && AWS_REGION) url.searchParams.set('region', AWS_REGION)
  return url.href
}
