import { describe, expect, test } from 'bun:test'
import { Renderings, type State } from '../../../src/work/beads/renderings.ts'
import { human, openWork } from '../world.ts'

describe('what was read before', () => {
  test('reads as it is now, whatever has changed since', async () => {
    await using work = openWork()
    const { beads, store } = work
    const [needed, bead] = [await work.add({ title: 'needed' }), await work.add({ title: 'bead' })]
    const read = () => [needed.id, bead.id].map((id) => beads.show(id).value)
    const fresh = () => [needed.id, bead.id].map((id) => beads.get(id))
    const changes: (() => Promise<unknown>)[] = [
      () => beads.update(human, bead.id, { title: 'renamed', labels: ['a'], metadata: { of: 'use' } }),
      () => beads.dependFor(human, bead.id, { depends_on_id: needed.id }),
      () => beads.closeFor(human, needed.id),
      () => beads.reopenFor(human, needed.id),
      () => beads.undependFor(human, bead.id, needed.id),
      () => beads.dependFor(human, bead.id, { depends_on_id: needed.id, type: 'related' }),
      () => store.write((tx) => beads.change(tx, bead.id, { deferUntil: work.clock.now() + 1000 })),
    ]
    for (const change of changes) {
      const before = read()
      await change()
      expect(read()).toEqual(fresh())
      expect(read()).not.toEqual(before)
    }
    expect(beads.list({ all: true }).value.items.toReversed()).toEqual(fresh())
  })

  test('is not taken for a bead that has its number now', async () => {
    await using work = openWork()
    const { beads, store } = work
    const gone = await work.add({ title: 'gone' })
    expect(beads.show(gone.id).value.title).toBe('gone')
    const number = beads.numberOf(gone.id)
    await store.write((tx) => beads.remove(tx, gone.id))
    const next = await work.add({ title: 'next' })
    expect(beads.numberOf(next.id)).toBe(number)
    expect(beads.show(next.id).value.title).toBe('next')
    expect(() => beads.show(gone.id)).toThrow(`bead ${gone.id} does not exist`)
  })
})

describe('texts', () => {
  const LONG = 'x'.repeat(1_000_000)

  /** Renders a megabyte for each, and tells whose it was asked for since. */
  function renderings(lasting = true) {
    const asked: number[] = []
    const kept = new Renderings((numbers) => {
      asked.push(...numbers)
      return numbers.map((n) => ({ n, revision: 0, text: `${n}${LONG}`, lasting }))
    })
    return (...numbers: number[]): number[] => {
      const states: State[] = numbers.map((n) => ({ n, revision: 0 }))
      expect(kept.texts(states)).toEqual(numbers.map((n) => `${n}${LONG}`))
      return asked.splice(0)
    }
  }

  test('are written once, and those in use are kept when there are too many', () => {
    const read = renderings()
    expect(read(1, 2, 3)).toEqual([1, 2, 3])
    expect(read(3, 1)).toEqual([])
    for (let n = 4; n < 20; n++) {
      expect(read(n)).toEqual([n])
      expect(read(1)).toEqual([])
    }
    expect(read(2)).toEqual([2])
    expect(read(19, 2, 1)).toEqual([])
  })

  test('that another table has a part in are written every time', () => {
    const read = renderings(false)
    expect(read(1)).toEqual([1])
    expect(read(1)).toEqual([1])
  })
})
