const BEGIN = '\x1b[?2026h'
const END = '\x1b[?2026l'

/** Knows what is on the screen, and writes only the lines that change, in one update. */
export class Painter {
  #shown: readonly string[] = []

  /** What turns the shown frame into this one; empty for the same frame. */
  update(lines: readonly string[]): string {
    const changed = lines.map((line, at) => (line === this.#shown[at] ? '' : `\x1b[${at + 1};1H${line}\x1b[0m\x1b[K`))
    const surplus = this.#shown.length > lines.length ? `\x1b[${lines.length + 1};1H\x1b[J` : ''
    this.#shown = lines
    const text = changed.join('') + surplus
    return text === '' ? '' : `${BEGIN}${text}${END}`
  }

  /** Somebody else wrote to the screen, or its size changed: the next frame is written whole. */
  forget(): void {
    this.#shown = []
  }
}
