import { type Line, lineKey, renderLines } from '../parts/lines.tsx'

const BEGIN = '\x1b[?2026h'
const END = '\x1b[?2026l'

/** Knows what is on the screen, and lays out and writes only the lines that change, in one update. */
export class Painter {
  #shown: readonly string[] = []

  /** What turns the shown frame into this one; empty for the same frame. */
  update(frame: readonly Line[]): string {
    const keys = frame.map(lineKey)
    const changed = [...frame.keys()].filter((at) => keys[at] !== this.#shown[at])
    const texts = renderLines(changed.flatMap((at) => (frame[at] ? [frame[at]] : [])))
    const lines = changed.map((at, n) => `\x1b[${at + 1};1H${texts[n] ?? ''}\x1b[0m\x1b[K`)
    const surplus = this.#shown.length > frame.length ? `\x1b[${frame.length + 1};1H\x1b[J` : ''
    this.#shown = keys
    const text = lines.join('') + surplus
    return text === '' ? '' : `${BEGIN}${text}${END}`
  }

  /** Somebody else wrote to the screen, or its size changed: the next frame is written whole. */
  forget(): void {
    this.#shown = []
  }
}
