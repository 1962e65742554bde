import type { DiffHunk } from './schema.ts'

/** Letters and digits of quoted lines that are found again although they moved. */
const MIN_CHARACTERS = 8

/** Lines of a file that a comment belongs to. */
export interface LinePlace {
  readonly path: string
  /** The first of them. */
  readonly line: number
  /** The lines as they were. */
  readonly quoted: string
}

/** Moves lines along with the changes of their file; undefined when they are gone or no longer the same. */
export function followLines(
  { line, quoted }: LinePlace,
  path: string,
  hunks: readonly DiffHunk[],
): LinePlace | undefined {
  const texts = quoted.replace(/\n$/, '').split('\n')
  let shift = 0
  for (const hunk of hunks) {
    const removed = hunk.lines.flatMap(({ old }) => old ?? [])
    // A hunk that only adds lines stands behind the line that it names.
    const start = removed[0] ?? hunk.old_start + 1
    const end = removed[0] === undefined ? start : start + removed.length
    if (start >= line + texts.length) break
    if (end <= line) shift += hunk.lines.reduce((sum, { kind }) => sum + (kind === '+' ? 1 : kind === '-' ? -1 : 0), 0)
    else return findAgain(texts, hunks, path)
  }
  return { path, line: line + shift, quoted }
}

/** The one place where the same lines were added. */
function findAgain(texts: readonly string[], hunks: readonly DiffHunk[], path: string): LinePlace | undefined {
  const wanted = texts.map((text) => text.trim())
  if (wanted.join('').replace(/[^\p{L}\p{N}]/gu, '').length < MIN_CHARACTERS) return undefined
  const places = hunks.flatMap(({ lines }) => {
    const added = lines.filter(({ kind }) => kind === '+')
    return added.flatMap((first, at) => {
      const found = added.slice(at, at + wanted.length)
      const isSame = found.length === wanted.length && found.every(({ text }, index) => text.trim() === wanted[index])
      return isSame ? [{ path, line: first.new ?? 0, quoted: found.map(({ text }) => text).join('\n') }] : []
    })
  })
  return places.length === 1 ? places[0] : undefined
}
