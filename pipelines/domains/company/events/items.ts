/** The meaning of each item of an 8-K in plain words, and the order for readers. */

interface ItemMeaning {
  /** The action of the company: "announced financial results". */
  phrase: string
  /** A lower rank is more important. */
  rank: number
}

const meaning = (phrase: string, rank: number): ItemMeaning => ({ phrase, rank })
const assetBacked = (what: string, rank = 8) =>
  meaning(`gave an asset-backed securities notice: ${what}`, rank)

/** Codes are decimal since 23 August 2004. Before, they were whole numbers. */
const meanings: Record<string, ItemMeaning> = {
  '1.01': meaning('signed a material agreement', 5),
  '1.02': meaning('ended a material agreement', 5),
  '1.03': meaning('entered bankruptcy or receivership', 1),
  '1.04': meaning('received a mine-safety order or notice', 7),
  '1.05': meaning('reported a material cybersecurity incident', 2),
  '2.01': meaning('completed a significant acquisition or sale', 4),
  '2.02': meaning('announced financial results', 6),
  '2.03': meaning('took on a material debt obligation', 6),
  '2.04': meaning('had a debt default or acceleration event', 2),
  '2.05': meaning('committed to a restructuring or layoffs with material cost', 4),
  '2.06': meaning('recorded a material impairment', 3),
  '3.01': meaning('received a listing-deficiency or delisting notice, or moved its listing', 3),
  '3.02': meaning('sold shares privately (unregistered)', 6),
  '3.03': meaning('changed shareholder rights', 6),
  '4.01': meaning('changed its auditor', 3),
  '4.02': meaning('said earlier financial statements should no longer be relied on', 1),
  '5.01': meaning('had a change of control', 2),
  '5.02': meaning('announced an executive or director change or pay arrangement', 5),
  '5.03': meaning('amended its charter or bylaws, or its fiscal year', 8),
  '5.04': meaning('announced an employee-plan trading blackout', 9),
  '5.05': meaning('amended or waived its code of ethics', 8),
  '5.06': meaning('stopped being a shell company', 5),
  '5.07': meaning('reported shareholder vote results', 8),
  '5.08': meaning('set dates for shareholder director nominations', 9),
  '6.01': assetBacked('informational and computational material'),
  '6.02': assetBacked('a change of servicer or trustee'),
  '6.03': assetBacked('a change in credit enhancement'),
  '6.04': assetBacked('a failure to make a required distribution', 3),
  '6.05': assetBacked('an updating disclosure under the Securities Act'),
  '6.06': assetBacked('a static pool'),
  '7.01': meaning('published information under Regulation FD', 9),
  '8.01': meaning('reported another event it considers important', 8),
  '9.01': meaning('filed exhibits or financial statements', 99),
  '1': meaning('had a change of control', 2),
  '2': meaning('completed a significant acquisition or sale', 4),
  '3': meaning('entered bankruptcy or receivership', 1),
  '4': meaning('changed its auditor', 3),
  '5': meaning('reported another event it considers important', 8),
  '6': meaning('announced the resignation of directors', 5),
  '7': meaning('filed exhibits or financial statements', 99),
  '8': meaning('changed its fiscal year', 8),
  '9': meaning('published information under Regulation FD', 9),
  '10': meaning('amended or waived its code of ethics', 8),
  '11': meaning('announced an employee-plan trading blackout', 9),
  '12': meaning('announced financial results', 6),
}
const attachmentsRank = 99

/** Returns the known items, the most important first. Attachments count only if there is nothing else. */
export function weighed(codes: Iterable<string>): { code: string; phrase: string }[] {
  const known = [...new Set(codes)].flatMap(code => {
    const found = meanings[code]
    return found ? [{ code, ...found }] : []
  })
  known.sort((a, b) => a.rank - b.rank || (a.code < b.code ? -1 : 1))
  const news = known.filter(({ rank }) => rank !== attachmentsRank)
  return (news.length ? news : known.slice(0, 1)).map(({ code, phrase }) => ({ code, phrase }))
}

/** The news of these items is in an exhibit. The item itself has little text. */
export const isFurnished = (code: string): boolean => ['2.02', '7.01', '9', '12'].includes(code)
