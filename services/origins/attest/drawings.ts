/** What people see of an attestation: the way from what was seen to the head of the log. */
import {
  type AnswerFields,
  type Drawing,
  type Drawings,
  fieldsOf,
  rowsOf,
  textOf,
  textsOf,
} from '../../offer/drawing.ts'

interface Step {
  name: string
  value: string
  beside?: string
}

/** The way of RFC 6962: each hash of the proof joins from one side, until the root. */
function wayOf(proof: AnswerFields): Step[] {
  const inclusion = textsOf(proof.inclusion)
  const [origin = '', size = '', root = ''] = textOf(proof.checkpoint).split('\n')
  return [
    ...inclusion.map((hash, i) => ({
      name:
        i === inclusion.length - 1
          ? 'the root of the tree'
          : `the node above, ${i + 1} of ${inclusion.length}`,
      value: i === inclusion.length - 1 ? root : 'the hash of both',
      beside: hash,
    })),
    {
      name: `the checkpoint: ${size} ${size === '1' ? 'entry' : 'entries'}`,
      value: inclusion.length ? `signed by ${origin}` : `root ${root}`,
    },
  ]
}

function attestation(answer: AnswerFields): Drawing[] {
  const [statement, proof] = [fieldsOf(answer.statement), fieldsOf(answer.log)]
  return [
    {
      kind: 'steps',
      title: 'From the page to the log',
      note: 'Each is made of the one above it. Whoever has the checkpoint can go the way again.',
      steps: [
        { name: 'the page as it was seen', value: textOf(statement.final_url) },
        { name: 'the hash of the statement', value: textOf(answer.statement_sha256) },
        { name: 'the signature over it', value: `by ${textOf(fieldsOf(answer.signature).signer)}` },
        ...rowsOf(answer.timestamps).map(row => ({
          name: `the time, by ${textOf(row.authority)}`,
          value: textOf(row.time),
        })),
        { name: `entry ${textOf(proof.index)} of the log`, value: textOf(proof.origin) },
        ...wayOf(proof),
      ],
    },
  ]
}

const place = (answer: AnswerFields): Drawing[] => [
  {
    kind: 'steps',
    title: 'From the entry to the head of the log',
    steps: [
      { name: `entry ${textOf(answer.index)} of the log`, value: textOf(answer.origin) },
      ...wayOf(answer),
    ],
  },
]

export const attestDrawings: Drawings = {
  at: import.meta.url,
  of: { attestPage: attestation, attestLogProof: place },
}
