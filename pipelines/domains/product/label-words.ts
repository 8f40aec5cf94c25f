/** What the labels of product pages mean, in the languages of shops. */

const labels = {
  sku: /^(?:sku|sku code|item ?(?:no|number|num|nr|#|code|id)|stock ?(?:code|no|number)|art(?:icle|ikel)?[. -]*(?:nr|no|nummer|number|code)|artikelnummer|bestell-?(?:nr|nummer)|prod(?:uct|ukt)?[. -]*(?:code|id|no|number|nr|nummer)|catalog(?:ue)? ?(?:no|number)|réf(?:érence)?(?: produit)?|ref\.?(?: ?(?:no|nr))?|referencia|referência|cod(?:ice|igo)?[. ]*(?:prod(?:otto|uto|ucto)?|art(?:icolo|ículo|igo)?)|código|kód(?: produktu| tovaru| zboží)?|kod(?: produktu)?|číslo (?:produktu|zboží)|артикул|код(?: товара)?|šifra(?: artikla| izdelka)?|품번|상품번호|商品番号|商品編號|asin|id)$/i,
  mpn: /^(?:mpn|(?:manufacturer(?:'s)?|mf[gr]\.?) (?:(?:part|item|product|model) ?(?:no|number|code|#)|sku|code|ref(?:erence)?)|part ?(?:no|number|#)|oem (?:no|number|code)|model(?: ?(?:no|number|nr))?|modellnummer|modelo|modèle|model number|numero modello|herstellernummer)$/i,
  gtin: /^(?:gtin(?:-?(?:8|12|13|14))?|ean(?:-?13)?(?: ?code)?|upc|isbn(?:-?1[03])?|barcode|čiarový kód|штрих-?код)$/i,
  brand:
    /^(?:brand|brand name|make|maker|marke|marque|marca|merk|marka|značka|výrobce|výrobca|manufacturer|hersteller|fabricant|fabricante|produttore|producent|бренд|производитель|марка|proizvođač|proizvajalec|znamka|blagovna znamka|브랜드|제조사|メーカー|ブランド|品牌|merkki|tuotemerkki|varumärke)$/i,
} as const

export type LabelKind = keyof typeof labels
const kinds = Object.keys(labels) as LabelKind[]
const kindOfOne = (label: string): LabelKind | undefined => kinds.find(kind => labels[kind].test(label))

/** A label of several words for one thing is such a label too: `Make / Manufacturer`, `Part or model number`. */
export function kindOf(label: string): LabelKind | undefined {
  const whole = kindOfOne(label)
  if (whole) return whole
  const parts = label
    .split(/[/|&,+()]|\s(?:and|or|und|oder|et|ou|y|e)\s/i)
    .map(part => part.trim())
    .filter(part => part !== '')
  if (parts.length < 2) return undefined
  const noun = /\s(?:no|number|num|nr|nummer|code|id)\.?$/i.exec(parts.at(-1) ?? '')?.[0] ?? ''
  const [first, ...others] = parts.map(part => kindOfOne(part) ?? kindOfOne(part + noun))
  return others.every(kind => kind === first) ? first : undefined
}
