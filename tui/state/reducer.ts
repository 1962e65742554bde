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
  | { type: 'cities'; cities: readonly CityInfo[]; at: number }
  | {
      type: 'city'
      attention: readonly AttentionItem[]
      agents: readonly AgentResponse[]
      sessions: readonly SessionResponse[]
      beads: readonly Bead[]
      at: number
    }
  | { type: 'events'; events: readonly EventRow[]; at: number }
  | { type: 'screen'; lines: readonly string[]; at: number }
  | { type: 'bead'; bead: Bead; at: number }
  | { type: 'link'; live: boolean; at: number }
  | { type: 'notice'; text: string; bad: boolean }
  | { type: 'tick'; at: number }

/** What the outside has to do after a step. */
export type Effect = { do: 'quit' } | { do: 'run'; asked: CommandLine; city: string; session: string | undefined }

type Step = readonly [State, Effect?]

/** All of the dashboard's logic: what comes next, and what that asks of the outside. */
export function step(state: State, action: Action): Step {
  switch (action.type) {
    case 'key':
      return onKey(state, action.key)
    case 'cities':
      return [clampSelection({ ...state, cities: action.cities, freshAt: action.at, now: action.at })]
    case 'city':
      return [
        clampSelection({
          ...state,
          attention: action.attention,
          agents: action.agents,
          sessions: action.sessions,
          beads: action.beads,
          freshAt: action.at,
          now: action.at,
        }),
      ]
    case 'events':
      return [onEvents(state, action.events, action.at)]
    case 'screen':
      return [{ ...state, screen: action.lines, freshAt: action.at, now: action.at }]
    case 'bead':
      return [scrollBead({ ...state, bead: action.bead, freshAt: action.at, now: action.at }, 0)]
    case 'link':
      return [onConnection(state, action.live, action.at)]
    case 'notice':
      return [{ ...state, notice: { text: action.text, bad: action.bad } }]
    case 'tick':
      return [{ ...state, now: action.at, ...(state.connection.live && { freshAt: action.at }) }]
  }
}

function onEvents(state: State, told: readonly EventRow[], at: number): State {
  const newest = state.events[0]?.seq ?? 0
  const fresh = told.filter((each) => each.seq > newest).reverse()
  return clampSelection({ ...state, events: [...fresh, ...state.events].slice(0, MAX_EVENTS), freshAt: at, now: at })
}

function onConnection(state: State, live: boolean, at: number): State {
  if (state.connection.live === live) return { ...state, now: at }
  return { ...state, connection: { live, since: at }, now: at, ...(live && { freshAt: at }) }
}

function onKey(state: State, key: string): Step {
  if (state.line) return onLineKey(state, state.line, key)
  const verb = verbOf(key)
  if (state.help && verb !== 'quit') return [{ ...state, help: false }]
  return verb ? onVerb({ ...state, notice: undefined }, verb) : [state]
}

function onLineKey(state: State, line: NonNullable<State['line']>, key: string): Step {
  if (key === 'ctrl+c') return [state, { do: 'quit' }]
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
      return [state, { do: 'quit' }]
  }
}

function onCommand(state: State, text: string): Step {
  const asked = parseCommand(text)
  const calm: State = { ...state, line: undefined }
  if (typeof asked === 'string') return [{ ...calm, notice: { text: asked, bad: true } }]
  if (asked.command.name === 'quit') return [calm, { do: 'quit' }]
  if (asked.command.name === 'city') return [enterCity(calm, asked.rest)]
  if (state.view.at === 'cities') return [{ ...calm, notice: { text: 'open a city first', bad: true } }]
  const session = selectedSession(state)
  if (asked.command.session && session === undefined) {
    return [{ ...calm, notice: { text: `select a session, then :${asked.command.name}`, bad: true } }]
  }
  return [calm, { do: 'run', asked, city: state.view.city, session }]
}

const focusedList = (state: State): List => (state.view.at === 'cities' ? 'cities' : state.panel)

function moveSelection(state: State, by: number): State {
  if (state.view.at === 'bead') return scrollBead(state, by)
  const list = focusedList(state)
  const last = Math.max(0, rows(state, list).length - 1)
  const selected = Math.min(last, Math.max(0, state.selected[list] + by))
  return { ...state, selected: { ...state.selected, [list]: selected } }
}

/** Moves on in the open bead; its last line stays in sight. */
function scrollBead(state: State, by: number): State {
  const last = state.bead ? beadLines(state.bead).length - 1 : 0
  return { ...state, scroll: Math.max(0, Math.min(last, state.scroll + by)) }
}

/** Keeps every selection inside its list, and the focus on a panel that is there. */
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

/** The panels that are shown. */
const panelsOf = ({ attention }: State): readonly Panel[] =>
  attention.length > 0 ? PANELS : PANELS.filter((panel) => panel !== 'attention')

function adjacentPanel(state: State, by: number): Panel {
  const panels = panelsOf(state)
  return panels[(panels.indexOf(state.panel) + by + panels.length) % panels.length] ?? state.panel
}

/** A city, with nothing of the one before. */
const enterCity = (state: State, city: string): State => ({
  ...state,
  view: { at: 'city', city },
  attention: [],
  agents: [],
  sessions: [],
  beads: [],
  events: [],
  filter: '',
  connection: { live: false, since: state.now },
})

function openSelected(state: State): State {
  if (state.view.at === 'cities') {
    const city = rows(state, 'cities')[state.selected.cities]
    return city ? enterCity(state, city.name) : state
  }
  if (state.view.at !== 'city') return state
  const { city } = state.view
  const bead = state.panel === 'beads' ? rows(state, 'beads')[state.selected.beads] : undefined
  if (bead) return { ...state, view: { at: 'bead', city, bead: bead.id }, bead, scroll: 0, filter: '' }
  const session = sessionToOpen(state)
  return session ? { ...state, view: { at: 'session', city, session }, screen: [], filter: '' } : state
}

function goBack(state: State): State {
  if (state.filter !== '') return { ...state, filter: '' }
  if (state.view.at === 'cities') return state
  if (state.view.at === 'city')
    return { ...state, view: { at: 'cities' }, connection: { live: false, since: state.now } }
  return { ...state, view: { at: 'city', city: state.view.city }, screen: [], bead: undefined }
}
