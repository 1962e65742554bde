import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import { errorMessage } from '../../core/errors.ts'

/** What a confined session was refused, and how often; without call and target what is beyond the kept kinds. */
export const CountedDenial = Type.Object({
  call: Type.String(),
  /** What it was about: a path, an address, a process. */
  target: Type.String(),
  count: Type.Integer(),
  lastAt: Type.String(),
})
export type CountedDenial = Static<typeof CountedDenial>

const File = Type.Array(CountedDenial)
/** In the private folder of a session, where its own programs neither read nor write. */
const NAME = 'denials.json'
/** Kinds of denials that are kept of one session, in all of its runs. */
const MAX_KINDS = 200
const MAX_BYTES = 1 << 20
const WRITE_MS = 300

/** What a session was refused, as its private folder says; nothing where there is none. */
export function readDenials(folder: string): CountedDenial[] {
  const path = join(folder, NAME)
  try {
    if (statSync(path).size > MAX_BYTES) return []
    return Value.Parse(File, JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return []
  }
}

/** How often a session was refused something, as its private folder says. */
export const timesDenied = (folder: string): number => readDenials(folder).reduce((sum, { count }) => sum + count, 0)

/** A denial that is told of: `count` times since it was last told of. */
export interface ToldDenial {
  folder: string
  call: string
  target: string
  count: number
}

/** Counts what confined sessions are refused, in a file of each session's private folder. */
export class DenialFiles {
  readonly #waiting = new Map<string, ToldDenial[]>()

  constructor(
    private readonly clock: Clock,
    private readonly report: (sentence: string) => void,
  ) {}

  add(denial: ToldDenial): void {
    const waiting = this.#waiting.get(denial.folder)
    if (waiting) waiting.push(denial)
    else {
      this.#waiting.set(denial.folder, [denial])
      setTimeout(() => this.#write(denial.folder), WRITE_MS)
    }
  }

  #write(folder: string): void {
    const kinds = new Map(readDenials(folder).map((each) => [nameOf(each), each]))
    for (const told of this.#waiting.get(folder) ?? []) {
      const { call, target, count } = kinds.has(nameOf(told)) || kinds.size < MAX_KINDS ? told : { ...told, ...OTHERS }
      const known = kinds.get(nameOf({ call, target }))?.count ?? 0
      const lastAt = toTimestamp(this.clock.now())
      kinds.set(nameOf({ call, target }), { call, target, count: known + count, lastAt })
    }
    this.#waiting.delete(folder)
    try {
      writeFileSync(join(folder, `${NAME}.new`), JSON.stringify([...kinds.values()]), { mode: 0o600 })
      renameSync(join(folder, `${NAME}.new`), join(folder, NAME))
    } catch (error) {
      this.report(`what was denied could not be kept in ${folder}: ${errorMessage(error)}`)
    }
  }
}

/** Stands for all kinds beyond those that are kept. */
export const OTHERS = { call: '', target: '' }

const nameOf = ({ call, target }: { call: string; target: string }): string => `${call} ${target}`
