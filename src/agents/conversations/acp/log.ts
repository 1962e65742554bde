import { Value } from '@sinclair/typebox/value'
import { nextTick } from '../../../core/event-loop.ts'
import { AgentRecord } from '../../../host/protocol/index.ts'
import { parseJson } from '../../../programs/entries/index.ts'
import type { LogHandle, LogReader, LogSnapshot } from '../../../programs/logs/index.ts'
import type { AcpConversations, StoredRecord } from './conversations.ts'
import { AcpEntryBuilder } from './entry-builder.ts'

/** A reader that keeps little memory reads only the newest records. */
const RECENT_RECORDS = 500
const MAX_RECENT_ENTRIES = 4 * RECENT_RECORDS
const SMALL_READER_BYTES = 1 << 20

/** The ACP records of a session as a log; undefined when its program never used the protocol. */
export function findAcpLog(conversations: AcpConversations, session: string): LogHandle | undefined {
  if (!conversations.hasRecords(session)) return undefined
  return {
    key: '',
    path: `acp:${session}`,
    open: ({ keepBytes }) => new AcpLog(conversations, session, keepBytes < SMALL_READER_BYTES),
    firstPrompt: () => '',
    origin: () => ({ isCommand: false }),
    createdAt: () => 0,
    size: () => 0,
  }
}

/** A log whose entries are built from stored ACP records. */
class AcpLog implements LogReader {
  readonly generation = 0
  readonly diagnostics = []
  readonly files = []
  readonly stream: string
  truncated = false
  #builder = new AcpEntryBuilder()
  #lastId = 0
  #isStarted = false

  constructor(
    private readonly conversations: AcpConversations,
    private readonly session: string,
    private readonly isRecentOnly: boolean,
  ) {
    this.stream = `acp:${session}`
  }

  get snapshot(): LogSnapshot {
    const entries = [...this.#builder.entries]
    return { entries, recorded: entries, hasBranches: false, key: this.#builder.key }
  }

  subscribe(listener: () => void): () => void {
    return this.conversations.onRecords((session) => session === this.session && listener())
  }

  async refresh(): Promise<boolean> {
    if (!this.#isStarted) this.#start()
    const before = this.#lastId
    for (;;) {
      const records = this.conversations.recordsAfter(this.session, this.#lastId)
      for (const record of records) this.#add(record)
      if (records.length === 0) break
      await nextTick()
    }
    if (this.isRecentOnly && this.#builder.entries.length > MAX_RECENT_ENTRIES) this.#dropOld()
    return this.#lastId > before
  }

  close(): void {}

  #start(): void {
    this.#isStarted = true
    if (!this.isRecentOnly) return
    this.#lastId = this.conversations.positionBeforeLast(this.session, RECENT_RECORDS)
    this.truncated = this.#lastId > 0
  }

  #add({ id, body }: StoredRecord): void {
    const record: unknown = parseJson(body)
    if (Value.Check(AgentRecord, record)) this.#builder.add(id, record)
    this.#lastId = id
  }

  /** Builds the entries again from the newest records, up to the last one that was read. */
  #dropOld(): void {
    const last = this.#lastId
    this.#builder = new AcpEntryBuilder()
    this.#start()
    const records = this.conversations.recordsAfter(this.session, this.#lastId)
    for (const record of records) if (record.id <= last) this.#add(record)
    this.#lastId = last
  }
}
