import type { DiffHunk, DiffLine } from './schema.ts'

/** Minimum letters and digits of a moved block: braces and blank lines repeat everywhere. */
const MIN_CHARACTERS = 20

/** The lines that a diff removes and adds, to find those that only moved. */
export class MovedLines {
  readonly #removed = new Set<string>()
  readonly #added = new Set<string>()

  constructor(files: readonly { hunks: readonly DiffHunk[] }[]) {
    for (const { lines } of files.flatMap(({ hunks }) => hunks)) {
      for (const { kind, text } of lines) {
        if (kind === '-') this.#removed.add(text.trim())
        if (kind === '+') this.#added.add(text.trim())
      }
    }
  }

  /** Marks blocks of lines that are removed in one place and added in another. */
  mark({ lines }: DiffHunk): void {
    let block: DiffLine[] = []
    const finish = () => {
      const characters = block.reduce((sum, { text }) => sum + text.replace(/[^\p{L}\p{N}]/gu, '').length, 0)
      if (characters >= MIN_CHARACTERS) for (const line of block) line.moved = true
      block = []
    }
    for (const line of lines) {
      const others = line.kind === '-' ? this.#added : line.kind === '+' ? this.#removed : undefined
      if (line.kind !== block[0]?.kind) finish()
      if (others?.has(line.text.trim())) block.push(line)
      else finish()
    }
    finish()
  }
}
