import type { Action, Field, Line, Location, Outcome, Row } from '../../client/views/index.ts'
import { defaultKeymap, type Keymap } from './keys.ts'
import type { LineEdit } from './line.ts'

/** State of one table or text, with the user's position. */
export interface View {
  readonly rows: readonly Row[]
  /** Lines that stay above the text while it scrolls. */
  readonly head: readonly Line[]
  readonly lines: readonly Line[]
  /** Actions on the subject of a text. */
  readonly actions: readonly Action[]
  /** Location that Enter opens from a text. */
  readonly opens: Location | undefined
  /** So many lines must be read before they are answered, and whether the end of them was on the screen. */
  readonly toRead: number | undefined
  readonly isRead: boolean
  /** Number of rows on the server. */
  readonly total: number | undefined
  /** True if the server has more rows than were read. */
  readonly hasMore: boolean
  /** The id of the selected row; the selection follows it, wherever it goes. */
  readonly selected: string | undefined
  /** The row that the cursor was on before anyone chose one; the cursor stays on it as well. */
  readonly under: string | undefined
  /** Index of the selected row, for when it disappears. */
  readonly index: number
  /** The first visible line; undefined is the end of a text that is followed, and the top of any other. */
  readonly scroll: number | undefined
  readonly filter: string
  readonly sort: string | undefined
  /** The rows that are marked, as they were read last; what is done then is done to all of them. */
  readonly marks: ReadonlyMap<string, Row>
  /** The row that was marked last, from which on others are marked. */
  readonly lastMark: string | undefined
  /** Whether the rows are those of an earlier filter, until the server has searched for this one. */
  readonly isSearching: boolean
  /** Whether the rows that are still to be read are marked as well. */
  readonly marksAll: boolean
  /** How many events came since the rows are held as they are; undefined while they follow the server. */
  readonly missed: number | undefined
  /** Time of the server's last response; undefined before the first. */
  readonly loadedAt: number | undefined
  readonly error: string | undefined
}

export const emptyView: View = {
  rows: [],
  head: [],
  lines: [],
  actions: [],
  opens: undefined,
  toRead: undefined,
  isRead: false,
  total: undefined,
  hasMore: false,
  selected: undefined,
  under: undefined,
  index: 0,
  scroll: undefined,
  filter: '',
  sort: undefined,
  marks: new Map(),
  lastMark: undefined,
  marksAll: false,
  isSearching: false,
  missed: undefined,
  loadedAt: undefined,
  error: undefined,
}

/** An action with what it will hit, held from the moment it was chosen. */
export interface Chosen {
  readonly action: Action
  readonly location: Location
  /** The row it acts on; absent for an action of the page. */
  readonly row: string | undefined
}

/** An action that was chosen, with the values of its fields. */
export interface Run {
  readonly type: 'run'
  readonly chosen: Chosen
  readonly values: Values
  /** The form that the values were typed into, which opens again when it is not done. */
  readonly fields?: readonly FormField[]
}

/** Actions and targets at the start of a command; undefined if not loaded by then. */
export type Held = readonly Chosen[] | undefined

/** Overlay of the page that receives the keys. */
export type Overlay =
  | { readonly kind: 'help'; readonly first: number }
  /** What a person needs to know first, once. */
  | { readonly kind: 'hints' }
  | { readonly kind: 'confirm'; readonly run: Run; readonly first: number }
  | { readonly kind: 'form'; readonly chosen: Chosen; readonly fields: readonly FormField[]; readonly at: number }
  /** Input of an action that is being read. */
  | { readonly kind: 'wait'; readonly chosen: Chosen }
  | { readonly kind: 'palette'; readonly edit: LineEdit; readonly at: number; readonly held: Held }

/** Something of a city that the palette opens by its name, and that commands are completed to. */
export interface Known {
  readonly kind: 'agent' | 'session' | 'bead' | 'formula' | 'rig' | 'landing'
  readonly id: string
  readonly text: string
  readonly location: Location
}

/** A city that was opened, and where the person was in it. */
export interface Tab {
  readonly city: string
  readonly path: readonly Location[]
}

export type Values = Readonly<Record<string, string>>

export interface FormField extends Field {
  readonly edit: LineEdit
}

/** Texts of a form that was left, by field. */
export interface Draft {
  readonly edits: Readonly<Record<string, LineEdit>>
  /** True if more was asked for after it. */
  readonly asksMore: boolean
}

/** Input at the bottom. */
export interface Prompt {
  readonly kind: 'filter' | 'command'
  readonly edit: LineEdit
  readonly held: Held
  /** Position in the history; 0 is the typed text. */
  readonly back: number
}

/** True if the stream is connected, and since when it has been so. */
export interface Connection {
  readonly live: boolean
  readonly since: number
}

/** Data of a city for the header and the line of counts. */
export interface Facts {
  readonly rigs: number
  readonly working: number
  readonly agents: number
  readonly work: { readonly in_progress: number; readonly ready: number; readonly open: number }
  readonly unread: number
  /** Rest of the budget that runs out first: `$3.20 of $5.00 a day`, and whether it is low. */
  readonly budget: { readonly text: string; readonly isLow: boolean } | undefined
}

/** What a person wants of a list, by `tui.toml`. */
export interface CustomPage {
  /** The titles of its columns, in their order; those of the page when absent. */
  readonly columns?: readonly string[]
  /** Filters by their names. */
  readonly filters: ReadonlyMap<string, string>
}

export interface State {
  /** The way to the page that is shown; esc goes back along it. */
  readonly path: readonly Location[]
  /** State of each table and text, by `viewKey`. */
  readonly views: Readonly<Record<string, View>>
  /** The panel of an overview that has the keys. */
  readonly focus: string
  readonly overlay: Overlay | undefined
  readonly prompt: Prompt | undefined
  /** Texts of forms that were left, by the purpose of the form and by field. */
  readonly drafts: Readonly<Record<string, Draft>>
  /** Commands that were entered, newest first. */
  readonly history: readonly string[]
  readonly notice: { readonly text: string; readonly isBad: boolean } | undefined
  readonly undo: { readonly undo: NonNullable<Outcome['undo']>; readonly location: Location } | undefined
  /** True if bookkeeping is shown as well. */
  readonly showsSystem: boolean
  /** The names of the cities, for completion. */
  readonly cities: readonly string[]
  /** The cities that are open, in the order in which they were opened. */
  readonly tabs: readonly Tab[]
  /** The city that was left last; empty before one was. */
  readonly lastCity: string
  /** Entries of the city in the palette. */
  readonly known: readonly Known[]
  readonly keymap: Keymap
  /** What the person wants of lists, by their names. */
  readonly custom: ReadonlyMap<string, CustomPage>
  /** Whether clicks and the wheel come here; otherwise the terminal selects text with them. */
  readonly hasMouse: boolean
  /** True if everything is read aloud, line by line, instead of being looked at. */
  readonly isScreenReader: boolean
  readonly connection: Connection
  /** By city, once they were read. */
  readonly facts: Readonly<Record<string, Facts>>
  /** Number of events that came in each of the last seconds, the oldest first. */
  readonly activity: readonly number[]
  /** Since when the server has left a request without an answer. */
  readonly unanswered: number | undefined
  /** Open actions of the server. */
  readonly underWay: readonly Run[]
  readonly now: number
  /** Columns of the screen. */
  readonly width: number
  /** Lines of the screen between the header and the footer. */
  readonly height: number
}

/** The page that is shown. */
export const here = (state: State): Location => state.path.at(-1) ?? CITIES

export const CITIES: Location = { page: 'cities', city: '', subject: '' }

/** Key under which the state of a city's page is stored. */
export const viewKey = ({ page, city, subject, at }: Location): string =>
  `${city}/${page}/${subject}${at === undefined ? '' : `/${at.entry ?? ''}/${at.text}`}`

export const viewOf = (state: State, location: Location): View => state.views[viewKey(location)] ?? emptyView

/** The panel of an overview that has the keys at first. */
export const FIRST_FOCUS = 'sessions'

interface Start {
  readonly keymap?: Keymap
  readonly custom?: ReadonlyMap<string, CustomPage>
  readonly hasMouse?: boolean
  /** Whether this person sees the dashboard for the first time. */
  readonly isFirstRun?: boolean
}

export const initialState = (
  now: number,
  city: string | undefined,
  { keymap = defaultKeymap, custom = new Map(), hasMouse = true, isFirstRun = false }: Start = {},
): State => ({
  path: city === undefined ? [CITIES] : [CITIES, { page: 'overview', city, subject: '' }],
  views: {},
  focus: FIRST_FOCUS,
  overlay: isFirstRun ? { kind: 'hints' } : undefined,
  prompt: undefined,
  drafts: {},
  history: [],
  notice: undefined,
  undo: undefined,
  showsSystem: false,
  cities: [],
  tabs: city === undefined ? [] : [{ city, path: [] }],
  lastCity: '',
  known: [],
  keymap,
  custom,
  hasMouse,
  isScreenReader: false,
  connection: { live: false, since: now },
  facts: {},
  activity: [],
  unanswered: undefined,
  underWay: [],
  now,
  width: 80,
  height: 20,
})
