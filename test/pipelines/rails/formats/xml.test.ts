import { describe, expect, test } from 'vitest'
import { UpstreamFailed } from '../../../../pipelines/rails/failures.ts'
import { readXml } from '../../../../pipelines/rails/formats/xml.ts'

describe('a document', () => {
  test('is read in pieces, between which others have their turn', async () => {
    let turns = 0
    const others = setInterval(() => turns++, 0)
    const root = await readXml(`<a>${'<b c="é">d</b>'.repeat(100_000)}</a>`, 'it')
    clearInterval(others)
    expect(root.children).toHaveLength(100_000)
    expect(root.children.filter(({ text, attributes }) => text !== 'd' || attributes.c !== 'é')).toEqual([])
    expect(turns).toBeGreaterThan(5)
  })

  test('becomes a tree of local names, attributes and text', async () => {
    const root = await readXml(
      `\uFEFF<?xml version="1.0"?><!-- a comment --><x:a xmlns:x="urn:x" b='1' c="&lt;&#50;"> <d>e<![CDATA[<f>]]></d><d/></x:a>`,
      'it',
    )
    expect(root.name).toBe('a')
    expect(root.attributes).toMatchObject({ b: '1', c: '<2' })
    expect(root.children.map(({ name, text }) => ({ name, text }))).toEqual([
      { name: 'd', text: 'e<f>' },
      { name: 'd', text: '' },
    ])
  })

  test.each([
    ['', /document must contain a root element|empty/],
    ['text', /1:/],
    ['<a>', /unclosed tag/],
    ['<a></b>', /unexpected close tag|unmatched/],
    ['<a b=1/>', /1:/],
    ['<a/><b/>', /1:/],
    ['<a>&nbsp;</a>', /undefined entity/],
    ['<x:a/>', /unbound namespace/],
    [`${'<a>'.repeat(65)}${'</a>'.repeat(65)}`, /nested more than 64/],
    ['<!DOCTYPE a><a/>', /document type declaration/],
    ['<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', /document type declaration/],
  ])('%j is refused', async (document, reason) => {
    const read = readXml(document, 'it')
    await expect(read).rejects.toThrow(UpstreamFailed)
    await expect(read).rejects.toThrow(reason)
  })
})
