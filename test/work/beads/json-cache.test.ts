import { describe, expect, test } from 'bun:test'
import { BeadJsonCache, type BeadVersion } from '../../../src/work/beads/json-cache.ts'
import { human, openWork } from '../world.ts'

describe('a bead that was read before', () => {
  test('is read as it is now, whatever has changed since', async () => {
    await using work = await openWork()
    const { beads, beadRepository, store } = work
    const [needed, bead] = [await work.add({ title: 'needed' }), await work.add({ title: 'bead' })]
    const read = () => [needed.id, bead.id].map((id) => beads.show(id).value)
    const fresh = () => [needed.id, bead.id].map((id) => beadRepository.get(id))
    const changes: (() => Promise<unknown>)[] = [
      () => beads.update(human, bead.id, { title: 'renamed', labels: ['a'], metadata: { of: 'use' } }),
      () => beads.depend(human, bead.id, { depends_on_id: needed.id }),
      () => beads.close(human, needed.id),
      () => beads.reopen(human, needed.id),
      () => beads.undepend(human, bead.id, needed.id),
      () => beads.depend(human, bead.id, { depends_on_id: needed.id, type: 'related' }),
      () => store.write((tx) => beadRepository.change(tx, bead.id, { deferUntil: work.clock.now() + 1000 })),
    ]
    for (const change of changes) {
      const before = read()
      await change()
      expect(read()).toEqual(fresh())
      expect(read()).not.toEqual(before)
    }
    expect(beads.list({ all: true }).value.items.toReversed()).toEqual(fresh())
  })

  test('is not confused with a bead that has its number now', async () => {
    await using work = await openWork()
    const { beads, beadRepository, store } = work
    const gone = await work.add({ title: 'gone' })
    expect(beads.show(gone.id).value.title).toBe('gone')
    const number = beadRepository.numberOf(gone.id)
    await store.write((tx) => beadRepository.remove(tx, gone.id))
    const next = await work.add({ title: 'next' })
    expect(beadRepository.numberOf(next.id)).toBe(number)
    expect(beads.show(next.id).value.title).toBe('next')
    expect(() => beads.show(gone.id)).toThrow(`bead ${gone.id} does not exist`)
  })
})

describe('the cache', () => {
  const MEGABYTE = 'x'.repeat(1_000_000)

  /** Reads through a cache of beads of a megabyte each; returns the numbers of those that were rendered. */
  function cachedReader(isCacheable = true) {
    const rendered: number[] = []
    const cache = new BeadJsonCache((numbers) => {
      rendered.push(...numbers)
      return numbers.map((n) => ({ n, revision: 0, json: `${n}${MEGABYTE}`, isCacheable }))
    })
    return (...numbers: number[]): number[] => {
      const versions: BeadVersion[] = numbers.map((n) => ({ n, revision: 0 }))
      expect(cache.list(versions).map(({ json }) => json)).toEqual(numbers.map((n) => `${n}${MEGABYTE}`))
      return rendered.splice(0)
    }
  }

  test('renders a version once, and keeps the entries in use when there are too many', () => {
    const read = cachedReader()
    expect(read(1, 2, 3)).toEqual([1, 2, 3])
    expect(read(3, 1)).toEqual([])
    for (let n = 4; n < 20; n++) {
      expect(read(n)).toEqual([n])
      expect(read(1)).toEqual([])
    }
    expect(read(2)).toEqual([2])
    expect(read(19, 2, 1)).toEqual([])
  })

  test('renders a bead with a side table every time', () => {
    const read = cachedReader(false)
    expect(read(1)).toEqual([1])
    expect(read(1)).toEqual([1])
  })
})
