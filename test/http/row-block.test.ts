import { expect, test } from 'bun:test'
import { RowBlock } from '../../src/http/respond/row-block.ts'

interface Lamp {
  readonly name: string
}

const lamps = (count: number): Lamp[] => Array.from({ length: count }, (_, n) => ({ name: `lamp ${n} ✨` }))
const textOf = (blocks: readonly RowBlock<Lamp>[], write: (lamp: Lamp) => string) =>
  blocks
    .map((block) => new TextDecoder().decode(block.json(write)))
    .join('')
    .slice(1)

/** A writer, and the rows that it wrote. */
function writer() {
  const written: string[] = []
  const write = (lamp: Lamp): string => {
    written.push(lamp.name)
    return JSON.stringify(lamp)
  }
  return { write, written }
}

test('rows in blocks have the JSON of the rows, and each is written once', () => {
  const rows = lamps(2500)
  const { write, written } = writer()
  const blocks = RowBlock.blocks(rows)
  expect(blocks.map((block) => block.rows.length)).toEqual([1024, 1024, 452])
  for (const _ of ['once', 'again']) expect(`[${textOf(blocks, write)}]`).toBe(JSON.stringify(rows))
  expect(written).toEqual(rows.map(({ name }) => name))
  expect(RowBlock.blocks([])).toEqual([])
})

test('rows that another block had are copied, even if they moved, and only new ones are written', () => {
  const rows = lamps(10)
  const { write, written } = writer()
  const before = RowBlock.blocks(rows)
  textOf(before, write)
  written.length = 0
  const [first, second, ...others] = rows
  for (const changed of [
    [{ name: 'new' }, ...rows],
    rows.with(4, { name: 'other' }),
    [second, first, ...others].filter((row) => row !== undefined),
    others,
    [...others, { name: 'last' }],
  ]) {
    const after = RowBlock.blocks(changed, before)
    expect(`[${textOf(after, write)}]`).toBe(JSON.stringify(changed))
  }
  expect(written).toEqual(['new', 'other', 'last'])
  const turned = RowBlock.blocks(rows.toReversed(), before)
  expect(`[${textOf(turned, write)}]`).toBe(JSON.stringify(rows.toReversed()))
  expect(written.length).toBe(3)
  expect(`[${textOf(before, write)}]`).toBe(JSON.stringify(rows))
})

test('rows written in two ways are kept in both', () => {
  const rows = lamps(3)
  const [long, short] = [writer(), writer()]
  const names = (lamp: Lamp): string => JSON.stringify(short.write(lamp).length)
  const before = RowBlock.blocks(rows)
  for (const write of [long.write, names]) textOf(before, write)
  const after = RowBlock.blocks(rows.toReversed(), before)
  expect(`[${textOf(after, long.write)}]`).toBe(JSON.stringify(rows.toReversed()))
  expect(JSON.parse(`[${textOf(after, names)}]`)).toEqual(rows.toReversed().map((row) => JSON.stringify(row).length))
  expect([long.written.length, short.written.length]).toEqual([3, 3])
})

test('bytes of large rows are not kept', () => {
  const { write, written } = writer()
  const [block] = RowBlock.blocks([{ name: 'x'.repeat(1_100_000) }])
  for (const _ of ['once', 'again']) expect(block?.json(write).length).toBe(1_100_012)
  expect(written.length).toBe(2)
})
