/** The name and the continent of a country, and whether it is in the EU, by its ISO 3166 code. */

/** The 27 members, and those of their territories that are in the EU and have a code of their own. */
const eu = new Set(
  (
    'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE ' +
    'AX GF GP MF MQ RE YT'
  ).split(' '),
)

export const inEu = (country: string): boolean => eu.has(country)

export const continentNames: Readonly<Record<string, string>> = {
  AF: 'Africa',
  AN: 'Antarctica',
  AS: 'Asia',
  EU: 'Europe',
  NA: 'North America',
  OC: 'Oceania',
  SA: 'South America',
}

/** As GeoNames and the IP databases assign them. */
const countriesOf = {
  AF:
    'AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG ML MR MU MW MZ NA ' +
    'NE NG RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW',
  AN: 'AQ BV GS HM TF',
  AS:
    'AE AF AM AZ BD BH BN BT CC CN CX GE HK ID IL IN IO IQ IR JO JP KG KH KP KR KW KZ LA LB LK MM MN MO MV MY NP ' +
    'OM PH PK PS QA SA SG SY TH TJ TM TR TW UZ VN YE',
  EU:
    'AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD ME ' +
    'MK MT NL NO PL PT RO RS RU SE SI SJ SK SM UA VA XK',
  NA:
    'AG AI AW BB BL BM BQ BS BZ CA CR CU CW DM DO GD GL GP GT HN HT JM KN KY LC MF MQ MS MX NI PA PM PR SV SX TC ' +
    'TT US VC VG VI',
  OC: 'AS AU CK FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TL TO TV UM VU WF WS',
  SA: 'AR BO BR CL CO EC FK GF GY PE PY SR UY VE',
}
const continents = new Map(
  Object.entries(countriesOf).flatMap(([continent, codes]) =>
    codes.split(' ').map(country => [country, continent] as const),
  ),
)

/** ISO 3166 codes, in their order. */
export const countryCodes: readonly string[] = [...continents.keys()].sort()

export const continentOf = (country: string): string | undefined => continents.get(country)

const english = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
/** Countries whose formal name people do not use: Hong Kong SAR China, Congo - Kinshasa. */
const said: Readonly<Record<string, string>> = {
  CD: 'DR Congo',
  CG: 'Congo Republic',
  CI: 'Ivory Coast',
  HK: 'Hong Kong',
  MM: 'Myanmar',
  MO: 'Macao',
  PS: 'Palestine',
}
const names = new Map([...continents.keys()].map(country => [country, said[country] ?? english.of(country)]))

/** The common short name in English. Undefined for a code that names no country. */
export const countryName = (country: string): string | undefined => names.get(country)

/** From the Unicode CLDR of the runtime. Undefined if a country has several time zones, or none is known. */
export function onlyTimeZone(country: string): string | undefined {
  if (!continents.has(country)) return undefined
  const zones = new Intl.Locale(`und-${country}`).getTimeZones()
  return zones?.length === 1 ? zones[0] : undefined
}
