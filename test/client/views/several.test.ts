import { expect, test } from 'bun:test'
import { type Action, confirmationOf, type Row } from '../../../client/views/page.ts'
import { actionsOnSeveral, differenceOf } from '../../../client/views/several.ts'
import { reachTo } from '../../tui/reach.ts'
import { action, row } from '../../tui/state/world.ts'

const REACH = reachTo('http://127.0.0.1:9')

/** A row that can be closed together with others; `done` lists the closed ones. */
const closable = (id: string, done: string[], more: Partial<Row> = {}, changes: Partial<Action> = {}): Row =>
  row(id, {
    label: `title of ${id}`,
    actions: () => [
      action('e', 'edit'),
      action('x', 'close', {
        many: {},
        run: async () => {
          done.push(id)
          return { undo: { name: 'reopen', run: async () => ({ text: String(done.push(`-${id}`)) }) } }
        },
        ...changes,
      }),
    ],
    ...more,
  })

test('an action on several rows asks once, lists each row and the reason others are left out', () => {
  const rows = [closable('a', []), closable('b', [], {}, { disabled: 'b is closed' }), row('c'), closable('d', [])]
  const [close, ...others] = actionsOnSeveral(rows)
  expect(others).toEqual([])
  expect(close && confirmationOf(close, {})).toBe(
    [
      'close: all of these 2?',
      ...['  a  title of a', '  d  title of d', 'left out:', '  b is closed', '  c: close is not for it'],
    ].join('\n'),
  )
})

test('a question names what was typed, and fields are those for several', () => {
  const fields = [{ name: 'agent', title: 'agent for all of them' }]
  const [sling] = actionsOnSeveral([closable('a', [], {}, { name: 'sling', many: { fields } })])
  expect(sling?.fields).toEqual(fields)
  expect(sling && confirmationOf(sling, { agent: 'shop/ann' })).toStartWith('sling "shop/ann": this row?')
})

test('a row that changed in between is left unchanged, a failure stops no other, and all of it is summed up and undone', async () => {
  const done: string[] = []
  const fails = { run: () => Promise.reject(new Error('c cannot be closed')) }
  const rows = [
    closable('a', done),
    closable('b', done, { changed: async () => 'its status is closed now, not open' }),
    closable('c', done, {}, fails),
    closable('d', done, {}, fails),
    closable('e', done),
  ]
  const outcome = await actionsOnSeveral(rows)[0]?.run(REACH, {})
  expect(done).toEqual(['a', 'e'])
  expect(outcome?.text).toBe(
    'close: 2 done, 3 left: b: its status is closed now, not open; it was not changed; c cannot be closed; d: c cannot be closed',
  )
  expect(outcome?.left).toEqual(['b', 'c', 'd'])
  const back = await outcome?.undo?.run(REACH, {})
  expect(done).toEqual(['a', 'e', '-e', '-a'])
  expect(back?.text).toBe('close was undone for 2')
})

test('equal reasons are reported once, and where nothing was done it fails', async () => {
  const rows = ['a', 'b', 'c', 'd', 'e'].map((id) =>
    closable(`x-${id}`, [], {}, { run: () => Promise.reject(new Error(`x-${id} is asleep`)) }),
  )
  const run = actionsOnSeveral(rows)[0]?.run(REACH, {})
  await expect(run).rejects.toThrow('nothing was done: x-a, x-b, x-c and 2 more: it is asleep')
  const disabled = rows.map(({ id }) => closable(id, [], {}, { disabled: `${id} is closed` }))
  expect(actionsOnSeveral(disabled)[0]?.disabled).toBe('to none of the marked rows: x-a is closed')
})

test('a thousand rows are worked on eight at a time', async () => {
  let [most, now] = [0, 0]
  const run = async () => {
    most = Math.max(most, ++now)
    await Promise.resolve()
    now--
    return {}
  }
  const rows = Array.from({ length: 1000 }, (_, at) => closable(`x-${at}`, [], {}, { run }))
  expect(await actionsOnSeveral(rows)[0]?.run(REACH, {})).toMatchObject({ text: 'close: 1000 done', left: [] })
  expect(most).toBe(8)
})

test('the first fact that differs from what was read says why it is not the same any more', () => {
  const facts = { status: 'status', labels: 'labels' }
  const before = { status: 'open', labels: ['a'], title: 'x' }
  expect(differenceOf(before, { ...before, title: 'y' }, facts)).toBeUndefined()
  expect(differenceOf(before, { ...before, status: 'closed' }, facts)).toBe('its status: now closed, not open')
  expect(differenceOf(before, { status: 'open' }, facts)).toBe('its labels: now none, not a')
})
