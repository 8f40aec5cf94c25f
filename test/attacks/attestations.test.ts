/** Attestations with one change: none is valid, and none causes an error of ours. `FUZZ_CASES=100000` makes the long form. */
import { expect, it } from 'vitest'
import { verify } from '../../pipelines/domains/attestation/verification.ts'
import { openAttester } from '../pipelines/domains/attestation/an-attestation.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Deterministic, so that a failure can be repeated. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1
  return below => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

interface Place {
  path: (string | number)[]
  value: Json
}

function placesIn(value: Json, path: (string | number)[] = []): Place[] {
  const here = { path, value }
  if (value === null || typeof value !== 'object') return [here]
  return [here, ...Object.entries(value).flatMap(([name, part]) => placesIn(part as Json, [...path, name]))]
}

const others: Json[] = [null, true, 0, -1, 1.5, 2 ** 60, '', 'x', [], {}, ['x'], '\ud800']

function changed(value: Json, random: (below: number) => number): Json {
  if (typeof value === 'string' && value.length && random(4)) {
    const at = random(value.length)
    const code = value.charCodeAt(at)
    const character = [code ^ (1 << random(7)), code + 1, 0x30, 0x41, 0x0a, 0xd800][random(6)] as number
    const parts = [value.slice(0, at), String.fromCharCode(character), value.slice(at + 1)]
    return [parts.join(''), `${parts[0]}${parts[2]}`, value + value[at], ` ${value}`][random(4)] as string
  }
  if (typeof value === 'number' && random(3))
    return [value + 1, value - 1, value * 2 + 1][random(3)] as number
  if (Array.isArray(value) && value.length && random(2))
    return [value.slice(1), [...value, value[0] as Json], [...value].reverse()][random(3)] as Json[]
  return others[random(others.length)] as Json
}

/** Changes a field, any character of it, or adds a field. Undefined if the change has no effect. */
function mutated(
  original: Json,
  random: (below: number) => number,
): { json: Json; path: string } | undefined {
  const places = placesIn(original)
  const { path, value } = places[random(places.length)] as Place
  const json = structuredClone(original)
  if (path.length === 0) return { json: changed({}, random), path: '' }
  const parent = path.slice(0, -1).reduce((at, name) => (at as Record<string, Json>)[name] as Json, json)
  const holder = parent as Record<string, Json>
  const name = path.at(-1) as string
  const how = random(10)
  if (how === 0) delete holder[name]
  else if (how === 1 && !Array.isArray(parent)) holder[`${name}x`] = value
  else holder[name] = changed(value, random)
  const isSame = JSON.stringify(json) === JSON.stringify(original)
  return isSame ? undefined : { json, path: path.join('.') }
}

const cases = Number(process.env.FUZZ_CASES || 500)

it(`none of ${cases} is valid`, async () => {
  const attester = await openAttester()
  await attester.attest({ title: 'Another page' })
  // Evidence may be left out, so changes in it have a test of their own.
  const { evidence, ...proven } = JSON.parse(JSON.stringify(await attester.attest())) as { evidence: Json }
  const random = randomFrom(17)
  for (let i = 0; i < cases; i++) {
    const one = mutated(proven as Json, random)
    if (one) expect(verify(one.json, attester.known).valid, `case ${i}, at ${one.path}`).toBe(false)
    const other = mutated(evidence, random)
    if (!other || isSmaller(other.json, evidence)) continue
    const verdict = verify({ ...proven, evidence: other.json }, attester.known)
    expect(verdict.valid, `case ${i}, at evidence.${other.path}`).toBe(false)
  }
})

/** Is each remaining part unchanged? */
function isSmaller(changed: Json, evidence: Json): boolean {
  if (changed === null || typeof changed !== 'object' || Array.isArray(changed)) return false
  return Object.entries(changed).every(
    ([name, part]) => JSON.stringify(part) === JSON.stringify((evidence as Record<string, Json>)[name]),
  )
}
