/** Sells a module that never gives up its thread. It prints what the module says, until it is killed. */
import { opened } from './asking.ts'

const [, , file = ''] = process.argv
const text = `origin: tides
title: Tide tables
operations:
  /tide:
    title: A tide
    price: 0.003
    from: { module: ./tide.ts, within: 20s }
    example: { question: {} }
`
const tide = await opened(text, {}, { files: { './tide.ts': file }, tell: line => console.log(line) })
await tide.ask({})
