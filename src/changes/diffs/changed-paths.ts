import { AppError } from '../../core/errors.ts'

/** Maximum files of one diff; more are only counted. */
export const MAX_FILES = 10_000
/** Maximum files on each side that are compared to find renames with edits. */
const RENAME_LIMIT = 300
/** Maximum files of a diff in which copies are looked for: an added file is compared with every other. */
const MAX_COPIED_FILES = 500

/** A path that changed, as git lists it. */
export interface ChangedPath {
  readonly path: string
  readonly oldPath: string | undefined
  /** The path as an argument of git; undefined if it is not UTF-8. */
  readonly argument: string | undefined
  readonly oldMode: string
  readonly mode: string
  readonly oldObject: string
  readonly object: string
  readonly status: string
}

export const isCopy = ({ status }: ChangedPath): boolean => status.startsWith('C')

export interface ChangedPaths {
  readonly items: readonly ChangedPath[]
  readonly total: number
  readonly origins: Origins
}

/** The origins of added files that are looked for: files that are gone now, or all that changed. */
export type Origins = 'renames' | 'copies'

export const SUBMODULE = '160000'
export const NO_MODE = '000000'

/** Options for comparing trees. The same ones give the same list. */
export const comparing = (origins: Origins): string[] => [
  ...['-r', '-z', '--no-abbrev', origins === 'copies' ? '-C' : '-M', `-l${RENAME_LIMIT}`],
]

/** True if added files of a list may be copies of files that it names: those of larger lists are not looked for. */
export function mayHaveCopies({ items, total, origins }: ChangedPaths): boolean {
  if (origins === 'copies' || total > MAX_COPIED_FILES) return false
  const added = items.filter(({ status }) => status === 'A').length
  return added > 0 && added < items.length
}

/** Reads the list of changed paths from git's output; the patches behind it are passed on. */
export class ChangedPathReader {
  readonly #items: ChangedPath[] = []
  #total = 0
  #held: Uint8Array = new Uint8Array()
  #fields: string[] = []
  #isOver = false

  constructor(
    private readonly origins: Origins,
    private readonly onPatch: (bytes: Uint8Array) => boolean = () => true,
  ) {}

  get list(): ChangedPaths {
    return { items: this.#items, total: this.#total, origins: this.origins }
  }

  take = (bytes: Uint8Array): boolean => {
    if (this.#isOver) return this.onPatch(bytes)
    const all = Buffer.concat([this.#held, bytes])
    let from = 0
    for (let end = all.indexOf(0); end !== -1; end = all.indexOf(0, from)) {
      const field = all.toString('latin1', from, end)
      from = end + 1
      // An empty field stands before the patches.
      if (field === '' && this.#fields.length === 0) {
        this.#isOver = true
        return this.onPatch(all.subarray(from))
      }
      this.#add(field)
    }
    this.#held = all.subarray(from)
    return true
  }

  #add(field: string): void {
    this.#fields.push(field)
    if (this.#fields.length < (hasOrigin(this.#fields[0]) ? 3 : 2)) return
    this.#total++
    if (this.#items.length < MAX_FILES) this.#items.push(toChangedPath(this.#fields))
    this.#fields = []
  }
}

/** True if an entry names two paths: its last word is `R86` or `C86`. */
const hasOrigin = (head = ''): boolean => /^[RC]/.test(head[head.lastIndexOf(' ') + 1] ?? '')

/** `:100644 100644 <old> <new> R86`, the old path of a rename or copy, and the path. */
function toChangedPath([head = '', ...paths]: readonly string[]): ChangedPath {
  const [oldMode, mode, oldObject, object, status] = head.slice(1).split(' ')
  if (!oldMode || !mode || !oldObject || !object || !status) {
    throw new AppError('service-unavailable', 'git printed a list of changed files that gc cannot read')
  }
  const names = paths.map(toText)
  const path = names.at(-1)
  const origin = names.length > 1 ? names[0]?.text : undefined
  return {
    path: path?.text ?? '',
    oldPath: origin,
    argument: path?.isExact ? path.text : undefined,
    ...{ oldMode, mode, oldObject, object, status },
  }
}

const ASCII = /^[\0-\x7f]*$/
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A path whose bytes came as latin1. Bytes that are not UTF-8 become escapes. */
export function toText(latin1: string): { text: string; isExact: boolean } {
  if (ASCII.test(latin1)) return { text: latin1, isExact: true }
  const bytes = Buffer.from(latin1, 'latin1')
  try {
    return { text: decoder.decode(bytes), isExact: true }
  } catch {
    return { text: escapeBytes(bytes), isExact: false }
  }
}

/** Text with each byte outside a character as `\xff`. */
function escapeBytes(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (!text.includes('\ufffd')) return text
  let result = ''
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at)
    result += length === 0 ? `\\x${(bytes[at] ?? 0).toString(16)}` : bytes.toString('utf8', at, at + length)
    at += Math.max(1, length)
  }
  return result
}

/** Length in bytes of the character at an offset; 0 if none starts there. */
function characterLength(bytes: Buffer, at: number): number {
  for (const length of [1, 2, 3, 4]) {
    const part = bytes.subarray(at, at + length)
    if (part.length === length && !part.toString('utf8').includes('\ufffd')) return length
  }
  return 0
}
