import { describe, expect, test } from 'bun:test'
import { type Decision, decide, type Verdict } from '../../../src/changes/landing/decide.ts'

/** Runs the checks that a batch asks for; `check` says how one of a position ends, and how often it was run. */
function run(
  size: number,
  check: (position: number, attempt: number) => Verdict,
  { confirms = true, parallel = 1 } = {},
) {
  const verdicts = new Map<number, Verdict[]>()
  for (let rounds = 0, checks = 0; ; rounds++) {
    if (rounds > 50) throw new Error('it never ends')
    const decision: Decision = decide({ size, verdicts, confirms, parallel })
    if (decision.is !== 'check') return { decision, checks, rounds, verdicts }
    const positions = [decision.position, ...decision.also]
    if (new Set(positions).size !== positions.length || positions.length > parallel) throw new Error(`${positions}`)
    for (const position of positions) {
      const before = verdicts.get(position) ?? []
      verdicts.set(position, [...before, check(position, before.length)])
      checks++
    }
  }
}

const SIZES = [1, 2, 3, 4, 5, 7, 8, 13, 16, 64]
const redFrom =
  (culprit: number) =>
  (position: number): Verdict =>
    position >= culprit ? 'red' : 'green'

describe('a batch', () => {
  test('that passes takes one check, whatever its size', () => {
    for (const size of SIZES) {
      expect(run(size, () => 'green')).toMatchObject({ decision: { is: 'settled', upto: size - 1 }, checks: 1 })
    }
  })

  test('with a culprit takes 1 + ⌈log2 n⌉ checks, one to confirm, and one of the base if the culprit is the first', () => {
    for (const size of SIZES) {
      for (let culprit = 0; culprit < size; culprit++) {
        const { decision, checks } = run(size, redFrom(culprit))
        expect(decision).toEqual({ is: 'settled', upto: culprit - 1, blamed: culprit })
        const most = 1 + Math.ceil(Math.log2(size))
        expect(checks).toBeLessThanOrEqual(most + 1 + (culprit === 0 ? 1 : 0))
        expect(run(size, redFrom(culprit), { confirms: false }).checks).toBeLessThanOrEqual(
          most + (culprit === 0 ? 1 : 0),
        )
      }
    }
  })

  test('with several checks at the same time takes fewer rounds, and blames the same', () => {
    for (const [parallel, size] of [2, 3, 7, 16].flatMap((each) => SIZES.map((size) => [each, size] as const))) {
      for (let culprit = 0; culprit < size; culprit++) {
        const { decision, rounds } = run(size, redFrom(culprit), { parallel })
        expect(decision).toEqual({ is: 'settled', upto: culprit - 1, blamed: culprit })
        const most = 1 + Math.ceil(Math.log(size) / Math.log(parallel + 1) + 1e-9)
        expect(rounds).toBeLessThanOrEqual(most + 2 + (culprit === 0 ? 1 : 0))
      }
    }
  })

  test('blames only what failed twice behind what passed, whatever flakes', () => {
    let seed = 7
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
      return seed / 0x7fffffff
    }
    for (let round = 0; round < 500; round++) {
      const size = 1 + Math.floor(random() * 16)
      const culprit = Math.floor(random() * (size + 4))
      const { decision, verdicts } = run(
        size,
        (position) => {
          if (random() < 0.1) return 'none'
          return position >= culprit || random() < 0.2 ? 'red' : 'green'
        },
        { parallel: 1 + (round % 3) },
      )
      if (decision.is !== 'settled') continue
      const of = (position: number) => verdicts.get(position) ?? []
      if (decision.upto >= 0) expect(of(decision.upto)).toContain('green')
      if (decision.blamed === undefined) continue
      expect(of(decision.blamed).filter((verdict) => verdict === 'red').length).toBe(2)
      expect(of(decision.blamed)).not.toContain('green')
      expect(of(decision.blamed - 1)).toContain('green')
    }
  })

  test('of which one failed by chance lands whole', () => {
    expect(run(8, (position, attempt) => (position === 7 && attempt === 0 ? 'red' : 'green')).decision).toEqual({
      ...{ is: 'settled', upto: 7 },
    })
    expect(run(1, (_, attempt) => (attempt === 0 ? 'red' : 'green'))).toMatchObject({
      decision: { upto: 0 },
      checks: 2,
    })
  })

  test('on a red base blames no one', () => {
    // The whole, three halves and the first branch again; then the base, as often as confirms that it fails.
    expect(run(8, () => 'red')).toMatchObject({ decision: { is: 'base-red' }, checks: 7 })
    expect(run(8, () => 'red', { confirms: false })).toMatchObject({ decision: { is: 'base-red' }, checks: 5 })
  })

  test('blames no branch when the check ends twice without a verdict', () => {
    expect(run(4, () => 'none')).toMatchObject({ decision: { is: 'no-verdict', position: 3 }, checks: 2 })
    expect(run(4, (_, attempt) => (attempt === 0 ? 'none' : 'green'))).toMatchObject({
      decision: { upto: 3 },
      checks: 2,
    })
    const lost = run(4, (position) => (position === 1 ? 'none' : 'red'))
    expect(lost.decision).toEqual({ is: 'no-verdict', position: 1 })
  })
})
