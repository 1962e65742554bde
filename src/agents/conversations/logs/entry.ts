import type { Block } from '../structured/blocks.ts'
import type { Json } from './json.ts'
import type { Since } from './lines.ts'

/** Tokens that one answer of a model took. */
export interface Tokens {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly reasoning: number
}

/** What an answer of a model cost, under a name by which it is counted once. */
export interface Use {
  readonly id: string
  readonly model: string
  readonly tokens: Tokens
  readonly at: number
  /** What was paid, when the log says so. */
  readonly cost?: number
}

/** One entry of a program's own log, as every format shows it. */
export interface Entry {
  /** The same at every reading. */
  readonly id: string
  readonly at: number | undefined
  /** As it stands in the log. */
  readonly raw: unknown
  /** Who speaks in a conversation; undefined for what only the raw format shows. */
  readonly speaker: 'user' | 'assistant' | 'system' | 'result' | undefined
  /** Who speaks in the structured format; undefined for what it leaves out. */
  readonly role: 'user' | 'assistant' | 'system' | 'tool' | 'unknown' | undefined
  /** Whether the conversation was shortened here. */
  readonly boundary: boolean
  /** What it tells of the turn: it goes on, or it is over. */
  readonly turn: 'in-turn' | 'idle' | undefined
  /** Whether it may still change. */
  readonly partial: boolean
  readonly model?: string | undefined
  readonly stopReason?: string | undefined
  readonly use?: Use | undefined
  /** How much of the model's context was filled, in tokens. */
  readonly contextUsed?: number | undefined
  /** The size of that context, when the log tells. */
  readonly contextWindow?: number | undefined
  readonly event?: { kind?: string; category?: string; code?: string; message?: string } | undefined
  blocks(): readonly Block[]
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
