import { Value } from '@sinclair/typebox/value'
import { AgentRecord } from '../../../host/protocol/record.ts'
import { parsed } from '../entries/json.ts'
import type { LogReader, View } from '../entries/log-reader.ts'
import type { Found } from '../logs/program-logs.ts'
import type { AcpConversations } from './conversations.ts'
import { Fold } from './entry-builder.ts'

/** Of a session that only runs, so many of the newest records are read. */
const FEW = 500
const FEW_MOST = 4 * FEW
const SMALL = 1 << 20

/** What was said in a session, as a log; undefined when its program was never spoken to by protocol. */
export function findAcpLog(conversations: AcpConversations, session: string): Found | undefined {
  if (!conversations.hasRecords(session)) return undefined
  return {
    key: '',
    path: `acp:${session}`,
    open: ({ keep }) => new AcpLog(conversations, session, keep < SMALL),
    firstWords: () => '',
  }
}

/** A log whose entries are the records that were kept. */
class AcpLog implements LogReader {
  readonly generation = 0
  readonly troubles = []
  readonly files = []
  readonly stream: string
  truncated = false
  #fold = new Fold()
  #place = 0
  #begun = false

  constructor(
    private readonly conversations: AcpConversations,
    private readonly session: string,
    private readonly few: boolean,
  ) {
    this.stream = `acp:${session}`
  }

  get view(): View {
    return { entries: [...this.#fold.entries], branches: false, key: this.#fold.key }
  }

  listen(hear: () => void): () => void {
    return this.conversations.onRecords((session) => session === this.session && hear())
  }

  async refresh(): Promise<boolean> {
    if (!this.#begun) this.#begin()
    const before = this.#place
    for (;;) {
      const kept = this.conversations.recordsAfter(this.session, this.#place)
      for (const { id, body } of kept) {
        const record: unknown = parsed(body)
        if (Value.Check(AgentRecord, record)) this.#fold.add(id, record)
        this.#place = id
      }
      if (kept.length === 0) break
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (this.few && this.#fold.entries.length > FEW_MOST) this.#again()
    return this.#place > before
  }

  close(): void {}

  #begin(): void {
    this.#begun = true
    if (!this.few) return
    this.#place = this.conversations.positionBeforeLast(this.session, FEW)
    this.truncated = this.#place > 0
  }

  /** Lets go of what is old. */
  #again(): void {
    const last = this.#place
    this.#fold = new Fold()
    this.#begin()
    for (const { id, body } of this.conversations.recordsAfter(this.session, this.#place)) {
      const record: unknown = parsed(body)
      if (id <= last && Value.Check(AgentRecord, record)) this.#fold.add(id, record)
    }
    this.#place = last
  }
}
