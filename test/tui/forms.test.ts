import { describe, expect, test } from 'bun:test'
import { fieldOf } from '../../client/views/launch.ts'
import type { Action } from '../../client/views/page.ts'
import { isYes, keysOf } from '../../tui/plain/words.ts'
import { step } from '../../tui/state/reducer.ts'
import type { Known, State } from '../../tui/state/state.ts'
import { action, after, alpha, at, inside, press, row, rows, frame as screen } from './state/world.ts'

const fields = [
  fieldOf({ name: 'topic', type: 'string', description: 'What is painted', required: true }),
  fieldOf({ name: 'colour', type: 'string', default: 'blue', enum: ['blue', 'red', 'dark green'] }),
  fieldOf({ name: 'coats', type: 'string', default: '2', pattern: '^[0-9]+$' }),
]
const asked = action('', 'run', { help: 'what paint is run with', fields })
const launch = action('n', 'run', { fields: [{ name: 'target', title: 'agent' }], asksMore: true })
const formulas = after(alpha, rows('sessions', [row('paint', { actions: () => [launch] })]))
const waiting = press(formulas, 'n', ...'mayor', 'enter')
const outcome = (begins: Action) =>
  ({ type: 'outcome', outcome: { begins }, location: at('formulas') }) satisfies Parameters<typeof step>[1]
const form = after(waiting, outcome(asked))

const frame = (state: State, lines = 24): string => inside(screen(state, 80, lines)).join('\n')

describe('an action that asks for more', () => {
  test('takes no keys while that is read, and is left by esc', () => {
    expect(waiting.overlay).toMatchObject({ kind: 'wait' })
    expect(press(waiting, 'x', 'q', 'y').overlay).toEqual(waiting.overlay)
    expect(frame(waiting)).toContain('reading …')
    expect(after(press(waiting, 'esc'), outcome(asked)).overlay).toBeUndefined()
  })

  test('says why when it fails, and is over', () => {
    const failed = after(waiting, { type: 'notice', text: 'run: there is no formula paint', isBad: true })
    expect([failed.overlay, failed.notice?.isBad]).toEqual([undefined, true])
  })
})

describe('the variables of a formula', () => {
  test('are fields with their defaults, what they may be, and whether they are required', () => {
    const lines = frame(form).split('\n')
    const first = lines.indexOf('what paint is run with')
    expect(lines.slice(first, first + 7)).toEqual([
      'what paint is run with',
      'topic · What is painted · required',
      '',
      'colour',
      'blue',
      'blue · red · dark green',
      'coats · matches ^[0-9]+$',
    ])
    expect(lines[first + 7]).toBe('2')
  })

  test('are chosen with right and left, or typed; what is not a choice is said', () => {
    const valueAfter = (...keys: string[]) => {
      const { overlay } = press(form, 'tab', ...keys)
      return overlay?.kind === 'form' ? overlay.fields[1]?.edit.text : undefined
    }
    expect([valueAfter('right'), valueAfter('left'), valueAfter('left', 'left')]).toEqual(['red', 'dark green', 'red'])
    const wrong = press(form, 'tab', 'ctrl+u', ...'pink', 'enter')
    expect(wrong.notice).toEqual({ text: 'colour is one of blue, red, dark green', isBad: true })
    expect(press(wrong, 'ctrl+u', ...'red', 'enter').overlay).toMatchObject({ at: 2 })
  })

  test('say immediately what can be no value', () => {
    const said = (...keys: string[]) => frame(press(form, ...keys))
    expect(said('tab', 'ctrl+u', ...'dark')).not.toContain('colour is one of')
    expect(said('tab', 'ctrl+u', ...'pi')).toContain('colour is one of blue, red, dark green')
    expect(said('tab', 'tab', 'x')).toContain('coats does not match ^[0-9]+$')
    expect(said('tab', 'tab', '3')).not.toContain('does not match')
    expect(press(form, ...'x', 'tab', 'tab', 'x', 'enter').notice?.text).toBe('coats does not match ^[0-9]+$')
  })

  test('are given once those that are required are there', () => {
    const early = press(form, 'up', 'enter')
    expect(early.overlay).toMatchObject({ kind: 'form', at: 0 })
    expect(early.notice?.text).toBe('topic · What is painted is needed')
    const [done, effect] = step(press(form, ...'the bridge', 'enter', 'right', 'enter'), { type: 'key', key: 'enter' })
    expect(effect).toMatchObject({ type: 'run', values: { topic: 'the bridge', colour: 'red', coats: '2' } })
    expect(done.overlay).toBeUndefined()
  })

  test('stay on a small screen while they are gone through', () => {
    const many = Array.from({ length: 20 }, (_, number) => ({ name: `v${number}`, title: `variable ${number}` }))
    const asks = after(waiting, outcome(action('', 'run', { fields: many })))
    const down = press(asks, ...Array.from({ length: 15 }, () => 'tab'))
    expect(frame(down)).toContain('variable 15')
    expect(frame(press(down, 'tab', 'tab', 'tab', 'tab'), 12)).toContain('variable 19')
  })

  test('are replaced by a line that is typed without a screen', () => {
    expect(keysOf('red', alpha.keymap, true)).toEqual(['clear', 'r', 'e', 'd', 'enter'])
    expect(keysOf('', alpha.keymap, true)).toEqual(['enter'])
  })
})

describe('a text of several lines', () => {
  const describe = action('d', 'describe', {
    fields: [
      { name: 'title', title: 'title', initial: 'Paint' },
      { name: 'text', title: 'description', initial: 'two coats\nof blue', isLong: true },
    ],
  })
  const bead = after(alpha, rows('sessions', [row('al-1', { actions: () => [describe] })]))
  const typing = press(bead, 'd', 'tab')
  const valuesOf = (state: State) => {
    const [, effect] = step(state, { type: 'key', key: 'enter' })
    return effect?.type === 'run' ? effect.values : undefined
  }

  test('is shown line by line, and the caret goes through its lines before it leaves it', () => {
    expect(frame(typing)).toMatch(/description\ntwo coats\nof blue\n/)
    expect(frame(typing)).toContain('ctrl+j new line')
    expect(valuesOf(press(typing, 'up', 'end', '!', 'down', 'home', '- '.at(0) ?? '', 'ctrl+k'))).toEqual({
      title: 'Paint',
      text: 'two coats!\n-',
    })
    expect(press(typing, 'up', 'up').overlay).toMatchObject({ kind: 'form', at: 0 })
  })

  test('gets another line by ctrl+j or alt+enter, which elsewhere continues', () => {
    expect(valuesOf(press(typing, 'ctrl+j', 'x', 'alt+enter', 'y'))?.text).toBe('two coats\nof blue\nx\ny')
    expect(press(press(bead, 'd'), 'ctrl+j').overlay).toMatchObject({ kind: 'form', at: 1 })
    expect(valuesOf(press(typing, 'ctrl+u', 'backspace', 'backspace'))?.text).toBe('two coat')
  })

  test('keeps the lines of what is pasted, and nothing that a terminal obeys', () => {
    const pasted = after(press(typing, 'ctrl+j'), { type: 'paste', text: 'one\r\ntwo\x1b[2J\n\tthree' })
    expect(valuesOf(pasted)?.text).toBe('two coats\nof blue\none\ntwo[2J\n  three')
    expect(valuesOf(after(press(typing, 'tab'), { type: 'paste', text: 'a\nb' }, { type: 'key', key: 'tab' }))).toEqual(
      {
        title: 'Painta b',
        text: 'two coats\nof blue',
      },
    )
  })

  test('shows the lines around the caret, and how many there are', () => {
    const long = after(press(typing, 'ctrl+j'), {
      type: 'paste',
      text: Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n'),
    })
    expect(frame(long)).toContain('line 39')
    expect(frame(long)).toContain('… 42 lines in all')
    expect(frame(long, 12)).toContain('line 39')
    expect(frame(press(long, ...Array.from({ length: 41 }, () => 'up')))).toContain('two coats')
  })
})

test('without a screen only yes agrees to what was asked, and a line replaces all lines of a text', () => {
  expect(['y', 'Yes', 'no', 'y y', 'quit', ''].map(isYes)).toEqual([true, true, false, false, false, false])
  const fields = [{ name: 'text', title: 'text', initial: 'two coats\nof blue', isLong: true }]
  const state = after(alpha, rows('sessions', [row('al-1', { actions: () => [action('d', 'describe', { fields })] })]))
  const typed = press(state, 'd', ...keysOf('ash', state.keymap, true).slice(0, -1))
  expect(step(typed, { type: 'key', key: 'enter' })[1]).toMatchObject({ values: { text: 'ash' } })
})

describe('a form that is left', () => {
  const reply = action('n', 'reply', {
    fields: [
      { name: 'to', title: 'to', initial: 'ann' },
      { name: 'text', title: 'text' },
    ],
  })
  const list = after(
    alpha,
    rows('sessions', [row('s', { actions: () => [reply] }), row('t', { actions: () => [reply] })]),
  )
  const texts = ({ overlay }: State) => (overlay?.kind === 'form' ? overlay.fields.map(({ edit }) => edit.text) : [])

  test('has what was typed when it is opened again for the same row, until it was done', () => {
    const left = press(list, 'n', ...'on my w', 'esc')
    expect(left.overlay).toBeUndefined()
    expect(texts(press(left, 'n'))).toEqual(['ann', 'on my w'])
    expect(texts(press(left, 'down', 'n'))).toEqual(['ann', ''])
    expect(texts(press(left, 'n', 'tab', 'ctrl+u', 'esc', 'n'))).toEqual(['ann', ''])
    const [sent, run] = step(press(left, 'n', 'tab'), { type: 'key', key: 'enter' })
    if (run?.type !== 'run') throw new Error('it is not run')
    expect(run.values).toEqual({ to: 'ann', text: 'on my w' })
    expect(texts(press(after(sent, { type: 'ended', run, isDone: true }), 'n'))).toEqual(['ann', ''])
  })

  test('is there again with its answers when what it asks for next was left', () => {
    const [asking, run] = step(press(formulas, 'n', ...'mayor'), { type: 'key', key: 'enter' })
    if (run?.type !== 'run') throw new Error('it is not run')
    const further = after(asking, outcome(asked), { type: 'ended', run, isDone: true })
    const left = press(further, ...'the bridge', 'esc', 'n')
    expect(texts(left)).toEqual(['mayor'])
    const again = after(press(left, 'enter'), outcome(asked))
    expect(texts(again)).toEqual(['the bridge', 'blue', '2'])
    const [begun, last] = step(press(again, 'enter', 'enter'), { type: 'key', key: 'enter' })
    if (last?.type !== 'run') throw new Error('it is not run')
    expect(begun.drafts).not.toEqual({})
    expect(after(begun, { type: 'ended', run: last, isDone: true }).drafts).toEqual({})
  })
})

describe('a field that names something of the city', () => {
  const named = action('n', 'sling', {
    fields: [
      { name: 'target', title: 'agent', names: 'agent' },
      { name: 'formula', title: 'formula', names: 'formula', isOptional: true },
    ],
  })
  const list = after(alpha, rows('sessions', [row('s', { actions: () => [named] })]))
  const known = (kind: 'agent' | 'formula', text: string) => ({ kind, id: text, text, location: at(kind, text) })
  const all = [
    known('agent', 'mayor'),
    known('agent', 'shop/coder'),
    known('agent', 'shop/cook'),
    known('formula', 'line'),
  ]
  const opened = after(press(list, 'n'), { type: 'found', city: 'alpha', known: all })

  test('reads the names when its form opens, shows those that match, and completes a beginning that has one end', () => {
    expect(step(list, { type: 'key', key: 'n' })[1]).toEqual({ type: 'find', city: 'alpha', text: '' })
    expect(frame(opened)).toContain('mayor · shop/coder · shop/cook')
    expect(frame(press(opened, ...'shop'))).toMatch(/^shop\/coder · shop\/cook$/m)
    const texts = (...keys: string[]) => {
      const { overlay } = press(opened, ...keys)
      return overlay?.kind === 'form' ? [overlay.at, ...overlay.fields.map(({ edit }) => edit.text)] : []
    }
    expect(texts('m', 'enter')).toEqual([1, 'mayor', ''])
    expect(texts(...'cod', 'enter', 'tab')).toEqual([0, 'shop/coder', ''])
    expect(texts(...'shop/co', 'enter')).toEqual([0, 'shop/co', ''])
    expect(frame(press(opened, ...'nobody'))).toContain('there is no agent like it')
    expect(press(opened, ...'shop/co', 'enter').notice?.text).toBe('which of shop/coder, shop/cook?')
    expect(texts(...'nobody', 'enter')).toEqual([1, 'nobody', ''])
    const [, run] = step(press(opened, 'm', 'enter', 'l'), { type: 'key', key: 'enter' })
    expect(run).toMatchObject({ type: 'run', values: { target: 'mayor', formula: 'line' } })
  })
  test('finds beads by their words, and holds the id of the one that is meant', () => {
    const asks = action('n', 'run', { fields: [{ name: 'bead', title: 'bead', names: 'bead' }] })
    const state = press(after(alpha, rows('sessions', [row('s', { actions: () => [asks] })])), 'n')
    const [typed, effect] = step(press(state, 'w', 'e'), { type: 'key', key: 'l' })
    expect(effect).toEqual({ type: 'find', city: 'alpha', text: 'wel' })
    const bead: Known = { kind: 'bead', id: 'gc-7', text: 'gc-7 · Dig a well', location: at('bead', 'gc-7') }
    const found = after(typed, { type: 'found', city: 'alpha', known: [bead] })
    expect(frame(found)).toContain('gc-7 · Dig a well')
    expect(step(found, { type: 'key', key: 'enter' })[1]).toMatchObject({ values: { bead: 'gc-7' } })
  })
})
