import { beadOfId, foldPools } from '../../client/views/index.ts'
import type { Client } from '../../src/client/client.ts'
import type { Timers } from '../../src/client/follow.ts'
import type { Message } from '../state/reducer.ts'
import type { Known } from '../state/state.ts'

/** The palette is read for once the person stops typing for so long. */
const PAUSE_MS = 100
const MAX_BEADS = 20
const MAX_SESSIONS = 200

interface FinderOptions {
  readonly client: Client
  readonly timers: Timers
  dispatch(message: Message): void
}

/** Reads what the palette finds in a city: its agents, sessions and formulas, and the beads with the typed words. */
export class Finder {
  #latest = new AbortController()
  #timer = { cancel: () => {} }

  constructor(private readonly options: FinderOptions) {}

  /** Cancels an earlier search. */
  find(city: string, text: string): void {
    this.close()
    this.#latest = new AbortController()
    const { signal } = this.#latest
    this.#timer = this.options.timers.after(text === '' ? 0 : PAUSE_MS, () => void this.#read(city, text, signal))
  }

  close(): void {
    this.#timer.cancel()
    this.#latest.abort()
  }

  /** Reads a page; for an unreadable one the pages show the reason. */
  async #read(city: string, text: string, signal: AbortSignal): Promise<void> {
    const found = await Promise.allSettled([
      this.#agents(city, signal),
      this.#sessions(city, signal),
      this.#beads(city, text, signal),
      this.#formulas(city, signal),
      this.#rigs(city, signal),
      this.#landings(city, signal),
    ])
    const known = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    if (!signal.aborted) this.options.dispatch({ type: 'found', city, known })
  }

  async #agents(city: string, signal: AbortSignal): Promise<Known[]> {
    const { items } = await this.options.client.city(city).call('GET ~/agents', { signal })
    return foldPools(items ?? []).map(({ name, agent, instances }) => {
      const { session } = agent
      const page = instances.length > 0 ? 'pool' : session ? 'session' : 'agent'
      const subject = page === 'session' && session ? session.name : name
      return { kind: 'agent', id: name, text: name, location: { page, city, subject } }
    })
  }

  async #sessions(city: string, signal: AbortSignal): Promise<Known[]> {
    const query = { limit: MAX_SESSIONS }
    const { items } = await this.options.client.city(city).call('GET ~/sessions', { query, signal })
    return (items ?? []).map(({ id, alias, session_name, title }) => ({
      kind: 'session',
      id,
      text: [id, alias ?? session_name, title].filter(Boolean).join(' · '),
      location: { page: 'session', city, subject: id },
    }))
  }

  /** Without a text, the newest; with one, those with its words, or the one with that id. */
  async #beads(city: string, text: string, signal: AbortSignal): Promise<Known[]> {
    const own = this.options.client.city(city)
    const query = { limit: MAX_BEADS }
    const [named, { items }] =
      text.trim() === ''
        ? [[], await own.call('GET ~/beads', { query: { ...query, status: 'open' }, signal })]
        : await Promise.all([
            beadOfId(own, text.trim(), signal),
            own.call('GET ~/beads/search', { query: { ...query, q: text, prefixes: true }, signal }),
          ])
    const found = [...named, ...items.filter(({ id }) => named.every((each) => each.id !== id))]
    return found.map(({ id, title, status }) => ({
      kind: 'bead',
      id,
      text: `${id} · ${title}${status === 'closed' ? ' · closed' : ''}`,
      location: { page: 'bead', city, subject: id },
    }))
  }

  async #formulas(city: string, signal: AbortSignal): Promise<Known[]> {
    const { formulas } = await this.options.client.city(city).call('GET ~/formula-files', { signal })
    return formulas.map(({ name }) => named('formula', name, city))
  }

  async #rigs(city: string, signal: AbortSignal): Promise<Known[]> {
    const { items } = await this.options.client.city(city).call('GET ~/rigs', { signal })
    return (items ?? []).map(({ name }) => named('rig', name, city))
  }

  async #landings(city: string, signal: AbortSignal): Promise<Known[]> {
    const { items } = await this.options.client
      .city(city)
      .call('GET ~/landings', { query: { limit: MAX_BEADS }, signal })
    return items.map(({ id, branch, state }) => ({
      ...named('landing', id, city),
      text: `${id} · ${branch} · ${state}`,
    }))
  }
}

const named = (kind: 'formula' | 'rig' | 'landing', id: string, city: string): Known => ({
  ...{ kind, id, text: id },
  location: { page: kind, city, subject: id },
})
