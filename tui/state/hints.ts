import type { Keymap, Verb } from './keys.ts'

/** A key, and what it is good for. */
type Hint = readonly [key: string, does: string]

/** What a person needs to know first, with the keys that he chose. */
export function hintsOf({ bindings }: Keymap): readonly Hint[] {
  const keyOf = (verb: Verb) => bindings.find((each) => each.verb === verb)?.keys[0] ?? ''
  return [
    [keyOf('waiting'), 'go to the next item that needs you; 1–9 answer a question'],
    [keyOf('palette'), 'find a page, command, agent, session or bead by its name'],
    [keyOf('command'), 'enter a command, such as :sling or :usage; tab completes'],
    ['a', 'attach to the terminal of a session; ctrl-] comes back'],
    [keyOf('help'), 'list the keys and commands of the current page'],
  ]
}
