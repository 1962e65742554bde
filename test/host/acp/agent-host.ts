import { join } from 'node:path'
import type { HostClient } from '../../../src/host/client/host-client.ts'
import type { AgentRecord } from '../../../src/host/protocol/record.ts'
import type { StartSpec } from '../../../src/host/protocol/session.ts'
import { type HostWorld, spec } from '../world.ts'

/** The argv of the test agent. */
export const AGENT = [process.execPath, join(import.meta.dir, 'agent.ts')]

/** A test agent session under `key`, with extra environment variables and start options. */
export const agentSpec = (
  world: HostWorld,
  key: string,
  env: Record<string, string> = {},
  more: Partial<StartSpec> = {},
): StartSpec => {
  const base = spec(world, key, AGENT, { kind: 'acp', ...more })
  return { ...base, env: { ...base.env, ...env } }
}

/** Collects the records of a host's agents, as a supervisor does. */
export class Listener {
  readonly records: AgentRecord[] = []
  #news = Promise.withResolvers<void>()
  readonly stop: () => void

  constructor(host: HostClient) {
    this.stop = host.onRecords(({ records }) => {
      this.records.push(...records)
      this.#news.resolve()
      this.#news = Promise.withResolvers()
    })
  }

  /** Resolves with the first matching record, as soon as it arrives; fails after ten seconds. */
  async until(wanted: (record: AgentRecord) => boolean, ms = 10_000): Promise<AgentRecord> {
    const late = AbortSignal.timeout(ms)
    for (;;) {
      const record = this.records.find(wanted)
      if (record) return record
      if (late.aborted) throw new Error(`it was not said: ${JSON.stringify(this.records).slice(-2000)}`)
      await Promise.race([this.#news.promise, new Promise((resolve) => late.addEventListener('abort', resolve))])
    }
  }

  done = (turn: string): Promise<AgentRecord> => this.until((record) => record.type === 'done' && record.turn === turn)

  permissionRequests = (count = 1): Promise<string[]> => {
    const asks = () => this.records.flatMap((record) => (record.type === 'asked' ? [record.request] : []))
    return this.until(() => asks().length >= count).then(asks)
  }

  /** The text of all agent messages, joined. */
  get words(): string {
    return this.records.map(wordsOf).join('')
  }

  /** The kinds of the records, in order; for updates, the kind of update. */
  get kinds(): string[] {
    return this.records.map((record) => (record.type === 'update' ? String(record.update.sessionUpdate) : record.type))
  }
}

function wordsOf(record: AgentRecord): string {
  if (record.type !== 'update' || record.update.sessionUpdate !== 'agent_message_chunk') return ''
  return String(Object(record.update.content).text)
}
