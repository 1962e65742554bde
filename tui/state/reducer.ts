import type { AgentResponse } from '../../src/agents/agents/schema.ts'
import type { AttentionItem } from '../../src/agents/attention/schema.ts'
import type { SessionResponse } from '../../src/agents/sessions/schema.ts'
import type { CityInfo } from '../../src/supervisor/schema.ts'
import type { Bead } from '../../src/work/beads/schema.ts'
import { beadLines } from './bead.ts'
import { type CommandLine, parseCommand } from './commands.ts'
import { type Verb, verbOf } from './keys.ts'
import { rows, selectedSession, sessionToOpen } from './rows.ts'
import { type EventRow, type List, MAX_EVENTS, PANELS, type Panel, type State } from './state.ts'

export type Action =
  | { type: 'key'; key: string }
  | { type: 'cities'; cities: readonly CityInfo[]; now: number }
  | {
      type: 'city'
      attention: readonly AttentionItem[]
      agents: readonly AgentResponse[]
      sessions: readonly SessionResponse[]
      beads: readonly Bead[]
      now: number
    }
  | { type: 'events'; events: readonly EventRow[]; now: number }
  | { type: 'screen'; lines: readonly string[]; now: number }
  | { type: 'bead'; bead: Bead; now: number }
  | { type: 'connection'; live: boolean; now: number }
  | { type: 'notice'; text: string; bad: boolean }
  | { type: 'tick'; now: number }

/** What has to be done outside the state after a step. */
export type Effect = { type: 'quit' } | { type: 'run'; line: CommandLine; city: string; session: string | undefined }

type Step = readonly [State, Effect?]

/** All of the dashboard's logic: the next state, and an effect if one is needed. */
export function step(state: State, action: Action): Step {
  switch (action.type) {
    case 'key':
      return onKey(state, action.key)
    case 'cities':
      return [clampSelection({ ...state, cities: action.cities, freshAt: action.now, now: action.now })]
    case 'city':
      return [
        clampSelection({
          ...state,
          attention: action.attention,
          agents: action.agents,
          sessions: action.sessions,
          beads: action.beads,
          freshAt: action.now,
          now: action.now,
        }),
      ]
    case 'events':
      return [onEvents(state, action.events, action.now)]
    case 'screen':
      return [{ ...state, screen: action.lines, freshAt: action.now, now: action.now }]
    case 'bead':
      return [scrollBead({ ...state, bead: action.bead, freshAt: action.now, now: action.now }, 0)]
    case 'connection':
      return [onConnection(state, action.live, action.now)]
    case 'notice':
      return [{ ...state, notice: { text: action.text, bad: action.bad } }]
    case 'tick':
      return [{ ...state, now: action.now, ...(state.connection.live && { freshAt: action.now }) }]
  }
}

function onEvents(state: State, events: readonly EventRow[], now: number): State {
  const newest = state.events[0]?.seq ?? 0
  const fresh = events.filter((each) => each.seq > newest).reverse()
  return clampSelection({ ...state, events: [...fresh, ...state.events].slice(0, MAX_EVENTS), freshAt: now, now })
}

function onConnection(state: State, live: boolean, now: number): State {
  if (state.connection.live === live) return { ...state, now }
  return { ...state, connection: { live, since: now }, now, ...(live && { freshAt: now }) }
}

function onKey(state: State, key: string): Step {
  if (state.line) return onLineKey(state, state.line, key)
  const verb = verbOf(key)
  if (state.help && verb !== 'quit') return [{ ...state, help: false }]
  return verb ? onVerb({ ...state, notice: undefined }, verb) : [state]
}

function onLineKey(state: State, line: NonNullable<State['line']>, key: string): Step {
  if (key === 'ctrl+c') return [state, { type: 'quit' }]
  if (key === 'esc') return [{ ...state, line: undefined, ...(line.kind === 'filter' && { filter: '' }) }]
  if (key === 'enter') return line.kind === 'filter' ? [{ ...state, line: undefined }] : onCommand(state, line.text)
  const text = key === 'backspace' ? [...line.text].slice(0, -1).join('') : isTyped(key) ? line.text + key : line.text
  return [clampSelection({ ...state, line: { ...line, text }, ...(line.kind === 'filter' && { filter: text }) })]
}

const NAVIGATION_KEYS = new Set(['up', 'down', 'left', 'right', 'home', 'end', 'tab', 'shift+tab'])

const isTyped = (key: string): boolean => key !== '' && !NAVIGATION_KEYS.has(key) && !key.startsWith('ctrl+')

function onVerb(state: State, verb: Verb): Step {
  switch (verb) {
    case 'up':
      return [moveSelection(state, -1)]
    case 'down':
      return [moveSelection(state, 1)]
    case 'top':
      return [moveSelection(state, Number.NEGATIVE_INFINITY)]
    case 'bottom':
      return [moveSelection(state, Number.POSITIVE_INFINITY)]
    case 'next':
      return [{ ...state, panel: adjacentPanel(state, 1) }]
    case 'previous':
      return [{ ...state, panel: adjacentPanel(state, -1) }]
    case 'open':
      return [openSelected(state)]
    case 'back':
      return [goBack(state)]
    case 'filter':
      return [{ ...state, line: { kind: 'filter', text: state.filter } }]
    case 'command':
      return [{ ...state, line: { kind: 'command', text: '' } }]
    case 'help':
      return [{ ...state, help: true }]
    case 'quit':
      return [state, { type: 'quit' }]
  }
}

function onCommand(state: State, text: string): Step {
  const command = parseCommand(text)
  const next: State = { ...state, line: undefined }
  if (typeof command === 'string') return [{ ...next, notice: { text: command, bad: true } }]
  if (command.definition.name === 'quit') return [next, { type: 'quit' }]
  if (command.definition.name === 'city') return [enterCity(next, command.rest)]
  if (state.view.page === 'cities') return [{ ...next, notice: { text: 'open a city first', bad: true } }]
  const session = selectedSession(state)
  if (command.definition.session && session === undefined) {
    return [{ ...next, notice: { text: `select a session, then :${command.definition.name}`, bad: true } }]
  }
  return [next, { type: 'run', line: command, city: state.view.city, session }]
}

const focusedList = (state: State): List => (state.view.page === 'cities' ? 'cities' : state.panel)

function moveSelection(state: State, by: number): State {
  if (state.view.page === 'bead') return scrollBead(state, by)
  const list = focusedList(state)
  const last = Math.max(0, rows(state, list).length - 1)
  const selected = Math.min(last, Math.max(0, state.selected[list] + by))
  return { ...state, selected: { ...state.selected, [list]: selected } }
}

/** Scrolls the open bead; its last line stays visible. */
function scrollBead(state: State, by: number): State {
  const last = state.bead ? beadLines(state.bead).length - 1 : 0
  return { ...state, scroll: Math.max(0, Math.min(last, state.scroll + by)) }
}

/** Keeps every selection inside its list, and the focus on a visible panel. */
function clampSelection(state: State): State {
  const inside = (list: List) => Math.max(0, Math.min(state.selected[list], rows(state, list).length - 1))
  const selected = {
    cities: inside('cities'),
    attention: inside('attention'),
    agents: inside('agents'),
    sessions: inside('sessions'),
    beads: inside('beads'),
    events: inside('events'),
  }
  const panel = panelsOf(state).includes(state.panel) ? state.panel : 'sessions'
  return { ...state, panel, selected }
}

/** The visible panels. */
const panelsOf = ({ attention }: State): readonly Panel[] =>
  attention.length > 0 ? PANELS : PANELS.filter((panel) => panel !== 'attention')

function adjacentPanel(state: State, by: number): Panel {
  const panels = panelsOf(state)
  return panels[(panels.indexOf(state.panel) + by + panels.length) % panels.length] ?? state.panel
}

/** Opens a city, without anything of the one before. */
const enterCity = (state: State, city: string): State => ({
  ...state,
  view: { page: 'city', city },
  attention: [],
  agents: [],
  sessions: [],
  beads: [],
  events: [],
  filter: '',
  connection: { live: false, since: state.now },
})

function openSelected(state: State): State {
  if (state.view.page === 'cities') {
    const city = rows(state, 'cities')[state.selected.cities]
    return city ? enterCity(state, city.name) : state
  }
  if (state.view.page !== 'city') return state
  const { city } = state.view
  const bead = state.panel === 'beads' ? rows(state, 'beads')[state.selected.beads] : undefined
  if (bead) return { ...state, view: { page: 'bead', city, bead: bead.id }, bead, scroll: 0, filter: '' }
  const session = sessionToOpen(state)
  return session ? { ...state, view: { page: 'session', city, session }, screen: [], filter: '' } : state
}

function goBack(state: State): State {
  if (state.filter !== '') return { ...state, filter: '' }
  if (state.view.page === 'cities') return state
  if (state.view.page === 'city')
    return { ...state, view: { page: 'cities' }, connection: { live: false, since: state.now } }
  return { ...state, view: { page: 'city', city: state.view.city }, screen: [], bead: undefined }
}
