import { unsubscriber } from '../../../core/signal.ts'
import type { Entry } from '../../../programs/entries/index.ts'
import {
  type LogDiagnostic,
  type LogHandle,
  type LogReader,
  type LogReaderOptions,
  type LogSnapshot,
  logId,
} from '../../../programs/logs/index.ts'

/** A log that a conversation was written to. */
export interface ConversationPart {
  readonly handle: LogHandle
  /** Records before this time belong to another conversation; 0 when all belong to this one. */
  readonly since: number
}

interface OpenPart extends ConversationPart {
  readonly reader: LogReader
}

/** Maximum logs of a conversation that are read: the newest, the older of them in part. */
const MAX_PARTS = 20
const OLDER_SHARE = 8

/** A conversation that a program wrote to one log after another, read as one, in the order of time. */
export class ConversationLog implements LogReader {
  readonly #open = new Map<string, OpenPart>()
  /** Entries under other ids than in their own log. */
  readonly #renamed = new WeakMap<Entry, Entry>()
  #isTruncated = false
  #snapshot: LogSnapshot = { entries: [], recorded: [], hasBranches: false, key: undefined }

  /** `parts`: the logs as far as they are known, the first one first; `onPart` calls its listener when there are more. */
  constructor(
    private readonly parts: () => readonly ConversationPart[],
    private readonly onPart: (listener: () => void) => () => void,
    private readonly options: LogReaderOptions,
  ) {
    this.#update()
  }

  get stream(): string {
    return this.#first?.reader.stream ?? ''
  }

  get generation(): number {
    return this.#readers.reduce((sum, { generation }) => sum + generation, 0)
  }

  get truncated(): boolean {
    return this.#isTruncated || this.#readers.some(({ truncated }) => truncated)
  }

  get diagnostics(): readonly LogDiagnostic[] {
    return this.#readers.flatMap(({ diagnostics }) => diagnostics)
  }

  get snapshot(): LogSnapshot {
    return this.#snapshot
  }

  get files(): readonly string[] {
    return this.#readers.flatMap(({ files }) => files)
  }

  subscribe(listener: () => void): () => void {
    return unsubscriber(...this.#readers.flatMap((reader) => reader.subscribe?.(listener) ?? []), this.onPart(listener))
  }

  async refresh(): Promise<boolean> {
    let hasChanged = this.#update()
    for (const reader of this.#readers) hasChanged = (await reader.refresh()) || hasChanged
    if (hasChanged) this.#snapshot = this.#merge()
    return hasChanged
  }

  close(): void {
    for (const reader of this.#readers) reader.close()
    this.#open.clear()
  }

  get #first(): OpenPart | undefined {
    return this.#open.values().next().value
  }

  get #readers(): readonly LogReader[] {
    return [...this.#open.values()].map(({ reader }) => reader)
  }

  /** Opens the logs that were added; true when there are any. */
  #update(): boolean {
    const known = this.parts()
    const shown = new Map(known.slice(-MAX_PARTS).map((part) => [logId(part.handle), part]))
    this.#isTruncated = known.length > MAX_PARTS
    for (const [id, { reader }] of this.#open) {
      if (shown.has(id)) continue
      reader.close()
      this.#open.delete(id)
    }
    const added = [...shown].filter(([id]) => !this.#open.has(id))
    for (const [id, part] of added) {
      const bytes = this.options.windowBytes / (part === known.at(-1) ? 1 : OLDER_SHARE)
      this.#open.set(id, { ...part, reader: part.handle.open({ ...this.options, windowBytes: bytes }) })
    }
    return added.length > 0
  }

  #merge(): LogSnapshot {
    const parts = [...this.#open.values()]
    const [only] = parts
    if (only && parts.length === 1 && only.since === 0) return only.reader.snapshot
    const newest = parts.reduce<OpenPart | undefined>(
      (one, part) => (one && isNewer(one, part) ? one : part),
      undefined,
    )
    return {
      entries: this.#inOrder(({ entries }) => entries),
      recorded: this.#inOrder(({ recorded }) => recorded),
      hasBranches: parts.some(({ reader }) => reader.snapshot.hasBranches),
      key: newest?.reader.snapshot.key,
    }
  }

  /** The entries of all logs by time; what one of them copied from another is there once. */
  #inOrder(entriesOf: (snapshot: LogSnapshot) => readonly Entry[]): Entry[] {
    const seen = new Set<string>()
    const timed: { at: number; entry: Entry }[] = []
    for (const { handle, since, reader } of this.#open.values()) {
      let at = 0
      for (const entry of entriesOf(reader.snapshot)) {
        at = Math.max(at, entry.timestamp ?? 0)
        const unique = this.#withUniqueId(entry, handle)
        if (at < since || seen.has(unique.id)) continue
        seen.add(unique.id)
        timed.push({ at, entry: unique })
      }
    }
    return timed.sort((a, b) => a.at - b.at).map(({ entry }) => entry)
  }

  /** Entries that are named by their place in a log have the same names in each. */
  #withUniqueId(entry: Entry, { key }: LogHandle): Entry {
    if (this.#first?.handle.key === key || !entry.id.startsWith('at-')) return entry
    const renamed = this.#renamed.get(entry) ?? { ...entry, id: `${key}:${entry.id}` }
    this.#renamed.set(entry, renamed)
    return renamed
  }
}

const newestTime = ({ reader }: OpenPart): number => reader.snapshot.entries.at(-1)?.timestamp ?? 0
const isNewer = (one: OpenPart, other: OpenPart): boolean => newestTime(one) > newestTime(other)
