import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import type { BeadCommentList } from '../../src/work/comments/schema.ts'
import type { BeadsImported } from '../../src/work/transfer/schema.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

test('an import may contain a bead with more comments than fit in one request', async () => {
  const file = town.at('long.jsonl')
  const comments = Array.from({ length: 15 }, (_, n) => ({
    id: `${n}`,
    author: 'ada',
    text: `${n}`.padEnd(65_536, 'é').slice(0, 32_000),
  }))
  const timestamp = '2025-01-01T00:00:00Z'
  const line = { id: 'far-1', title: 'far', description: 'd'.repeat(200_000), created_at: timestamp, comments }
  writeFileSync(file, `${JSON.stringify(line)}\n`)
  expect(readFileSync(file).length).toBeGreaterThan(1024 * 1024)
  expect(await town.json<BeadsImported>(['bead', 'import', file])).toMatchObject({ created: 1, updated: 0 })
  const { items } = await town.json<BeadCommentList>(['bead', 'comments', 'far-1'])
  expect(items.map(({ id, text }) => ({ id, author: 'ada', text }))).toEqual(comments)
  const out = town.at('out.jsonl')
  await town.gc(['bead', 'export', '-o', out])
  expect(await town.json<BeadsImported>(['bead', 'import', out])).toMatchObject({ created: 0, updated: 0 })
})

test('the supervisor reported no unexpected errors', () => {
  expect(town.reports).toEqual([])
})
