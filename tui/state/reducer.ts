import type { Action, Line, Location, Outcome, Row, TextContent } from '../pages/page.ts'
import { pageOf } from '../pages/pages.ts'
import type { MouseAction } from '../terminal/input.ts'
import { begin, beginRun, endRun, hold, notice, rowActions } from './actions.ts'
import type { Step } from './effects.ts'
import type { Verb } from './keys.ts'
import { emptyLine, lineOf } from './line.ts'
import { onMouse } from './mouse.ts'
import { attentionOf, focused, goBack, moveCity, moveFocus, open, openSelected, switchTo } from './navigation.ts'
import { openPalette } from './palette-keys.ts'
import { filterBy, onOverlayKey, onPaste, onPromptKey } from './prompt.ts'
import { markRead } from './reading.ts'
import { keepPlace, keepScroll, scrollText, scrollToLine, visibleCount } from './scroll.ts'
import { keepSelection, lookFurther, moreOf, moveSelection, updateView } from './selection.ts'
import { here, type Known, type Run, type State, viewKey, viewOf } from './state.ts'
import { alertFor } from './waiting.ts'

/** What happens to the dashboard. */
export type Message =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'mouse'; readonly action: MouseAction; readonly x: number; readonly y: number }
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
  /** Something happened that the rows would show if they were not held. */
  | { readonly type: 'missed'; readonly location: Location }
  | { readonly type: 'failed'; readonly location: Location; readonly error: string }
  | { readonly type: 'cities'; readonly names: readonly string[] }
  | { readonly type: 'connection'; readonly live: boolean; readonly now: number }
  | { readonly type: 'outcome'; readonly outcome: Outcome; readonly location: Location }
  | { readonly type: 'notice'; readonly text: string; readonly isBad: boolean }
  | { readonly type: 'size'; readonly columns: number; readonly rows: number }
  | { readonly type: 'found'; readonly city: string; readonly known: readonly Known[] }
  /** What was asked for is not answered soon. */
  | { readonly type: 'awaited'; readonly name: string }
  /** What was asked for is over, whatever came of it. */
  | { readonly type: 'ended'; readonly run: Run; readonly isDone: boolean }
  | { readonly type: 'tick'; readonly now: number; readonly unanswered: number | undefined }

/** All of the dashboard's logic: the next state, and what is to be done, if anything. */
export function step(state: State, message: Message): Step {
  const [reacted, effect] = react(state, message)
  const next = markRead(reacted)
  return effect?.type === 'run' ? beginRun(next, effect) : [next, effect]
}

function react(state: State, message: Message): Step {
  switch (message.type) {
    case 'key':
      return onKey(state, isNewLine(state, message.key) ? message.key : message.key.replace('ctrl+j', 'enter'))
    case 'paste':
      return onPaste(state, message.text)
    case 'mouse':
      return onMouse({ ...state, notice: undefined }, message.action, message.x, message.y)
    case 'rows': {
      const { type: _, location, now, head = [], actions = [], ...shown } = message
      const next = updateView(state, location, { ...shown, head, actions, loadedAt: now, error: undefined })
      const kept = { ...keepSelection(next, location), now }
      return [kept, alertFor(state, location, message.rows) ?? lookFurther(kept, location)]
    }
    case 'text': {
      const { location, now } = message
      const { first, ...content } = message.content
      const begins = first !== undefined && viewOf(state, location).loadedAt === undefined
      const next = { ...updateView(state, location, { ...content, loadedAt: now, error: undefined }), now }
      return [begins ? scrollToLine(next, location, first) : keepScroll(next, location)]
    }
    case 'missed':
      return [updateView(state, message.location, { missed: (viewOf(state, message.location).missed ?? 0) + 1 })]
    case 'failed':
      return [updateView(state, message.location, { error: message.error })]
    case 'cities':
      return [{ ...state, cities: message.names }]
    case 'connection':
      return [onConnection(state, message.live, message.now)]
    case 'outcome':
      return onOutcome(state, message.outcome, message.location)
    case 'notice':
      return [notice(afterWait(state), message.text, message.isBad)]
    case 'size':
      return [keepPlace(state, { ...state, width: message.columns, height: Math.max(1, message.rows - 2) })]
    case 'found':
      return [message.city === here(state).city ? { ...state, known: message.known } : state]
    case 'awaited':
      return [notice(state, `${message.name}: the supervisor has not answered yet …`, false)]
    case 'ended':
      return [endRun(state, message.run, message.isDone)]
    case 'tick':
      return [{ ...state, now: message.now, unanswered: message.unanswered }]
  }
}

function onConnection(state: State, live: boolean, now: number): State {
  return state.connection.live === live ? { ...state, now } : { ...state, connection: { live, since: now }, now }
}

/** What an action was waited for is there, or will not come. */
const afterWait = (state: State): State => (state.overlay?.kind === 'wait' ? { ...state, overlay: undefined } : state)

/** Who left an action while it was waited for is not asked for more. */
function onOutcome(before: State, outcome: Outcome, location: Location): Step {
  const state = afterWait(before)
  const { text, undo, opens, begins, attach, copy, filter } = outcome
  if (begins) return state === before ? [state] : begin(state, { action: begins, location, row: undefined })
  const said = text === undefined ? state : notice(state, text, false)
  const next = undo ? { ...said, undo: { undo, location } } : said
  if (opens) return [{ ...open(next, opens), notice: next.notice }]
  if (attach !== undefined) return [next, { type: 'attach', location, session: attach }]
  if (filter !== undefined) return filterBy(next, location, filter)
  return copy === undefined ? [next] : [next, { type: 'copy', text: copy }]
}

function onKey(state: State, key: string): Step {
  if (key === 'ctrl+c') return [state, { type: 'quit' }]
  if (state.prompt) return onPromptKey(state, state.prompt, key)
  if (isEscaped(state, key)) return afterEscape(state, key.slice(ALT.length))
  if (state.overlay) return onOverlayKey(state, state.overlay, key)
  const clean = { ...state, notice: undefined }
  const verb = state.keymap.verbs.get(key)
  if (verb) return onVerb(clean, verb)
  const chosen = rowActions(state).find(({ action }) => action.key === key)
  if (chosen) return begin(clean, chosen)
  const isRead = viewOf(state, focused(state)).loadedAt !== undefined
  if (!isRead) return [notice(clean, 'the page is still being read; press it again', false)]
  return [[...key].length === 1 ? notice(clean, `${key} does nothing here; ? lists what does`, false) : clean]
}

const ALT = 'alt+'

/** An escape that arrives together with the key after it, as over a slow line, reads as alt with that key. */
function isEscaped({ keymap, overlay }: State, key: string): boolean {
  const isLine = overlay?.kind === 'palette' || overlay?.kind === 'form'
  return key.startsWith(ALT) && !isLine && !keymap.verbs.has(key)
}

function afterEscape(state: State, key: string): Step {
  const [next, effect] = onKey(state, 'esc')
  return effect ? [next, effect] : onKey(next, key)
}

/** Where a text has several lines, ctrl+j begins another; elsewhere it is enter, as terminals have it. */
function isNewLine({ overlay }: State, key: string): boolean {
  return key === 'ctrl+j' && overlay?.kind === 'form' && overlay.fields[overlay.at]?.isLong === true
}

/** What each verb does to the state; those that need more than that are in `onVerb`. */
const MOVES: { readonly [Each in Verb]?: (state: State) => State } = {
  up: (state) => move(state, -1),
  down: (state) => move(state, 1),
  pageUp: (state) => move(state, -visibleCount(state)),
  pageDown: (state) => move(state, visibleCount(state)),
  top: (state) => move(state, Number.NEGATIVE_INFINITY),
  bottom: (state) => move(state, Number.POSITIVE_INFINITY),
  next: (state) => moveFocus(state, 1),
  previous: (state) => moveFocus(state, -1),
  system: (state) => ({ ...state, showsSystem: !state.showsSystem }),
  help: (state) => ({ ...state, overlay: { kind: 'help', first: 0 } }),
  command: (state) => ({ ...state, prompt: { kind: 'command', edit: emptyLine, back: 0, held: hold(state) } }),
  filter: (state) => ({
    ...state,
    prompt: { kind: 'filter', edit: lineOf(viewOf(state, focused(state)).filter), back: 0, held: undefined },
  }),
  open: (state) => openSelected(state, focused(state)),
  nextCity: (state) => moveCity(state, 1),
  previousCity: (state) => moveCity(state, -1),
  waiting: openWaiting,
}

/** What needs something done outside the state. */
const STEPS: { readonly [Each in Verb]?: (state: State) => Step } = {
  quit: (state) => [state, { type: 'quit' }],
  sort: sortRows,
  hold: holdRows,
  undo: undoLast,
  palette: openPalette,
  mouse: toggleMouse,
  redraw: (state) => [state, { type: 'redraw' }],
  suspend: (state) => [state, { type: 'suspend' }],
}

const DOWNWARD: ReadonlySet<Verb> = new Set(['down', 'pageDown', 'bottom'])

/** Where the server searches, all rows are read again without the filter. */
function back(state: State): Step {
  const location = focused(state)
  const page = pageOf(location)
  const wasSearched = page.kind === 'table' && page.isSearched && viewOf(state, location).filter !== ''
  return [goBack(state), wasSearched ? { type: 'reload', location } : undefined]
}

function onVerb(state: State, verb: Verb): Step {
  if (verb === 'back') return back(state)
  const stepped = STEPS[verb]?.(state)
  if (stepped) return stepped
  const next = MOVES[verb]?.(state) ?? state
  return DOWNWARD.has(verb) ? [next, moreOf(next, focused(next))] : [next]
}

function move(state: State, by: number): State {
  const location = focused(state)
  return pageOf(location).kind === 'text' ? scrollText(state, location, by) : moveSelection(state, location, by)
}

function sortRows(state: State): Step {
  const location = focused(state)
  const page = pageOf(location)
  const sorts = page.kind === 'table' ? (page.sorts ?? []) : []
  if (sorts.length === 0) return [notice(state, 'this page has one order', false)]
  const sort = sorts[(sorts.indexOf(viewOf(state, location).sort ?? sorts[0] ?? '') + 1) % sorts.length]
  const next = updateView(state, location, { sort, selected: undefined, under: undefined, index: 0 })
  return [notice(next, `in the order of ${sort}`, false), { type: 'reload', location }]
}

/** Holds the rows as they are, or follows the newest again. */
function holdRows(state: State): Step {
  const location = focused(state)
  if (pageOf(location).kind !== 'table') return [notice(state, 'a text is held by scrolling up; end follows it', false)]
  if (viewOf(state, location).missed === undefined) return [updateView(state, location, { missed: 0 })]
  const next = updateView(state, location, { missed: undefined, selected: undefined, under: undefined, index: 0 })
  return [next, { type: 'reload', location }]
}

/** The next that waits for a person, after the one that is shown. */
function openWaiting(state: State): State {
  const { city } = here(state)
  if (city === '') return state.tabs.length === 0 ? notice(state, 'open a city first', true) : openElsewhere(state)
  const waiting = viewOf(state, attentionOf(city)).rows.flatMap(({ opens }) => opens ?? [])
  const at = waiting.findIndex((each) => viewKey(each) === viewKey(here(state)))
  const next = waiting[(at + 1) % waiting.length]
  if (!next) return openElsewhere(state)
  if (at < 0) return open(state, next)
  return open({ ...state, path: state.path.slice(0, -1) }, next)
}

/** The first that waits in another city that is open. */
function openElsewhere(state: State): State {
  for (const { city } of state.tabs) {
    const opens = viewOf(state, attentionOf(city)).rows.find((row) => row.opens)?.opens
    if (opens) return open(switchTo(state, city), opens)
  }
  const isRead = viewOf(state, attentionOf(here(state).city)).loadedAt !== undefined
  const text = isRead ? 'nothing waits for you' : 'what waits for you is still being read; press it again'
  return notice(state, text, false)
}

function toggleMouse(state: State): Step {
  const hasMouse = !state.hasMouse
  const text = hasMouse ? 'the mouse clicks here' : 'the mouse selects text in the terminal; ctrl+t takes it back'
  return [notice({ ...state, hasMouse }, text, false), { type: 'mouse', on: hasMouse }]
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
