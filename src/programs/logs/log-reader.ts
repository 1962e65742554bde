import type { Entry, JsonRecord } from '../entries/index.ts'

/** A position in a file, to be found again. */
export interface FilePosition {
  /** Identifies the file. */
  readonly file: string
  readonly offset: number
}

/** One record of a log before it is parsed into an entry. */
export interface LogRecord {
  /** Start in its file. */
  readonly offset: number
  readonly size: number
  readonly value: JsonRecord
}

/** The content of a log: its entries in the order of the conversation. */
export interface LogSnapshot {
  readonly entries: readonly Entry[]
  /** All entries in the order of the log, also those of abandoned branches and side chains: each of them was paid for. */
  readonly recorded: readonly Entry[]
  /** True if the conversation was rewound and continued differently. */
  readonly hasBranches: boolean
  /** The program's own id of the conversation. */
  readonly key: string | undefined
}

/** A problem of a log that its readers must know. */
export interface LogDiagnostic {
  readonly code: string
  readonly count: number
  readonly message: string
}

/** A log that is being read. */
export interface LogReader {
  /** Identifies what is read, and changes when that is replaced. */
  readonly stream: string
  /** Increases whenever entries that were read before turn out to be gone. */
  readonly generation: number
  /** True if older entries were left out because of their size. */
  readonly truncated: boolean
  readonly diagnostics: readonly LogDiagnostic[]
  readonly snapshot: LogSnapshot
  /** The files whose change means that there may be more to read. */
  readonly files: readonly string[]
  /** Calls the listener when there may be more to read, for logs that are not files; returns the unsubscribe function. */
  subscribe?(listener: () => void): () => void
  /** Resume position of a later reader: a snapshot had everything before it. */
  readonly position?: FilePosition | undefined
  /** True if one refresh did not read everything. */
  readonly hasMore?: boolean
  /** Reads what is new; true when anything changed. */
  refresh(): Promise<boolean>
  close(): void
}
