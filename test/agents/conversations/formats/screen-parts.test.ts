import { describe, expect, test } from 'bun:test'
import { ScreenParts } from '../../../../src/agents/conversations/formats/screen-parts.ts'
import { Random } from '../../../support/abuse/random.ts'

/** A reader that follows frames: it replaces messages that it has, and appends those that are new. */
class Reader {
  readonly #parts: ScreenParts
  #texts: string[]
  /** Number of characters it was sent since the first screen. */
  sent = 0

  constructor(lines: readonly string[]) {
    this.#parts = new ScreenParts(lines)
    this.#texts = [lines.join('\n')]
  }

  /** True if the change could be told. */
  show(lines: readonly string[]): boolean {
    const changed = this.#parts.advance(lines)
    for (const { number, text } of changed ?? []) {
      expect(number).toBeLessThanOrEqual(this.#texts.length + 1)
      this.#texts[number - 1] = text
      this.sent += text.length
    }
    return changed !== undefined
  }

  get lines(): string[] {
    return this.#texts.flatMap((text) => text.split('\n'))
  }

  /** Screen with so many lines, without blank lines below. */
  last(screen: readonly string[]): string[] {
    const lines = this.lines
    while (lines.length > screen.length && lines.at(-1) === '') lines.pop()
    return screen.length === 0 ? [] : lines.slice(-screen.length)
  }
}

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index} of a long output`)

describe('a reader of a screen', () => {
  test('keeps the lines that were scrolled out, and is sent each line about once', () => {
    const reader = new Reader(numbered(1, 40))
    for (let last = 44; last <= 800; last += 4) expect(reader.show(numbered(Math.max(1, last - 99), last))).toBe(true)
    expect(reader.lines).toEqual(numbered(1, 800))
    expect(reader.sent).toBeLessThan(2 * numbered(41, 800).join('\n').length)
  })

  test('is sent the lines around one that changed, and nothing when none did', () => {
    const screen = numbered(1, 50)
    const reader = new Reader(screen)
    reader.show(screen.with(20, 'first'))
    const before = reader.sent
    expect(reader.show(screen.with(20, 'second'))).toBe(true)
    expect(reader.lines).toEqual(screen.with(20, 'second'))
    expect(reader.sent - before).toBeLessThan(8 * 30)
    const after = reader.sent
    reader.show(screen.with(20, 'second'))
    expect(reader.sent).toBe(after)
  })

  test('has blank lines where a screen became shorter', () => {
    const reader = new Reader(numbered(1, 30))
    expect(reader.show(numbered(1, 12))).toBe(true)
    expect(reader.last(numbered(1, 12))).toEqual(numbered(1, 12))
    expect(reader.show([...numbered(1, 12), 'more'])).toBe(true)
    expect(reader.last([...numbered(1, 12), 'more'])).toEqual([...numbered(1, 12), 'more'])
  })

  test('has to start over when nothing is left of a screen, and when it has a thousand lines', () => {
    expect(new Reader(numbered(1, 50)).show(['another program'])).toBe(false)
    expect(new Reader(numbered(1, 50)).show([])).toBe(false)
    const reader = new Reader(numbered(1, 50))
    let last = 50
    while (reader.show(numbered(Math.max(1, last - 48), last + 1))) last++
    expect(last).toBe(1000)
  })

  test('has the screen at its end, whatever a program does to it', () => {
    const random = new Random(7)
    let screen = numbered(1, 30)
    let reader = new Reader(screen)
    let told = 0
    for (let step = 0; step < 3_000; step++) {
      const act = random.below(5)
      if (act === 0) screen = [...screen, ...numbered(step, step + random.below(30))].slice(-100)
      else if (act === 1) screen = screen.with(random.below(screen.length), `changed ${step}`)
      else if (act === 2) screen = screen.slice(0, 1 + random.below(screen.length))
      else if (act === 3)
        screen = screen.toSpliced(random.below(screen.length), 1, '', `put in ${step % 3}`).slice(-100)
      else screen = screen.map((line) => (random.below(4) === 0 ? `drawn ${step % 5}` : line))
      while (screen.at(-1) === '') screen = screen.slice(0, -1)
      if (screen.length === 0) screen = ['$']
      if (reader.show(screen)) told++
      else reader = new Reader(screen)
      expect(reader.last(screen)).toEqual(screen)
    }
    expect(told).toBeGreaterThan(2_000)
  })
})
