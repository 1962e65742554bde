import { expect, test } from 'bun:test'
import { Kept } from '../../../src/social/shared/kept.ts'

const squares = (reads: number[]) => (missing: number[], add: (n: number, square: number) => void) => {
  reads.push(...missing)
  for (const n of missing) if (n > 0) add(n, n * n)
}

test('values are read once, in the order of their keys, and again after a change', () => {
  let version = 1
  const reads: number[] = []
  const kept = new Kept<number, number>(() => version, 100)
  expect(kept.findAll([3, 2, 3], squares(reads))).toEqual([9, 4, 9])
  expect(kept.findAll([2, -1, 4], squares(reads))).toEqual([4, undefined, 16])
  expect(reads).toEqual([3, 2, -1, 4])
  version = 2
  expect(kept.findAll([2], squares(reads))).toEqual([4])
  expect(reads).toEqual([3, 2, -1, 4, 2])
})

test('a value that was not used lately goes first, and the size is a bound', () => {
  const reads: number[] = []
  const kept = new Kept<number, number>(() => 1, 10)
  for (let n = 1; n <= 100; n++) kept.findAll([1, n], squares(reads))
  expect(reads.filter((n) => n === 1)).toHaveLength(1)
  reads.length = 0
  kept.findAll(
    Array.from({ length: 100 }, (_, at) => at + 1),
    squares(reads),
  )
  expect(reads.length).toBeGreaterThanOrEqual(89)
})

test('a value made immediately is kept until a change, and one that is not there is looked for again', () => {
  let version = 1
  const made: string[] = []
  const kept = new Kept<string, number>(() => version, 100)
  const find = (key: string, value: number | undefined) =>
    kept.findNow(key, () => {
      made.push(key)
      return value
    })
  expect([find('a', 1), find('a', 2), find('none', undefined), find('none', undefined)]).toEqual([
    1,
    1,
    undefined,
    undefined,
  ])
  version = 2
  expect(find('a', 3)).toBe(3)
  expect(made).toEqual(['a', 'none', 'none', 'a'])
})

test('a value that was made during a change is not kept', async () => {
  let version = 1
  const kept = new Kept<string, number>(() => version, 10)
  const make = async () => version++
  expect([await kept.find('a', make), await kept.find('a', make)]).toEqual([1, 2])
  expect([await kept.find('a', async () => 7), kept.find('a', make)]).toEqual([7, 7])
})
