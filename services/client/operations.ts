/** What is sold, as types. Written by `npm run docs` from the operations themselves. */

// operations: derived
export const operations = {
  fx: { method: 'POST', path: '/fx', priceUsd: '0.002', title: "Currency conversion" },
  fxBatch: { method: 'POST', path: '/fx/batch', priceUsd: '0.02', title: "Up to 100 currency conversions" },
  fxHistory: { method: 'POST', path: '/fx/history', priceUsd: '0.004', title: "Daily rates of a currency pair since 1999" },
  airportStatus: { method: 'POST', path: '/airport/status', priceUsd: '0.003', title: "Airport delays and closures" },
  ip: { method: 'POST', path: '/ip', priceUsd: '0.002', title: "Where an IP address is" },
  ipBatch: { method: 'POST', path: '/ip/batch', priceUsd: '0.02', title: "Where up to 100 IP addresses are" },
  weather: { method: 'POST', path: '/weather', priceUsd: '0.002', title: "US weather forecast and alerts" },
  geocode: { method: 'POST', path: '/geocode', priceUsd: '0.002', title: "Where a US address is" },
  geocodeBatch: { method: 'POST', path: '/geocode/batch', priceUsd: '0.05', title: "Where up to 100 US addresses are" },
  geocodeReverse: { method: 'POST', path: '/geocode/reverse', priceUsd: '0.002', title: "What a US point lies in" },
  secCompany: { method: 'POST', path: '/sec/company', priceUsd: '0.002', title: "SEC company profile and filings" },
  secFinancials: { method: 'POST', path: '/sec/financials', priceUsd: '0.004', title: "SEC financials of a company" },
  secInsiders: { method: 'POST', path: '/sec/insiders', priceUsd: '0.004', title: "Insider holdings and transactions" },
  secEvents: { method: 'POST', path: '/sec/events', priceUsd: '0.004', title: "Material events across companies" },
  dataCompany: { method: 'POST', path: '/data/company', priceUsd: '0.006', title: "Company snapshot" },
  dataDiligence: { method: 'POST', path: '/data/diligence', priceUsd: '0.03', title: "Company due diligence" },
  marketSeller: { method: 'POST', path: '/market/seller', priceUsd: '0.02', title: "How an x402 seller does" },
  marketBest: { method: 'POST', path: '/market/best', priceUsd: '0.01', title: "The x402 tools that others pay for a task" },
  marketDataset: { method: 'POST', path: '/market/dataset', priceUsd: '0.10', title: "The whole x402 market of the week" },
  marketHistory: { method: 'POST', path: '/market/history', priceUsd: '0.02', title: "The weeks of an x402 seller" },
  marketMethod: { method: 'GET', path: '/market/method', priceUsd: undefined, title: "How the market is judged" },
  receiptsSigner: { method: 'GET', path: '/receipts/signer', priceUsd: undefined, title: "Who signs our receipts" },
  receiptsVerify: { method: 'POST', path: '/receipts/verify', priceUsd: undefined, title: "Is a receipt ours?" },
  chainBalance: { method: 'POST', path: '/chain/balance', priceUsd: '0.002', title: "What an address holds" },
  chainToken: { method: 'POST', path: '/chain/token', priceUsd: '0.002', title: "What a token is" },
  chainTx: { method: 'POST', path: '/chain/tx', priceUsd: '0.002', title: "What a transaction did" },
  chainPrice: { method: 'POST', path: '/chain/price', priceUsd: '0.002', title: "The price of a token" },
  chainCheck: { method: 'POST', path: '/chain/check', priceUsd: '0.004', title: "A token, checked" },
  chainPortfolio: { method: 'POST', path: '/chain/portfolio', priceUsd: '0.008', title: "What an address holds, and its worth" },
  chainPretrade: { method: 'POST', path: '/chain/pretrade', priceUsd: '0.01', title: "Before a trade" },
  read: { method: 'POST', path: '/read', priceUsd: '0.002', title: "The text of a web page" },
  screenshot: { method: 'POST', path: '/screenshot', priceUsd: '0.003', title: "A picture of a web page" },
  summarize: { method: 'POST', path: '/summarize', priceUsd: '0.005', title: "A summary of a text" },
  search: { method: 'POST', path: '/search', priceUsd: '0.003', title: "Web search" },
  searchRead: { method: 'POST', path: '/search/read', priceUsd: '0.005', title: "Web search with the text of the first pages" },
  webBrief: { method: 'POST', path: '/web/brief', priceUsd: '0.007', title: "A summary of a web page" },
  pdf: { method: 'POST', path: '/pdf', priceUsd: '0.005', title: "The text of a PDF" },
  extract: { method: 'POST', path: '/extract', priceUsd: '0.01', title: "The product of a page, as schema.org JSON" },
  extractBatch: { method: 'POST', path: '/extract/batch', priceUsd: '0.04', title: "Up to five product pages, and how they compare" },
  preview: { method: 'GET', path: '/preview', priceUsd: undefined, title: "What an extraction looks like" },
  attest: { method: 'POST', path: '/attest', priceUsd: '0.05', title: "Page attested" },
  attestVerify: { method: 'POST', path: '/attest/verify', priceUsd: undefined, title: "Attestation verified" },
  attestSigner: { method: 'GET', path: '/attest/signer', priceUsd: undefined, title: "Who signs attestations" },
  attestLogProof: { method: 'GET', path: '/attest/log/proof', priceUsd: undefined, title: "Place of an attestation in the log" },
  attestLogConsistency: { method: 'GET', path: '/attest/log/consistency', priceUsd: undefined, title: "The log has only grown" },
  weighSubscribe: { method: 'POST', path: '/weigh/subscribe', priceUsd: '5.00', title: "Watches an x402 endpoint for 30 days" },
  watchSubscribe: { method: 'POST', path: '/watch/subscribe', priceUsd: '0.50', title: "Watches an answer for 30 days" },
  check: { method: 'GET', path: '/check', priceUsd: undefined, title: "What an x402 endpoint asks for now" },
  find: { method: 'GET', path: '/find', priceUsd: undefined, title: "Search of the x402 catalog" },
  weighPrepare: { method: 'POST', path: '/weigh/prepare', priceUsd: undefined, title: "The message that starts the watching of an endpoint" },
  weighStatus: { method: 'GET', path: '/weigh/status', priceUsd: undefined, title: "The public record of a watched endpoint" },
  weighKeys: { method: 'GET', path: '/weigh/keys', priceUsd: undefined, title: "The keys that sign webhooks" },
  weighDeliveries: { method: 'POST', path: '/weigh/deliveries', priceUsd: undefined, title: "How the events of a subscription were delivered" },
  weighReplay: { method: 'POST', path: '/weigh/replay', priceUsd: undefined, title: "Sends the events of a subscription again" },
  weighCancel: { method: 'POST', path: '/weigh/cancel', priceUsd: undefined, title: "Ends a subscription" },
  weighTest: { method: 'POST', path: '/weigh/test', priceUsd: undefined, title: "Sends a test event to a webhook" },
} as const

/** Any call can end in one of these. */
export type SharedCode = 'invalid_request' | 'not_found' | 'method_not_allowed' | 'body_too_large' | 'unsupported_media_type' | 'too_many_requests' | 'headers_too_large' | 'internal_error' | 'upstream_failed' | 'stale_data' | 'not_ready' | 'not_configured' | 'shutting_down' | 'invalid_payment_header' | 'invalid_idempotency_key' | 'payment_required' | 'invalid_payment' | 'payment_rejected' | 'insufficient_funds' | 'payment_expired' | 'payment_in_flight' | 'payment_already_used' | 'idempotency_conflict' | 'facilitator_unavailable' | 'log_unavailable' | 'busy' | 'payment_unknown'

export type Receipt = {
  request_id: string
  /** When the answer was put together (RFC 3339, UTC) */
  fetched_at: string
  tool: string
  price_usdc: number
  /** The sale was charged: once, when its answer was first given */
  charged: true
  network: "base" | "polygon" | "arbitrum" | "avalanche" | "solana"
  payment_tx: string
  /** Present when an Idempotency-Key replayed a paid answer */
  replayed?: true
  /** Present beside `replayed`: the replay charged nothing */
  charged_now?: false
}

type FxQuestion = {
  /** Currency to convert from, e.g. USD */
  from: string
  /** Currency to convert to, e.g. JPY */
  to: string
  /** How much of `from` */
  amount?: number
  /** A day of the last 90. A day without rates has those of the last day before it */
  date?: string
}

type FxAnswer = {
  from: string
  to: string
  amount?: number
  /** Units of `to` for one of `from`; 8 significant digits where it is computed */
  rate: number
  /** `amount` times `rate`, to 4 decimals, below 1 to 8 */
  converted: number
  /** The day of the rate */
  rate_date: string
  requested_date?: string | null
  source?: string
  /** Whose rates they are: the European Central Bank, or for its rarer currencies the National Bank of Poland */
  provider?: "ECB" | "NBP"
  notice: string
}

type AirportStatusEvents = {
  airport: string
  type: "ground_stop" | "ground_delay" | "arrival_delay" | "departure_delay" | "closure" | "other"
  reason: string | null
  average_delay: string | null
  min_delay: string | null
  max_delay: string | null
  /** The same as a number */
  average_delay_minutes: number | null
  /** The same as a number */
  min_delay_minutes: number | null
  /** The same as a number */
  max_delay_minutes: number | null
  trend: string | null
  start: string | null
  end: string | null
  /** false: a closure that only keeps out unscheduled or oversized aircraft */
  affects_airline_flights: boolean
  /** false: a closure that is not in force at this hour */
  active: boolean
}

type IpAnswer = {
  /** The address looked up, in canonical form */
  ip: string
  country: {
    code: string | null
    name: string | null
    in_eu: boolean
  } | null
  region: string | null
  city: string | null
  continent: {
    code: string
    name: string | null
  } | null
  latitude: number | null
  longitude: number | null
  /** IANA name; null: not known, as of a country or a US state with several */
  time_zone: string | null
  /** The autonomous system that announces the address; null: not known */
  network: {
    asn: number
    organization: string | null
  } | null
  /** Of a hosting provider, a Tor exit, a relay service; null: this deployment has no such list */
  flags: {
    hosting: boolean | null
    tor: boolean | null
    relay: boolean | null
  }
  /** Whom network and flags come from; null: this deployment has no such database */
  network_sources: {
    network: string | null
    hosting: string | null
    tor: string | null
    relay: string | null
  }
  precision: string
  database: string
  attribution: string
}

type GeocodeAnswer = {
  /** The address as it was read: one line, without control characters */
  input: string
  /** The match that agrees most with the input, in house number, ZIP, city and state */
  best: GeocodeBest
  matches: Array<GeocodeBest>
  match_count?: number
  source?: string
  notice: string
}

type GeocodeBest = {
  matched_address: string
  lat: number
  lon: number
  street: string | null
  city: string | null
  state: string | null
  zip: string | null
  county: string | null
  /** Five digits: state and county */
  county_fips: string | null
  state_name: string | null
  /** Eleven digits: state, county and tract */
  census_tract: string | null
  /** Twelve digits: the tract and its block group */
  block_group: string | null
  /** Four digits: state and district; 00 at large, 98 a delegate */
  congressional_district: string | null
  /** exact: house number, ZIP and city are as typed; weak: the house number is not, or ZIP and city both */
  match_quality: "exact" | "zip_differs" | "city_differs" | "weak"
}

type SecCompanyRecentFilings = {
  form: string
  filed: string
  report_date: string | null
  accession: string
  /** The document itself */
  url: string
}

type SecFinancialsRevenue = {
  /** The XBRL concept of the newest point */
  concept: string
  unit: string
  /** Up to 4 fiscal years, newest first */
  annual: Array<{
    period_start: string | null
    period_end: string
    /** Exactly as filed */
    value: number
    form: string
    filed: string
    accession: string
    /** What was first filed, and by which filing, where a later one changed it */
    restated?: {
      was: number
      accession: string
    }
  }>
  /** Three months; null where none are filed by themselves */
  latest_quarter: SecFinancialsLatestQuarter | null
  /** The last 8 three-month values, newest first; a fourth quarter is derived */
  quarters?: Array<SecFinancialsQuarters>
  /** The twelve months that end with the newest quarter */
  ttm?: SecFinancialsQuarters
  /** From the beginning of the fiscal year to the end of the latest quarter; of cash flow */
  year_to_date?: SecFinancialsLatestQuarter
}

type SecFinancialsLatestQuarter = {
  period_start: string | null
  period_end: string
  /** Exactly as filed */
  value: number
  form: string
  filed: string
  accession: string
}

type SecFinancialsQuarters = {
  period_start: string | null
  period_end: string
  /** As filed, or derived */
  value: number
  form: string
  filed: string
  accession: string
  /** The filed values that it is computed from; absent: as filed */
  derived_from?: Array<{
    subtracted: boolean
    value: number
    period_start: string
    period_end: string
    accession: string
  }>
}

type SecEventsFigures = {
  what: "revenue" | "net_income" | "net_loss" | "eps" | "loss_per_share" | "guidance"
  /** As printed, with sign and unit */
  value: string
  sentence: string
}

type DataCompanyFinancials = {
  revenue: DataCompanyRevenue | null
  operating_income: DataCompanyRevenue | null
  net_income: DataCompanyRevenue | null
  eps_diluted: DataCompanyRevenue | null
  total_assets: DataCompanyRevenue | null
  total_liabilities: DataCompanyRevenue | null
  stockholders_equity: DataCompanyRevenue | null
  cash: DataCompanyRevenue | null
  operating_cash_flow: DataCompanyRevenue | null
  shares_outstanding: DataCompanyRevenue | null
}

type DataCompanyRevenue = {
  unit: string
  latest_annual: SecFinancialsLatestQuarter | null
  /** The fiscal year directly before */
  prior_annual: SecFinancialsLatestQuarter | null
  /** Three months; null where none are filed by themselves */
  latest_quarter: SecFinancialsLatestQuarter | null
  /** From the beginning of the fiscal year to the end of the latest quarter; of cash flow */
  year_to_date?: SecFinancialsLatestQuarter
}

type MarketSellerOnchainNote = {
  checked: string
  note: string
  source: string
}

type ChainBalanceUsdc = {
  /** In units, as decimal text; null: the token does not say its decimals */
  balance: string | null
  /** In atoms */
  raw: string
}

type ChainTokenQuestion = {
  /** Its contract or mint */
  token: string
  /** The chain: base, ethereum, solana, arbitrum, optimism, polygon */
  chain: string
}

type ChainTokenWarnings = {
  code: "odd_name" | "no_decimals" | "lookalike" | "proxy" | "owner_can_mint" | "owner_can_pause" | "can_freeze" | "permanent_delegate" | "non_transferable" | "default_frozen" | "transfer_hook" | "transfer_fee" | "confidential" | "mutable_metadata" | "unknown_extension" | "rebasing" | "buy_tax" | "sell_tax" | "cannot_buy" | "cannot_sell" | "not_tried" | "no_pool" | "thin" | "price_disagrees" | "pools_left_out" | "young_pool" | "exceeds_pool" | "too_small" | "held_by_pool"
  severity: "info" | "caution" | "danger"
  evidence: string
}

type ChainPricePool = {
  address: string
  kind: "uniswap_v2" | "uniswap_v3" | "uniswap_v4" | "solidly_volatile" | "solidly_stable" | "slipstream" | "whirlpool" | "raydium_amm" | "raydium_clmm" | "raydium_cpmm" | "meteora_dlmm" | "pumpswap"
  /** In percent */
  fee: number
  /** The token that it is priced in */
  quote: string
}

type SearchResults = {
  position: number
  title: string
  url: string
  snippet: string
  /** YYYY-MM-DD, where the upstream dates the page */
  date: string | null
}

type ExtractAnswer = {
  "@context": "https://schema.org"
  "@type": "Product" | "ProductGroup"
  /** As asked for */
  url: string
  /** Where its redirects end */
  final_url: string
  name: string | null
  /** Plain text, at most 5,000 characters */
  description: string | null
  sku: string | null
  gtin: string | null
  mpn: string | null
  color: string | null
  size: string | null
  brand: {
    "@type": "Brand"
    name: string
  } | null
  /** Up to 5 absolute URLs copied from the page, the best first */
  image: Array<string>
  /** null: the page states no price and no stock */
  offers: ExtractOffers | ExtractOffers2 | null
  aggregateRating: ExtractAggregateRating | null
  productGroupID?: string | null
  variesBy?: Array<string>
  /** Of a ProductGroup: at most 60 */
  hasVariant?: Array<ExtractHasVariant>
  variants_truncated?: boolean
  /** The dotted name of every field that is not null, in exactly one list */
  provenance: ExtractProvenance
  warnings: Array<"declared_price_differs_from_page" | "declared_prices_differ" | "price_valid_until_past" | "currency_from_symbol" | "currency_unclear" | "page_read_in_part">
  /** Whether a browser had to show the page */
  rendered: boolean
  cached: boolean
  cache_age_seconds: number
  /** When the page was fetched, also where the answer is cached */
  fetchedAt: string
}

type ExtractOffers = {
  "@type": "Offer"
  /** As the page writes it */
  price: number | null
  /** ISO 4217; null where a sign could mean several */
  priceCurrency: string | null
  /** A URL of schema.org */
  availability: string | null
  itemCondition: string | null
  priceValidUntil: string | null
  seller: {
    "@type": "Organization"
    name: string
  } | null
}

type ExtractOffers2 = {
  "@type": "AggregateOffer"
  lowPrice: number | null
  highPrice: number | null
  priceCurrency: string | null
  offerCount: number | null
  availability: string | null
}

type ExtractAggregateRating = {
  "@type": "AggregateRating"
  ratingValue: number | null
  bestRating: number | null
  reviewCount: number | null
}

type ExtractHasVariant = {
  "@type": "Product"
  name: string | null
  sku: string | null
  gtin: string | null
  color: string | null
  size: string | null
  url: string | null
  offers: ExtractOffers | ExtractOffers2 | null
}

type ExtractProvenance = {
  /** Stated by JSON-LD, microdata, RDFa or price tags of the page */
  declared: Array<string>
  /** Read from what the page shows, or from the state of its scripts */
  inferred: Array<string>
}

type AttestDomain = {
  name: string
  version: string
  chainId: number
}

type AttestLog = {
  /** The name of the log */
  origin: string
  index: number
  /** A signed note with size and root of the log */
  checkpoint: string
  /** The hashes beside the path from the entry to the root */
  inclusion: Array<string>
}

type WeighSubscribePayee = {
  /** As CAIP-2 */
  network: string
  address: string
}

type CheckOffers = {
  /** As CAIP-2, where the name is known */
  network: string
  scheme: string
  asset: string
  /** In atoms of the asset */
  amount: string
  /** null: the asset is no stablecoin that we know */
  price_usd: number | null
  pay_to: string
}

type WeighDeliveriesQuestion = {
  /** As /weigh/prepare wrote it */
  message?: string
  /** By the payee: 65 bytes in hex (EVM; a contract signs by ERC-1271 or ERC-6492), or 64 bytes in base58 or base64 (Solana) */
  signature?: string
  /** In place of message and signature, with secret */
  subscription_id?: string
  /** The webhook secret of the subscription */
  secret?: string
}

export interface Operations {
  /** Converts between 30 currencies at the daily euro reference rates, and rarer ones at those of Poland's NBP; the latest or a day's of the last 90. Source: European Central Bank euro foreign exchange reference rates, available free of charge at https://www.ecb.europa.eu/stats/eurofxref/. Published for information purposes only; use for transactions is strongly discouraged. Any rate other than EUR-to-currency is computed here from the euro rates. 0.002 USDC. */
  fx: {
    question: FxQuestion
    answer: FxAnswer
    refusals: 'invalid_date' | 'date_out_of_range' | 'unsupported_currency' | 'no_rate'
  }
  /** Conversions at the ECB's daily euro reference rates, which are free of charge at https://www.ecb.europa.eu/stats/eurofxref/, of rarer currencies at those of Poland's NBP. One payment for up to 100 questions as `POST /fx` takes them, each answered or refused by itself, in order. Free if none is answered, else flat. 0.02 USDC. */
  fxBatch: {
    question: {
      /** Questions as POST /fx takes them */
      items: Array<FxQuestion>
    }
    answer: {
      /** In the order of the questions */
      results: Array<{
        /** null: refused */
        answer: FxAnswer | null
        /** Why there is none: `invalid_date`, `date_out_of_range`, `unsupported_currency`, `no_rate`, or an upstream */
        error?: string
        message?: string
      }>
      answered: number
      refused: number
    }
    refusals: 'nothing_answered'
  }
  /** Daily rates of a pair over any span since 1999-01-04, currencies that are gone included, from the ECB's euro reference rates, which are free of charge at https://www.ecb.europa.eu/stats/eurofxref/; rarer ones from the National Bank of Poland since 2002. A day whose rate is missing is told as a gap; nothing is filled in. A pair without any rate in the span is refused free. 0.004 USDC. */
  fxHistory: {
    question: {
      /** Currency to convert from */
      from: string
      /** Currency to convert to */
      to: string
      /** First day, 1999-01-04 at the earliest; 2002-01-02 for currencies that the ECB never had */
      start: string
      /** Last day; the newest where it is left out */
      end?: string
    }
    answer: {
      from: string
      to: string
      start: string
      end: string
      /** Oldest first; 8 significant digits where a rate is computed */
      rates: Array<{
        date: string
        rate: number
      }>
      count: number
      /** Days on which a rate of the pair was due, and none was published */
      gaps: Array<{
        start: string
        end: string
        days: number
        reason: string
      }>
      source: string
      /** Whose rates they are: the European Central Bank, or for its rarer currencies the National Bank of Poland */
      provider?: "ECB" | "NBP"
      notice: string
    }
    refusals: 'invalid_date' | 'date_out_of_range' | 'unsupported_currency' | 'no_rate'
  }
  /** FAA ground stops, delay programs, delays and closures at a US airport, or at every airport that has any. Says of each closure whether it touches airline flights. Read every minute. 0.003 USDC. */
  airportStatus: {
    question: {
      /** IATA or ICAO code, e.g. JFK or KJFK; leave it out to get every airport with events */
      airport?: string | null
    }
    answer: {
      /** Its IATA code, or the FAA’s where it has none */
      airport?: string
      status?: "stopped_or_closed" | "delays" | "normal"
      events?: Array<AirportStatusEvents>
      airports_with_events?: Array<{
        airport: string
        status: "stopped_or_closed" | "delays" | "normal"
        events: Array<AirportStatusEvents>
      }>
      count?: number
      /** When the FAA wrote what this answer says */
      feed_updated?: string | null
      note?: string
      source: string
    }
    refusals: 'unknown_airport' | 'outside_coverage'
  }
  /** Country (and whether it is in the EU), region, city, continent, coordinates, time zone, network (ASN) and hosting, Tor and relay flags of a public IPv4 or IPv6 address, from DB-IP City Lite and what else is at hand. An estimate of the network, not of a person. Private, reserved and translation addresses are refused free. 0.002 USDC. */
  ip: {
    question: {
      /** An IPv4 or IPv6 address, without port, prefix length or zone */
      ip: string
    }
    answer: IpAnswer
    refusals: 'invalid_ip' | 'reserved_address' | 'unknown_address'
  }
  /** Country, region, city, network and coordinates of public IPv4 and IPv6 addresses. One payment for up to 100 questions as `POST /ip` takes them, each answered or refused by itself, in order. Free if none is answered, else flat. 0.02 USDC. */
  ipBatch: {
    question: {
      /** Questions as POST /ip takes them */
      items: Array<{
        /** An IPv4 or IPv6 address, without port, prefix length or zone */
        ip: string
      }>
    }
    answer: {
      /** In the order of the questions */
      results: Array<{
        /** null: refused */
        answer: IpAnswer | null
        /** Why there is none: `invalid_ip`, `reserved_address`, `unknown_address`, or an upstream */
        error?: string
        message?: string
      }>
      answered: number
      refused: number
    }
    refusals: 'nothing_answered'
  }
  /** Forecast of the National Weather Service in 12-hour periods, with `hourly` by the hour too, in US or SI units, and the warnings that hold at the very point. Send lat and lon, or a US address; where both are sent the coordinates win, and nothing is geocoded. Outside the US and its territories, and at sea, refused free. Warnings older than 10 minutes are never sold: a free 502. 0.002 USDC. */
  weather: {
    question: {
      /** Latitude; together with lon */
      lat?: number
      /** Longitude; together with lat */
      lon?: number
      /** US street address with house number; ignored where lat and lon are sent */
      address?: string
      /** 12-hour periods; fewer where fewer are published */
      periods?: number
      /** Adds the hours of these periods */
      hourly?: boolean
      /** us: Fahrenheit and miles per hour; si: Celsius and kilometres per hour */
      units?: "us" | "si"
    }
    answer: {
      location: {
        /** Of the address, or the nearest named place */
        city: string | null
        state: string | null
        lat: number
        lon: number
        time_zone: string | null
      }
      forecast: Array<{
        name: string
        start: string
        end: string
        temperature: number
        temperature_unit: string
        /** Percent; null is not 0 */
        precipitation_chance: number | null
        wind: string
        wind_direction: string
        summary: string
        detail: string
      }>
      /** Present only when asked for */
      hourly?: Array<{
        start: string
        end: string
        temperature: number
        temperature_unit: string
        precipitation_chance: number | null
        wind: string
        wind_direction: string
        summary: string
      }>
      /** The most severe first */
      alerts: Array<{
        event: string
        severity: string
        headline: string | null
        /** When the message lapses */
        expires: string
        /** When the event ends, where that is known */
        ends?: string | null
      }>
      /** When the office updated its grid */
      forecast_updated?: string | null
      /** Present only when an address was geocoded: not when lat and lon were sent beside it */
      geocoded?: {
        input: string
        matched_address: string
        lat: number
        lon: number
        notice: string
      }
      source: string
    }
    refusals: 'outside_coverage' | 'marine_location' | 'no_match'
  }
  /** Coordinates, county, FIPS codes and census tract of a US street address with a house number, from the Census Bureau geocoder. Interpolated along the street, not rooftop: typically tens of metres off. Several matches are listed, best first. No match is free. A slow geocoder is a free 502: ask again after some seconds. 0.002 USDC. */
  geocode: {
    question: {
      /** US street address with house number, and city and state or ZIP */
      address: string
    }
    answer: GeocodeAnswer
    refusals: 'no_match'
  }
  /** Coordinates, county and census tract of US street addresses. A slow geocoder leaves some unanswered: ask again. One payment for up to 100 questions as `POST /geocode` takes them, each answered or refused by itself, in order. Free if none is answered, else flat. 0.05 USDC. */
  geocodeBatch: {
    question: {
      /** Questions as POST /geocode takes them */
      items: Array<{
        /** US street address with house number, and city and state or ZIP */
        address: string
      }>
    }
    answer: {
      /** In the order of the questions */
      results: Array<{
        /** null: refused */
        answer: GeocodeAnswer | null
        /** Why there is none: `no_match`, or an upstream */
        error?: string
        message?: string
      }>
      answered: number
      refused: number
    }
    refusals: 'nothing_answered'
  }
  /** State, county, census tract, block group, block, congressional district and incorporated place of coordinates in the US, with their FIPS codes, from the Census Bureau geocoder. It names no street address. A point outside the US is refused free. A slow geocoder is a free 502: ask again after some seconds. 0.002 USDC. */
  geocodeReverse: {
    question: {
      /** Latitude */
      lat: number
      /** Longitude */
      lon: number
    }
    answer: {
      lat: number
      lon: number
      /** Postal code */
      state: string | null
      state_name: string | null
      county: string | null
      /** Five digits: state and county */
      county_fips: string | null
      /** Eleven digits: state, county and tract */
      census_tract: string | null
      /** Twelve digits: the tract and its block group */
      block_group: string | null
      /** Fifteen digits: the tract and its block */
      block: string | null
      /** Four digits: state and district; 00 at large, 98 a delegate */
      congressional_district: string | null
      /** The incorporated place, if the point lies in one */
      place: string | null
      source: string
      notice: string
    }
    refusals: 'outside_coverage'
  }
  /** Profile of a company in SEC EDGAR (name, tickers, exchanges, industry, address, fiscal year end) and its newest filings with direct links, of one form if asked. By ticker (BRK.B and BRK-B are one) or CIK. 0.002 USDC. */
  secCompany: {
    question: {
      /** Ticker, e.g. AAPL or BRK.B; send a ticker or a cik */
      ticker?: string | null
      /** SEC Central Index Key; it decides if both are sent */
      cik?: number | string | null
      /** Only filings of this form, e.g. 10-K, 8-K, 4; 10-K does not include 10-K/A */
      form?: string | null
      /** How many filings */
      limit?: number
    }
    answer: {
      cik: number
      name: string
      tickers?: Array<string>
      exchanges?: Array<string>
      industry?: string | null
      state_of_incorporation?: string | null
      /** MM-DD as EDGAR has it; years of 52 or 53 weeks end near it */
      fiscal_year_end?: string | null
      business_address?: string | null
      edgar_url?: string
      /** Newest first */
      recent_filings: Array<SecCompanyRecentFilings>
      source: string
    }
    refusals: 'missing_company' | 'conflicting_company' | 'unknown_ticker' | 'unknown_company'
  }
  /** Ten metrics from a company’s XBRL reports: revenue, operating income, net income, diluted EPS, assets, liabilities, equity, cash, operating cash flow, shares. Last 4 fiscal years, the last 8 quarters and twelve months, as filed, each with its accession; what is derived or restated says so. As known on any past day (as_of). 0.004 USDC. */
  secFinancials: {
    question: {
      /** Ticker, e.g. AAPL or BRK.B; send a ticker or a cik */
      ticker?: string | null
      /** SEC Central Index Key; it decides if both are sent */
      cik?: number | string | null
      /** The figures as they were known on this day: what was filed later is left out */
      as_of?: string | null
    }
    answer: {
      cik: number
      name: string
      as_of?: string
      metrics: {
        revenue: SecFinancialsRevenue | null
        operating_income: SecFinancialsRevenue | null
        net_income: SecFinancialsRevenue | null
        eps_diluted: SecFinancialsRevenue | null
        total_assets: SecFinancialsRevenue | null
        total_liabilities: SecFinancialsRevenue | null
        stockholders_equity: SecFinancialsRevenue | null
        cash: SecFinancialsRevenue | null
        operating_cash_flow: SecFinancialsRevenue | null
        shares_outstanding: SecFinancialsRevenue | null
      }
      /** Whatever is irregular about the figures */
      note?: string
      source: string
    }
    refusals: 'missing_company' | 'conflicting_company' | 'unknown_ticker' | 'unknown_company' | 'future_date' | 'no_financial_data'
  }
  /** Forms 3, 4 and 5 of a company’s insiders, or of a person (by cik), over up to a year, from their XML: who, role, what, code, shares, price, value, holdings afterwards, and whether under a Rule 10b5-1 plan. Newest first. 0.004 USDC. */
  secInsiders: {
    question: {
      /** Ticker, e.g. AAPL or BRK.B; send a ticker or a cik */
      ticker?: string | null
      /** SEC Central Index Key; it decides if both are sent */
      cik?: number | string | null
      /** First day of filing, YYYY-MM-DD; 90 days before `to` by default */
      from?: string | null
      /** Last day; today by default */
      to?: string | null
      /** How many lines */
      limit?: number
    }
    answer: {
      cik: number
      name: string
      from: string
      to: string
      /** Forms 3, 4 and 5 that were filed in these days */
      forms: number
      /** Lines of those that were read; `lines` has the newest of them */
      count: number
      lines: Array<{
        issuer: {
          cik: number
          name: string
          ticker: string | null
        }
        owner: {
          cik: number
          name: string
          joint_owners?: Array<string>
        }
        roles: Array<"director" | "officer" | "ten_percent_owner">
        /** Of an officer */
        title: string | null
        form: string
        filed: string
        kind: "transaction" | "holding"
        date: string | null
        /** Transaction code, e.g. P, S, A, F, M, G */
        code: string | null
        code_meaning: string | null
        security: string
        derivative: boolean
        direction: "acquired" | "disposed" | null
        shares: number | null
        price: number | null
        /** shares times price */
        value: number | null
        shares_after: number | null
        ownership: "direct" | "indirect"
        /** Of indirect ownership */
        nature: string | null
        exercise_price?: number | null
        expires?: string | null
        underlying?: string | null
        underlying_shares?: number | null
        /** null: the form does not say */
        plan_10b5_1: boolean | null
        accession: string
        url: string
      }>
      /** Where not every form could be read */
      note?: string
      source: string
    }
    refusals: 'missing_company' | 'conflicting_company' | 'unknown_ticker' | 'unknown_company' | 'invalid_span' | 'no_match'
  }
  /** The 8-K reports of all US-listed companies over up to 31 days, newest first, by item (5.02 executives, 2.02 results, 1.01 agreements ...) and industry, each with a plain-English summary and the revenue, income, EPS and guidance that its press release prints. 0.004 USDC. */
  secEvents: {
    question: {
      /** Only reports with this item, e.g. 5.02 */
      item?: string | null
      /** Words of the industry, e.g. software */
      industry?: string | null
      /** First day, YYYY-MM-DD; a week before `to` by default */
      from?: string | null
      /** Last day; today by default */
      to?: string | null
      /** How many events */
      limit?: number
    }
    answer: {
      from: string
      to: string
      /** How many match; `events` has the newest of them */
      count: number
      events: Array<{
        cik: number
        name: string
        industry: string | null
        form: string
        filed: string
        items: Array<string>
        summary: string | null
        /** Figures that the press release of the report prints */
        figures?: Array<SecEventsFigures>
        accession: string
        url: string
      }>
      source: string
    }
    refusals: 'invalid_span' | 'no_match'
  }
  /** A US-listed company in one answer: identity, newest SEC filings with links, and ten financial metrics of the last two fiscal years and the latest quarter, exactly as filed. By ticker or CIK. 0.006 USDC. */
  dataCompany: {
    question: {
      /** Ticker, e.g. AAPL or BRK.B; send a ticker or a cik */
      ticker?: string | null
      /** SEC Central Index Key; it decides if both are sent */
      cik?: number | string | null
      /** How many filings */
      filings?: number
      /** Only filings of this form, e.g. 10-K, 8-K, 4; 10-K does not include 10-K/A */
      form?: string | null
    }
    answer: {
      cik: number
      name: string
      tickers?: Array<string>
      industry?: string | null
      fiscal_year_end?: string | null
      recent_filings: Array<SecCompanyRecentFilings>
      financials: DataCompanyFinancials | null
      financials_note?: string
      source?: string
    }
    refusals: 'missing_company' | 'conflicting_company' | 'unknown_ticker' | 'unknown_company'
  }
  /** Due diligence on a US-listed company from its SEC filings: growth, margin, leverage and cash ratios, ten metrics exactly as filed, the 8-K events of the last 12 months in plain English, and links to the filings that count. By ticker or CIK. 0.03 USDC. */
  dataDiligence: {
    question: {
      /** Ticker, e.g. AAPL or BRK.B; send a ticker or a cik */
      ticker?: string | null
      /** SEC Central Index Key; it decides if both are sent */
      cik?: number | string | null
    }
    answer: {
      cik: number
      name: string
      industry?: string | null
      /** Of the newest fiscal year; null where a ratio would mislead */
      ratios: {
        revenue_growth_pct: number | null
        net_income_growth_pct: number | null
        operating_margin_pct: number | null
        net_margin_pct: number | null
        liabilities_to_assets_pct: number | null
        cash_to_liabilities_pct: number | null
        operating_cash_flow_to_net_income: number | null
      } | null
      /** Where a ratio is of a figure that is not filed as such */
      ratios_note?: string
      financials?: DataCompanyFinancials | null
      /** Whatever is irregular about the figures */
      financials_note?: string
      recent_material_events: Array<{
        form: string
        filed: string
        url: string
        summary: string | null
        /** Figures that the press release of the report prints */
        figures?: Array<SecEventsFigures>
        /** Why the summary says less than the report */
        note?: string
      }>
      key_filings?: Array<{
        form: string
        filed: string
        report_date: string | null
        accession: string
        /** The document itself */
        url: string
        title: string
      }>
      source?: string
      prepared_at?: string
    }
    refusals: 'missing_company' | 'conflicting_company' | 'unknown_ticker' | 'unknown_company'
  }
  /** Rank among active x402 sellers, calls, paying wallets, prices and estimated revenue of a host in 30 days, its endpoints and competitors, labels where its numbers look unusual, and what was seen on chain. Rebuilt weekly from the public catalog. An unknown or inactive seller is refused free. 0.02 USDC. */
  marketSeller: {
    question: {
      /** A hostname, or any URL on it */
      host: string
    }
    answer: {
      host: string
      /** The ISO week of the release */
      week: string
      rank: number
      active_sellers?: number
      est_revenue_30d_usd?: number
      calls_30d?: number
      paying_wallets_max?: number
      paid_endpoints?: number
      calls_per_wallet?: number | null
      endpoint_count?: number
      patterns?: Array<string>
      categories?: Array<string>
      competitors_category?: string | null
      onchain_note?: MarketSellerOnchainNote | null
      endpoints?: Array<{
        url: string
        price_usd: number | null
        calls_30d: number
        paying_wallets: number
        calls_per_wallet: number | null
      }>
      competitors?: Array<{
        host: string
        rank: number
        est_revenue_usd: number
        paying_wallets_max: number
        patterns: Array<string>
      }>
      note?: string
    }
    refusals: 'invalid_host' | 'unknown_seller' | 'no_activity'
  }
  /** x402 endpoints that fit a task, ranked by paying wallets and by whether buyers come back, not by raw calls; one result per seller, with price, a caution where numbers look unusual, and an hourly probe of its 402; dead ones sink. The operator runs this ranking and also sells tools: ranked by the same rule, with no boost, and marked. A task without a match is refused free. 0.01 USDC. */
  marketBest: {
    question: {
      /** The task, in words */
      task: string
      limit?: number
    }
    answer: {
      task: string
      week: string
      results: Array<{
        url: string
        host: string
        price_usd: number | null
        paying_wallets_30d: number
        calls_30d: number
        calls_per_wallet: number | null
        repeat_buyers: boolean
        description: string
        /** true: the operator of this service sells it */
        sold_by_tollkit: boolean
        caution: string | null
        /** When it was last asked for its 402, unpaid; null: not in the last 3 hours */
        checked_at: string | null
        /** true: it quoted; false: it failed, so it is ranked below the others; null: not known */
        alive: boolean | null
        /** It quoted the listed price */
        price_matches: boolean | null
        /** It quoted listed addresses alone */
        pay_to_matches: boolean | null
        latency_ms: number | null
        /** Why it is not alive, or not known to be */
        probe_note: string | null
      }>
      ranking?: string
      disclosure?: string
      note?: string
    }
    refusals: 'no_match'
  }
  /** Every active x402 seller (about 2,100) with rank, estimated revenue, calls, paying wallets, labels, categories and what was seen on chain, and totals per category. Rebuilt weekly; one JSON document, sent compressed to who accepts gzip. 0.10 USDC. */
  marketDataset: {
    question: Record<string, never>
    answer: {
      week: string
      generated_at?: string
      sellers: Array<{
        rank: number
        host: string
        est_revenue_usd: number
        calls: number
        paying_wallets_max: number
        patterns: Array<string>
        onchain_note: MarketSellerOnchainNote | null
        categories: Array<string>
      }>
      categories: Array<{
        category: string
        sellers: number
        endpoints: number
        calls: number
        est_revenue_usd: number
        paying_wallets_max: number
        median_price_usd: number | null
      }>
      note?: string
    }
    refusals: never
  }
  /** Rank, calls, paying wallets, estimated revenue, repeat buyers and labels of a host in every week that was ranked, the newest first. Shows whether a seller grows, fades or was there for a week only. A host that was never ranked is refused free. 0.02 USDC. */
  marketHistory: {
    question: {
      /** A hostname, or any URL on it */
      host: string
      /** At most so many, the newest first */
      weeks?: number
    }
    answer: {
      host: string
      weeks: Array<{
        /** The ISO week */
        week: string
        rank: number
        est_revenue_30d_usd: number
        calls_30d: number
        paying_wallets_max: number
        calls_per_wallet: number | null
        paid_endpoints: number
        endpoint_count: number
        repeat_buyers: boolean
        patterns: Array<string>
        rule_version: string
      }>
      /** How many weeks are listed */
      count: number
      note: string
    }
    refusals: 'invalid_host' | 'unknown_seller'
  }
  /** The rules behind the market operations: what is counted and what is left out, how sellers are ranked, what each label means, every threshold, and a hash of them all. The operator also sells tools: they are ranked by the same rules. Free. */
  marketMethod: {
    question: Record<string, never>
    answer: {
      version: string
      /** Of rules, ranking and labels: it changes when they do */
      sha256: string
      witnesses: Record<string, string>
      numbers: Record<string, string>
      rank: string
      best: string
      left_out: Array<string>
      labels: Array<{
        code: string
        witness: string
        severity: string
        about: string
      }>
      not_seen: Array<string>
      thresholds: Record<string, string | number | Record<string, number>>
      disclosure: string
      disclaimer: string
    }
    refusals: never
  }
  /** The address that signs offers and receipts, those that have signed before, and the typed data (EIP-712) that they sign. Free. */
  receiptsSigner: {
    question: Record<string, never>
    answer: {
      signer: string
      former: Array<string>
      kinds: Array<{
        domain: string
        name: string
        fields: Record<string, string>
      }>
    }
    refusals: never
  }
  /** Checks the signatures of a settlement (what PAYMENT-RESPONSE holds), and whether a question and an answer are those that were paid for. Free. */
  receiptsVerify: {
    question: {
      /** PAYMENT-RESPONSE, as it came or decoded */
      settlement: string | Record<string, unknown>
      /** What was asked */
      question?: Record<string, unknown>
      /** What was answered, with or without its receipt */
      answer?: Record<string, unknown>
    }
    answer: {
      /** We have signed it, and what was sent along fits */
      valid: boolean
      signer: string | null
      receipt: Record<string, unknown> | null
      /** null where no question was sent */
      question_matches: boolean | null
      /** null where no answer was sent */
      answer_matches: boolean | null
    }
    refusals: 'no_receipt'
  }
  /** Balances of an address on Base, Ethereum, Solana and others: native coin, USDC, USDT, and up to 20 tokens that you name. All are read at one block, and the answer names it. A token that fails has its reason. 0.002 USDC. */
  chainBalance: {
    question: {
      /** The holder */
      address: string
      /** The chain: base, ethereum, solana, arbitrum, optimism, polygon */
      chain: string
      /** Contracts or mints, at most 20 */
      tokens?: Array<string>
    }
    answer: {
      chain: "base" | "ethereum" | "solana" | "arbitrum" | "optimism" | "polygon"
      /** The height, on Solana the slot, that every number was read at */
      block: number
      fetched_at: string
      /** The host of the node that was asked */
      source: string
      address: string
      native: {
        symbol: string
        decimals: number
        balance: string
        raw: string
      }
      /** Circle's own USDC, never a bridged one */
      usdc: ChainBalanceUsdc
      /** Null: the chain has none */
      usdt: ChainBalanceUsdc | null
      tokens: Array<{
        token: string
        symbol: string | null
        decimals: number | null
        balance: string | null
        raw: string | null
        /** Why the balance is not known */
        error: string | null
      }>
      is_contract: boolean
    }
    refusals: 'invalid_address' | 'unsupported_chain'
  }
  /** Name, symbol, decimals and total supply of a token; on EVM chains its owner and whether its code can be replaced, on Solana its mint and freeze authority, extensions and metadata. Odd names are cleaned, and warnings say what was found. An address without a token is refused free. 0.002 USDC. */
  chainToken: {
    question: ChainTokenQuestion
    answer: {
      chain: "base" | "ethereum" | "solana" | "arbitrum" | "optimism" | "polygon"
      /** The height, on Solana the slot, that every number was read at */
      block: number
      fetched_at: string
      /** The host of the node that was asked */
      source: string
      token: string
      name: string | null
      symbol: string | null
      /** Null: the token does not say, so amounts are in atoms only */
      decimals: number | null
      /** In units */
      total_supply: string | null
      /** In atoms */
      total_supply_raw: string
      /** Facts with their evidence, no score */
      warnings: Array<ChainTokenWarnings>
      /** EVM chains; null: none, or not told */
      owner?: string | null
      /** EVM chains */
      is_proxy?: boolean
      /** EVM chains */
      implementation?: string | null
      /** Solana; null: nobody can mint */
      mint_authority?: string | null
      /** Solana; null: nobody can freeze */
      freeze_authority?: string | null
      /** Solana */
      token_program?: string
      /** Solana: those of Token-2022 */
      extensions?: Array<string>
      /** Solana */
      metadata?: {
        uri: string | null
        update_authority: string | null
        is_mutable: boolean | null
      } | null
    }
    refusals: 'invalid_address' | 'unsupported_chain' | 'not_a_token'
  }
  /** Whether a transaction succeeded, its block and finality, parties, value, fee, and every transfer of tokens and NFTs that its logs show, with symbols and amounts in units. A failed one has its reason where the node tells. A transaction that is not found is refused free. 0.002 USDC. */
  chainTx: {
    question: {
      /** Its hash, on Solana its first signature */
      hash: string
      /** The chain: base, ethereum, solana, arbitrum, optimism, polygon */
      chain: string
    }
    answer: {
      chain: "base" | "ethereum" | "solana" | "arbitrum" | "optimism" | "polygon"
      /** The newest height, on Solana slot, when it was read */
      block: number
      fetched_at: string
      /** The host of the node that was asked */
      source: string
      hash: string
      status: "success" | "failed" | "pending"
      /** The block that it is in; null: pending */
      tx_block: number | null
      block_time: string | null
      confirmations: number
      finalized: boolean
      from: string
      /** Null: it creates a contract */
      to: string | null
      /** The contract that it creates */
      created: string | null
      /** In native coin */
      value: string
      /** In native coin, with the fee of the data where the chain takes one */
      fee: string | null
      /** What it calls; null: a plain transfer */
      method: string | null
      transfers: Array<{
        standard: "native" | "erc20" | "erc721" | "erc1155" | "spl" | "token2022"
        /** Null: native coin */
        token: string | null
        symbol: string | null
        /** Null: minted */
        from: string | null
        /** Null: burned */
        to: string | null
        /** In units; null: the token does not say its decimals */
        amount: string | null
        raw: string
        token_id: string | null
      }>
      revert_reason: string | null
      note: string
    }
    refusals: 'unsupported_chain' | 'unknown_transaction'
  }
  /** The dollar price of a token from its deepest pool, read from the chain itself at one block: the pool, the dollars that it pays out while the price falls by 2 %, whether that is thin, and the 30-minute average where the pool keeps one. A token without a pool is refused free. 0.002 USDC. */
  chainPrice: {
    question: ChainTokenQuestion
    answer: {
      chain: "base" | "ethereum" | "solana" | "arbitrum" | "optimism" | "polygon"
      /** The height, on Solana the slot, that every number was read at */
      block: number
      fetched_at: string
      /** The host of the node that was asked */
      source: string
      token: string
      symbol: string | null
      /** The price in the middle of the deepest pool; one USDC or USDT is one dollar */
      price_usd: number
      pool: ChainPricePool
      /** Dollars that the pool pays out while its price falls by 2 % */
      depth_usd: number
      /** The depth is below $5,000 */
      thin_liquidity: boolean
      /** Pools of the token that have liquidity */
      pools_seen: number
      /** The average of 30 minutes; null: the pool keeps none */
      price_30m_usd: number | null
      /** Facts with their evidence, no score */
      warnings: Array<ChainTokenWarnings>
    }
    refusals: 'invalid_address' | 'unsupported_chain' | 'not_a_token' | 'no_pool'
  }
  /** Checks a token: its price, the depth of its deepest pool, and a purchase and a sale that are tried on a copy of the state, so taxes and honeypots show. Warnings name their evidence: powers of the owner, proxies, names that copy a known token, thin or young pools. Facts, no score. 0.004 USDC. */
  chainCheck: {
    question: ChainTokenQuestion
    answer: {
      chain: "base" | "ethereum" | "solana" | "arbitrum" | "optimism" | "polygon"
      /** The height, on Solana the slot, that every number was read at */
      block: number
      fetched_at: string
      /** The host of the node that was asked */
      source: string
      token: string
      name: string | null
      symbol: string | null
      /** In units, as decimal text; null: the token does not say its decimals */
      total_supply: string | null
      /** From the deepest pool; null: no pool */
      price_usd: number | null
      depth_usd: number | null
      /** The depth is below $5,000 */
      thin_liquidity: boolean | null
      pool: ChainPricePool | null
      /** Found by a trial that leaves nothing on the chain; null: not tried */
      buy_tax_pct: number | null
      sell_tax_pct: number | null
      /** A sale was tried right after a purchase; null: not tried */
      sellable: boolean | null
      /** Facts with their evidence, no score */
      warnings: Array<ChainTokenWarnings>
    }
    refusals: 'invalid_address' | 'unsupported_chain' | 'not_a_token'
  }
  /** The native coin and the tokens that an address holds, each priced in dollars from its deepest pool at one block, their total, and a warning where a price is thin. It looks at known tokens, or at up to 50 that you name; on Solana at every token account. 0.008 USDC. */
  chainPortfolio: {
    question: {
      /** The holder */
      address: string
      /** The chain: base, ethereum, solana, arbitrum, optimism, polygon */
      chain: string
      /** Contracts or mints, at most 50 */
      tokens?: Array<string>
    }
    answer: {
      chain: "base" | "ethereum" | "solana" | "arbitrum" | "optimism" | "polygon"
      /** The height, on Solana the slot, that every number was read at */
      block: number
      fetched_at: string
      /** The host of the node that was asked */
      source: string
      address: string
      holdings: Array<{
        /** `native`: the coin of the chain */
        token: string
        symbol: string | null
        /** In units; null: the token does not say its decimals */
        amount: string | null
        /** Null: no pool */
        price_usd: number | null
        value_usd: number | null
        /** The depth of its pool is below $5,000 */
        thin_liquidity: boolean | null
      }>
      /** A thin holding counts for no more than the depth of its pool */
      total_usd: number
      /** Holdings without a price. The total does not contain them */
      unpriced: number
      /** Which tokens were looked at */
      coverage: string
      /** Facts with their evidence, no score */
      warnings: Array<ChainTokenWarnings>
    }
    refusals: 'invalid_address' | 'unsupported_chain' | 'too_many_tokens'
  }
  /** Everything of a token check, and for your amount: the price impact against the mid price with the fee of the pool, what comes out, the pool that it takes, and what your wallet holds of the token. Reads only: nothing is signed or sent. A token without a pool is refused free. 0.01 USDC. */
  chainPretrade: {
    question: {
      /** Its contract or mint */
      token: string
      /** The chain: base, ethereum, solana, arbitrum, optimism, polygon */
      chain: string
      /** Who would trade */
      wallet: string
      /** The worth of what goes in, in dollars */
      amount_usd: number
      /** Buy the token, or sell it */
      side?: "buy" | "sell"
    }
    answer: {
      chain: "base" | "ethereum" | "solana" | "arbitrum" | "optimism" | "polygon"
      /** The height, on Solana the slot, that every number was read at */
      block: number
      fetched_at: string
      /** The host of the node that was asked */
      source: string
      token: string
      name: string | null
      symbol: string | null
      /** In units, as decimal text; null: the token does not say its decimals */
      total_supply: string | null
      /** From the deepest pool; null: no pool */
      price_usd: number | null
      depth_usd: number | null
      /** The depth is below $5,000 */
      thin_liquidity: boolean | null
      pool: ChainPricePool | null
      /** Found by a trial that leaves nothing on the chain; null: not tried */
      buy_tax_pct: number | null
      sell_tax_pct: number | null
      /** A sale was tried right after a purchase; null: not tried */
      sellable: boolean | null
      /** Facts with their evidence, no score */
      warnings: Array<ChainTokenWarnings>
      wallet: string
      side: "buy" | "sell"
      amount_usd: number
      /** Against the mid price, with the fee of the pool and without taxes; null: the pool cannot take it */
      price_impact_pct: number | null
      /** What the pool pays out */
      receive: {
        symbol: string | null
        amount: string | null
        raw: string
      } | null
      route: Array<ChainPricePool>
      /** What the wallet holds of the token */
      holding: ChainBalanceUsdc
      web_results: Array<{
        title: string
        url: string
        snippet: string | null
        date: string | null
      }> | null
      /** Who found them, or why there are none */
      web_note: string
    }
    refusals: 'invalid_address' | 'unsupported_chain' | 'not_a_token' | 'no_pool'
  }
  /** The visible text of any public page. A page that says little without its scripts is rendered in a real browser first, and the answer says so. It carries the final URL, the status, how old the copy is, and the SHA-256 of the text. A page that cannot be read is free. 0.002 USDC. */
  read: {
    question: {
      /** A public http or https URL */
      url: string
      /** A page that was fetched this long ago still answers; 0 fetches it anew */
      max_age_seconds?: number
      /** visible: what a reader sees; main: the content alone, without navigation, offers and notices; markdown: the content with its headings, lists, tables and links */
      format?: "visible" | "main" | "markdown"
      /** The text is cut after so many characters */
      max_chars?: number
    }
    answer: {
      /** The URL that was asked for */
      url: string
      /** Where its redirects end */
      final_url: string
      /** The HTTP status of the page */
      status: number
      /** When the page was fetched, also where it comes from the cache */
      fetched_at: string
      cached: boolean
      cache_age_seconds: number
      title: string
      text: string
      /** As the page says */
      lang: string | null
      format: string
      /** Whether a browser has shown the page */
      rendered: boolean
      truncated: boolean
      /** Of `text`, in UTF-8 */
      text_sha256: string
    }
    refusals: 'invalid_url' | 'page_fetch_failed' | 'page_refused' | 'blocked_by_site' | 'too_many_redirects' | 'page_too_large' | 'robots_disallowed' | 'not_a_page' | 'empty_page'
  }
  /** A 1280x800 JPEG of any public page, as a real browser shows it once it has come to rest, with the SHA-256 of its bytes. Scripts run; a page may ask to be waited for. A page that cannot be shown is free. 0.003 USDC. */
  screenshot: {
    question: {
      /** A public http or https URL */
      url: string
      /** A page that was fetched this long ago still answers; 0 fetches it anew */
      max_age_seconds?: number
      /** How long to wait once the page has come to rest */
      wait_ms?: number
    }
    answer: {
      /** The URL that was asked for */
      url: string
      /** Where its redirects end */
      final_url: string
      /** The HTTP status of the page */
      status: number
      /** When the page was fetched, also where it comes from the cache */
      fetched_at: string
      cached: boolean
      cache_age_seconds: number
      title: string
      width: 1280
      height: 800
      content_type: "image/jpeg"
      image_base64: string
      /** Of the bytes of the JPEG */
      sha256: string
      bytes: number
    }
    refusals: 'invalid_url' | 'page_fetch_failed' | 'page_refused' | 'blocked_by_site' | 'too_many_redirects' | 'page_too_large' | 'robots_disallowed' | 'not_a_page'
  }
  /** A short summary of a text in any language, at most max_words long. Extractive: it consists of whole sentences of the text, so it says nothing that the text does not say. Where the operator has set a language model, method is model and its name is given; a number that the text lacks voids what the model wrote. A text that is no longer than max_words is a free 422. 0.005 USDC. */
  summarize: {
    question: {
      /** The text, at most 100000 characters */
      text: string
      /** The summary has at most as many words */
      max_words?: number
    }
    answer: {
      summary: string
      /** The number of words of the summary */
      words: number
      /** extractive: whole sentences of the text itself; model: written by a language model */
      method: "extractive" | "model"
      /** The language model that wrote it; null: none did */
      model: string | null
    }
    refusals: 'nothing_to_summarize'
  }
  /** The top results of a web search, each with title, URL, snippet and the day of the page where it is known, and the answer box if there is one. Days that the upstream writes as "2 days ago" come as YYYY-MM-DD. source says who was asked. No result is free. 0.003 USDC. */
  search: {
    question: {
      /** What to search for */
      query: string
      /** At most as many results */
      num?: number
      /** Results as they are seen from this country, such as us */
      country?: string
    }
    answer: {
      results: Array<SearchResults>
      /** The direct answer of the upstream; null: it gave none */
      answer_box: {
        title: string | null
        answer: string | null
        snippet: string | null
        url: string | null
      } | null
      /** Who was asked */
      source: string
    }
    refusals: 'no_results'
  }
  /** The top ten results of a web search, and the main text of the first one to three pages, without navigation and offers. A page that needs scripts is shown in a browser. A page that cannot be read says why; if none can be read the call is free. 0.005 USDC. */
  searchRead: {
    question: {
      /** What to search for */
      query: string
      /** The number of pages that are read */
      num?: number
    }
    answer: {
      results: Array<SearchResults>
      pages: Array<{
        url: string
        title: string
        /** The main text; null: the page could not be read */
        text: string | null
        /** The text is longer and was cut */
        truncated: boolean
        /** Why it could not be read, such as page_refused */
        error: string | null
      }>
      /** Who was asked */
      source: string
    }
    refusals: 'no_results' | 'pages_unreadable'
  }
  /** Title, final URL and a summary of the main text of a public web page, at most max_words long. Navigation, offers and notices are left out before. A page that needs scripts is shown in a browser first. Extractive: the summary consists of whole sentences of the page, unless method says model. What cannot be read or is no longer than max_words is free. 0.007 USDC. */
  webBrief: {
    question: {
      /** A public http or https URL */
      url: string
      /** A page that was fetched this long ago still answers; 0 fetches it anew */
      max_age_seconds?: number
      /** The summary has at most as many words */
      max_words?: number
    }
    answer: {
      /** The URL that was asked for */
      url: string
      /** Where its redirects end */
      final_url: string
      /** The HTTP status of the page */
      status: number
      /** When the page was fetched, also where it comes from the cache */
      fetched_at: string
      cached: boolean
      cache_age_seconds: number
      title: string
      summary: string
      /** The number of words of the summary */
      words: number
      /** extractive: whole sentences of the text itself; model: written by a language model */
      method: "extractive" | "model"
    }
    refusals: 'invalid_url' | 'page_fetch_failed' | 'page_refused' | 'blocked_by_site' | 'too_many_redirects' | 'page_too_large' | 'robots_disallowed' | 'not_a_page' | 'empty_page' | 'nothing_to_summarize'
  }
  /** The text of each page of a public PDF of up to 25 MB, with title, author, number of pages and the SHA-256 of the file. A long document is read in ranges of pages: a free refusal names the pages that fit. Scans, encrypted and damaged files are refused by name, free. 0.005 USDC. */
  pdf: {
    question: {
      /** The public http or https URL of a PDF */
      url: string
      /** A page that was fetched this long ago still answers; 0 fetches it anew */
      max_age_seconds?: number
      /** The first page to read, from 1; the first of the document if absent */
      first_page?: number
      /** The last page to read; the last of the document if absent */
      last_page?: number
    }
    answer: {
      /** The URL that was asked for */
      url: string
      /** Where its redirects end */
      final_url: string
      /** The HTTP status of the page */
      status: number
      /** When the page was fetched, also where it comes from the cache */
      fetched_at: string
      cached: boolean
      cache_age_seconds: number
      /** As the document declares it */
      title: string | null
      /** As the document declares it */
      author: string | null
      /** Of the whole document */
      page_count: number
      pages: Array<{
        page: number
        text: string
      }>
      /** Of the file, in hex */
      sha256: string
      /** The size of the file */
      bytes: number
    }
    refusals: 'invalid_url' | 'page_fetch_failed' | 'page_refused' | 'blocked_by_site' | 'too_many_redirects' | 'robots_disallowed' | 'not_a_pdf' | 'pdf_too_large' | 'pdf_encrypted' | 'pdf_broken' | 'scanned_pdf' | 'too_much_text' | 'page_out_of_range'
  }
  /** Reads a product page to the field: name, price, currency, stock, brand, SKU, GTIN, images, variants. What the shop declares (JSON-LD, microdata) comes first, what the page shows fills the rest, and `provenance` says which is which. A field that the page does not state is null. A redirect to another page is refused free. 0.01 USDC. */
  extract: {
    question: {
      /** A public http or https URL */
      url: string
      /** Read the page all the same where a redirect ends at another one */
      allow_redirect?: boolean
      /** A page that was fetched this long ago still answers; 0 fetches it anew */
      max_age_seconds?: number
    }
    answer: ExtractAnswer
    refusals: 'invalid_url' | 'page_fetch_failed' | 'page_refused' | 'blocked_by_site' | 'too_many_redirects' | 'page_too_large' | 'robots_disallowed' | 'not_a_page' | 'redirected' | 'not_a_product' | 'several_products'
  }
  /** Reads up to five product pages at once, each as /extract does, and sets name, price, currency, stock and brand side by side, with the cheapest of each currency. Flat price: free if every page fails, charged in full as soon as one is read. 0.04 USDC. */
  extractBatch: {
    question: {
      /** All different */
      urls: Array<string>
      /** Read the page all the same where a redirect ends at another one */
      allow_redirect?: boolean
    }
    answer: {
      /** In the order asked */
      results: Array<{
        url: string
        ok: true
        product: ExtractAnswer
      } | {
        url: string
        ok: false
        error: string
        message: string
      }>
      succeeded: number
      failed: number
      /** The products that were read, side by side */
      comparison: {
        table: Array<{
          url: string
          name: string | null
          /** Of a range the lowest */
          price: number | null
          currency: string | null
          availability: string | null
          brand: string | null
        }>
        /** One for each currency: nothing is converted */
        cheapest: Array<{
          currency: string
          price: number
          url: string
        }>
      }
    }
    refusals: 'all_failed'
  }
  /** An answer in the shape of /extract, read by the same extractor from a bundled page of ours. Free: nothing is fetched. Free. */
  preview: {
    question: Record<string, never>
    answer: {
      "@context": "https://schema.org"
      "@type": "Product" | "ProductGroup"
      /** As asked for */
      url: string
      /** Where its redirects end */
      final_url: string
      name: string | null
      /** Plain text, at most 5,000 characters */
      description: string | null
      sku: string | null
      gtin: string | null
      mpn: string | null
      color: string | null
      size: string | null
      brand: {
        "@type": "Brand"
        name: string
      } | null
      /** Up to 5 absolute URLs copied from the page, the best first */
      image: Array<string>
      /** null: the page states no price and no stock */
      offers: ExtractOffers | ExtractOffers2 | null
      aggregateRating: ExtractAggregateRating | null
      productGroupID?: string | null
      variesBy?: Array<string>
      /** Of a ProductGroup: at most 60 */
      hasVariant?: Array<ExtractHasVariant>
      variants_truncated?: boolean
      /** The dotted name of every field that is not null, in exactly one list */
      provenance: ExtractProvenance
      warnings: Array<"declared_price_differs_from_page" | "declared_prices_differ" | "price_valid_until_past" | "currency_from_symbol" | "currency_unclear" | "page_read_in_part">
      /** Whether a browser had to show the page */
      rendered: boolean
      cached: boolean
      cache_age_seconds: number
      /** When the page was fetched, also where the answer is cached */
      fetchedAt: string
      preview: true
    }
    refusals: never
  }
  /** Visits a public page now, with a browser, and attests what it showed: text, picture and HTML by hash, address of the server, TLS certificate, time. Signed (EIP-712), time-stamped (RFC 3161), entered into a public log. Anyone can verify it without us. 0.05 USDC. */
  attest: {
    question: {
      /** A public http or https URL */
      url: string
      /** The evidence to send along. The statement always has the hashes of all of it */
      include?: Array<"text" | "screenshot" | "certificates" | "html">
      /** Attest an error page of the site too, such as a 404 */
      any_status?: boolean
    }
    answer: {
      statement: {
        version: "farebox-attest-1"
        /** As asked for, in its normal form */
        url: string
        /** Where its redirects end */
        final_url: string
        redirects: Array<{
          url: string
          status: number
        }>
        method: "GET"
        status: number
        /** When the first request left */
        requested_at: string
        /** When the page had come to rest */
        observed_at: string
        /** The address that was dialled for the final URL */
        serving_ip: string
        serving_port: number
        /** null over plain http */
        tls: {
          protocol: string
          cipher: string
          certificate_sha256: string
          /** Of each certificate that the server showed, its own first */
          chain_sha256: Array<string>
        } | null
        html_sha256: string
        text_sha256: string
        screenshot_sha256: string
        title: string
        /** Of the canonical text, in Unicode code points */
        text_chars: number
        viewport: "1280x800"
        browser: string
        user_agent: string
        /** Who has looked, and with which release */
        observer: string
      }
      /** Of the canonical JSON (RFC 8785) of the statement */
      statement_sha256: string
      signature: {
        scheme: "eip712"
        domain: AttestDomain
        types: Record<string, Array<{
          name: string
          type: string
        }>>
        signer: string
        key_id: string
        value: string
      }
      timestamps: Array<{
        /** The name in the certificate of the authority */
        authority: string
        /** RFC 3161, over statement_sha256 */
        token_base64: string
        time: string
        policy: string
      }>
      no_timestamp_because: "no time-stamp authority is configured" | "no time-stamp authority has answered, and none is required" | null
      log: AttestLog
      /** Each part can be left out, and the rest still holds */
      evidence: {
        text?: string
        screenshot_base64?: string
        html_base64?: string
        certificates_base64?: Array<string>
      }
      /** Evidence that was asked for and did not fit */
      left_out: Array<"text" | "screenshot" | "certificates" | "html">
    }
    refusals: 'invalid_url' | 'page_fetch_failed' | 'page_refused' | 'blocked_by_site' | 'too_many_redirects' | 'page_too_large' | 'robots_disallowed' | 'not_a_page' | 'evidence_too_large' | 'timestamp_unavailable' | 'signer_unconfigured'
  }
  /** Checks an attestation line by line: hash, signature, key, time-stamps, log, and the evidence that is sent along. It reads nothing but what it is sent and our public keys. Free. */
  attestVerify: {
    question: {
      /** The answer of /attest, whole or without evidence */
      attestation?: Record<string, unknown>
      statement?: unknown
      statement_sha256?: unknown
      signature?: unknown
      timestamps?: unknown
      no_timestamp_because?: unknown
      log?: unknown
      evidence?: unknown
      left_out?: unknown
      receipt?: unknown
    }
    answer: {
      /** No check has failed */
      valid: boolean
      checks: Array<{
        name: string
        /** null: it was not there to be checked */
        ok: boolean | null
        detail: string
      }>
      signer: string | null
      /** When the page was observed */
      signed_at: string | null
      /** The first check that failed */
      reason: string | null
    }
    refusals: 'not_an_attestation' | 'signer_unconfigured'
  }
  /** The address that signs attestations, those that have signed before with the life of each, the key of the log, and the time-stamp authorities. Free. */
  attestSigner: {
    question: Record<string, never>
    answer: {
      address: string
      /** A key that everybody knows has a name that begins with development */
      key_id: string
      scheme: "eip712"
      domain: AttestDomain
      types: Record<string, Array<{
        name: string
        type: string
      }>>
      keys: Array<{
        key_id: string
        address: string
        valid_from: string | null
        valid_until: string | null
        revoked_at: string | null
      }>
      log: {
        origin: string
        /** As C2SP signed-note has it */
        verifier_key: string
        former_verifier_keys: Array<string>
        /** Where checkpoint and tiles are (C2SP tlog-tiles) */
        tiles: string
      }
      /** Their hosts */
      timestamp_authorities: Array<string>
    }
    refusals: 'signer_unconfigured'
  }
  /** The index of an attestation in the log, and its inclusion proof against the newest checkpoint. Free. */
  attestLogProof: {
    question: {
      /** statement_sha256 of the attestation */
      sha256: string
    }
    answer: AttestLog
    refusals: 'not_in_the_log' | 'signer_unconfigured'
  }
  /** The proof that the log of one size begins with all of the log of an earlier size (RFC 9162). Free. */
  attestLogConsistency: {
    question: {
      /** The earlier size */
      from: number
      /** The later size; that of the newest checkpoint if absent */
      to?: number
    }
    answer: {
      from: number
      to: number
      from_root: string
      to_root: string
      proof: Array<string>
      /** The newest */
      checkpoint: string
    }
    refusals: 'no_such_size' | 'signer_unconfigured'
  }
  /** Checks your x402 endpoint every 15 minutes and tells your webhook, signed, when it is down, recovers, changes its price, or quotes another payee wallet (with both quotes as evidence). Two checks must agree, so nothing flaps. Sign the message of /weigh/prepare with the payee wallet. The webhook is tried first; a bad signature is not charged. 5.00 USDC. */
  weighSubscribe: {
    question: {
      /** As /weigh/prepare wrote it */
      message: string
      /** By the payee: 65 bytes in hex (EVM; a contract signs by ERC-1271 or ERC-6492), or 64 bytes in base58 or base64 (Solana) */
      signature: string
      /** Your own secret: whsec_ and 24 to 64 bytes in base64; otherwise you are told one */
      webhookSecret?: string
    }
    answer: {
      subscription_id: string
      url: string
      payee: WeighSubscribePayee
      webhook_url: string
      started_at: string
      expires_at: string
      /** Signs your events (v1). It is told once */
      secret: string
      /** Signs all events (v1a) */
      public_key: string
      baseline: {
        price_usd: number | null
        payees: Array<WeighSubscribePayee>
        status: number
        latency_ms: number | null
        checked_at: string
      }
    }
    refusals: 'unreachable' | 'not_x402' | 'invalid_message' | 'message_expired' | 'bad_signature' | 'invalid_webhook' | 'webhook_unreachable' | 'message_used' | 'payee_changed'
  }
  /** Tells your webhook, signed and within seconds, when something that is sold here changes: an airport’s status, a company’s filings (of one form), a currency pair beyond a threshold, the weather alerts at a place, the rank of an x402 seller. The event holds the new answer as it is sold. No wallet signature; the webhook is tried first. 0.50 USDC. */
  watchSubscribe: {
    question: {
      /** What is watched */
      what: "airport" | "currency" | "filing" | "alert" | "seller"
      /** As its operation asks: airport /airport/status, currency /fx, filing /sec/company, alert /weather, seller /market/seller */
      question: Record<string, unknown>
      /** With currency: tells when the rate rises above it, and when it is back */
      above?: number
      /** With currency: tells when the rate falls below it, and when it is back */
      below?: number
      /** Where events are posted, by https; no redirect is followed */
      webhookUrl: string
      /** Your own secret: whsec_ and 24 to 64 bytes in base64; otherwise you are told one */
      webhookSecret?: string
    }
    answer: {
      subscription_id: string
      what: "airport" | "currency" | "filing" | "alert" | "seller"
      /** The type of its events */
      event: string
      webhook_url: string
      started_at: string
      expires_at: string
      /** Signs your events (v1). It is told once */
      secret: string
      /** Signs all events (v1a) */
      public_key: string
      /** What is watched of the answer, as it is now */
      told: unknown
      /** The answer as it is now */
      answer: unknown
    }
    refusals: 'invalid_webhook' | 'webhook_unreachable' | 'invalid_question' | 'no_answer'
  }
  /** Asks an endpoint for its 402 without paying: price, payee, networks, version 1 or 2, and what is wrong with the quote. It is asked with GET or POST, whichever tells the price. Kept for 30 s. Free. */
  check: {
    question: {
      /** The URL of an x402 endpoint, as it is paid */
      url: string
    }
    answer: {
      /** The endpoint, in the form that /weigh uses */
      url: string
      /** It quotes a price that somebody could pay */
      x402: boolean
      /** The version of x402 in which it quotes */
      version: number | null
      status: number
      /** How it was asked */
      method: "GET" | "POST"
      offers: Array<CheckOffers>
      /** The cheapest offer in a known stablecoin */
      price_usd: number | null
      description: string | null
      latency_ms: number | null
      tls_expires_at: string | null
      /** Where it sent us, if it did */
      redirects: Array<string>
      /** Codes of what a buyer should know */
      problems: Array<string>
      checked_at: string
      /** It was asked within the last 30 s */
      cached: boolean
    }
    refusals: 'invalid_url' | 'unreachable'
  }
  /** x402 endpoints whose words fit a query, the best fit first. It knows no wallets, no calls and no money: which of them others pay for again and again is /market/best. Free. */
  find: {
    question: {
      /** What it should do, in words */
      q: string
      limit?: number
      /** Only what is paid there: a name, or its id of CAIP-2 */
      network?: string
      max_price_usd?: number
    }
    answer: {
      results: Array<{
        url: string
        host: string
        description: string
        price_usd: number | null
        /** As CAIP-2 */
        networks: Array<string>
        /** When the catalog was read */
        last_seen: string
      }>
      week: string
    }
    refusals: 'no_match'
  }
  /** Reads the live quote of an endpoint and writes a message (EIP-4361 or CAIP-122) for its payee to sign: for /weigh/subscribe, or for the routes that show, test, replay and cancel a subscription. Nothing is stored. Free. */
  weighPrepare: {
    question: {
      /** The URL of an x402 endpoint, as it is paid */
      url: string
      /** Where events are posted, by https; with action subscribe */
      webhookUrl?: string
      /** The address that signs, if the endpoint quotes several */
      payee?: string
      /** What the message is for */
      action?: "subscribe" | "deliveries" | "replay" | "cancel" | "test"
    }
    answer: {
      /** Sign it as it is */
      message: string
      payee: WeighSubscribePayee
      expires_at: string
      price_usd: number
      /** What the endpoint asks for now */
      quote: Array<CheckOffers>
      terms: string
    }
    refusals: 'invalid_url' | 'unreachable' | 'not_x402' | 'invalid_webhook' | 'unknown_payee' | 'payee_cannot_sign'
  }
  /** Is it up, since when, its uptime over 30 days, its price and payees, and its newest changes with the evidence of each. It names no subscriber and no webhook. Free. */
  weighStatus: {
    question: {
      /** The URL of an x402 endpoint, as it is paid */
      url: string
    }
    answer: {
      url: string
      /** null: nobody watches it any more */
      watched_until: string | null
      state: "up" | "down" | "unknown"
      since: string
      /** Why it is not up */
      problem: string | null
      /** Of the checks that could tell */
      uptime_30d_pct: number | null
      checks_30d: number
      /** Of its newest good checks */
      latency_ms_p50: number | null
      price_usd: number | null
      payees: Array<WeighSubscribePayee>
      /** It changes its quote so often that one event a day sums up */
      dynamic: boolean
      history: Array<{
        at: string
        type: "endpoint.down" | "endpoint.recovered" | "endpoint.price_changed" | "endpoint.payee_changed"
        before: unknown
        after: unknown
        evidence: unknown
      }>
      checked_at: string
      next_check_at: string | null
    }
    refusals: 'invalid_url' | 'not_watched'
  }
  /** The public key (ed25519) that signs every webhook beside its own secret, and those that have signed before. Free. */
  weighKeys: {
    question: Record<string, never>
    answer: {
      keys: Array<{
        public_key: string
        signs_now: boolean
      }>
      how: string
    }
    refusals: never
  }
  /** Every attempt of the last 30 days to deliver an event to the webhook, the newest first, with its status and the time of the next one. For the payee who signed, or with the secret of the subscription. Free. */
  weighDeliveries: {
    question: WeighDeliveriesQuestion
    answer: {
      subscription_id: string
      webhook_url: string
      /** paused: five events in a row were given up; gone: it answered 410 */
      webhook: "open" | "paused" | "gone"
      attempts: Array<{
        event_id: string
        type: string
        at: string
        attempt: number
        /** sealed: nothing was sent, because we have lost a key; subscribe again, or have it sent again later */
        outcome: "delivered" | "failed" | "gone" | "sealed"
        status: number | null
        problem: string | null
        took_ms: number
        next_at: string | null
      }>
    }
    refusals: 'invalid_message' | 'message_expired' | 'bad_signature' | 'not_subscribed'
  }
  /** Sends again every event of the last 40 days that happened at or after a moment, at most 500, each with the id that it had. For the payee who signed, or with the secret of the subscription. Free. */
  weighReplay: {
    question: {
      /** As /weigh/prepare wrote it */
      message?: string
      /** By the payee: 65 bytes in hex (EVM; a contract signs by ERC-1271 or ERC-6492), or 64 bytes in base58 or base64 (Solana) */
      signature?: string
      /** In place of message and signature, with secret */
      subscription_id?: string
      /** The webhook secret of the subscription */
      secret?: string
      /** From this moment on (RFC 3339, UTC) */
      from: string
    }
    answer: {
      subscription_id: string
      /** How many are sent again */
      events: number
    }
    refusals: 'invalid_message' | 'message_expired' | 'bad_signature' | 'not_subscribed' | 'nothing_to_replay'
  }
  /** Ends a subscription now; nothing is paid back, and the webhook hears subscription.ended. For the payee who signed, or with the secret of the subscription. Free. */
  weighCancel: {
    question: WeighDeliveriesQuestion
    answer: {
      subscription_id: string
      ended_at: string
    }
    refusals: 'invalid_message' | 'message_expired' | 'bad_signature' | 'not_subscribed'
  }
  /** Sends endpoint.test to the webhook of a subscription and says how it answered. If deliveries were paused, a 2xx opens them again, and what waited goes out. For the payee who signed, or with the secret. Free. */
  weighTest: {
    question: WeighDeliveriesQuestion
    answer: {
      subscription_id: string
      delivered: boolean
      /** null: no answer came */
      status: number | null
      problem: string | null
      took_ms: number
    }
    refusals: 'invalid_message' | 'message_expired' | 'bad_signature' | 'not_subscribed'
  }
}
// /operations
