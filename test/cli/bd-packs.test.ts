import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Issue } from '../../cli/bd/issue.ts'
import { eventually } from '../support/until.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

async function json<T>(...args: string[]): Promise<T> {
  const { status, out, err } = await town.bd([...args, '--json'])
  if (status !== 0) throw new Error(`bd ${args.join(' ')}: ${out}${err}`)
  return JSON.parse(out) as T
}

const create = async (title: string, ...more: string[]): Promise<string> =>
  (await json<Issue>('create', title, ...more)).id
const findIds = async (...args: string[]) => (await json<Issue[]>('list', '-n', '0', ...args)).map(({ id }) => id)

describe('notes and other fields of bd', () => {
  test('notes are written, extended and shown, and are not metadata', async () => {
    const id = await create('Noted', '--set-metadata', 'k=v')
    await json('update', id, '--notes', 'begun')
    await json('update', id, '--append-notes', 'half done')
    const [shown] = await json<Issue[]>('show', id)
    expect(shown).toMatchObject({ notes: 'begun\nhalf done', metadata: { k: 'v' } })
    expect((await town.bd(['show', id])).out).toContain('\nNOTES\nbegun\nhalf done\n')
    await json('update', id, '--status=closed', '--set-metadata', 'gc.outcome=pass', '--notes', 'done')
    expect(await json<Issue[]>('show', id)).toMatchObject([
      { status: 'closed', notes: 'done', metadata: { 'gc.outcome': 'pass' } },
    ])
  })

  test('keeps the lines of two simultaneous writers', async () => {
    const id = await create('Shared notes')
    await Promise.all(['a', 'b', 'c', 'd'].map((line) => json('update', id, '--append-notes', line)))
    const [shown] = await json<Issue[]>('show', id)
    expect(shown?.notes?.split('\n').sort()).toEqual(['a', 'b', 'c', 'd'])
  })

  test('design, acceptance and an external reference are kept', async () => {
    const id = await create('Designed', '--design', 'round', '--external-ref', 'https://example.org/1', '--label', 'x')
    expect(await json<Issue[]>('show', id)).toMatchObject([
      { design: 'round', external_ref: 'https://example.org/1', labels: ['x'] },
    ])
  })

  test('labels are replaced, and added by their old option', async () => {
    const id = await create('Labelled', '-l', 'a,b')
    expect(await json<Issue[]>('update', id, '--set-labels', 'b,c')).toMatchObject([{ labels: ['b', 'c'] }])
    expect(await json<Issue[]>('update', id, '--label', 'd')).toMatchObject([{ labels: ['b', 'c', 'd'] }])
    expect(await json('label', 'add', id, 'e')).toEqual([{ status: 'added', issue_id: id, label: 'e' }])
    expect(await json('label', 'add', 'f', id)).toEqual([{ status: 'added', issue_id: id, label: 'f' }])
    await json('label', 'remove', id, 'b')
    expect(await json<string[]>('label', 'list', id)).toEqual(['c', 'd', 'e', 'f'])
    await json('set-state', id, 'phase=red', '--reason', 'it began')
    expect(await json('set-state', id, 'phase=green')).toMatchObject({
      old_value: 'red',
      new_value: 'green',
      changed: true,
    })
    expect((await json<Issue[]>('show', id))[0]?.labels).toContain('phase:green')
  })
})

describe('lists with the filters of packs', () => {
  test('statuses and types may be several, and unknown ones are errors', async () => {
    const open = await create('Open', '-l', 'set')
    const begun = await create('Begun', '-l', 'set', '-t', 'bug')
    const closed = await create('Closed', '-l', 'set')
    await json('update', begun, '--status', 'in-progress')
    await json('close', closed)
    expect((await findIds('-l', 'set', '--status=open,in_progress')).sort()).toEqual([open, begun].sort())
    expect(await findIds('-l', 'set', '--status', 'in-progress')).toEqual([begun])
    expect((await findIds('-l', 'set', '--status', 'all')).sort()).toEqual([open, begun, closed].sort())
    expect((await findIds('-l', 'set', '--type=task,bug')).sort()).toEqual([open, begun].sort())
    expect(await findIds('--status', 'hooked')).toEqual([])
    expect(await json<object>('count', '--status=open,closed', '-t', 'bug')).toMatchObject({ count: 0 })
    for (const args of [
      ['list', '--status', 'opne'],
      ['list', '--status', 'open,done'],
      ['update', open, '--status', 'finished'],
      ['list', '--sort', 'colour'],
      ['list', '--priority', '7'],
      ['search', 'Open', '--status', 'opne'],
      ['list', '--created-after', 'soon'],
    ]) {
      expect([args, (await town.bd(args)).status]).toEqual([args, 2])
    }
    expect(await json<Issue[]>('show', open)).toMatchObject([{ status: 'open' }])
  })

  test('dates, texts and metadata narrow a list', async () => {
    const id = await create('Narrow zebra', '--set-metadata', 'stripe=1', '-d', 'black and white')
    for (const args of [
      ['--created-after', '1h'],
      ['--created-after', '2020-01-01'],
      ['--title-contains', 'ZEBRA'],
      ['--search', 'zebra white'],
      ['--has-metadata-key', 'stripe'],
      ['--ready'],
    ]) {
      expect([args, await findIds(...args)]).toEqual([args, expect.arrayContaining([id])])
    }
    for (const args of [
      ['--created-before', '2020-01-01'],
      ['--title-contains', 'horse'],
      ['--has-metadata-key', 'spot'],
      ['--closed-after', '1h'],
    ]) {
      expect([args, await findIds(...args)]).toEqual([args, expect.not.arrayContaining([id])])
    }
    await json('close', id)
    expect(await findIds('--closed-after', '1h')).toContain(id)
    expect((await findIds('--sort', 'created', '--reverse', '--all')).indexOf(id)).toBeGreaterThan(0)
  })

  test('blocked beads are listed with their blockers', async () => {
    const [wall, roof] = [await create('Wall'), await create('Roof')]
    await json('dep', wall, '--blocks', roof)
    const blocked = await json<(Issue & { blocked_by: string[] })[]>('blocked')
    expect(blocked.find(({ id }) => id === roof)).toMatchObject({ blocked_by: [wall], blocked_by_count: 1 })
    expect(await findIds('--ready')).not.toContain(roof)
  })
})

describe('bookkeeping', () => {
  test('is created, promoted to work, and deleted by closing', async () => {
    const id = await create('Wisp', '--ephemeral')
    expect(await json<Issue[]>('show', id)).toMatchObject([{ ephemeral: true }])
    expect(await json<Issue>('promote', id, '--reason', 'it is needed')).not.toHaveProperty('ephemeral')
    expect(await json<Issue[]>('show', id)).toMatchObject([{ comments: [{ text: 'Promoted: it is needed' }] }])
    await json('update', id, '--ephemeral')
    expect(await json<Issue[]>('update', id, '--persistent')).not.toMatchObject([{ ephemeral: true }])
    expect(await json('delete', id)).toMatchObject({ would_delete: [id] })
    expect(await json('delete', id, '--force')).toMatchObject({ deleted: [id], deleted_count: 1 })
    expect(await json<Issue[]>('show', id)).toMatchObject([{ status: 'closed' }])
  })

  test('abandoned bookkeeping is collected, but no messages', async () => {
    const id = await create('Abandoned', '--ephemeral')
    await town.json(['mail', 'send', 'human', '-s', 'Kept'])
    expect(await json('mol', 'wisp', 'gc', '--age', '1h')).toMatchObject({ cleaned_count: 0 })
    expect(await json('mol', 'wisp', 'gc', '--age', '0s', '--dry-run')).toMatchObject({ candidates: [{ id }] })
    expect(await json('mol', 'wisp', 'gc', '--age', '0s')).toMatchObject({ cleaned_ids: [id], cleaned_count: 1 })
  })

  test('all beads are exported to a file, as often as wanted', async () => {
    const id = await create('Exported')
    for (const _ of ['first', 'again']) expect((await town.bd(['export', '-o', town.at('beads.jsonl')])).status).toBe(0)
    expect(readFileSync(town.at('beads.jsonl'), 'utf8')).toContain(`"id":"${id}"`)
  })
})

describe('gates and molecules that stand on beads alone', () => {
  test('a gate blocks a bead until it is resolved', async () => {
    const id = await create('Behind a gate')
    const gate = await json<Issue>('gate', 'create', '--blocks', id, '--type', 'human', '--reason', 'ask first')
    expect(gate).toMatchObject({ issue_type: 'gate', await_type: 'human', title: 'ask first' })
    expect(await findIds('--ready')).not.toContain(id)
    expect(await findIds()).not.toContain(gate.id)
    expect(await findIds('--include-gates')).toContain(gate.id)
    expect((await json<Issue[]>('gate', 'list')).map((each) => each.id)).toContain(gate.id)
    expect(await json('gate', 'check')).toMatchObject({ resolved: 0 })
    expect(await json('gate', 'resolve', gate.id, '--reason', 'yes')).toMatchObject({ status: 'closed' })
    expect(await findIds('--ready')).toContain(id)
    expect((await town.bd(['gate', 'resolve', id])).err).toContain('is not a gate')
  })

  test('a timer resolves itself once it is due', async () => {
    const id = await create('Later')
    await json('gate', 'create', '--blocks', id, '--type', 'timer', '--timeout', '1h')
    expect(await json('gate', 'check', '--type', 'timer', '--dry-run')).toMatchObject({ resolved: 0, dry_run: true })
    expect(await findIds('--ready')).not.toContain(id)
    const soon = await create('Soon')
    await json('gate', 'create', '--blocks', soon, '--type', 'timer', '--timeout', '0s')
    await eventually(
      'the timer',
      5_000,
      () => findIds('--ready'),
      (ids) => ids.includes(soon),
    )
  })

  test('a molecule shows where its worker is, and is burned with its steps', async () => {
    const root = await create('Patrol', '-t', 'epic')
    const first = await create('Look', '--parent', root)
    const second = await create('Report', '--parent', root, '--deps', first)
    expect(await json('mol', 'current', root)).toMatchObject([
      { molecule_id: root, next_step: { id: first }, completed: 0, total: 2 },
    ])
    await json('update', first, '--status', 'in_progress')
    const [molecule] = await json<{ steps: object[] }[]>('mol', 'current', root)
    expect(molecule).toMatchObject({ current_step: { id: first } })
    expect(molecule?.steps).toMatchObject([
      { issue: { id: first }, status: 'current', is_current: true },
      { issue: { id: second }, status: 'blocked', is_current: false },
    ])
    await json('close', first)
    expect(await json('mol', 'progress', root)).toMatchObject({ completed: 1, total: 2, percent: 50 })
    expect(await json('mol', 'show', root)).toMatchObject({ root: { id: root } })
    expect(await json('mol', 'burn', root, '--force')).toMatchObject({ molecule_id: root, deleted_count: 3 })
    expect(await json<Issue[]>('show', root, second)).toMatchObject([{ status: 'closed' }, { status: 'closed' }])
  })

  test('a wisp is poured from a formula and burned, and a molecule is poured to stay', async () => {
    mkdirSync(join(town.city, 'formulas'), { recursive: true })
    const formula = 'formula = "round"\n[[steps]]\nid = "a"\ntitle = "A {{n}}"\n'
    writeFileSync(join(town.city, 'formulas', 'round.toml'), formula)
    const wisp = await json<{ new_epic_id: string }>('mol', 'wisp', 'round', '--root-only', '--var', 'n=1')
    expect(await json('formula', 'show', 'round')).toMatchObject({ name: 'round' })
    const root = { title: 'round', ephemeral: true, issue_type: 'molecule', status: 'open' }
    expect(await json<Issue[]>('show', wisp.new_epic_id)).toMatchObject([root])
    await json('update', wisp.new_epic_id, '--status', 'in_progress')
    expect(await findIds('--status', 'in_progress', '--type', 'molecule')).toEqual([wisp.new_epic_id])
    expect(await json('mol', 'burn', wisp.new_epic_id, '--force')).toMatchObject({ deleted_count: 1 })
    const molecule = await json<{ new_epic_id: string }>('mol', 'pour', 'round', '--var', 'n=2')
    const { steps } = await json<{ steps: { issue: Issue }[] }[]>('mol', 'current', molecule.new_epic_id).then(
      ([first]) => first ?? { steps: [] },
    )
    expect(steps.map(({ issue }) => issue.title)).toEqual(['A 2'])
    expect((await town.bd(['mol', 'pour', 'round'])).err).toContain('unresolved variable(s) n')
  })
})

test('commands for another storage answer truly and change nothing', async () => {
  for (const args of [['init'], ['dolt', 'push', '--force'], ['gc'], ['sync'], ['config', 'set', 'a.b', 'c']])
    expect([args, (await town.bd(args)).status]).toEqual([args, 0])
  expect((await town.bd(['config', 'get', 'a.b'])).out).toBe('a.b (not set)\n')
  for (const args of [
    ['sql', 'select 1'],
    ['rename-prefix', 'x'],
  ])
    expect([args, (await town.bd(args)).status]).toEqual([args, 1])
})

test('bd prints its version and how to use beads', async () => {
  expect((await town.bd(['--version'])).out).toMatch(/^bd version \d+\.\d+\.\d+/)
  const { status, out } = await town.bd(['prime'])
  expect([status, out]).toEqual([0, expect.stringContaining('bd ready')])
})

test('the supervisor reported no unexpected errors', () => {
  expect(town.reports).toEqual([])
})
