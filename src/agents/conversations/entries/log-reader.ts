import type { Entry } from './entry.ts'
import type { Json } from './json.ts'

/** A position in a file, to be found again. */
export interface Since {
  /** Identifies the file. */
  readonly file: string
  readonly offset: number
}

/** A piece of a log before it is understood. */
export interface Native {
  /** Where it begins in its file. */
  readonly offset: number
  readonly size: number
  readonly value: Json
}

/** What a log says: its entries in the order of the conversation. */
export interface View {
  readonly entries: readonly Entry[]
  /** Whether there are turns that the conversation went back on. */
  readonly branches: boolean
  /** What the program calls the conversation. */
  readonly key: string | undefined
}

/** Something about a log that a reader should know. */
export interface Trouble {
  readonly code: string
  readonly count: number
  readonly message: string
}

/** A log that is being read. */
export interface LogReader {
  /** Names what is read, and changes when that is replaced. */
  readonly stream: string
  /** Counts how often what was read before turned out to be gone. */
  readonly generation: number
  /** Whether older entries were left out for their size. */
  readonly truncated: boolean
  readonly troubles: readonly Trouble[]
  readonly view: View
  /** The files whose change means that there may be more. */
  readonly files: readonly string[]
  /** Hears that there may be more, where that is in no file; returns how to stop. */
  listen?(hear: () => void): () => void
  /** Where a reader goes on that comes after this one: everything before was in a view. */
  readonly place?: Since | undefined
  /** Whether there was more than was read at once. */
  readonly more?: boolean
  /** Reads what is new; true when anything differs. */
  refresh(): Promise<boolean>
  close(): void
}
