/**
 * Finds the subject of an endpoint by the words of its listing. No model and no network: the same listing gets the
 * same answer.
 */
import { pathOf, plainWords, stem } from './words.ts'

interface Listing {
  url: string
  tags: readonly string[]
  service_name: string | null
  description: string | null
}

const keywords: Record<string, string> = {
  web_search: '~search web serp google bing ~query ~results answer engine',
  web_scrape_read:
    'scrape crawl extract ~read page ~url html markdown screenshot browser website content render links',
  llm_inference:
    'llm gpt chat completion inference model prompt reasoning embedding claude gemini summarize translate',
  image_video_audio: 'image video audio picture speech voice music generate photo meme transcribe tts art',
  token_price_market:
    'price token coin ohlcv market candle ticker crypto btc bitcoin eth trending gainers losers marketcap',
  defi_onchain_data:
    'defi tvl yield chain block transaction bridge gas pool liquidity protocol stablecoin contract onchain dex swap',
  wallet_analytics: 'wallet portfolio balance holdings pnl whale transfers approvals holder',
  token_safety: 'rug honeypot scam safety audit malicious rugpull security tax risk',
  trading_signals:
    'signal signals trading strategy backtest prediction arbitrage alpha indicator funding liquidation polymarket kalshi odds',
  company_financials:
    'sec edgar filing financials earnings stock company balance equity revenue dividend insider',
  people_company_enrichment:
    'people person enrichment linkedin email employee contact lead company profile firmographic',
  social_media:
    'twitter tweet tweets reddit farcaster instagram tiktok youtube social followers post hashtag',
  news: 'news headline headlines article articles press feed narrative',
  weather_environment: 'weather forecast temperature climate air quality environment earthquake',
  maps_geo_ip: 'geo geocode ip location map maps address timezone demographics places',
  travel_transport: 'flight flights airport hotel travel train transit aviation airline',
  ecommerce_products: 'product products shop store ecommerce amazon order gift card prepaid merch purchase',
  government_legal_data: 'government law legal court patent regulation tax holiday census public records',
  security_identity_attestation:
    'identity attestation trust verify verification kyc reputation signature certificate proof cve vulnerability',
  agent_infra_payments:
    'facilitator merchant mcp registry discovery settle escrow invoice gateway directory payments x402scan',
  storage_compute: 'storage upload ipfs compute sandbox execute code deploy database vm hosting function',
  utilities_misc: 'random qr convert format validate dns domain hash uuid calculator pdf email mx regex time',
}

/** Words are compared without synonyms. `~` marks words that many kinds of tools use about themselves. */
const stems = (text: string): string[] => plainWords(text).map(stem)
const weak = 0.3

const weights = new Map<string, { category: string; weight: number }[]>()
for (const [category, words] of Object.entries(keywords))
  for (const word of words.split(' ')) {
    const [term = ''] = stems(word)
    const meaning = { category, weight: word.startsWith('~') ? weak : 1 }
    weights.set(term, [...(weights.get(term) ?? []), meaning])
  }

const testing =
  /^(test|testing|hello,? ?world!?|premium content|access to (protected|premium) (content|resource)|protected (content|resource)|returns "?hello world|example|demo|todo|description)\b|^test resource|^[0-9a-f-]{36}$/i

export const isPlaceholder = ({ description }: Pick<Listing, 'description'>): boolean =>
  testing.test((description ?? '').trim())

const most = 3
const shareOfBest = 0.4

/** Up to three categories, the strongest first. */
export function categoriesOf(listing: Listing): string[] {
  if (isPlaceholder(listing)) return ['placeholder']
  const scores = new Map<string, number>()
  const count = (terms: readonly string[], place: number) => {
    for (const term of new Set(terms)) {
      const meanings = weights.get(term) ?? []
      for (const { category, weight } of meanings)
        scores.set(category, (scores.get(category) ?? 0) + (place * weight) / meanings.length)
    }
  }
  count(listing.tags.flatMap(stems), 3)
  count(stems(listing.service_name ?? ''), 2)
  count(stems(pathOf(listing.url)), 2)
  count(stems(listing.description ?? ''), 1)
  const ranked = [...scores].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  const best = ranked[0]?.[1] ?? 0
  if (best < 1) return ['other']
  return ranked
    .filter(([, score]) => score >= shareOfBest * best)
    .slice(0, most)
    .map(([category]) => category)
}
