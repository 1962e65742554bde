import {
  type Action,
  type Jump,
  type Line,
  type Location,
  type Outcome,
  pageOf,
  type Row,
  type TextContent,
} from '../../client/views/index.ts'
import type { MouseAction } from '../terminal/terminal-input.ts'
import { begin, beginRun, confirmed, endRun, hold, keepDraft, notice, rowActions, valuesOf } from './actions.ts'
import { complete, completeFilter, parseCommand } from './commands.ts'
import { scrollConfirm } from './confirm.ts'
import { isNaming, meantFilter } from './custom.ts'
import type { Step } from './effects.ts'
import { meantNames, problemOf } from './fields.ts'
import { tabsOf } from './header.ts'
import { moveHelp, scrollHelp } from './help.ts'
import { type Verb, YIELDING } from './keys.ts'
import { areaAt, areasOf, rowAt, textColumns } from './layout.ts'
import { editLine, emptyLine, type LineEdit, lineOf, pasteInto, pasteLines } from './line.ts'
import { editLong } from './long-text.ts'
import { keepMarked, keepMarks, markAll, markRow, markTo } from './marks.ts'
import {
  attentionOf,
  focused,
  goBack,
  meantCity,
  moveCity,
  moveFocus,
  open,
  openSelected,
  panelsOf,
  switchTo,
} from './navigation.ts'
import { findEntries } from './palette.ts'
import { keepPlace, keepScroll, scrollText, scrollToLine, textWindow, visibleCount } from './scroll.ts'
import {
  jumpSelection,
  keepSelection,
  lookFurther,
  moreOf,
  moveSelection,
  selectedIndex,
  selectedRow,
  updateView,
} from './selection.ts'
import {
  type Facts,
  FIRST_FOCUS,
  type FormField,
  here,
  type Known,
  type Overlay,
  type Prompt,
  type Run,
  type State,
  viewKey,
  viewOf,
} from './state.ts'
import { placeOfLine } from './text-lines.ts'
import { alertFor } from './waiting.ts'

type Palette = Overlay & { kind: 'palette' }

/** Opens the palette and asks for what the city has. */
const openPalette = (state: State): Step =>
  typed({ ...state, overlay: { kind: 'palette', edit: { text: '', caret: 0 }, at: 0, held: hold(state) } }, '')

/** A key in the palette: it edits, moves, or takes what is marked. */
function onPaletteKey(state: State, palette: Palette, key: string): Step {
  if (key === 'down' || key === 'ctrl+n' || key === 'tab') return [movePalette(state, palette, 1)]
  if (key === 'up' || key === 'ctrl+p' || key === 'shift+tab') return [movePalette(state, palette, -1)]
  if (key === 'enter') return choose(state, palette)
  return editPalette(state, palette, editLine(palette.edit, key))
}

/** Another text is looked for; what was found is marked from the first on. */
function editPalette(state: State, palette: Palette, edit: Palette['edit']): Step {
  const next: State = { ...state, overlay: { ...palette, edit, at: edit.text === palette.edit.text ? palette.at : 0 } }
  return edit.text === palette.edit.text ? [next] : typed(next, edit.text)
}

function movePalette(state: State, palette: Palette, by: number): State {
  const last = findEntries(state, palette.edit.text).length - 1
  return { ...state, overlay: { ...palette, at: Math.max(0, Math.min(last, palette.at + by)) } }
}

function choose(state: State, { edit, at }: Palette): Step {
  const closed: State = { ...state, overlay: undefined }
  const entry = findEntries(state, edit.text)[at]
  if (!entry) return [closed]
  if ('filter' in entry.does) return filterBy(closed, focused(closed), entry.does.filter)
  return 'open' in entry.does ? [open(closed, entry.does.open)] : begin(closed, entry.does.begin)
}

function typed(state: State, text: string): Step {
  const { city } = here(state)
  return city === '' ? [state] : [state, { type: 'find', city, text }]
}

/** Messages to the dashboard's state. */
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
  /** Report of a slow response. */
  | { readonly type: 'awaited'; readonly name: string }
  /** Report of a finished request, whatever its outcome. */
  | { readonly type: 'ended'; readonly run: Run; readonly isDone: boolean }
  /** Data of a city for the header and the line of counts. */
  | { readonly type: 'facts'; readonly city: string; readonly facts: Facts }
  | {
      readonly type: 'tick'
      readonly now: number
      readonly unanswered: number | undefined
      /** Number of events that came since the last. */
      readonly happened: number
    }

/** All of the dashboard's logic: the next state, and what should be done, if anything. */
export function step(state: State, message: Message): Step {
  const [reacted, effect] = react(state, message)
  const next = markRead(reacted)
  if (!effect && opensNames(state, next)) return [next, { type: 'find', city: here(next).city, text: '' }]
  const bead = beadText(next)
  if (!effect && bead && bead !== beadText(state)) return [next, { type: 'find', city: here(next).city, text: bead }]
  return effect?.type === 'run' ? beginRun(next, effect) : [next, effect]
}

/** Whether a form opens with fields that hold names of the city. */
const opensNames = ({ overlay: before }: State, after: State): boolean => {
  const { overlay } = after
  if (overlay?.kind !== 'form' || before?.kind === 'form' || here(after).city === '') return false
  return overlay.fields.some(({ names }) => names !== undefined)
}

/** The text of the field for a bead that has the keys. */
const beadText = ({ overlay }: State): string | undefined => {
  const field = overlay?.kind === 'form' ? overlay.fields[overlay.at] : undefined
  return field?.names === 'bead' ? field.edit.text : undefined
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
      const next = updateView(state, location, {
        ...{ ...shown, head, actions, loadedAt: now, error: undefined, isSearching: false },
      })
      const [marked, reads] = keepMarks({ ...keepSelection(next, location), now }, location)
      return [marked, reads ?? alertFor(state, location, message.rows) ?? lookFurther(marked, location)]
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
    case 'facts':
      return [{ ...state, facts: { ...state.facts, [message.city]: message.facts } }]
    case 'tick': {
      const { now, unanswered, happened } = message
      return [{ ...state, now, unanswered, activity: [...state.activity, happened].slice(-MAX_ACTIVITY) }]
    }
  }
}

/** So many seconds of activity are remembered. */
const MAX_ACTIVITY = 60

function onConnection(state: State, live: boolean, now: number): State {
  return state.connection.live === live ? { ...state, now } : { ...state, connection: { live, since: now }, now }
}

/** Result of an action's wait: it is complete, or cannot complete. */
const afterWait = (state: State): State => (state.overlay?.kind === 'wait' ? { ...state, overlay: undefined } : state)

/** Ignores prompts of an action that the user left during its wait. */
function onOutcome(before: State, outcome: Outcome, location: Location): Step {
  const state = afterWait(before)
  const { text, undo, opens, begins, attach, copy, filter, isAnswered, left } = outcome
  if (begins) return state === before ? [state] : begin(state, { action: begins, location, row: undefined })
  const kept = left === undefined ? state : keepMarked(state, location, left)
  const said = text === undefined ? kept : notice(kept, text, left !== undefined && left.length > 0)
  const next = undo ? { ...said, undo: { undo, location } } : said
  if (opens) return [{ ...open(next, opens), notice: next.notice }]
  if (isAnswered) return [{ ...afterAnswer(next, location), notice: next.notice }]
  if (attach !== undefined) return [next, { type: 'attach', location, session: attach }]
  if (filter !== undefined) return filterBy(next, location, filter)
  return copy === undefined ? [next] : [next, { type: 'copy', text: copy }]
}

/** The next question takes the place of one that was answered; after the last one the person is where he was before. */
function afterAnswer(state: State, answered: Location): State {
  if (viewKey(here(state)) !== viewKey(answered)) return state
  const rows = viewOf(state, attentionOf(answered.city)).rows
  const at = rows.findIndex(({ id }) => id === answered.subject)
  const others = [...rows.slice(at + 1), ...rows.slice(0, Math.max(0, at))]
  const next = others.find(({ opens }) => opens?.page === 'question')?.opens
  return next ? open({ ...state, path: state.path.slice(0, -1) }, next) : goBack(state)
}

function onKey(state: State, key: string): Step {
  if (key === 'ctrl+c') return [state, { type: 'quit' }]
  if (state.prompt) return onPromptKey(state, state.prompt, key)
  if (isEscaped(state, key)) return afterEscape(state, key.slice(ALT.length))
  if (state.overlay) return onOverlayKey(state, state.overlay, key)
  const clean = { ...state, notice: undefined }
  const verb = state.keymap.verbs.get(key === ' ' ? 'space' : key)
  const chosen = rowActions(state).find(({ action }) => action.key === key)
  const marks = viewOf(state, focused(state)).marks.size
  if (verb && !(YIELDING.has(verb) && marks === 0 && chosen)) return onVerb(clean, verb)
  if (chosen) return begin(clean, chosen)
  if (marks > 0 && isForOne(state, key)) return [notice(clean, FOR_ONE, false)]
  const jump = pageOf(focused(state)).jumps?.find((each) => each.key === key)
  if (jump) return jumpBy(clean, jump)
  const isRead = viewOf(state, focused(state)).loadedAt !== undefined
  if (!isRead) return [notice(clean, 'the page is still being read; press it again', false)]
  return [[...key].length === 1 ? notice(clean, `${key} does nothing here; ? lists what does`, false) : clean]
}

const FOR_ONE = 'this is for one row at a time; esc unmarks the rows'

/** Whether a key does something to the selected row when no row is marked. */
const isForOne = (state: State, key: string): boolean =>
  selectedRow(state, focused(state))
    ?.actions()
    .some((action) => action.key === key) ?? false

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

/** Key for a new line in multi-line texts: ctrl+j, or enter elsewhere, as terminals have it. */
function isNewLine({ overlay }: State, key: string): boolean {
  return key === 'ctrl+j' && overlay?.kind === 'form' && overlay.fields[overlay.at]?.isLong === true
}

const commandPrompt = (state: State, edit: LineEdit): State => ({
  ...state,
  prompt: { kind: 'command', edit, back: 0, held: hold(state) },
})

/** Opens the overview of the city, from wherever the person is. */
function openOverview(state: State): State {
  const city = meantCity(state)
  if (city === '') return notice(state, 'open a city first', true)
  return { ...open(state, { page: 'overview', city, subject: '' }), focus: FIRST_FOCUS }
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
  search: (state) => commandPrompt(state, lineOf('search ')),
  overview: openOverview,
  filter: (state) => ({
    ...state,
    prompt: { kind: 'filter', edit: lineOf(viewOf(state, focused(state)).filter), back: 0, held: undefined },
  }),
  open: (state) => openSelected(state, focused(state)),
  nextCity: (state) => moveCity(state, 1),
  previousCity: (state) => moveCity(state, -1),
  waiting: openWaiting,
}

/** Verbs with effects outside of the state. */
const STEPS: { readonly [Each in Verb]?: (state: State) => Step } = {
  quit: (state) => [state, { type: 'quit' }],
  command: (state) => typed(commandPrompt(state, emptyLine), ''),
  sort: sortRows,
  hold: holdRows,
  mark: markRow,
  markTo,
  markAll,
  undo: undoLast,
  palette: openPalette,
  mouse: toggleMouse,
  redraw: (state) => [state, { type: 'redraw' }],
  suspend: (state) => [state, { type: 'suspend' }],
}

const DOWNWARD: ReadonlySet<Verb> = new Set(['down', 'pageDown', 'bottom'])

/** Reads all rows without the filter again, where the server searches. */
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

function jumpBy(state: State, jump: Jump): Step {
  const panel = panelsOf(state).find(({ page }) => page === jump.panel) ?? focused(state)
  const next = jumpSelection(state, panel, jump)
  if (!next) return [notice(state, `there is no ${jump.help}`, false), moreOf(state, panel)]
  return [next, moreOf(next, panel)]
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
  if (pageOf(location).kind !== 'table')
    return [notice(state, 'scroll up to pause a text; press end to follow it', false)]
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
  const text = isRead ? 'nothing waits for you' : 'still loading what needs attention; press it again'
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

/** Notes that the end of what must be read has been on the screen; where all is read aloud, it has been said. */
function markRead(state: State): State {
  if (state.overlay) return state
  const unread = areasOf(state).find(({ location, isPreview }) => {
    if (isPreview) return false
    const { toRead, isRead, filter } = viewOf(state, location)
    return toRead !== undefined && !isRead && filter === ''
  })
  if (!unread) return state
  const { lines, toRead } = viewOf(state, unread.location)
  const { first, room } = textWindow(state, unread)
  const end = placeOfLine(lines, toRead ?? lines.length, textColumns(unread))
  return state.isScreenReader || first + room >= end ? updateView(state, unread.location, { isRead: true }) : state
}

/** Rows or lines that one turn of the wheel moves. */
const WHEEL = 3

/** A click selects, and opens what is selected already; the wheel moves what it is over. */
function onMouse(state: State, action: MouseAction, x: number, y: number): Step {
  const by = action === 'wheel-up' ? -1 : 1
  if (state.overlay?.kind === 'palette' && action !== 'press') return [movePalette(state, state.overlay, by)]
  if (state.overlay?.kind === 'help' && action !== 'press') {
    return [moveHelp(state, state.overlay.first + by * WHEEL)]
  }
  if (state.overlay?.kind === 'hints' && action === 'press') return [{ ...state, overlay: undefined }]
  if (state.prompt || state.overlay) return [state]
  if (y === 0 && action === 'press') return [clickHeader(state, x)]
  const area = areaAt(state, x, y)
  if (!area) return [state]
  const { location } = area
  const hadFocus = viewKey(focused(state)) === viewKey(location)
  if (area.isPreview && action === 'press') return [openSelected(state, focused(state))]
  const isOther = pageOf(here(state)).kind === 'overview' && !area.isPreview
  const next: State = isOther ? { ...state, focus: location.page } : state
  const isText = pageOf(location).kind === 'text'
  if (action !== 'press') {
    const moved = isText ? scrollText(next, location, by * WHEEL) : moveSelection(next, location, by * WHEEL)
    return [moved, by > 0 ? moreOf(moved, location) : undefined]
  }
  const row = isText ? undefined : rowAt(state, area, y)
  if (row === undefined) return [next]
  const away = row - selectedIndex(state, location)
  return [hadFocus && away === 0 ? openSelected(next, location) : moveSelection(next, location, away)]
}

function clickHeader(state: State, x: number): State {
  const tab = tabsOf(state).find((each) => x >= each.x && x < each.x + each.width)
  return tab ? switchTo(state, tab.city) : state
}

const MAX_HISTORY = 100

/** A key while something is typed at the bottom. */
function onPromptKey(state: State, prompt: Prompt, key: string): Step {
  if (key === 'esc') return closePrompt(state, prompt)
  if (key === 'enter') return enterPrompt(state, prompt)
  if (prompt.kind === 'filter' && key === 'tab') {
    return typeInto(state, { ...prompt, edit: lineOf(completeFilter(state, prompt.edit.text)) })
  }
  const next = prompt.kind === 'command' ? onCommandKey(state, prompt, key) : prompt
  const edit = next === prompt ? editLine(prompt.edit, key) : next.edit
  return typeInto(state, { ...next, edit })
}

function typeInto(state: State, prompt: Prompt): Step {
  const typed: State = { ...state, prompt }
  return prompt.kind === 'filter' ? filterAsTyped(typed, prompt.edit.text) : [typed]
}

/** Filters by the text as it is typed, or by the saved filter of that name. */
function filterAsTyped(state: State, text: string): Step {
  const location = focused(state)
  const meant = meantFilter(state, location.page, text)
  return meant === text && isNaming(state, location.page, text) ? [state] : filterBy(state, location, meant)
}

/** Pasted text goes where something is typed; elsewhere it would be taken for keys, so it is left out. */
function onPaste(state: State, text: string): Step {
  const { prompt, overlay } = state
  if (prompt) return typeInto(state, { ...prompt, edit: pasteInto(prompt.edit, text) })
  if (overlay?.kind === 'palette') return editPalette(state, overlay, pasteInto(overlay.edit, text))
  if (overlay?.kind === 'form')
    return [editField(state, overlay, (edit, { isLong }) => (isLong ? pasteLines : pasteInto)(edit, text))]
  return [notice(state, 'press : or / first: pasted text is taken where something is typed', true)]
}

/** Completion and history; the prompt itself for a key that is neither. */
function onCommandKey(state: State, prompt: Prompt, key: string): Prompt {
  if (key === 'tab') return { ...prompt, edit: lineOf(complete(state, prompt.edit.text)) }
  if (key !== 'up' && key !== 'down') return prompt
  const back = Math.max(0, Math.min(state.history.length, prompt.back + (key === 'up' ? 1 : -1)))
  return { ...prompt, back, edit: lineOf(state.history[back - 1] ?? '') }
}

function closePrompt(state: State, { kind }: Prompt): Step {
  const next = { ...state, prompt: undefined }
  return kind === 'filter' ? filterBy(next, focused(next), '') : [next]
}

function enterPrompt(state: State, { kind, edit }: Prompt): Step {
  const next: State = { ...state, prompt: undefined }
  if (kind === 'filter' || edit.text.trim() === '') return [next]
  const command = parseCommand(state, edit.text)
  const entered = { ...next, history: [edit.text, ...state.history].slice(0, MAX_HISTORY) }
  switch (command.kind) {
    case 'quit':
      return [entered, { type: 'quit' }]
    case 'help':
      return [{ ...entered, overlay: { kind: 'help', first: 0 } }]
    case 'error':
      return [notice(entered, command.text, true)]
    case 'filter':
      return filterBy(entered, focused(entered), command.text)
    case 'open':
      return [open(entered, command.location)]
    case 'act':
      return begin(entered, command.chosen, command.words)
  }
}

/** A page that the server searches is read again. */
function filterBy(state: State, location: Location, filter: string): Step {
  const page = pageOf(location)
  const isSearched = page.kind === 'table' && page.isSearched === true
  const isOther = filter !== viewOf(state, location).filter
  const isSearching = isSearched && (isOther || viewOf(state, location).isSearching)
  const next = updateView(state, location, { filter, isSearching, selected: undefined, under: undefined, index: 0 })
  return [next, isSearched ? { type: 'reload', location } : lookFurther(next, location)]
}

/** Keys that only close the hints; others do what they always do. */
const CLOSES: ReadonlySet<string> = new Set(['esc', 'enter', ' '])

/** A key while something lies over the page. Esc always leaves it, and nothing was done. */
function onOverlayKey(state: State, overlay: Overlay, key: string): Step {
  const closed: State = { ...state, overlay: undefined }
  if (key === 'esc' && overlay.kind === 'form') return [keepDraft(closed, overlay)]
  if (key === 'esc' && overlay.kind !== 'confirm') return [closed]
  if (overlay.kind === 'hints') return CLOSES.has(key) ? [closed] : onKey(closed, key)
  if (overlay.kind === 'help') return [scrollHelp(state, overlay.first, key) ?? closed]
  if (overlay.kind === 'palette') return onPaletteKey(state, overlay, key)
  if (overlay.kind === 'form') return onFormKey(state, overlay, key)
  if (overlay.kind === 'wait') return [state]
  if (key === 'y') return [closed, overlay.run]
  const scrolled = scrollConfirm(state, overlay, key)
  if (scrolled) return [scrolled]
  return [notice(closed, `${overlay.run.chosen.action.name}: nothing was done`, false)]
}

type Form = Overlay & { kind: 'form' }

/** A key in a form: enter continues to the next field, and after the last one does what was asked. */
function onFormKey(state: State, form: Form, key: string): Step {
  const { chosen, fields, at } = form
  const go = (to: number): State => ({ ...state, overlay: { ...form, at: (to + fields.length) % fields.length } })
  const field = fields[at]
  const edited = field?.isLong ? editLong(field.edit, key) : undefined
  if (edited && key !== 'enter' && key !== 'tab' && key !== 'shift+tab') return [editField(state, form, () => edited)]
  if (key === 'tab' || key === 'down') return [go(at + 1)]
  if (key === 'shift+tab' || key === 'up') return [go(at - 1)]
  if (key !== 'enter') return [editField(state, form, (edit, field) => chosenBy(key, field) ?? editLine(edit, key))]
  const [completed, ...others] = field ? meantNames(field, state.known) : []
  if (others.length > 0) return [notice(state, `which of ${[completed, ...others].join(', ')}?`, true)]
  if (completed !== undefined && completed !== field?.edit.text)
    return onFormKey(...withField(state, form, lineOf(completed)), key)
  const problem = problemOf(field)
  if (problem !== undefined) return [notice(state, problem, true)]
  if (at < fields.length - 1) return [go(at + 1)]
  const wrong = fields.findIndex((field) => problemOf(field) !== undefined)
  if (wrong >= 0) return [notice(go(wrong), problemOf(fields[wrong]) ?? '', true)]
  return confirmed(keepDraft(state, form), { type: 'run', chosen, values: valuesOf(fields), fields })
}

/** The state and its form with another text in the field that has the keys. */
function withField(state: State, form: Form, edit: LineEdit): readonly [State, Form] {
  const fields = form.fields.map((field, at) => (at === form.at ? { ...field, edit } : field))
  const next = { ...form, fields }
  return [{ ...state, overlay: next }, next]
}

/** Changes the text of the field that has the keys. */
function editField(state: State, form: Form, edit: (line: LineEdit, field: FormField) => LineEdit): State {
  const fields = form.fields.map((field, at) => (at === form.at ? { ...field, edit: edit(field.edit, field) } : field))
  return { ...state, overlay: { ...form, fields } }
}

/** The next of the choices, or the one before; undefined where nothing is chosen so. */
function chosenBy(key: string, { choices, edit }: FormField): LineEdit | undefined {
  const by = key === 'right' ? 1 : key === 'left' ? -1 : 0
  if (by === 0 || choices === undefined) return undefined
  const at = choices.indexOf(edit.text)
  const next = at < 0 && by < 0 ? choices.length - 1 : (at + by + choices.length) % choices.length
  return lineOf(choices[next] ?? '')
}
