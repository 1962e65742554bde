import type { Block } from '../structured/blocks.ts'

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
