/** What a page tells about the reading of its offers. */
import type { Item } from './item.ts'
import type { Locale } from './locale.ts'

export interface OfferSetting {
  locale: Locale
  /** The URL of the page. */
  url: string
  /** Whether the URL of the page names this item. */
  names(item: Item): boolean
  /** Whether the page calls its price free. */
  isFree: boolean
  /** The currency of its price tags, or of the price that it shows. */
  currency: string | undefined
}
