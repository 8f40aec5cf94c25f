/** Where large answers and rendered pages are kept, with the key to the bucket where it is one. */
import { readS3Address } from '../../pipelines/rails/blobs/s3-address.ts'
import { ConfigError } from '../../pipelines/rails/environment/variables.ts'
import type { Config } from './config.ts'

// Nobody can tell from here how many processes run over one Kafka, so whoever runs them says where all of them look.
const isAlone = ({ LOG_URL }: Config) => LOG_URL.startsWith('sqlite:')

/** What this process will open is said before anything opens. */
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

/** A place of its own: `render`, which runs strangers' scripts, has no way to an answer that somebody has paid for. */
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
