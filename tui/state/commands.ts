import { type Action, type Location, type Page, pages } from '../../client/views/index.ts'
import { namedActions } from './actions.ts'
import { focused, meantCity } from './navigation.ts'
import type { Chosen, State } from './state.ts'

/** What an entered line asks for. */
export type Command =
  | { readonly kind: 'open'; readonly location: Location }
  | { readonly kind: 'act'; readonly chosen: Chosen; readonly words: string }
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
  const action = namedActions(state).find((each) => each.action.name === name)
  if (action) return { kind: 'act', chosen: action, words }
  const page = pages.find((each) => each.name === name || each.aliases?.includes(name))
  return page ? openPage(state, page, words) : error(`there is no command ${name} here; ? lists all commands`)
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
  const candidates = words.length < 2 ? commandNames(state) : argumentsOf(state, words[0] ?? '')
  const unique = [...new Set(candidates)]
  return unique.filter((each) => each.startsWith(last) && each !== last).sort()
}

const commandNames = (state: State): string[] => [
  ...namedActions(state).map(({ action }) => action.name),
  ...pages.map(({ name }) => name),
  'city',
  'help',
  'quit',
]

/** The ids that a command takes: those of the rows that were read of its kind. */
function argumentsOf(state: State, command: string): string[] {
  if (command === 'city') return [...state.cities]
  const about = pages.find(({ name }) => name === command)?.about
  const sources =
    about === undefined ? ['agents'] : pages.filter(({ name }) => name === `${about}s`).map(({ name }) => name)
  const { city } = focused(state)
  return sources.flatMap((page) => state.views[`${city}/${page}/`]?.rows.map(({ id }) => id) ?? [])
}

/** The line with its last word completed as far as all completions agree. */
export function complete(state: State, line: string): string {
  const found = completions(state, line)
  const [first] = found
  if (first === undefined) return line
  let shared = first
  while (!found.every((each) => each.startsWith(shared))) shared = shared.slice(0, -1)
  const before = line.slice(0, line.length - (line.split(/\s+/).at(-1) ?? '').length)
  return before + shared + (found.length === 1 ? ' ' : '')
}

/** How an action is entered by name. */
export const usageOf = ({ name, fields = [] }: Action): string =>
  [`:${name}`, ...fields.map((field) => field.name.toUpperCase())].join(' ')
