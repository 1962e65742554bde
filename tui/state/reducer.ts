import type { Action, Line, Location, Outcome, Row, TextContent } from '../pages/page.ts'
import { pageOf } from '../pages/pages.ts'
import { begin, notice, rowActions } from './actions.ts'
import type { Effect, Step } from './effects.ts'
import { type Verb, verbOf } from './keys.ts'
import { emptyLine, lineOf } from './line.ts'
import { focused, goBack, moveFocus, open } from './navigation.ts'
import { onOverlayKey, onPromptKey } from './prompt.ts'
import {
  keepScroll,
  keepSelection,
  moveSelection,
  scrollText,
  selectedIndex,
  selectedRow,
  shownRows,
  updateView,
} from './selection.ts'
import { here, type State, viewOf } from './state.ts'

/** What happens to the dashboard. */
export type Message =
  | { readonly type: 'key'; readonly key: string }
  | {
      readonly type: 'rows'
      readonly location: Location
      readonly rows: readonly Row[]
      readonly total: number | undefined
      readonly hasMore: boolean
      readonly head?: readonly Line[]
      readonly actions?: readonly Action[]
      readonly now: number
    }
  | { readonly type: 'text'; readonly location: Location; readonly content: TextContent; readonly now: number }
  | { readonly type: 'failed'; readonly location: Location; readonly error: string }
  | { readonly type: 'cities'; readonly names: readonly string[] }
  | { readonly type: 'connection'; readonly live: boolean; readonly now: number }
  | { readonly type: 'outcome'; readonly outcome: Outcome; readonly location: Location }
  | { readonly type: 'notice'; readonly text: string; readonly isBad: boolean }
  | { readonly type: 'height'; readonly lines: number }
  | { readonly type: 'tick'; readonly now: number }

/** Rows are asked for before the selection reaches the last that was read. */
const ROWS_AHEAD = 30

/** All of the dashboard's logic: the next state, and what is to be done, if anything. */
export function step(state: State, message: Message): Step {
  switch (message.type) {
    case 'key':
      return onKey(state, message.key)
    case 'rows': {
      const { type: _, location, now, head = [], actions = [], ...shown } = message
      const next = updateView(state, location, { ...shown, head, actions, loadedAt: now, error: undefined })
      return [{ ...keepSelection(next, location), now }]
    }
    case 'text': {
      const { location, content, now } = message
      const next = updateView(state, location, { ...content, loadedAt: now, error: undefined })
      return [{ ...keepScroll(next, location), now }]
    }
    case 'failed':
      return [updateView(state, message.location, { error: message.error })]
    case 'cities':
      return [{ ...state, cities: message.names }]
    case 'connection':
      return [onConnection(state, message.live, message.now)]
    case 'outcome':
      return onOutcome(state, message.outcome, message.location)
    case 'notice':
      return [notice(state, message.text, message.isBad)]
    case 'height':
      return [{ ...state, height: message.lines }]
    case 'tick':
      return [{ ...state, now: message.now }]
  }
}

function onConnection(state: State, live: boolean, now: number): State {
  return state.connection.live === live ? { ...state, now } : { ...state, connection: { live, since: now }, now }
}

function onOutcome(state: State, { text, undo, opens, attach, copy }: Outcome, location: Location): Step {
  const said = text === undefined ? state : notice(state, text, false)
  const next = undo ? { ...said, undo: { undo, location } } : said
  if (opens) return [{ ...open(next, opens), notice: next.notice }]
  if (attach !== undefined) return [next, { type: 'attach', location, session: attach }]
  return copy === undefined ? [next] : [next, { type: 'copy', text: copy }]
}

function onKey(state: State, key: string): Step {
  if (key === 'ctrl+c') return [state, { type: 'quit' }]
  if (state.prompt) return onPromptKey(state, state.prompt, key)
  if (state.overlay) return onOverlayKey(state, state.overlay, key)
  const clean = { ...state, notice: undefined }
  const verb = verbOf(key)
  if (verb) return onVerb(clean, verb)
  const chosen = rowActions(state).find(({ action }) => action.key === key)
  return chosen ? begin(clean, chosen) : [clean]
}

/** What each verb does to the state; those that need more than that are in `onVerb`. */
const MOVES: { readonly [Each in Verb]?: (state: State) => State } = {
  up: (state) => move(state, -1),
  down: (state) => move(state, 1),
  pageUp: (state) => move(state, -state.height),
  pageDown: (state) => move(state, state.height),
  top: (state) => move(state, Number.NEGATIVE_INFINITY),
  bottom: (state) => move(state, Number.POSITIVE_INFINITY),
  next: (state) => moveFocus(state, 1),
  previous: (state) => moveFocus(state, -1),
  back: goBack,
  system: (state) => ({ ...state, showsSystem: !state.showsSystem }),
  help: (state) => ({ ...state, overlay: { kind: 'help' } }),
  command: (state) => ({ ...state, prompt: { kind: 'command', edit: emptyLine, back: 0 } }),
  filter: (state) => ({
    ...state,
    prompt: { kind: 'filter', edit: lineOf(viewOf(state, focused(state)).filter), back: 0 },
  }),
  open: (state) => {
    const location = focused(state)
    const target = selectedRow(state, location)?.opens ?? viewOf(state, location).opens
    return target ? open(state, target) : state
  },
}

function onVerb(state: State, verb: Verb): Step {
  if (verb === 'quit') return [state, { type: 'quit' }]
  if (verb === 'sort') return sortRows(state)
  if (verb === 'waiting') return openWaiting(state)
  if (verb === 'undo') return undoLast(state)
  const next = MOVES[verb]?.(state) ?? state
  return verb === 'down' || verb === 'pageDown' || verb === 'bottom' ? [next, moreOf(next)] : [next]
}

function move(state: State, by: number): State {
  const location = focused(state)
  return pageOf(location).kind === 'text' ? scrollText(state, location, by) : moveSelection(state, location, by)
}

/** Asks for the next rows when the selection comes near the last of those that were read. */
function moreOf(state: State): Effect | undefined {
  const location = focused(state)
  const isNear = selectedIndex(state, location) + ROWS_AHEAD >= shownRows(state, location).length
  return viewOf(state, location).hasMore && isNear ? { type: 'more', location } : undefined
}

function sortRows(state: State): Step {
  const location = focused(state)
  const page = pageOf(location)
  const sorts = page.kind === 'table' ? (page.sorts ?? []) : []
  if (sorts.length === 0) return [notice(state, 'this page has one order', false)]
  const sort = sorts[(sorts.indexOf(viewOf(state, location).sort ?? sorts[0] ?? '') + 1) % sorts.length]
  const next = updateView(state, location, { sort, selected: undefined, index: 0 })
  return [notice(next, `in the order of ${sort}`, false), { type: 'reload', location }]
}

function openWaiting(state: State): Step {
  const { city } = here(state)
  return city === ''
    ? [notice(state, 'open a city first', true)]
    : [open(state, { page: 'attention', city, subject: '' })]
}

function undoLast(state: State): Step {
  const { undo } = state
  return undo
    ? [
        { ...state, undo: undefined },
        { type: 'undo', undo },
      ]
    : [notice(state, 'there is nothing to undo', false)]
}
