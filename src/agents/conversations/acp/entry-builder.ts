import type { AgentRecord } from '../../../host/protocol/record.ts'
import { callBlock, imageBlock, once, textBlock, thinkingBlock } from '../entries/blocks.ts'
import type { Entry, Tokens } from '../entries/entry.ts'
import { items, type Json, number, object, present, text } from '../entries/json.ts'
import type { Block } from '../structured/blocks.ts'
import { toPendingInteraction } from './questions.ts'
import { blocksOf, isOver, type Told, updated } from './tool-calls.ts'

/** What is shown of some records, while it may still grow. */
type Draft =
  | { readonly what: 'words'; readonly message: string; readonly thoughts: string; readonly words: string }
  | { readonly what: 'tool'; readonly told: Told }
  | { readonly what: 'plan'; readonly steps: readonly unknown[] }
  | { readonly what: 'question'; readonly record: Extract<AgentRecord, { type: 'asked' }>; readonly choice?: string }

interface Open {
  readonly at: number
  readonly entry: Entry
  readonly draft: Draft
}

/** A program need not say which model it uses; what it took is counted all the same. */
const UNKNOWN = 'unknown'

/** Makes the records of a session into entries of a log: one for each record, which shows what those after it add. */
export class Fold {
  readonly entries: Entry[] = []
  /** What the program calls the conversation. */
  key: string | undefined
  #words: Open | undefined
  #plan: Open | undefined
  readonly #tools = new Map<string, Open>()
  readonly #questions = new Map<string, Open>()
  #model: string | undefined
  #last: number | undefined

  add(id: number, record: AgentRecord): void {
    const base = bare(`acp-${id}`, record)
    const at = this.entries.push(base) - 1
    if (record.type !== 'update') this.#close(this.#words)
    if (record.type === 'ready') this.#ready(record)
    if (record.type === 'turn') this.#last = undefined
    if (record.type === 'turn') this.#put(at, { ...base, ...person, blocks: once(() => [textBlock(record.text)]) })
    if (record.type === 'update') this.#update(at, base, record.update)
    if (record.type === 'asked') this.#asked(at, base, record)
    if (record.type === 'answered') this.#answered(record)
    if (record.type === 'done') this.#done(at, base, record)
    if (record.type === 'error') {
      this.#put(at, { ...base, role: 'system', event: { kind: 'error', message: record.message } })
    }
  }

  #ready({ conversation, model }: Extract<AgentRecord, { type: 'ready' }>): void {
    this.key = conversation
    this.#model = model
  }

  #update(at: number, base: Entry, update: Json): void {
    const what = text(update.sessionUpdate)
    const isWords = what === 'agent_message_chunk' || what === 'agent_thought_chunk'
    if (!isWords) this.#close(this.#words)
    if (isWords) this.#say(at, base, update, what === 'agent_thought_chunk')
    if (what === 'tool_call' || what === 'tool_call_update') this.#tool(at, base, update)
    if (what === 'plan') this.#steps(at, base, items(update.entries))
    if (what === 'usage_update') {
      const usage = present({ contextUsed: number(update.used), contextWindow: number(update.size) })
      this.#put(at, { ...base, ...usage })
    }
    if (what === 'compaction_update') this.#put(at, { ...base, boundary: true })
  }

  #say(at: number, base: Entry, update: Json, thought: boolean): void {
    const content = object(update.content)
    const said = text(content.text)
    if (said === undefined) {
      if (content.type === 'image') this.#put(at, { ...base, ...agent, blocks: once(() => [imageBlock(content)]) })
      return
    }
    const message = text(update.messageId) ?? ''
    const before = this.#words?.draft
    if (before?.what === 'words' && before.message === message && !(thought && before.words !== '')) {
      const more = thought ? { thoughts: before.thoughts + said } : { words: before.words + said }
      this.#words = this.#redraw(this.#words, { ...before, ...more })
      return
    }
    this.#close(this.#words)
    const begun = thought ? { thoughts: said, words: '' } : { thoughts: '', words: said }
    this.#words = this.#draw(at, base, { what: 'words', message, ...begun })
  }

  #tool(at: number, base: Entry, update: Json): void {
    const id = text(update.toolCallId) ?? ''
    const known = this.#tools.get(id)
    if (known?.draft.what === 'tool') {
      const told = updated(known.draft.told, update)
      this.#tools.set(id, this.#redraw(known, { what: 'tool', told }) ?? known)
      return
    }
    const told = { id, first: text(update.title) ?? 'tool', fields: update }
    this.#tools.set(id, this.#draw(at, base, { what: 'tool', told }))
  }

  #steps(at: number, base: Entry, steps: readonly unknown[]): void {
    if (this.#plan) this.#plan = this.#redraw(this.#plan, { what: 'plan', steps })
    else this.#plan = this.#draw(at, base, { what: 'plan', steps })
  }

  #asked(at: number, base: Entry, record: Extract<AgentRecord, { type: 'asked' }>): void {
    const { status: _, ...tool } = record.tool
    if (this.#tools.has(text(tool.toolCallId) ?? '')) this.#tool(at, base, tool)
    this.#questions.set(record.request, this.#draw(at, base, { what: 'question', record }))
  }

  #answered({ request, choice }: Extract<AgentRecord, { type: 'answered' }>): void {
    const open = this.#questions.get(request)
    this.#questions.delete(request)
    if (open?.draft.what !== 'question') return
    this.#close(this.#redraw(open, { ...open.draft, choice: choice ?? 'cancelled' }))
  }

  #done(at: number, base: Entry, record: Extract<AgentRecord, { type: 'done' }>): void {
    for (const open of [this.#plan, ...this.#tools.values()]) this.#close(open)
    this.#plan = undefined
    this.#tools.clear()
    const over = { turn: 'idle' as const, stopReason: record.reason }
    if (record.error !== undefined) {
      const words = `[error] ${record.error}`
      this.#put(at, { ...base, ...agent, ...over, blocks: once(() => [textBlock(words)]) })
      return
    }
    const last = this.#last === undefined ? undefined : this.entries[this.#last]
    this.#put(at, { ...base, turn: 'idle' })
    if (this.#last !== undefined && last) this.#put(this.#last, { ...last, ...over, ...this.#use(record) })
  }

  /** What the turn took, under the name of its record. */
  #use({ turn, at, usage }: Extract<AgentRecord, { type: 'done' }>): Partial<Entry> {
    const told = object(usage)
    const tokens = tokensOf(told)
    const model = text(object(items(told.model_usage)[0]).model) ?? this.#model
    if (tokens.input + tokens.output === 0) return {}
    const use = { id: `${this.key}:${turn}`, model: model ?? UNKNOWN, tokens, at: Date.parse(at) }
    return present({ model, use })
  }

  #draw(at: number, base: Entry, draft: Draft): Open {
    const entry = { ...base, ...agent, partial: true, model: this.#model, blocks: once(() => shownOf(draft)) }
    this.#put(at, entry)
    this.#last = at
    return { at, entry, draft }
  }

  #redraw(open: Open | undefined, draft: Draft): Open | undefined {
    if (!open) return undefined
    const over = draft.what === 'tool' && isOver(draft.told)
    const entry = { ...open.entry, partial: !over, blocks: once(() => shownOf(draft)) }
    this.#put(open.at, entry)
    return { at: open.at, entry, draft }
  }

  #close(open: Open | undefined): void {
    if (open === this.#words) this.#words = undefined
    const entry = open && this.entries[open.at]
    if (open && entry?.partial) this.#put(open.at, { ...entry, partial: false })
  }

  /** An entry that changes is another one. */
  #put(at: number, entry: Entry): void {
    this.entries[at] = entry
  }
}

const person = { speaker: 'user', role: 'user', turn: 'in-turn' } as const
const agent = { speaker: 'assistant', role: 'assistant', turn: 'in-turn' } as const

/** A record that only the raw format shows. */
const bare = (id: string, record: AgentRecord): Entry => ({
  id,
  at: Date.parse(record.at),
  raw: record.type === 'update' ? record.update : record,
  speaker: undefined,
  role: undefined,
  boundary: false,
  turn: undefined,
  partial: false,
  blocks: () => [],
})

function shownOf(draft: Draft): Block[] {
  switch (draft.what) {
    case 'words': {
      const thoughts = draft.thoughts === '' ? [] : [thinkingBlock(draft.thoughts)]
      return draft.words === '' ? thoughts : [...thoughts, textBlock(draft.words)]
    }
    case 'tool':
      return blocksOf(draft.told)
    case 'plan':
      return [callBlock(undefined, { name: 'update_plan', input: { plan: draft.steps } })]
    case 'question':
      return [questionBlock(draft.record, draft.choice)]
  }
}

function questionBlock(record: Extract<AgentRecord, { type: 'asked' }>, choice: string | undefined): Block {
  const { request, tool, choices } = record
  const { request_id, kind, prompt, options } = toPendingInteraction({ request, tool, choices })
  const state = choice === undefined ? 'pending' : choice === 'cancelled' ? 'cancelled' : 'answered'
  const action = state === 'answered' ? choice : undefined
  return { type: 'interaction', interaction: present({ state, request_id, kind, prompt, options, action }) }
}

/** By the protocol, or as Gemini has it. */
function tokensOf(told: Json): Tokens {
  const own = object(told.token_count)
  return {
    input: number(told.inputTokens) ?? number(own.input_tokens) ?? 0,
    output: number(told.outputTokens) ?? number(own.output_tokens) ?? 0,
    cacheRead: number(told.cachedReadTokens) ?? 0,
    cacheWrite: number(told.cachedWriteTokens) ?? 0,
    reasoning: number(told.thoughtTokens) ?? 0,
  }
}
