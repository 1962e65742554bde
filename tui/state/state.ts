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
  | { page: 'cities' }
  | { page: 'city'; city: string }
  | { page: 'session'; city: string; session: string }
  | { page: 'bead'; city: string; bead: string }

/** Whether the stream is connected, and since when it has been so. */
export interface Connection {
  live: boolean
  since: number
}

export interface State {
  readonly view: View
  readonly panel: Panel
  readonly help: boolean
  readonly cities: readonly CityInfo[]
  /** What needs a person's attention; its panel is visible only while there is something. */
  readonly attention: readonly AttentionItem[]
  readonly agents: readonly AgentResponse[]
  readonly sessions: readonly SessionResponse[]
  readonly beads: readonly Bead[]
  /** Newest first, at most `MAX_EVENTS`. */
  readonly events: readonly EventRow[]
  /** The lines of the open session's screen. */
  readonly screen: readonly string[]
  /** The open bead, and the first of its lines that is visible. */
  readonly bead: Bead | undefined
  readonly scroll: number
  readonly selected: Readonly<Record<List, number>>
  readonly filter: string
  /** What is being typed at the bottom. */
  readonly line: { readonly kind: 'filter' | 'command'; readonly text: string } | undefined
  readonly notice: { readonly text: string; readonly bad: boolean } | undefined
  readonly connection: Connection
  /** When the shown data was last current. */
  readonly freshAt: number
  readonly now: number
}

export const MAX_EVENTS = 500

export const initial = (now: number, city: string | undefined): State => ({
  view: city === undefined ? { page: 'cities' } : { page: 'city', city },
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
