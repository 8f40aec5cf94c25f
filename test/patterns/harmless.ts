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

/** What is read in a process of its own, which is killed when it is late (pipelines/rails/children). */
const [shop, page, report] = [
  'a page of a shop: measured by test/growth, in a process that ends after 8 s',
  'a page: measured by test/growth, in a process that ends after 10 s',
  'a report of 32 MB, in a process that ends after 10 s',
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
  { file: 'pipelines/rails/outside/pages/challenge.ts', start: '<title>[^<]{0,40}(robot chec', bound: page },
  { file: 'pipelines/rails/outside/pages/thin.ts', start: '<noscript[^>]{0,100}>', bound: page },
  { file: 'pipelines/rails/outside/pages/thin.ts', start: '(enable|activate|requires?|t', bound: page },
  { file: 'pipelines/rails/outside/pages/visible.ts', start: '\\shidden(?=[\\s=>/]|$)|style\\', bound: page },
  {
    file: 'pipelines/rails/outside/fetching/address.ts',
    start: '^(?!.{254})([a-z0-9_]([a-z0-',
    bound: 'a host: 253 characters',
  },
  { file: 'pipelines/domains/product/availability.ts', start: '\\b(pre-?order( now)?|vorbest', bound: shop },
  { file: 'pipelines/domains/product/availability.ts', start: '\\b(only \\d+ left|low stock|l', bound: shop },
  { file: 'pipelines/domains/product/images.ts', start: '\\._[a-z0-9,_-]+_(?=\\.)', bound: shop },
  { file: 'pipelines/domains/product/images.ts', start: '[_-](?:small|medium|large|th', bound: shop },
  { file: 'pipelines/domains/product/images.ts', start: '\\/(?:w|h|c|s|rx|width|height', bound: shop },
  { file: 'pipelines/domains/product/links.ts', start: '^\\s*(\\d+)[.\\d]*\\s*[;,]\\s*(?:', bound: shop },
  {
    file: 'pipelines/domains/product/page-amounts.ts',
    start: '(?:^|[\\s_-])(price\\w*|prc\\w*',
    bound: shop,
  },
  { file: 'pipelines/domains/product/page-amounts.ts', start: '(?:^|[\\s_-])(old|oldprice|wa', bound: shop },
  { file: 'pipelines/domains/product/page-labels.ts', start: '^([^:#]{2,40}?)\\s*[:#]+\\s*(\\', bound: shop },
  { file: 'pipelines/domains/product/page-price.ts', start: '\\b(was|rrp|msrp|list price|r', bound: shop },
  { file: 'pipelines/domains/product/page-price.ts', start: 'font(?:-size)?\\s*:[^;]*?(\\d{', bound: shop },
  { file: 'pipelines/domains/product/page-stock.ts', start: '(?:^|[\\s_-])(swatch\\w*|sizes', bound: shop },
  { file: 'pipelines/domains/product/price.ts', start: '(?:\\bfrom|\\bstarting (?:at|f', bound: shop },
  { file: 'pipelines/domains/product/scene.ts', start: '(?:^|[\\s_-])(related|similar', bound: shop },
  { file: 'pipelines/domains/product/script-data.ts', start: '(?:(?:__NEXT_DATA__|__INITIA', bound: shop },
  { file: 'pipelines/domains/product/texts.ts', start: '<\\/?[a-z!][^>]*>', bound: shop },
  { file: 'pipelines/domains/product/texts.ts', start: '<(script|style)\\b[\\s\\S]*?<\\/', bound: shop },
  { file: 'pipelines/domains/document/page/article.ts', start: '[([](?:image|photo|picture|c', bound: page },
  {
    file: 'pipelines/domains/document/page/article.ts',
    start: '(?:^|[.!?…]["\'”’)]*\\s+)(?:Fo',
    bound: page,
  },
  {
    file: 'pipelines/domains/document/page/boilerplate.ts',
    start: 'skip-?(?:to|link)|you-?(?:ma',
    bound: page,
  },
  {
    file: 'pipelines/domains/document/summary/alone.ts',
    start: '^(?:there (?:is|are|was|were) (?:(',
    bound: page,
  },
  {
    file: 'pipelines/domains/document/summary/of-itself.ts',
    start: "(?<![\\p{L}])it(?:['’]s| is| was| w",
    bound: page,
  },
  {
    file: 'pipelines/domains/document/summary/of-itself.ts',
    start: '\\S\\s\\P{L}{0,3}\\p{Lu}[\\p{L}]|^\\P{L}',
    bound: page,
  },
  {
    file: 'pipelines/domains/document/summary/of-itself.ts',
    start: '(?<![\\p{L}])(?:an?|the|each|every|',
    bound: page,
  },
  {
    file: 'pipelines/domains/document/summary/sentences.ts',
    start: '^(?:read|see|watch|listen to|check',
    bound: page,
  },
  {
    file: 'pipelines/domains/document/summary/told-before.ts',
    start: '^(?:is|are|was|were|be|been|has|ha',
    bound: page,
  },
  { file: 'pipelines/domains/document/page/main.ts', start: '<\\/?noscript(?:\\s[^>]*)?>', bound: page },
  {
    file: 'pipelines/domains/company/events/document.ts',
    start: '<(script|style|ix:header|hea',
    bound: report,
  },
  {
    file: 'pipelines/domains/company/events/document.ts',
    start: '<br\\b[^>]*>|<\\/(p|div|tr|li|',
    bound: report,
  },
  {
    file: 'pipelines/domains/company/events/document.ts',
    start: '<sup\\b[^>]*>\\s*(?:<[^>]+>\\s*',
    bound: report,
  },
  { file: 'pipelines/domains/company/events/document.ts', start: '<[^>]+>', bound: report },
  {
    file: 'pipelines/domains/company/events/document.ts',
    start: '^(?:.*[-=_–—]{5,}\\s*)?items?',
    bound: report,
  },
  {
    file: 'pipelines/domains/company/events/figures.ts',
    start: '\\b(?:from|previous|previousl',
    bound: report,
  },
  {
    file: 'pipelines/domains/company/events/sentence.ts',
    start: 'furnished|deemed ["“]?filed|',
    bound: report,
  },
  {
    file: 'pipelines/domains/company/events/sentence.ts',
    start: '\\b(entered into|completed|co',
    bound: report,
  },
  {
    file: 'pipelines/domains/company/events/sentence.ts',
    start: '\\b(resign(s|ed|ation)?|retir',
    bound: report,
  },
  {
    file: 'pipelines/domains/company/events/sentence.ts',
    start: '\\bProposals?\\s+(?:No\\.?\\s*|N',
    bound: report,
  },
  {
    file: 'pipelines/domains/company/events/sentence.ts',
    start: '\\b(nominees?|directors?)\\b.*',
    bound: report,
  },
  {
    file: 'pipelines/domains/company/events/sentence.ts',
    start: ', or (the |our )?([A-Z]\\w+ ?',
    bound: report,
  },
  {
    file: 'pipelines/domains/company/events/sentence.ts',
    start: ' ?\\((?:(?:the|collectively|c',
    bound: report,
  },
  {
    file: 'pipelines/domains/company/events/sentences.ts',
    start: '(?<=[.!?]["”’)]?)\\s+(?=["“(]',
    bound: report,
  },
  {
    file: 'pipelines/domains/company/events/sentences.ts',
    start: '[,;]?\\s*(?:and|or)?[\\s.;,]*$',
    bound: report,
  },
  { file: 'pipelines/domains/product/price.ts', start: '(?<whole>\\d+)[ \\u00a0\\u2009\\', bound: shop },
  {
    file: 'pipelines/domains/company/events/figures.ts',
    start: '(?:^|[•●▪·*–—:,;(]\\s*|\\b(?:a',
    bound: report,
  },
  {
    file: 'pipelines/domains/company/events/figures.ts',
    start: '(?:between |approximately |a',
    bound: report,
  },
  {
    file: 'pipelines/domains/company/events/sentence.ts',
    start: '^(Effective )?([Oo]n|[Aa]s o',
    bound: report,
  },
  {
    file: 'pipelines/domains/company/events/sentence.ts',
    start: '\\b(?:for|of) (?:its|the|our)',
    bound: report,
  },
]
