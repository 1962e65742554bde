import { describe, expect, test } from 'bun:test'
import { type Command, STATES, TRANSITIONS, transition } from '../../../src/work/sessions/transitions.ts'

describe('states', () => {
  test('can all be entered and left', () => {
    const commands = Object.values(TRANSITIONS)
    const entered = new Set<string>(['start-pending', ...commands.map(({ to }) => to)])
    const left = new Set<string>(commands.flatMap(({ from }) => from))
    expect([...STATES].filter((state) => !entered.has(state))).toEqual([])
    expect([...STATES].filter((state) => !left.has(state))).toEqual([])
  })

  test('change only by the transitions of the table', () => {
    const moves: [string, Command, string][] = [
      ['start-pending', 'begin', 'creating'],
      ['creating', 'ready', 'active'],
      ['active', 'suspend', 'suspended'],
      ['quarantined', 'wake', 'asleep'],
      ['draining', 'sleep', 'asleep'],
      ['failed-create', 'close', 'closed'],
    ]
    for (const [from, command, to] of moves) expect<string>(transition(from as 'active', command)).toBe(to)
    expect(() => transition('draining', 'suspend')).toThrow(
      'illegal_transition: illegal transition: state "draining" does not accept command "suspend"',
    )
    expect(() => transition('closed', 'close')).toThrow('illegal_transition')
    expect<string>(transition('closed', 'reopen')).toBe('asleep')
  })
})
