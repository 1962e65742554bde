import { describe, expect, test } from 'bun:test'
import { nextTick } from '../../src/core/event-loop.ts'
import { MeasuredTurns } from '../../src/http/respond/turns.ts'

/** Pieces of work, each of which takes so much of its tick; the ticks in which they ran. */
async function run(takes: readonly number[], perTick: number): Promise<number[][]> {
  const turns = new MeasuredTurns(perTick)
  const ticks: number[][] = [[]]
  let left = takes.length
  for (const taken of takes) {
    void turns.next().then(() => {
      ticks.at(-1)?.push(taken)
      turns.end(taken)
      left--
    })
  }
  while (left > 0) {
    await nextTick()
    ticks.push([])
  }
  return ticks.filter((tick) => tick.length > 0)
}

describe('a piece of work', () => {
  test('runs after those before it, and waits for the next tick once this one has spent its time', async () => {
    expect(await run([1, 2, 3, 1, 1, 1, 5, 1], 3)).toEqual([[1, 2, 3], [1, 1, 1], [5], [1]])
  })

  test('of a tick that has time left begins at once', async () => {
    const turns = new MeasuredTurns(3)
    const order: string[] = []
    const piece = async (name: string, taken: number) => {
      await turns.next()
      order.push(name)
      turns.end(taken)
    }
    await piece('first', 2)
    const tick = nextTick().then(() => order.push('tick'))
    await piece('second', 2)
    await Promise.all([piece('third', 1), tick])
    expect(order).toEqual(['first', 'second', 'third', 'tick'])
  })
})
