import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import { errorMessage } from '../../core/errors.ts'

/** Denial of a sandboxed session, with its count; kinds beyond the kept ones have no call and target. */
export const CountedDenial = Type.Object({
  call: Type.String(),
  /** Target of the access: a path, an address or a process. */
  target: Type.String(),
  /** Hosts to allow for a connection that its proxy refused; none if that would not help. */
  hosts: Type.Optional(Type.Array(Type.String())),
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

/** Denials of a session from its private folder; empty without one. */
export function readDenials(folder: string): CountedDenial[] {
  const path = join(folder, NAME)
  try {
    if (statSync(path).size > MAX_BYTES) return []
    return Value.Parse(File, JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return []
  }
}

/** A reported denial: `count` times since the last report. */
export interface ReportedDenial {
  folder: string
  call: string
  target: string
  /** As they are counted with the denial. */
  hosts?: readonly string[] | undefined
  count: number
  /** True if it is the first of its kind. */
  isNew: boolean
}

/** Counts what confined sessions are refused, in a file of each session's private folder. */
export class DenialFiles {
  readonly #waiting = new Map<string, ReportedDenial[]>()

  constructor(
    private readonly clock: Clock,
    private readonly report: (sentence: string) => void,
  ) {}

  /** The first of its kind is on disk immediately, since it may be why the program ends. */
  add(denial: ReportedDenial): void {
    const { folder, isNew } = denial
    const waiting = this.#waiting.get(folder)
    if (waiting) waiting.push(denial)
    else {
      this.#waiting.set(folder, [denial])
      if (!isNew) setTimeout(() => this.#write(folder), WRITE_MS)
    }
    if (isNew) this.#write(folder)
  }

  #write(folder: string): void {
    if (!this.#waiting.has(folder)) return
    const kinds = new Map(readDenials(folder).map((each) => [nameOf(each), each]))
    for (const told of this.#waiting.get(folder) ?? []) {
      const isKept = kinds.has(nameOf(told)) || kinds.size < MAX_KINDS
      const { call, target, hosts, count } = isKept ? told : { ...told, ...OTHERS, hosts: undefined }
      const known = kinds.get(nameOf({ call, target }))?.count ?? 0
      const lastAt = toTimestamp(this.clock.now())
      const asked = hosts && { hosts: [...hosts] }
      kinds.set(nameOf({ call, target }), { call, target, ...asked, count: known + count, lastAt })
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
