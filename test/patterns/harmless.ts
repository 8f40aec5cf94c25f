/**
 * What the checker of regular expressions does not hold against us, and why. Each list shrinks: whoever bounds the text or
 * mends the expression takes his line out.
 */

/** Files whose regular expressions read what we or the operator have written. */
export const ourOwn: readonly { files: RegExp; reads: string }[] = [
  {
    files: /^services\/(commands\/(docs|prompt)|pages\/lineage-lines)\.ts$/,
    reads: 'our own files, and what the operator types',
  },
  { files: /^services\/config\/(config|environment(-[a-z]+)?)\.ts$/, reads: 'the environment' },
  {
    files: /^services\/query\/catalog\/(changelog-page|snippets|shared-shapes)\.ts$/,
    reads: 'our own files',
  },
  { files: /^services\/sandbox\//, reads: 'play money and samples' },
  { files: /^pipelines\/samples\//, reads: 'what the sandbox itself asks' },
]

/** Rooms that read in processes of their own, which are killed when they are late (pipelines/rails/children). */
export const apart: readonly { files: RegExp; reads: string }[] = [
  { files: /^pipelines\/domains\/product\//, reads: 'pages of shops, of 8 MB, for 8 s' },
  { files: /^pipelines\/domains\/document\/(page|pdf|summary)\//, reads: 'pages and PDFs, for 10 s' },
  {
    files: /^pipelines\/rails\/outside\/(browser|pages|fetching)\//,
    reads: 'pages; what of it runs in the browser and beside it',
  },
  {
    files: /^pipelines\/domains\/company\/events\//,
    reads: 'reports and press releases, of 32 MB, for 10 s',
  },
]

/** Single ones: where, how they begin, and the bound of what they read. */
export const harmless: readonly { file: string; start: string; bound: string }[] = [
  { file: 'schemas/values/resource-address.ts', start: '-(git-', bound: 'a host: 253 characters' },
  { file: 'pipelines/lookups/geocode/address.ts', start: '^[, ]+|', bound: 'an address: 200 characters' },
  { file: 'pipelines/lookups/geocode/address.ts', start: '[, ]*', bound: 'an address: 200 characters' },
  { file: 'pipelines/domains/market/words.ts', start: '[^aeiou]{2,}ing$', bound: 'a word: 40 characters' },
  {
    file: 'pipelines/domains/market/words.ts',
    start: '[aeiouy][^aeiou]+ed$',
    bound: 'a word: 40 characters',
  },
  { file: 'pipelines/rails/formats/charset.ts', start: '<meta', bound: 'lookedAt: 4,096 bytes' },
  { file: 'pipelines/sources/faa/notam.ts', start: 'WINGSPAN', bound: 'mostChars: 2,000 characters' },
  { file: 'pipelines/sources/faa/notam.ts', start: 'RWY\\s+ALL', bound: 'mostChars: 2,000 characters' },
  { file: 'pipelines/sources/faa/notam.ts', start: '\\b', bound: 'mostChars: 2,000 characters' },
  { file: 'pipelines/sources/faa/notam.ts', start: 'CLSD\\s+TO', bound: 'mostChars: 2,000 characters' },
  {
    file: 'pipelines/domains/payments/evm/refusal.ts',
    start: 'more than',
    bound: 'mostChars: 1,000 characters',
  },
  { file: 'pipelines/rails/store/apply.ts', start: ' TTL ', bound: 'how the store itself writes our tables' },
  { file: 'services/client/farebox.ts', start: '\\/+$', bound: 'the address that its user gives' },
  { file: 'services/client/quote.ts', start: '0+$', bound: 'six digits' },
  {
    file: 'services/till/facilitator/facilitator.ts',
    start: '\\/+$',
    bound: 'the address that the operator gives',
  },
  {
    file: 'pipelines/rails/environment/kinds.ts',
    start: '\\/+$',
    bound: 'the address that the operator gives',
  },
]
