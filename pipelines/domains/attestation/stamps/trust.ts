/** Decides whether a certificate leads to an authority that we trust, at a given time. */
import { X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'

export interface Trust {
  /** Whether it leads to a root, possibly through `others`. */
  reaches(certificate: X509Certificate, others: readonly X509Certificate[], at: Date): boolean
}

const mostSteps = 5

/** `extra` is PEM of roots that are trusted in addition to Mozilla's. */
export function trustIn(extra = '', usual: readonly string[] = rootCertificates): Trust {
  let roots: Map<string, X509Certificate[]> | undefined
  // The roots are read for the first time-stamp, because most processes judge none.
  const rootsOf = (subject: string) => {
    roots ??= Map.groupBy(
      [...(extra.match(pem) ?? []), ...usual].map(text => new X509Certificate(text)),
      root => root.subject,
    )
    return roots.get(subject) ?? []
  }
  return {
    reaches(certificate, others, at) {
      let current = certificate
      for (let steps = 0; steps < mostSteps; steps++) {
        if (!isValid(current, at)) return false
        const root = rootsOf(current.issuer).find(each => hasIssued(each, current))
        if (root) return isValid(root, at)
        const next = others.find(each => hasIssued(each, current) && !each.raw.equals(current.raw))
        if (!next) return false
        current = next
      }
      return false
    },
  }
}

const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Whether the text consists of readable certificates in PEM. */
export function areCertificates(text: string): boolean {
  try {
    return (text.match(pem) ?? []).map(each => new X509Certificate(each)).length > 0
  } catch {
    return false
  }
}

/** The issuer of a certificate never changes, and finding it costs a signature check. */
const issuers = new WeakMap<X509Certificate, X509Certificate>()

function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  if (issuers.get(certificate) === issuer) return true
  const holds = issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
  if (holds) issuers.set(certificate, issuer)
  return holds
}

const isValid = ({ validFromDate, validToDate }: X509Certificate, at: Date): boolean =>
  validFromDate <= at && at <= validToDate
