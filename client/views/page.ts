import type { CityClient, Client } from '../../src/client/client.ts'
import type { FollowOptions, Timers } from '../../src/client/follow.ts'
import type { CityEvent } from '../../src/client/operations.ts'
import type { StyledPart } from '../../src/client/sgr.ts'
import type { Tone } from './tones.ts'

/** Location in the dashboard: a page, its city, and the id of its subject. Lists have no subject. */
export interface Location {
  readonly page: string
  readonly city: string
  readonly subject: string
  /** Start position when it opens. */
  readonly at?: Place
}

/** A line of a conversation: the entry that it is in, where there are entries, and what it says. */
export interface Place {
  readonly entry: string | undefined
  readonly text: string
}

/** A result of a check, as `gc doctor` has it. */
export interface Diagnosis {
  readonly name: string
  readonly status: 'ok' | 'warning' | 'error' | 'unknown'
  readonly message: string
  readonly fix_hint?: string
  readonly details?: readonly string[]
}

/** A part of a line of code, in UTF-16 units: from, to (exclusive), and its tone. */
export type SyntaxRange = readonly [from: number, to: number, tone: Tone]

/** Data that is read on this machine instead of from the server. */
export interface Machine {
  /** Syntax of each line of texts in a language, where it can be shown; undefined for an unknown language. */
  syntax?(
    language: string,
    texts: readonly string[],
  ): Promise<readonly (readonly (readonly SyntaxRange[])[])[] | undefined>
  /** Checks this machine and a city, as `gc doctor` does. */
  diagnose(city: string): Promise<readonly Diagnosis[]>
  /** The last lines of the supervisor's log, then those that are added, until the signal aborts. */
  followLog(signal: AbortSignal): AsyncIterable<readonly string[]>
}

/** Sources and targets of a page. */
export interface Reach {
  readonly client: Client
  readonly machine: Machine
  readonly timers: Timers
  readonly city: CityClient
  readonly subject: string
  /** Start position of the page. */
  readonly at?: Place
  readonly signal?: AbortSignal
  /** Reads the page again, for what was not there in time. */
  reread?(): void
}

/** A cell of a table: a text, or a timestamp that is shown as its age or as the time it is. */
export interface Cell {
  readonly text?: string
  readonly since?: string
  readonly at?: string
  readonly tone?: Tone
  /** Progress from 0 to 1: a bar before its text. */
  readonly part?: number
  /** Parts of its text that stand out, in UTF-16 units: from, and to (exclusive). */
  readonly marks?: readonly (readonly number[])[] | undefined
  /** The syntax of its text, where that is a line of a diff: what its tone says of the line shows behind it. */
  readonly syntax?: readonly SyntaxRange[] | undefined
}

export interface Column {
  readonly title: string
  /** Its title in a list of a command, where that is not its title here in capitals. */
  readonly header?: string
  /** Columns of text; a column that grows or has names has at least as many. */
  readonly width: number
  readonly grows?: boolean
  /** Columns with the highest number are left out first where there is no room, and while they are empty; without a number, never. */
  readonly leaves?: number
  /** True if it is left out before another text is cut: another column says the same, or it is rarely needed. */
  readonly yields?: boolean
  /** Names are shortened in their middle, since both of their ends tell something. */
  readonly isName?: boolean
  /** Shown only to who asks for it. */
  readonly isExtra?: boolean
}

/** Something that a key or a command does, on a row or on a page. */
export interface Action {
  readonly key: string
  readonly name: string
  /** Hint beside its key at the bottom, if more specific than its name. */
  readonly hint?: string
  /** Description of its effect, for the help. */
  readonly help: string
  /** Reason it cannot be done now. */
  readonly disabled?: string | undefined
  /** True if the page must be read to the end of what is asked first. */
  readonly afterReading?: boolean
  /** Asked before it is done, since it hurts; names what it hits. */
  readonly confirm?: string | ((values: Readonly<Record<string, string>>) => string)
  /** Fields of the form that comes first. */
  readonly fields?: readonly Field[]
  /** True if it may ask for more before it is done; keys wait for that. */
  readonly asksMore?: boolean
  /** Present if the action works on several rows; its form then has these fields. */
  readonly many?: { readonly fields?: readonly Field[] }
  run(reach: Reach, values: Readonly<Record<string, string>>): Promise<Outcome>
}

/** Question before an action with these values. */
export const confirmationOf = ({ confirm = '' }: Action, values: Readonly<Record<string, string>>): string =>
  typeof confirm === 'string' ? confirm : confirm(values)

export interface Field {
  readonly name: string
  readonly title: string
  readonly initial?: string
  readonly isOptional?: boolean
  /** True if it may have several lines. */
  readonly isLong?: boolean
  /** Possible values, if known. */
  readonly choices?: readonly string[]
  /** Kind of name that its text completes to. */
  readonly names?: 'agent' | 'formula' | 'bead'
  /** A regular expression of RE2 that its text matches. */
  readonly pattern?: string
}

/** Outcome of an action: a sentence, and the next step of the dashboard. */
export interface Outcome {
  readonly text?: string
  /** Takes it back. */
  readonly undo?: Pick<Action, 'name' | 'run'>
  readonly opens?: Location
  /** The question of the page is answered: the next one comes up. */
  readonly isAnswered?: boolean
  /** Input to request before the action runs. */
  readonly begins?: Action
  /** The session whose terminal is opened, until the person leaves it. */
  readonly attach?: string
  /** New filter of the page's rows. */
  readonly filter?: string
  /** Text for the terminal's clipboard. */
  readonly copy?: string
  /** Rows that were left out, of several. */
  readonly left?: readonly string[]
}

/** A row of a table. */
export interface Row {
  readonly id: string
  /** One for each column. */
  readonly cells: readonly Cell[]
  /** Location that Enter opens. */
  readonly opens: Location | undefined
  /** True if it is bookkeeping that is hidden unless all is shown. */
  readonly isSystem: boolean
  /** Name of the kind of row that a key jumps to. */
  readonly mark?: string | undefined
  /** Text that identifies it besides its id. */
  readonly label?: string
  actions(): readonly Action[]
  /** Difference between the row as it was read and as the server has it now; undefined for none. */
  changed?(reach: Reach): Promise<string | undefined>
}

/** Part of an event that a page receives. */
export type PageEvent = Pick<CityEvent, 'type' | 'subject'> & { readonly actor?: string }

/** Range of a table to read. */
export interface Query {
  readonly cursor: string | undefined
  /** The text to search for, on pages that search on the server. */
  readonly filter: string
  readonly sort: string | undefined
}

export interface Slice<Item> {
  readonly items: readonly Item[]
  /** Number of there that are in all. */
  readonly total?: number | undefined
  /** Cursor of the next slice. */
  readonly next?: string | undefined
  /** Lines that stand above the rows, and what can be done to what the page is about; of the first slice. */
  readonly head?: readonly Line[]
  readonly actions?: readonly Action[]
}

interface PageFacts {
  /** Name typed after `:` to open it. */
  readonly name: string
  readonly aliases?: readonly string[]
  readonly title: string
  readonly help: string
  /** Subject of the page, for pages with one: `session`, `bead`. */
  readonly about?: string
  /** Argument after its name, if not an id. */
  readonly takes?: string
  /** True if it belongs to the supervisor instead of to a city. */
  readonly isGlobal?: boolean
  /** True if an event may have changed what it shows. */
  isChangedBy(event: PageEvent, subject: string, filter: string): boolean
  /** Interval of reads, where no event reports changes. */
  readonly rereadsMs?: number
  /** Actions on the page, independent of the selected row. */
  actions?(location: Location): readonly Action[]
  /** Keys that move the selection further than to the next row. */
  readonly jumps?: readonly Jump[]
}

/** A key that selects the next row with a mark, or the one before. */
export interface Jump {
  readonly key: string
  readonly help: string
  readonly by: 1 | -1
  /** The mark of the rows; every row when absent. */
  readonly mark?: string
  /** The panel whose rows are meant; the one with the keys when absent. */
  readonly panel?: string
}

export interface TablePage extends PageFacts {
  readonly kind: 'table'
  readonly columns: readonly Column[]
  /** Text without any row: the way to get one. */
  readonly empty: string
  readonly sorts?: readonly string[]
  /** Words before a colon in its filter, and the columns that have their values. */
  readonly words?: Readonly<Record<string, string>>
  /** Lines kept free below the rows for what columns cut of the selected one. */
  readonly detailLines?: number
  /** True if the server searches; otherwise the rows that were read are searched here. */
  readonly isSearched?: boolean
  load(reach: Reach, query: Query): Promise<Slice<Row>>
  /** The row of an event with the text of the filter, where the rows are events. */
  rowOf?(event: CityEvent, city: string, filter: string): Row | undefined
}

/** A line of a text. */
export interface Line {
  readonly text: string
  readonly tone?: Tone
  /** Indent of continuation lines. */
  readonly hang?: number
  /** A line of a picture, such as a screen, is cut where it is too long, since below itself it would spoil the picture. */
  readonly isPicture?: boolean
  /** The syntax of its text, where that is a line of a diff. */
  readonly syntax?: readonly SyntaxRange[] | undefined
  /** Its text in parts, each with a style of its own, where what wrote it had one. */
  readonly parts?: readonly StyledPart[]
  /** Its text on the plain dashboard, if that differs; an empty one is left out. */
  readonly said?: string
}

/** Contents of a text page; absent parts do not change. */
export interface TextContent {
  /** Lines that stay above the text while it scrolls. */
  readonly head?: readonly Line[]
  readonly lines?: readonly Line[]
  /** So many lines must be read before it is answered. */
  readonly toRead?: number
  /** The line that stands on top when the text is first shown. */
  readonly first?: number
  /** Actions on the subject of the page. */
  readonly actions?: readonly Action[]
  /** Location that Enter opens. */
  readonly opens?: Location | undefined
}

export interface TextPage extends PageFacts {
  readonly kind: 'text'
  load(reach: Reach): Promise<TextContent>
  /** Shows its lines as they come, until the signal aborts. A page that has it is scrolled to its end. */
  follow?(reach: Reach, options: FollowText): Promise<void>
}

export interface FollowText {
  show(lines: readonly Line[]): void
  /** Follows a stream with reconnects, and reports them to the dashboard. */
  readonly following: FollowOptions
}

/** A page of several tables, from top to bottom; those of one band stand side by side. */
export interface OverviewPage extends PageFacts {
  readonly kind: 'overview'
  readonly bands: readonly Band[]
  /** Its columns on screens with room for two, or for three; its bands alone when absent. */
  readonly columns?: { readonly medium: readonly PanelColumn[]; readonly wide: readonly PanelColumn[] }
  /** True if a line of counts stands above its panels. */
  readonly hasCounts?: boolean
  /** A panel about the selected row of another. */
  readonly detail?: { readonly panel: string; readonly of: string }
}

/** Bands below each other, in a part of the width. */
export interface PanelColumn {
  readonly share: number
  readonly bands: readonly Band[]
}

/** Name of the panel that shows what the selected row opens, or all that the row says. */
export const PREVIEW = 'preview'

export interface Band {
  readonly panels: readonly string[]
  /** Its part of the height. */
  readonly share: number
  /** The part of the width of each panel; equal when absent. */
  readonly widths?: readonly number[]
  /** True if it takes no room while it has no rows. */
  readonly hidesWhenEmpty?: boolean
}

export type Page = TablePage | TextPage | OverviewPage

export interface ColumnOf<Item> extends Column {
  cell(item: Item): Cell | string | undefined
}

/** Columns by name, for a page and a list that do not show all of them, or in another order. */
export type Columns<Item> = Readonly<Record<string, ColumnOf<Item>>>

interface TableOf<Item> extends Omit<TablePage, 'kind' | 'columns' | 'load' | 'rowOf'> {
  readonly columns: readonly ColumnOf<Item>[]
  idOf(item: Item): string
  load(reach: Reach, query: Query): Promise<Slice<Item>>
  opens?(item: Item, city: string): Location | undefined
  isSystem?(item: Item): boolean
  markOf?(item: Item): string | undefined
  actionsOf?(item: Item): readonly Action[]
  /** Difference between an item as it was read and as the server has it now; undefined for none. */
  changed?(item: Item, reach: Reach): Promise<string | undefined>
  /** Row that an event adds, on pages of events. */
  ofEvent?(event: CityEvent, filter: string): Item | undefined
}

/** A page of rows, from the wire shapes that it reads. */
export function table<Item>(spec: TableOf<Item>): TablePage {
  const { changed } = spec
  const naming = spec.columns.findIndex(({ grows }) => grows)
  const toRow = (item: Item, city: string): Row => ({
    id: spec.idOf(item),
    cells: spec.columns.map((column) => toCell(column.cell(item))),
    label: toCell(spec.columns[naming]?.cell(item)).text ?? '',
    ...(changed && { changed: (reach: Reach) => changed(item, reach) }),
    opens: spec.opens?.(item, city),
    isSystem: spec.isSystem?.(item) ?? false,
    mark: spec.markOf?.(item),
    actions: () => spec.actionsOf?.(item) ?? [],
  })
  const { ofEvent } = spec
  return {
    ...spec,
    kind: 'table',
    ...(ofEvent && {
      rowOf: (event, city, filter) => {
        const item = ofEvent(event, filter)
        return item && toRow(item, city)
      },
    }),
    load: async (reach, query) => {
      const { items, ...rest } = await spec.load(reach, query)
      return { ...rest, items: items.map((item) => toRow(item, reach.city.name)) }
    },
  }
}

/** Cell of an item in a column. */
export const toCell = (cell: Cell | string | undefined): Cell =>
  typeof cell === 'object' ? cell : { text: cell ?? '' }

/** A page of lines. */
export const text = (spec: Omit<TextPage, 'kind'>): TextPage => ({ ...spec, kind: 'text' })

/** True if the type of an event begins with one of these words. */
export const isOneOf =
  (...prefixes: readonly string[]) =>
  ({ type }: { type: string }): boolean =>
    prefixes.some((prefix) => type.startsWith(prefix))

/** Every slice of a list that comes whole. */
export const whole = <Item>(items: readonly Item[] | null | undefined): Slice<Item> => ({
  items: items ?? [],
  total: items?.length ?? 0,
})
