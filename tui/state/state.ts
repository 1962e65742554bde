import type { AgentResponse } from '../../src/agents/agents/schema.ts'
import type { AttentionItem } from '../../src/agents/attention/schema.ts'
import type { SessionResponse } from '../../src/agents/sessions/schema.ts'
import type { CityInfo } from '../../src/supervisor/schema.ts'
import type { Bead } from '../../src/work/beads/schema.ts'

/** An event as the dashboard shows it. */
export interface EventRow {
  seq: number
  type: string
  ts: string
  actor: string
  subject?: string
  message?: string
}

export const PANELS = ['attention', 'agents', 'sessions', 'beads', 'events'] as const
export type Panel = (typeof PANELS)[number]
export type List = Panel | 'cities'

export type View =
  | { at: 'cities' }
  | { at: 'city'; city: string }
  | { at: 'session'; city: string; session: string }
  | { at: 'bead'; city: string; bead: string }

/** What a stream's state says: since when it is so. */
export interface Connection {
  live: boolean
  since: number
}

export interface State {
  readonly view: View
  readonly panel: Panel
  readonly help: boolean
  readonly cities: readonly CityInfo[]
  /** What waits for a person; its panel is there only while something does. */
  readonly attention: readonly AttentionItem[]
  readonly agents: readonly AgentResponse[]
  readonly sessions: readonly SessionResponse[]
  readonly beads: readonly Bead[]
  /** Newest first, at most `EVENTS_KEPT`. */
  readonly events: readonly EventRow[]
  /** What the open session's terminal shows. */
  readonly screen: readonly string[]
  /** The open bead, and how many of its lines are scrolled past. */
  readonly bead: Bead | undefined
  readonly scroll: number
  readonly selected: Readonly<Record<List, number>>
  readonly filter: string
  /** What is being typed at the bottom. */
  readonly line: { readonly kind: 'filter' | 'command'; readonly text: string } | undefined
  readonly notice: { readonly text: string; readonly bad: boolean } | undefined
  readonly connection: Connection
  /** When what is shown was last known to be so. */
  readonly freshAt: number
  readonly now: number
}

export const MAX_EVENTS = 500

export const initial = (now: number, city: string | undefined): State => ({
  view: city === undefined ? { at: 'cities' } : { at: 'city', city },
  panel: 'sessions',
  help: false,
  cities: [],
  attention: [],
  agents: [],
  sessions: [],
  beads: [],
  events: [],
  screen: [],
  bead: undefined,
  scroll: 0,
  selected: { cities: 0, attention: 0, agents: 0, sessions: 0, beads: 0, events: 0 },
  filter: '',
  line: undefined,
  notice: undefined,
  connection: { live: false, since: now },
  freshAt: now,
  now,
})
