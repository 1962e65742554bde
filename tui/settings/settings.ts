import { pages, type TablePage, TONES, type Tone } from '../../client/views/index.ts'
import type { TerminalEffect } from '../../src/client/terminal.ts'
import { ICON_SETS, ICONS, type IconSet, type Icons } from '../components/icons.ts'
import {
  type Colours,
  coloursOf,
  createTheme,
  isLightBackground,
  THEMES,
  type Theme,
  type ThemeName,
} from '../components/theme.ts'
import { bindings, createKeymap, type Keymap, type Verb } from '../state/keys.ts'
import type { CustomPage } from '../state/state.ts'
import { NOTIFICATIONS, type Notification } from '../terminal/sequences.ts'
import { type Entry, type Problem, readEntries } from './toml.ts'

/** Settings of the dashboard for this user and terminal. */
export interface Settings {
  readonly keymap: Keymap
  /** What the person wants of lists, by their names. */
  readonly custom: ReadonlyMap<string, CustomPage>
  readonly mouse: boolean
  readonly bell: boolean
  readonly notify: Notification
  /** True if the title of the terminal says what waits. */
  readonly title: boolean
  /** Effects on the terminal, besides drawing, that an attached session may use. */
  readonly attach: readonly TerminalEffect[]
  /** True if the terminal is asked if its background is light. */
  readonly asksBackground: boolean
  readonly isLight: boolean
  readonly icons: Icons
  /** Whether there are colours for the syntax of code. */
  readonly showsSyntax: boolean
  theme(isLight: boolean): Theme
}

interface Draft {
  theme: ThemeName
  icons: IconSet
  mouse: boolean
  bell: boolean
  notify: Notification
  title: boolean
  attach: readonly TerminalEffect[]
  colours: Partial<Record<Tone, string>>
  keys: Map<Verb, readonly string[]>
  pages: Map<string, CustomPage>
}

/** Applies an entry to the settings; returns a sentence if it is wrong. */
type Take = (draft: Draft, entry: Entry) => string | undefined

export const SETTINGS: Readonly<Record<string, Take>> = {
  theme: (draft, { value }) => takeOneOf(THEMES, value, (theme) => Object.assign(draft, { theme })),
  icons: (draft, { value }) => takeOneOf(ICON_SETS, value, (icons) => Object.assign(draft, { icons })),
  mouse: (draft, { value }) => takeBoolean(value, (mouse) => Object.assign(draft, { mouse })),
  bell: (draft, { value }) => takeBoolean(value, (bell) => Object.assign(draft, { bell })),
  title: (draft, { value }) => takeBoolean(value, (title) => Object.assign(draft, { title })),
  attach: takeEffects,
  notify: (draft, { value }) => takeOneOf(NOTIFICATIONS, value, (notify) => Object.assign(draft, { notify })),
}

/** Reads `tui.toml`: what is right in it counts, and everything that is wrong is said with its place. */
export function readSettings(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): { settings: Settings; problems: readonly Problem[] } {
  const { entries, problems } = readEntries(text)
  const draft: Draft = {
    theme: 'auto',
    icons: 'unicode',
    mouse: !env.NO_MOUSE,
    bell: true,
    notify: 'osc9',
    title: true,
    attach: [],
    colours: {},
    keys: new Map(),
    pages: new Map(),
  }
  const wrong = entries.flatMap((entry) => {
    const text = take(draft, entry)
    return text === undefined ? [] : [{ line: entry.line, column: entry.column, text: `${entry.name}: ${text}` }]
  })
  return { settings: finish(draft, coloursOf(env), isLightBackground(env)), problems: [...problems, ...wrong] }
}

function take(draft: Draft, entry: Entry): string | undefined {
  const [table = '', name = '', ...rest] = entry.name.split('.')
  if (table === 'pages' && name !== '') return takePage(draft, name, rest, entry.value)
  if (table === 'keys' && name !== '') return takeKeys(draft, name, entry.value)
  if (table === 'colours' && name !== '') return takeColour(draft, name, entry.value)
  return SETTINGS[entry.name]?.(draft, entry) ?? unknown(entry.name, SETTINGS)
}

const unknown = (name: string, known: object): string | undefined =>
  name in known
    ? undefined
    : `there is no such setting; there are ${Object.keys(known).join(', ')}, [colours], [keys] and [pages.NAME]`

function takeOneOf<Word extends string>(
  words: readonly Word[],
  value: unknown,
  set: (word: Word) => void,
): string | undefined {
  const word = words.find((each) => each === value)
  if (word === undefined) return `${JSON.stringify(value)} is none of ${words.join(', ')}`
  set(word)
  return undefined
}

function takeBoolean(value: unknown, set: (value: boolean) => void): string | undefined {
  if (typeof value !== 'boolean') return `${JSON.stringify(value)} is neither true nor false`
  set(value)
  return undefined
}

/** Words of the list of effects, each of which is off until it is listed. */
const EFFECTS = ['title', 'clipboard', 'notifications'] as const satisfies readonly TerminalEffect[]

function takeEffects(draft: Draft, { value }: Entry): string | undefined {
  const words = Array.isArray(value) ? value : [value]
  const wrong = words.find((word) => !EFFECTS.some((effect) => effect === word))
  if (wrong !== undefined) return `${JSON.stringify(wrong)} is none of ${EFFECTS.join(', ')}`
  draft.attach = EFFECTS.filter((effect) => words.includes(effect))
  return undefined
}

function takeColour(draft: Draft, name: string, value: unknown): string | undefined {
  const tone = TONES.find((each) => each === name)
  if (tone === undefined) return `there is no such meaning; there are ${TONES.join(', ')}`
  if (typeof value !== 'string' || Bun.color(value, 'ansi-256') === null) {
    return `${JSON.stringify(value)} is not a colour: write it as in CSS, such as "#87d787"`
  }
  draft.colours[tone] = value
  return undefined
}

/** `columns` of a list, or one of its `filters` by its name. */
function takePage(
  draft: Draft,
  name: string,
  [what = '', ...rest]: readonly string[],
  value: unknown,
): string | undefined {
  const page = pages.find((each) => each.name === name || each.aliases?.includes(name))
  if (page?.kind !== 'table') {
    const lists = pages.flatMap((each) => (each.kind === 'table' ? [each.name] : []))
    return `there is no list ${name}; there are ${lists.join(', ')}`
  }
  const custom = draft.pages.get(page.name) ?? { filters: new Map() }
  if (what === 'columns') return takeColumns(draft, page, custom, value)
  const filter = rest.join('.')
  if (what !== 'filters' || filter === '') return 'a list has columns, and filters by their names'
  if (!/^[^\s@]+$/.test(filter)) return `${JSON.stringify(filter)} is not a name: write one word, without @`
  if (typeof value !== 'string' || value.trim() === '') return `${JSON.stringify(value)} is not text to filter by`
  draft.pages.set(page.name, { ...custom, filters: new Map([...custom.filters, [filter, value.trim()]]) })
  return undefined
}

function takeColumns(draft: Draft, page: TablePage, custom: CustomPage, value: unknown): string | undefined {
  const titles = page.columns.map(({ title }) => title).filter(Boolean)
  const columns: unknown[] = Array.isArray(value) ? value : [value]
  const chosen = columns.flatMap((each) => titles.find((title) => title === each) ?? [])
  const wrong = columns.find((each) => !titles.some((title) => title === each))
  if (columns.length === 0) return `name at least one column of ${titles.join(', ')}`
  if (wrong !== undefined)
    return `${JSON.stringify(wrong)} is not a column of ${page.name}; there are ${titles.join(', ')}`
  const twice = chosen.find((title, at) => chosen.indexOf(title) < at)
  if (twice !== undefined) return `${JSON.stringify(twice)} is named twice`
  draft.pages.set(page.name, { ...custom, columns: chosen })
  return undefined
}

const KEY =
  /^(?:(?:ctrl|alt|shift)\+)*(?:up|down|left|right|home|end|pageup|pagedown|tab|enter|esc|space|backspace|delete|[^\p{C}\s])$/u

function takeKeys(draft: Draft, name: string, value: unknown): string | undefined {
  const binding = bindings.find(({ verb }) => verb === name)
  if (!binding) return `there is no such key; there are ${bindings.map(({ verb }) => verb).join(', ')}`
  const keys = (Array.isArray(value) ? value : [value]).map((each) =>
    String(each).replace(/(?<=ctrl|alt|shift)-/g, '+'),
  )
  const wrong = keys.find((key) => !KEY.test(key))
  if (wrong !== undefined) return `${JSON.stringify(wrong)} is not a key; write j, ctrl+f, alt+x, pagedown or the like`
  const other = keys.flatMap((key) =>
    [...draft.keys].flatMap(([verb, own]) => (own.includes(key) ? [[key, verb]] : [])),
  )
  if (other[0]) return `${other[0][0]} is the key of ${other[0][1]} already`
  draft.keys.set(binding.verb, keys)
  return undefined
}

/** A key that the person gave to something else does not do what it did before. */
function keymapOf(chosen: Draft['keys']): Keymap {
  const taken = new Set([...chosen.values()].flat())
  const freed = bindings
    .filter(({ verb, keys }) => !chosen.has(verb) && keys.some((key) => taken.has(key)))
    .map(({ verb, keys }) => [verb, keys.filter((key) => !taken.has(key))] as const)
  return createKeymap(new Map([...chosen, ...freed]))
}

function finish(draft: Draft, colours: Colours, isLight: boolean): Settings {
  const { mouse, bell, notify, title, attach, theme: name, colours: chosen } = draft
  const theme = (light: boolean) => createTheme({ name, colours, isLight: light, chosen })
  const asksBackground = name === 'auto' && colours > 16
  const icons = ICONS[draft.icons]
  const showsSyntax = theme(isLight).ground('plain') !== undefined
  const [keymap, custom] = [keymapOf(draft.keys), draft.pages]
  return { keymap, custom, mouse, bell, notify, title, attach, asksBackground, isLight, icons, showsSyntax, theme }
}
