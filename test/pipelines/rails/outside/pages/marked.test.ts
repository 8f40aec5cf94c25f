import { describe, expect, it } from 'vitest'
import { marks, withoutMarks } from '../../../../../pipelines/rails/outside/pages/marked.ts'

const { sup, sub, note, end, formula } = marks
const power = '<math><msup><mn>10</mn><mn>6</mn></msup></math>'
const prose = `<math><mtext>${'one two three '.repeat(9)}</mtext></math>`

describe('the text of a rendered page', () => {
  it.each([
    [`of 10${sup}6${end} kWh`, 'of 10^6 kWh'],
    [`in 1874${sup}${note}1${end}, at last`, 'in 1874[1], at last'],
    [`$5${sup}99${end} each`, '$5.99 each'],
    [`H${sub}2${end}O`, 'H2O'],
    [`3${sup}1${end}⁄${sub}2${end} cups`, '3 1/2 cups'],
    [`the 21${sup}st${end} of May`, 'the 21st of May'],
    [`10\n${sup}6${end} is a note`, '10\n[6] is a note'],
    [`a${sup}one\n\ntwo${end}`, 'aone\n\ntwo'],
    [`e${sup}x^2${end}`, 'e^(x^2)'],
    [`never ends${sup}6`, 'never ends6'],
    ['no marks', 'no marks'],
    [`of${formula}${power}${end}kWh`, 'of 10^6 kWh'],
    [`${formula}${note}${power}${end} kWh`, '10^6 kWh'],
    [`one${formula}${note}${prose}${end}`, 'one'],
    [`never ends${formula}<math><mn>1</mn>`, 'never ends<math><mn>1</mn>'],
  ])('keeps its numbers: %j', (marked, text) => expect(withoutMarks(marked)).toBe(text))
})
