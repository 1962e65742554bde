import { type Action, type Field, type Location, type Page, pageOf, pages } from '../../client/views/index.ts'
import { namedActions } from './actions.ts'
import { filtersOf, savedFilters } from './custom.ts'
import { focused, meantCity } from './navigation.ts'
import { type Chosen, type Known, type State, viewOf } from './state.ts'

/** Request of an entered line. */
export type Command =
  | { readonly kind: 'open'; readonly location: Location }
  | { readonly kind: 'act'; readonly chosen: Chosen; readonly words: string }
  | { readonly kind: 'filter'; readonly text: string }
  | { readonly kind: 'quit' }
  | { readonly kind: 'help' }
  | { readonly kind: 'error'; readonly text: string }

const error = (text: string): Command => ({ kind: 'error', text })

/** Parses the line after `:`: an action on what is selected, a page, `city NAME` or `quit`. */
export function parseCommand(state: State, line: string): Command {
  const [name = '', ...rest] = line.trim().split(/\s+/)
  const words = rest.join(' ')
  if (name === 'quit' || name === 'q') return { kind: 'quit' }
  if (name === 'help') return { kind: 'help' }
  if (name === 'city') return openCity(state, words)
  if (name === 'filter') return filterTo(state, words)
  const action = namedActions(state).find((each) => each.action.name === name)
  if (action) return { kind: 'act', chosen: action, words }
  const page = pages.find((each) => each.name === name || each.aliases?.includes(name))
  return page ? openPage(state, page, words) : error(`there is no command ${name} here; ? lists all commands`)
}

/** Filters the rows: by a saved filter, or by a text. */
function filterTo(state: State, words: string): Command {
  const { page } = focused(state)
  const saved = filtersOf(state, page).get(words.replace(/^@/, ''))
  if (saved === undefined && words.startsWith('@')) {
    const names = savedFilters(state, page).join(', ')
    return error(
      names === '' ? `tui.toml has no filters for ${page}` : `there is no filter ${words}; there are ${names}`,
    )
  }
  return { kind: 'filter', text: saved ?? words }
}

function openCity(state: State, name: string): Command {
  if (name === '') return error('name the city: `:city NAME`')
  if (state.cities.length > 0 && !state.cities.includes(name)) return error(`there is no city ${name}`)
  return { kind: 'open', location: { page: 'overview', city: name, subject: '' } }
}

function openPage(state: State, page: Page, subject: string): Command {
  const city = meantCity(state)
  if (!page.isGlobal && city === '') return error('there is no city yet: gc init FOLDER makes one')
  if (page.about !== undefined && subject === '')
    return error(`:${page.name} takes ${page.takes ?? `the id of a ${page.about}`}`)
  return {
    kind: 'open',
    location: { page: page.name, city: page.isGlobal ? '' : city, subject: page.about === undefined ? '' : subject },
  }
}

/** The words that may stand where the caret is: commands, then what their argument may be. */
export function completions(state: State, line: string): string[] {
  const words = line.split(/\s+/)
  const last = words.at(-1) ?? ''
  const candidates = words.length < 2 ? commandNames(state) : argumentsOf(state, words[0] ?? '', words.length - 2)
  const unique = [...new Set(candidates)]
  return unique.filter((each) => each.startsWith(last) && each !== last).sort()
}

const commandNames = (state: State): string[] => [
  ...namedActions(state).map(({ action }) => action.name),
  ...pages.map(({ name }) => name),
  'city',
  'filter',
  'help',
  'quit',
]

/** What each field of an action is the name of, where its own name is another word. */
const MEANT: Readonly<Record<string, Known['kind']>> = {
  ...{ target: 'agent', assignee: 'session', beads: 'bead' },
}

/** What a command takes: the ids of what its page is about, or what the field of an action that is being typed may be. */
function argumentsOf(state: State, command: string, at: number): string[] {
  if (command === 'city') return [...state.cities]
  if (command === 'filter') return [...savedFilters(state, focused(state).page), ...filterWords(state, '')]
  const action = namedActions(state).find((each) => each.action.name === command)?.action
  const field = action?.fields?.[at]
  if (action) return field ? valuesFor(state, field) : []
  const about = pages.find(({ name }) => name === command)?.about
  return about === undefined ? [] : idsOf(state, about)
}

/** What a field may be, where that is known. */
const valuesFor = (state: State, { name, choices }: Field): string[] =>
  choices ? [...choices] : idsOf(state, MEANT[name] ?? name)

/** The ids of one kind: of the rows that were read, and of what the palette knows. */
function idsOf(state: State, kind: string): string[] {
  const { city } = focused(state)
  const read = state.views[`${city}/${kind}s/`]?.rows.map(({ id }) => id) ?? []
  const found = state.known.flatMap((each) => (each.kind === kind ? [each.id] : []))
  return [...read, ...found]
}

/** So many rows are looked through for values. */
const LOOKED_AT = 1_000

/** What may stand where a filter is typed: saved filters, words before a colon, and values that the rows have. */
export function filterWords(state: State, line: string): string[] {
  const last = line.split(/\s+/).at(-1) ?? ''
  const location = focused(state)
  const page = pageOf(location)
  if (page.kind !== 'table') return []
  const rows = viewOf(state, location).rows.slice(0, LOOKED_AT)
  const valuesOf = (at: number) => rows.flatMap(({ cells }) => cells[at]?.text ?? [])
  const [word = '', value] = last.split(/:(.*)/s)
  const title = page.words?.[word]
  const candidates =
    value !== undefined && title !== undefined
      ? valuesOf(page.columns.findIndex((column) => column.title === title)).flatMap((text) => [
          `${word}:${text.split('.')[0]}`,
          `${word}:${text}`,
        ])
      : [
          ...(line === last ? savedFilters(state, page.name) : []),
          ...Object.keys(page.words ?? {}).map((each) => `${each}:`),
          // Values are too many to be offered before anything is typed.
          ...(last === '' ? [] : [...rows.map(({ id }) => id), ...page.columns.flatMap((_, at) => valuesOf(at))]),
        ]
  return [...new Set(candidates)]
    .filter((each) => each.startsWith(last) && each !== last && !/\s/.test(each) && each !== '')
    .sort()
}

/** The filter with its last word completed as far as all that it may be agree. */
export const completeFilter = (state: State, line: string): string => completed(line, filterWords(state, line), '')

/** The line with its last word completed as far as all completions agree. */
export const complete = (state: State, line: string): string => completed(line, completions(state, line), ' ')

function completed(line: string, found: readonly string[], end: string): string {
  const [first] = found
  if (first === undefined) return line
  let shared = first
  while (!found.every((each) => each.startsWith(shared))) shared = shared.slice(0, -1)
  const before = line.slice(0, line.length - (line.split(/\s+/).at(-1) ?? '').length)
  return before + shared + (found.length === 1 ? end : '')
}

/** Usage of an action by name. */
export const usageOf = ({ name, fields = [] }: Action): string =>
  [`:${name}`, ...fields.map((field) => field.name.toUpperCase())].join(' ')
