/** Function of a key on every page. */
export type Verb =
  | 'up'
  | 'down'
  | 'pageUp'
  | 'pageDown'
  | 'top'
  | 'bottom'
  | 'open'
  | 'back'
  | 'next'
  | 'previous'
  | 'filter'
  | 'command'
  | 'search'
  | 'overview'
  | 'palette'
  | 'sort'
  | 'system'
  | 'hold'
  | 'mark'
  | 'markTo'
  | 'markAll'
  | 'waiting'
  | 'undo'
  | 'nextCity'
  | 'previousCity'
  | 'mouse'
  | 'redraw'
  | 'suspend'
  | 'help'
  | 'quit'

export interface Binding {
  readonly verb: Verb
  readonly keys: readonly string[]
  readonly help: string
}

/** The keys of every page; the help lists them. Pages add keys of their own. */
export const bindings: readonly Binding[] = [
  { verb: 'down', keys: ['down', 'j'], help: 'next row' },
  { verb: 'up', keys: ['up', 'k'], help: 'previous row' },
  { verb: 'pageDown', keys: ['pagedown', 'ctrl+f'], help: 'a page down' },
  { verb: 'pageUp', keys: ['pageup', 'ctrl+b'], help: 'a page up' },
  { verb: 'top', keys: ['home', 'g'], help: 'first row' },
  { verb: 'bottom', keys: ['end', 'G'], help: 'last row; a text follows its end' },
  { verb: 'next', keys: ['tab', 'right', 'l'], help: 'next panel' },
  { verb: 'previous', keys: ['shift+tab', 'left', 'h'], help: 'previous panel' },
  { verb: 'open', keys: ['enter'], help: 'open what this row is about' },
  { verb: 'back', keys: ['esc'], help: 'back: the filter first, then the page' },
  { verb: 'filter', keys: ['/'], help: 'only rows with this text; those without: !text' },
  { verb: 'command', keys: [':'], help: 'enter a command or the name of a page; tab completes' },
  { verb: 'palette', keys: ['ctrl+p'], help: 'find a page, command, agent or bead by its name' },
  { verb: 'search', keys: ['ctrl+s'], help: 'search what sessions said' },
  { verb: 'overview', keys: ['H'], help: 'the overview of the city' },
  { verb: 'sort', keys: ['o'], help: 'the next order of the rows' },
  { verb: 'system', keys: ['.'], help: 'show or hide bookkeeping' },
  { verb: 'hold', keys: ['F'], help: 'pause the rows and count new ones, or resume' },
  { verb: 'mark', keys: ['space'], help: 'mark this row: keys then act on all that are marked; esc unmarks' },
  { verb: 'markTo', keys: ['v'], help: 'mark all rows from the last marked one to this' },
  { verb: 'markAll', keys: ['*'], help: 'mark all that the filter leaves, or unmark them' },
  { verb: 'waiting', keys: ['!'], help: 'the next item that needs attention' },
  { verb: 'undo', keys: ['z'], help: 'take the last action back, where that can be' },
  { verb: 'nextCity', keys: [']'], help: 'the next city that is open' },
  { verb: 'previousCity', keys: ['['], help: 'the city before it' },
  { verb: 'mouse', keys: ['ctrl+t'], help: 'leave the mouse to the terminal, or take it back' },
  { verb: 'redraw', keys: ['ctrl+l'], help: 'redraw the screen' },
  { verb: 'suspend', keys: ['ctrl+z'], help: 'back to the shell; fg comes back here' },
  { verb: 'help', keys: ['?'], help: 'the keys and commands of this page' },
  { verb: 'quit', keys: ['q', 'ctrl+c'], help: 'leave; everything runs on' },
]

/** Verbs whose keys do something else where a page has them, as long as no row is marked. */
export const YIELDING: ReadonlySet<Verb> = new Set(['markTo'])

/** Keys of every page, by function. */
export interface Keymap {
  readonly bindings: readonly Binding[]
  readonly verbs: ReadonlyMap<string, Verb>
}

/** The keys of every page, some of them replaced. */
export function createKeymap(chosen: ReadonlyMap<Verb, readonly string[]> = new Map()): Keymap {
  const all = bindings.map((binding) => ({ ...binding, keys: chosen.get(binding.verb) ?? binding.keys }))
  const verbs = new Map(all.flatMap(({ verb, keys }) => keys.map((key) => [key, verb] as const)))
  return { bindings: all, verbs }
}

export const defaultKeymap: Keymap = createKeymap()
