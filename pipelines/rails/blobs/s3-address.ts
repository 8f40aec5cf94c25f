/** The address of a bucket: `s3://<key>:<secret>@<host>:<port>/<bucket>/<prefix>?region=<region>&tls=false`. */

export interface S3Address {
  /** Such as `https://s3.eu-central-1.amazonaws.com`. */
  origin: string
  bucket: string
  /** Empty, or with a slash at its end. */
  prefix: string
  /** Both are empty if the address has none. */
  key: string
  secret: string
  region: string | undefined
}

const bucketForm = /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/

/** Returns undefined for any other text. Key with secret, port, prefix and query are optional. */
export function readS3Address(text: string): S3Address | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 's3:' || url.hash) return undefined
  const [, bucket = '', ...prefix] = url.pathname.split('/')
  const query = Object.fromEntries(url.searchParams)
  const { region, tls = 'true', ...others } = query
  const [key, secret] = [decoded(url.username), decoded(url.password)]
  if (!url.host || !bucketForm.test(bucket) || !/^(true|false)$/.test(tls)) return undefined
  if (Object.keys(others).length > 0 || key === undefined || secret === undefined) return undefined
  if ((key === '') !== (secret === '')) return undefined
  const parts = prefix.filter(part => part !== '').map(part => `${part}/`)
  return {
    origin: `${tls === 'true' ? 'https' : 'http'}://${url.host}`,
    bucket,
    prefix: parts.join(''),
    key,
    secret,
    region,
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    // The secret has a percent sign that is not escaped.
    return undefined
  }
}
