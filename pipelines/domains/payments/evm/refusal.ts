/** Nodes refuse too many blocks at once. Each has its own words and its own code. */
const refusal = new RegExp(
  [
    'more than \\d',
    'too (many|large|wide)',
    'block range|ranges? over|limited to .* range',
    '(query|response|results?|range|limit) (size )?exceed',
    'exceeds? (the )?max',
  ].join('|'),
  'i',
)
/** A node that wants fewer requests does not want fewer blocks. We ask it again later. */
const patience = /rate limit|too many requests|requests? per|\b429\b/i

/** A node may answer with any text. The reason is at its beginning. */
const mostChars = 1000

export function isTooMuch(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { message, details = '' } = error as Error & { details?: string }
  const said = `${message.slice(0, mostChars)} ${details.slice(0, mostChars)}`
  return refusal.test(said) && !patience.test(said)
}
