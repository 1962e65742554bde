import type { Block } from './block.ts'

/** The tokens of one model response. */
export interface Tokens {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly reasoning: number
}

/** The model of a response whose record does not name it. */
export const UNNAMED_MODEL = 'unknown'

/** The usage of one model response, under an id that is counted once. */
export interface ModelUsage {
  readonly id: string
  readonly model: string
  readonly tokens: Tokens
  readonly timestamp: number
  /** The price paid, when the log records it. */
  readonly cost?: number
}

/** One entry of a conversation, whichever program recorded it. */
export interface Entry {
  /** Stays the same whenever the log is read. */
  readonly id: string
  readonly timestamp: number | undefined
  /** The entry as the program logged it. */
  readonly raw: unknown
  /** The role in the conversation format; undefined for entries that only the raw format shows. */
  readonly speaker: 'user' | 'assistant' | 'system' | 'result' | undefined
  /** The role in the structured format; undefined for entries that it leaves out. */
  readonly role: 'user' | 'assistant' | 'system' | 'tool' | 'unknown' | undefined
  /** True if the conversation was compacted here. */
  readonly boundary: boolean
  /** True if the turn continues after this entry or ends with it, if the entry shows it. */
  readonly turn: 'in-turn' | 'idle' | undefined
  /** True if the entry may still change. */
  readonly partial: boolean
  readonly model?: string | undefined
  readonly stopReason?: string | undefined
  readonly usage?: ModelUsage | undefined
  /** Number of tokens of the model's context that are used. */
  readonly contextUsed?: number | undefined
  /** The size of that context in tokens, when the log records it. */
  readonly contextWindow?: number | undefined
  readonly event?: { kind?: string; category?: string; code?: string; message?: string } | undefined
  blocks(): readonly Block[]
}

/** Fields of an entry about the model that wrote it. */
export type ModelFields = Pick<Entry, 'model' | 'stopReason' | 'usage' | 'contextUsed' | 'contextWindow'>
