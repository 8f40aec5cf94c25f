/** The result of a visit: as a statement, which has hashes only, and as evidence. */
import type { Evidence } from '../../../../pipelines/domains/attestation/attestation.ts'
import {
  canonicalText,
  lengthOf,
  type Statement,
} from '../../../../pipelines/domains/attestation/statement.ts'
import { NotReady, UpstreamFailed } from '../../../../pipelines/rails/failures.ts'
import type { Page, Rendered } from '../../../../pipelines/rails/outside/pages/page.ts'
import { sha256 } from '../../../../pipelines/rails/signing/sha256.ts'
import { instant } from '../../../../schemas/values/values.ts'

/** Parts of the evidence. Where it is too large, the last part of this list is left out first. */
export const included = ['text', 'screenshot', 'certificates', 'html'] as const
type Included = (typeof included)[number]

interface Seen {
  page: Page
  rendered: Rendered
  text: string
  picture: Buffer
}

/** Throws if the visit did not bring enough to attest. */
export function witnessed(page: Page): Seen {
  const { rendered, finalUrl } = page
  if (!rendered?.picture) throw new NotReady('no browser has shown the page')
  if (rendered.tls?.certificates.length === 0)
    throw new UpstreamFailed(`${new URL(finalUrl).host}: its certificate could not be read`)
  return { page, rendered, text: canonicalText(rendered.text), picture: rendered.picture }
}

/** A page may have a title of any length. A statement may not. */
const longestTitle = 1000

export function statementOf({ page, rendered, text, picture }: Seen, observer: string): Statement {
  const { tls, title, browser, userAgent } = rendered
  const chain = tls?.certificates.map(certificate => sha256(certificate)) ?? []
  return {
    version: 'farebox-attest-1',
    url: page.url,
    final_url: page.finalUrl,
    redirects: page.redirects.map(({ url, status }) => ({ url, status })),
    method: 'GET',
    status: page.status,
    requested_at: instant(page.requestedAt),
    observed_at: instant(page.fetchedAt),
    serving_ip: page.address,
    serving_port: page.port,
    tls: tls && {
      protocol: tls.protocol,
      cipher: tls.cipher,
      certificate_sha256: chain[0] as string,
      chain_sha256: chain,
    },
    html_sha256: sha256(page.bytes),
    text_sha256: sha256(text),
    screenshot_sha256: sha256(picture),
    title: title.toWellFormed().slice(0, longestTitle).toWellFormed(),
    text_chars: lengthOf(text),
    viewport: '1280x800',
    browser,
    user_agent: userAgent,
    observer,
  }
}

/** The bytes beside the evidence: statement, signature, time-stamps, proof, receipt. */
const restBytes = 60_000

/**
 * Leaves out HTML if it does not fit. If the rest does not fit either, returns no evidence: `left_out` then names the parts that
 * make it too large.
 */
export function evidenceOf(
  { page, rendered, text, picture }: Seen,
  include: readonly Included[],
  mostBytes: number,
): { evidence?: Evidence; left_out: Included[] } {
  const evidence: Evidence = {
    ...(include.includes('text') && { text }),
    ...(include.includes('screenshot') && { screenshot_base64: picture.toString('base64') }),
    ...(include.includes('certificates') &&
      rendered.tls && {
        certificates_base64: rendered.tls.certificates.map(each => each.toString('base64')),
      }),
  }
  const sizeOf = (part: object) => Buffer.byteLength(JSON.stringify(part))
  const room = mostBytes - restBytes - sizeOf(evidence)
  if (room < 0) return { left_out: include.filter(part => part === 'text' || part === 'screenshot') }
  if (!include.includes('html')) return { evidence, left_out: [] }
  const html = { html_base64: page.bytes.toString('base64') }
  return sizeOf(html) <= room
    ? { evidence: { ...evidence, ...html }, left_out: [] }
    : { evidence, left_out: ['html'] }
}
