/** Number of lines of a screen that are one message, once some of them changed: they are sent together. */
const LINES_PER_PART = 8
/** Maximum lines kept for a reader; beyond them it restarts with the current screen. */
const MAX_LINES = 1000

/** Some lines that are one message; identified by their number. */
export interface ScreenPart {
  readonly number: number
  readonly text: string
}

const isSame = (some: readonly string[], others: readonly string[] = []): boolean =>
  some.length === others.length && some.every((line, index) => line === others[index])

/** Parts of a screen that a reader has: messages of some lines each; the last ones are on the screen. */
export class ScreenParts {
  #parts: string[][]
  /** Number of of the last lines are on the screen. */
  #height: number

  /** The reader has the screen as one message. */
  constructor(lines: readonly string[]) {
    this.#parts = [[...lines]]
    this.#height = lines.length
  }

  /** Number of messages. */
  get count(): number {
    return this.#parts.length
  }

  /** The messages that are new or have changed now that the screen has these lines; undefined when a reader has to start over. */
  advance(lines: readonly string[]): ScreenPart[] | undefined {
    const before = this.#parts.flat()
    const top = before.length - this.#height
    const scrolled = scrolledBy(before.slice(top), lines)
    if (scrolled === undefined) return undefined
    const kept = before.slice(0, top + scrolled)
    const blank = Math.max(0, before.length - kept.length - lines.length)
    const after = [...kept, ...lines, ...Array<string>(blank).fill('')]
    if (after.length > MAX_LINES) return undefined
    this.#height = after.length - kept.length
    return this.#become(after)
  }

  /** Messages keep their lines as long as those are the same: a new message comes behind all others. */
  #become(lines: readonly string[]): ScreenPart[] {
    const parts: string[][] = []
    const changed: ScreenPart[] = []
    for (let start = 0; start < lines.length || parts.length === 0; ) {
      const previous = this.#parts[parts.length]
      const part = lines.slice(start, start + this.#lengthOf(parts.length, lines, start))
      start += part.length
      parts.push(part)
      if (!previous || !isSame(part, previous)) changed.push({ number: parts.length, text: part.join('\n') })
    }
    this.#parts = parts
    return changed
  }

  #lengthOf(index: number, lines: readonly string[], start: number): number {
    const previous = this.#parts[index]
    if (!previous) return LINES_PER_PART
    const { length } = previous
    if (length > LINES_PER_PART) return isSame(previous, lines.slice(start, start + length)) ? length : LINES_PER_PART
    return index === this.#parts.length - 1 ? LINES_PER_PART : length
  }
}

/** By how many lines a screen was scrolled to become the other; undefined when nothing of it is left. */
function scrolledBy(before: readonly string[], after: readonly string[]): number | undefined {
  const unmoved = agreement(before, after, 0)
  let [best, most] = [0, unmoved.same]
  for (let by = 1; by < before.length; by++) {
    const { same, compared } = agreement(before, after, by)
    if (same > most && same * 2 >= compared) [best, most] = [by, same]
  }
  return most === 0 && before.some((line) => line !== '') ? undefined : best
}

/** Number of lines that are the same when one screen is scrolled, of how many that are not blank on both. */
function agreement(
  before: readonly string[],
  after: readonly string[],
  by: number,
): { same: number; compared: number } {
  let [same, compared] = [0, 0]
  const overlap = Math.min(before.length - by, after.length)
  for (let line = 0; line < overlap; line++) {
    if (before[by + line] === '' && after[line] === '') continue
    compared++
    if (before[by + line] === after[line]) same++
  }
  return { same, compared }
}
