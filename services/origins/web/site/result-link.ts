/** The link to the result of a crawl: signed, and good for a week. */
import type { Seal } from '../../../../pipelines/domains/watch/seal.ts'
import { crawlLastsMs, type SiteCrawl } from '../../../../schemas/site-crawls.ts'
import { instant } from '../../../../schemas/values/values.ts'

export const resultPath = '/crawl/result'

const signed = (crawlId: string, until: string): string => `result of ${crawlId} until ${until}`

/** Null until the crawl is done. */
export function resultOf(
  { crawl_id, ended_at, result_blob, result_sha256, result_bytes }: SiteCrawl,
  origin: string,
  seal: Seal,
) {
  if (ended_at === null || result_blob === null || result_sha256 === null) return null
  const until = instant(Date.parse(ended_at) + crawlLastsMs)
  const query = new URLSearchParams({ crawl_id, until, signature: seal.mac(signed(crawl_id, until)) })
  return {
    url: `${origin}${resultPath}?${query}`,
    expires_at: until,
    sha256: result_sha256,
    bytes: result_bytes,
  }
}

/** Whether we have signed this link, and it is still good. */
export function isResultLink(
  { crawl_id = '', until = '', signature = '' }: Readonly<Record<string, string | undefined>>,
  seal: Seal,
  now: number,
): boolean {
  return seal.isOurs(signed(crawl_id, until), signature) && now < Date.parse(until)
}
