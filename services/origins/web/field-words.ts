/**
 * What fields mean that have one meaning wherever they stand in an answer of `web`. A field whose declaration describes it needs no entry,
 * and its own words win. `parent.name` wins over `name`; the parent of a first field is the last part of the path.
 */
import { commonWords } from '../../offer/field-words.ts'

export const webWords: Readonly<Record<string, string>> = {
  ...commonWords,
  title: 'Its title; null: it has none',
  text: 'The text',
  format: 'The form of the text or picture',
  content_type: 'The media type of the picture',
  image_base64: 'The picture, in base64',
  bytes: 'How many bytes it has',
  banners_hidden: 'How many banners were hidden',
  summary: 'The summary',
  snippet: 'The piece of the page that the search engine shows',
  pages: 'One entry for each page, in order',
  page: 'Its number, from 1',
  urls: 'One entry for each page of the site',
  'urls.from': 'Where its address was found: a sitemap, or a link',
  sitemaps: 'The sitemaps that were read',
  entries: 'How many addresses it has',
  characters: 'How many characters its text has',
  result_lasts_days: 'How many days the result is kept',
  crawl_id: 'The crawl, as its purchase named it',
  ended_at: 'When it ended; null: it goes on',
  answer: 'The answer itself, in the words of the search engine',
  ordered_at: 'When it was ordered',
  'result.url': 'Where the result can be fetched, signed',
  'result.expires_at': 'Until when it can be fetched there',
  'result.sha256': 'The hash of the result',
}
