import { describe, expect, it } from 'vitest'
import { leansOnOthers } from '../../../../pipelines/domains/document/summary/alone.ts'
import { hasMainClause } from '../../../../pipelines/domains/document/summary/clause.ts'
import { extractiveSummary as summaryOf } from '../../../../pipelines/domains/document/summary/extractive.ts'
import { sentencesOf } from '../../../../pipelines/domains/document/summary/sentences.ts'
import { wordCount, wordsOf } from '../../../../pipelines/domains/document/summary/words.ts'

const extractiveSummary = (text: string, most: number): string => summaryOf(text, most) ?? ''

const story = `The harbour of Esker will close for three weeks in March. Dr. Vance of the port authority said that the sea wall has to be repaired before spring tides. Ferries will leave from Lund instead, which is 14.5 km away.

Subscribe to our newsletter to read more stories like this one.

The sea wall was built in 1911 and was last repaired in 1978. Storms in January tore two holes into it. Engineers found that the holes grow by a metre with each spring tide. Without repairs the wall would fall within two years, they wrote.

Shop owners near the harbour expect to lose half of their sales. The town will not charge them rent in March.`

describe('sentences', () => {
  it('do not end after a title or inside a number', () => {
    expect(
      sentencesOf(
        'Dr. Vance of the port walked 14.5 km to St. Mary. Then he rested for an hour. He slept for a day and a night.',
      ),
    ).toEqual([
      expect.objectContaining({ text: 'Dr. Vance of the port walked 14.5 km to St. Mary.' }),
      expect.objectContaining({ text: 'Then he rested for an hour.' }),
      expect.objectContaining({ text: 'He slept for a day and a night.' }),
    ])
  })

  it('leave out notices', () => {
    expect(
      sentencesOf(story)
        .map(({ text }) => text)
        .join(' '),
    ).not.toMatch(/newsletter/)
  })
})

describe('words', () => {
  it.each([
    ['It is 14.5 km, isn’t it?', 6],
    ['港は三月に閉まる。', 4],
    ['Гавань закроется в марте.', 4],
    ['', 0],
  ])('of %j are counted', (text, count) => {
    expect(wordCount(text)).toBeGreaterThanOrEqual(count)
    expect(wordCount(text)).toBeLessThanOrEqual(count + 2)
    expect(wordsOf(text).join('')).not.toMatch(/\s/)
  })
})

describe('a summary', () => {
  it.each([20, 40, 60, 90])('of at most %d words has whole sentences of the text, in their order', most => {
    const summary = extractiveSummary(story, most)
    expect(wordCount(summary)).toBeLessThanOrEqual(most)
    expect(summary).not.toBe('')
    let at = 0
    for (const sentence of sentencesOf(summary)) {
      const found = story.indexOf(sentence.text, at)
      expect(found).toBeGreaterThanOrEqual(at)
      at = found + sentence.text.length
    }
  })

  it('repeats nothing', () => {
    const twice = `${'The harbour of Esker will close for three weeks in March. '.repeat(5)}\n\n${story}`
    expect(extractiveSummary(twice, 60).match(/three weeks in March/g)).toHaveLength(1)
  })

  it('of nothing but what does not fit or does not stand alone is none', () => {
    expect(summaryOf(`${'word '.repeat(80)}end.`, 10)).toBeUndefined()
    expect(
      summaryOf('However, he told her. They did that again. I do not know.'.repeat(9), 20),
    ).toBeUndefined()
    const lines = Array.from({ length: 30 }, (_, i) => `Item ${i} of the long list of goods in store`)
    expect(summaryOf(lines.join('\n'), 30)).toBeUndefined()
  })

  it.each([
    [
      'Japanese',
      '港は三月に三週間閉まる。防波堤を直すためである。船は代わりにルンドから出る。防波堤は一九一一年に作られた。嵐が二つの穴を開けた。町は家賃を取らない。',
      20,
    ],
    [
      'Arabic',
      'سيغلق الميناء ثلاثة أسابيع في مارس المقبل. قالت الهيئة إن الجدار يحتاج إلى إصلاح قبل الربيع. ستغادر العبارات من مدينة أخرى قريبة. هل يخسر أصحاب المتاجر نصف مبيعاتهم هذا الشهر؟',
      15,
    ],
    [
      'Hindi',
      'बंदरगाह मार्च में तीन सप्ताह के लिए बंद रहेगा। दीवार की मरम्मत वसंत से पहले करनी होगी। नावें दूसरे शहर से चलेंगी। दुकानदारों को आधी बिक्री खोने का डर है।',
      15,
    ],
  ])('in %s ends with a sentence', (_language, text, most) => {
    const summary = extractiveSummary(text, most)
    expect(wordCount(summary)).toBeLessThanOrEqual(most)
    expect(summary).toMatch(/[.。।؟]$/)
  })

  it('of a script without stops is made of lines', () => {
    const lines = Array.from(
      { length: 9 },
      (_, i) => `ท่าเรือเอสเคอร์จะปิดสามสัปดาห์ในเดือนที่ ${i} ของปีนี้เพื่อซ่อมกำแพงกันคลื่น`,
    )
    expect(wordCount(extractiveSummary(lines.join('\n'), 40))).toBeGreaterThan(10)
  })

  it('tells of what its text tells of', () => {
    const others = ['Anna Lund is the owner of a kennel in Lund.', 'You can bring it back within a month.']
    const text = `${Array.from({ length: 9 }, (_, i) => `The harbour of Esker has ${i + 2} walls of stone and steel in its northern basin.`).join(' ')} ${others.join(' ')}`
    for (const other of others) expect(extractiveSummary(text, 400)).not.toContain(other)
  })

  it('takes nothing for known that it has not told', () => {
    const lacking = 'Whoever sees the harbour of Esker should take care of the steps.'
    const told = 'The harbour of Esker has steps of stone in its northern basin.'
    const rest = 'The harbour of Esker has nine walls of stone.'
    expect(extractiveSummary(`${rest}\n${lacking}\n${rest}`, 60)).not.toContain(lacking)
    expect(extractiveSummary(`${told}\n${lacking}\n${rest}`, 60)).toContain(lacking)
  })

  it('says nothing twice', () => {
    const said = 'The harbour of Esker will close for three weeks in March.'
    expect(extractiveSummary(`${said}\n`.repeat(20), 60)).toBe(said)
  })
})

describe('a main clause', () => {
  it.each([
    'The harbour board of Esker paid the builders.',
    'In March, the harbour of Esker will close.',
    'GitHub provides the files of a workflow.',
    'When you order steel, you need a permit.',
    'The board that pays the builders is in Esker.',
    'Ferries between Esker and Lund cross the strait at night.',
    'Engineers who build walls pass an exam.',
    'If the wall falls, the harbour closes its gates, and it has no other.',
  ])('is there: %s', sentence => {
    expect(hasMainClause(sentence)).toBe(true)
  })

  it.each([
    'Narrow your search for boots with a firm sole.',
    'Maximize your workouts with a trainer who will design a plan to help you achieve more.',
    'Flexibility with rescheduling or cancellations.',
    'Designed for a lifetime of use, the smartest choice for people and planet.',
    'Until Anna and Bryce are pulled through a portal.',
    'Runs the tasks of a book, saving what was told.',
    'A must for builders, keepers, and clerks.',
    'If you do, then you are in luck.',
    'A wall that holds the sea but has gates.',
    'The ability for builders to add, edit and remove walls.',
    'To see more walls of the northern basin.',
  ])('is not there: %s', sentence => {
    expect(hasMainClause(sentence)).toBe(false)
  })
})

describe('the sentences of a summary', () => {
  const town = Array.from(
    { length: 6 },
    (_, n) =>
      `The harbour board of Esker spent ${n + 3} million crowns on the sea wall of the northern basin.`,
  )

  it.each([
    'However, the sea wall of the northern basin of Esker was never paid by the harbour board.',
    'He told the harbour board of Esker that the sea wall of the northern basin is too low.',
    'This made the sea wall of the northern basin of Esker dear to the harbour board.',
    '“The sea wall of the northern basin is what the harbour board of Esker wanted.',
    'Who pays the harbour board of Esker for the sea wall of the northern basin?',
    'I do not know what the harbour board of Esker spent on the sea wall of the northern basin.',
    'It’s the sea wall of the northern basin that makes the harbour board of Esker poor.',
    'It was the sea wall of the northern basin to end the harbour board of Esker.',
    'The harbour board of Esker has, however, never paid for the sea wall of the northern basin.',
    'The sea wall of the northern basin made the harbour board of Esker poor, too.',
    'The only trouble of the harbour board of Esker is the sea wall of the northern basin.',
    'Two years later the harbour board of Esker paid for the sea wall of the northern basin again.',
    'If this is the sea wall of the northern basin, the harbour board of Esker is lost.',
    'If not, the harbour board of Esker pays for the sea wall of the northern basin.',
    'When everything was over he sold the sea wall of the northern basin and the harbour board.',
    '“The sea wall of the northern basin is what the harbour board of Esker wanted.”',
    '“The sea wall of the northern basin is dear to the harbour board of Esker,” they said on Friday.',
    'Strikingly, neither of them spoke to the harbour board of Esker on the sea wall of the northern basin.',
    'As for the harbour board of Esker, the sea wall of the northern basin was paid.',
    'Oh, and the harbour board of Esker paid for the sea wall of the northern basin, of course.',
    'Zum Beispiel the harbour board of Esker, sagt the sea wall of the northern basin.',
    'Однако the harbour board of Esker paid for the sea wall of the northern basin.',
    'そのため、the harbour board of Esker paid for the sea wall of the northern basin。',
    'The following tells how the harbour board of Esker paid for the sea wall of the northern basin.',
    'Precisely when that day of the harbour board of Esker and the sea wall of the northern basin comes is unclear.',
    'The harbour board of Esker and the northern basin paid a third of it.',
    'The harbour board of Esker and its sea wall needed that basin.',
    'Rather, the harbour board of Esker paid for the sea wall of the northern basin.',
    'The harbour board of Esker and the sea wall of the northern basin move in that direction.',
    'From there, the harbour board of Esker sees the sea wall of the northern basin.',
    'In between: the harbour board of Esker paid for the sea wall of the northern basin.',
    'The harbour board of Esker will instead pay for the sea wall of the northern basin.',
    'The statement was read to the harbour board of Esker at the sea wall of the northern basin.',
    'In an old tale the harbour board of Esker gave this rich basin to the northern sea wall.',
    'The harbour board of Esker also pays for the sea wall of the northern basin.',
    'The sea wall of the northern basin is shown below, with the harbour board of Esker.',
    'Made of stone like the harbour board of Esker, it keeps the sea wall of the northern basin.',
    'Costs – The harbour board of Esker pays for the sea wall of the northern basin.',
    'Born in Esker near the sea wall of the northern basin, she leads the harbour board.',
    'Creating a harbour board of Esker for the sea wall of the northern basin.',
    'Part of its northern basin and the sea wall pay for the harbour board of Esker.',
    'The next harbour board of Esker pays for the sea wall of the northern basin.',
    'Think of the harbour board of Esker and the sea wall of the northern basin.',
    '2) The harbour board of Esker pays for the sea wall of the northern basin.',
    'The harbour board of Esker and the sea wall of the northern basin paid for our...',
    'A few weeks later the harbour board of Esker paid for the sea wall of the northern basin.',
    'Nobody paid the harbour board of Esker for my sea wall of the northern basin.',
    'The harbour board of Esker has the guide of the northern basin and the sea wall here: below.',
    'Si tratta di the sea wall of the northern basin, dice the harbour board of Esker.',
  ])('stand alone: %s is none', leaning => {
    const summary = extractiveSummary(`${leaning}\n${town.join('\n')}`, 40)
    expect(summary).toContain('The harbour board of Esker spent')
    expect(summary).not.toContain(leaning)
  })

  it.each([
    'Get the harbour board of Esker and the sea wall of the northern basin delivered every month.',
    'Follow the harbour board of Esker and the sea wall of the northern basin on Twitter.',
    'Read the review of the harbour board of Esker and the sea wall of the northern basin here.',
    '[Note: the harbour board of Esker wrote this of the sea wall of the northern basin.]',
    'Originally published by the harbour board of Esker on the sea wall of the northern basin.',
    'A clerk of the harbour board of Esker contributed to this report on the sea wall of the northern basin.',
    'Allow me to show the harbour board of Esker and the sea wall of the northern basin.',
    'Press spacebar for the harbour board of Esker and the sea wall of the northern basin.',
    'Please find the harbour board of Esker beside the sea wall of the northern basin.',
    'The Harbour Board of Esker and the Sea Wall.',
    'Esker: ! ! ! ! ! ! ! !   ! ! ! !! ! ! ! ! ! ! ! ! !!! ! ! ! ! !.',
    'The harbour board of Esker\tthe sea wall of the northern basin\t4 million crowns.',
  ])('are sentences of the text: %s is none', notice => {
    expect(extractiveSummary(`${notice}\n${town.join('\n')}`, 40)).not.toContain(notice)
  })

  it.each([
    'Anna Lund told the harbour board of Esker that she had seen the sea wall of the northern basin.',
    'The keeper of the harbour board of Esker said he had left the sea wall of the northern basin.',
    'It is possible that the harbour board of Esker pays for the sea wall of the northern basin.',
    '“The sea wall of the northern basin is what the harbour board of Esker needs,” Anna Lund said.',
  ])('may name somebody by themselves: %s', sentence => {
    expect(leansOnOthers(sentence)).toBe(false)
  })

  it('have no dash before them', () => {
    const said = 'The harbour board of Esker paid for the sea wall of the northern basin on Friday.'
    for (const mark of ['-- ', '— ', '&#151; -- ', '• '])
      expect(extractiveSummary(`${mark}${said}`, 30)).toBe(said)
  })

  it('have their speakers, and titles that are cut short', () => {
    const said = [
      '“What a wall they have built in Esker!” Anna Lund said on Friday.',
      'ST. ESKER – The wall was shown to everybody on Friday.',
      'Sens. Lund and Vance of Esker were not there on Friday.',
      'Nobody else came to see the wall of Esker on Friday.',
    ]
    expect(sentencesOf(said.join(' ')).map(({ text }) => text)).toEqual(said)
  })

  it('call nobody and nothing by what only another one has told', () => {
    const first = 'I met Anna Lund, who built the dark lighthouse of Esker in a summer, on a ferry.'
    const bare = 'Lund built the northern basin and the sea wall of the harbour board of Esker for nothing.'
    const known = 'The dark lighthouse shows the sea wall of the northern basin to the harbour board.'
    for (const leaning of [bare, known]) {
      const text = `${first}\n${leaning}\n${town.join('\n')}`
      expect(extractiveSummary(text, 60)).not.toContain(leaning)
      const told = text.replace('I met Anna Lund, who', 'Anna Lund')
      const summary = extractiveSummary(told, 300)
      expect(summary.indexOf(leaning)).toBeGreaterThan(summary.indexOf('Anna Lund built'))
    }
  })

  it.each(['THE CHIEF CLERK', 'Anna Lund'])('are not said by %s in a talk', who => {
    const said = `${who}: The harbour board of Esker pays for the sea wall of the northern basin.`
    expect(extractiveSummary(`${town[0]}\n${said}\n${town.join('\n')}`, 60)).not.toContain(said)
  })

  it('are no headings, though they end in a full stop', () => {
    const heading = 'The sea wall of the harbour board.'
    expect(extractiveSummary(`${heading}\n${town.join('\n')}`, 60)).not.toContain(heading)
    const titled = 'Wins and Losses: Harbour Boards Build Their Northern Basins.'
    expect(extractiveSummary(`${titled}\n${town.join('\n')}`, 60)).not.toContain(titled)
  })

  it('tell both sides of a denial, or none', () => {
    const claim =
      'The harbour board of Esker took money from the builders of the sea wall, a newspaper wrote.'
    const denial = 'The harbour board denied the report of the newspaper on the sea wall.'
    const text = `${claim} ${denial}\n${town.join('\n')}`
    for (const words of [20, 35, 60, 80]) {
      const summary = extractiveSummary(text, words)
      expect(summary.includes(claim)).toBe(summary.includes(denial))
    }
    expect(extractiveSummary(text, 60)).toContain(denial)
  })

  it('follow the one that they lean on, also where they matter more', () => {
    const text = `The games of old were simple for all. Now the harbour board of Esker and the sea wall of the northern basin are games, too.\n${town.slice(0, 3).join('\n')}`
    const summary = extractiveSummary(text, 80)
    expect(summary).toMatch(/^The games of old were simple for all\. Now the harbour board/)
  })

  it('follow the one that they lean on', () => {
    const text = `The keeper of the wall is Anna Lund of Esker harbour.  She keeps the wall of Esker harbour with nine others.\n${town.join('\n')}`
    const summary = extractiveSummary(text, 30)
    if (summary.includes('She keeps')) expect(summary).toContain('Anna Lund')
    expect(summary).not.toMatch(/^She/)
  })
})
