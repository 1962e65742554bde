import { pageOf, pages } from '../../client/views/index.ts'
import { padTo, sanitizeLine } from '../../src/client/text.ts'
import { wrap } from '../../src/client/wrap.ts'
import { namedActions, rowActions } from './actions.ts'
import { usageOf } from './commands.ts'
import { focused } from './navigation.ts'
import type { State } from './state.ts'

/** The column at which the help says what a key or command does. */
export const HELP_COLUMN = 31
/** Continuation lines stand below that, where there is room. */
const [HANG, MIN_HANGING] = [6, 56]

/** Columns and lines of the border around the help. */
const BORDER = 2

const roomOf = ({ height }: State): number => Math.max(1, height - BORDER)

/** The help as it is on the screen, in one column or two. */
export function shownHelp(state: State): { readonly lines: readonly string[]; readonly columns: 1 | 2 } {
  const all = helpLines(state)
  const width = state.width - BORDER
  const halves = all.flatMap((line) => wrapHelp(line, Math.floor(width / 2)))
  if (width >= 118 && halves.length <= 2 * roomOf(state) && all.length > roomOf(state))
    return { lines: halves, columns: 2 }
  return { lines: all.flatMap((line) => wrapHelp(line, width)), columns: 1 }
}

const wrapHelp = (line: string, width: number): string[] =>
  wrap(sanitizeLine(line), Math.max(1, width - 2), width < MIN_HANGING ? HANG : HELP_COLUMN)

/** Lines of the help; unindented ones are headings. */
export function helpLines(state: State): string[] {
  const own = rowActions(state)
  const named = namedActions(state).filter((chosen) => !own.some(({ action }) => action.name === chosen.action.name))
  const actions = own.map(({ action }) => {
    const why = action.disabled === undefined ? '' : ` (${action.disabled})`
    return helpLine(`${padTo(action.key, 4)}${usageOf(action)}`, `${action.help}${why}`)
  })
  return [
    `${pageOf(focused(state)).title}: its keys`,
    ...actions,
    ...(pageOf(focused(state)).jumps ?? []).map(({ key, help }) => helpLine(key, help)),
    'everywhere',
    ...named.map(({ action }) => helpLine(usageOf(action), action.help)),
    ...state.keymap.bindings.map(({ keys, help }) => helpLine(keys.join(' '), help)),
    'pages',
    ...pages.map(({ name, about, help }) => helpLine(`:${name}${about ? ` ${about.toUpperCase()}` : ''}`, help)),
    helpLine(':city NAME', 'another city'),
    helpLine(':filter TEXT', 'only rows with this text, or by a saved filter: @name'),
  ]
}

/** Keys or words, and their effect. */
const helpLine = (typed: string, does: string): string => `  ${padTo(typed, HELP_COLUMN - 3)} ${does}`

/** The help from another line on; its last line stays at the bottom. */
export function moveHelp(state: State, to: number): State {
  const last = Math.max(0, shownHelp(state).lines.length - roomOf(state))
  return { ...state, overlay: { kind: 'help', first: Math.max(0, Math.min(last, to)) } }
}

/** The help after a key that scrolls; undefined for one that leaves it. */
export function scrollHelp(state: State, first: number, key: string): State | undefined {
  const to = targetOf(state, first, key)
  return to === undefined ? undefined : moveHelp(state, to)
}

function targetOf(state: State, first: number, key: string): number | undefined {
  switch (state.keymap.verbs.get(key)) {
    case 'down':
      return first + 1
    case 'up':
      return first - 1
    case 'pageDown':
      return first + roomOf(state)
    case 'pageUp':
      return first - roomOf(state)
    case 'top':
      return 0
    case 'bottom':
      return Number.MAX_SAFE_INTEGER
    default:
      return undefined
  }
}
