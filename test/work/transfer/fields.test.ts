import { describe, expect, test } from 'bun:test'
import type { BeadsImported } from '../../../src/work/transfer/schema.ts'
import { human } from '../world.ts'
import { openTransfer } from './world.ts'

type Line = Readonly<Record<string, unknown>>

const BARE: Line = { id: 'mi-1', title: 't', created_at: '2025-11-02T01:00:00Z', updated_at: '2025-11-03T01:00:00Z' }

/** Every field of an issue of bd, with a value as its export has it. */
const FIELDS: Line = {
  ...{ description: 'what', design: 'd', acceptance_criteria: 'ac', notes: '5', spec_id: 's', external_ref: 'gh-9' },
  ...{ status: 'closed', priority: 0, issue_type: 'bug', assignee: 'ada', owner: 'a@b.c', created_by: 'ada' },
  ...{ estimated_minutes: 90, started_at: '2025-11-02T02:00:00.5Z', closed_at: '2025-11-02T23:00:00Z' },
  ...{
    close_reason: 'done',
    closed_by_session: 's-1',
    due_at: '2025-12-01T00:00:00Z',
    defer_until: '2025-11-30T00:00:00Z',
  },
  ...{ source_system: 'hub', metadata: { a: 'x', n: 5, deep: { list: [1, null] }, 'gc.routed_to': 'press/hand' } },
  ...{ compaction_level: 1, compacted_at: '2025-11-04T00:00:00Z', compacted_at_commit: 'abc', original_size: 900 },
  ...{ labels: ['b', 'a'], sender: 'bob', ephemeral: true, wisp_type: 'patrol', pinned: true, is_template: false },
  ...{ bonded_from: [{ source_id: 'mi-8', bond_type: 'parallel' }], waiters: ['ada'], mol_type: 'swarm' },
  ...{ source_formula: 'f', source_location: 'steps[0]', work_type: 'mutex', event_kind: 'agent.started' },
  ...{ actor: 'a', target: 't', payload: '{"x":1}', await_type: 'human', await_id: '7', timeout: 60_000_000_000 },
  ...{ quality_score: 0.5, later: '12', empty: '', none: null, 'odd name': [true] },
  dependencies: [
    {
      ...{ issue_id: 'mi-1', depends_on_id: 'mi-2', type: 'blocks', created_at: '2025-11-02T05:00:00.25Z' },
      ...{ created_by: 'ada', metadata: '{"gate":"all-children"}', thread_id: 'th' },
    },
    { issue_id: 'mi-1', depends_on_id: 'mi-3', type: 'tracks', created_at: '2025-11-02T01:00:00Z', metadata: '{}' },
  ],
  comments: [{ id: 'c1', issue_id: 'mi-1', author: 'ada', text: 'begun', created_at: '2025-11-02T03:00:00Z' }],
}

const issueOf = ({ _type, rig, ...issue }: Line): Line => issue

describe('a field of an issue of bd', () => {
  test('has one name and one value in the file, when shown, exported and imported elsewhere', async () => {
    await using here = await openTransfer()
    await using there = await openTransfer()
    const line = { ...BARE, ...FIELDS }
    await here.put(JSON.stringify(line))
    const { comments, ...shown } = line
    const records: Line[] = here.transfer.records({ ids: 'mi-1,mi-9' }).items
    expect(records).toEqual([{ ...shown, comment_count: 1, dependency_count: 2, dependent_count: 0 }])
    const file = await here.file()
    expect(issueOf(JSON.parse(file))).toEqual({ ...shown, comments })
    await there.put(file)
    expect(await there.file()).toBe(file)
    expect(await there.put(file)).toMatchObject({ unchanged: 1 })
    await here.store.write((tx) => void here.beadRepository.change(tx, 'mi-1', { title: 'other' }))
    expect(here.transfer.records({ ids: 'mi-1' }).items).toMatchObject([
      { ...shown, title: 'other', updated_at: expect.any(String) },
    ])
  })

  test('is kept in a large file as in a small one', async () => {
    await using here = await openTransfer()
    const line = { ...BARE, ...FIELDS }
    const others = Array.from({ length: 70 }, (_, n) => ({
      ...BARE,
      id: `pr-${n + 10}`,
      description: 'x'.repeat(1000),
    }))
    await here.put([line, ...others].map((each) => JSON.stringify(each)).join('\n'))
    const { comments: _, ...shown } = line
    expect(here.transfer.records({ ids: 'mi-1' }).items).toMatchObject([shown])
    const file = await here.file()
    expect(await here.put(file)).toMatchObject({ unchanged: 71 })
  })

  test('is the same whether gc itself wrote it or an import', async () => {
    await using here = await openTransfer()
    const metadata = {
      design: 'd',
      notes: 'n',
      acceptance_criteria: 'ac',
      external_ref: 'gh-9',
      estimated_minutes: '5',
    }
    const { id } = await here.add({ title: 't', metadata })
    const fields = { design: 'd', notes: 'n', acceptance_criteria: 'ac', external_ref: 'gh-9', estimated_minutes: 5 }
    await here.put(JSON.stringify({ ...BARE, id: 'mi-90', ...fields }))
    expect(here.beadRepository.get('mi-90').metadata).toEqual(metadata)
    for (const each of [id, 'mi-90']) expect(here.transfer.records({ ids: each }).items).toMatchObject([fields])
  })

  test('of a gate is what the gate waits for', async () => {
    await using here = await openTransfer()
    const gate = { ...BARE, issue_type: 'gate', await_type: 'timer', timeout: 90_000_000_000 }
    await here.put(JSON.stringify(gate))
    expect(here.beadRepository.get('mi-1').metadata).toEqual({ await_type: 'timer', timeout: '90000' })
    expect(issueOf(JSON.parse(await here.file()))).toMatchObject(gate)
  })

  test('survives beside metadata of its name, and in files of earlier versions', async () => {
    await using here = await openTransfer()
    await here.put(JSON.stringify({ ...BARE, design: 'd', metadata: { design: 'x', 'bd.owner': 'o', 'bd.zz': '[1]' } }))
    const line = issueOf(JSON.parse(await here.file()))
    expect(line).toEqual({
      ...{ ...BARE, priority: 2, status: 'open', issue_type: 'task' },
      ...{ design: 'd', metadata: { design: 'x' }, owner: 'o', zz: [1] },
    })
  })

  test('of the wrong kind makes the line invalid', async () => {
    await using here = await openTransfer()
    const put = (fields: object) => here.put(JSON.stringify({ ...BARE, ...fields }))
    await expect(put({ design: 5 })).rejects.toThrow('line 1 is not a bead: design must be a string')
    await expect(put({ due_at: 'soon' })).rejects.toThrow('line 1 is not a bead: due_at must be a timestamp')
    await expect(put({ estimated_minutes: 0.5 })).rejects.toThrow('estimated_minutes must be an integer')
  })
})

describe('the time of a close', () => {
  const closedAt = ({ transfer }: Awaited<ReturnType<typeof openTransfer>>, id: string) =>
    transfer.records({ ids: id }).items[0]?.closed_at

  test('stays when a closed bead changes, and goes when it is reopened', async () => {
    await using here = await openTransfer()
    const { id } = await here.add({ title: 't' })
    const closed = await here.store.write((tx) => here.beadRepository.close(tx, id))
    const at = Date.parse(closed.updated_at ?? '')
    await here.clock.advance(5000)
    await here.store.write((tx) => void here.beadRepository.change(tx, id, { labels: ['late'] }))
    await here.store.write((tx) => void here.beadRepository.depend(tx, id, ['mi-77'], 'tracks'))
    expect(Date.parse(closedAt(here, id) ?? '')).toBe(at)
    expect(here.beadRepository.get(id).metadata).toEqual({ closed_at: new Date(at).toISOString() })
    const file = await here.file()
    await using there = await openTransfer()
    await there.put(file)
    expect(await there.file()).toBe(file)
    await here.store.write((tx) => void here.beadRepository.reopen(tx, id))
    expect(closedAt(here, id)).toBeUndefined()
    await here.clock.advance(5000)
    await here.store.write((tx) => void here.beadRepository.close(tx, id))
    expect(Date.parse(closedAt(here, id) ?? '')).toBe(here.clock.now())
  })

  test('is read with its offset', async () => {
    await using here = await openTransfer()
    const closed = { ...BARE, status: 'closed', closed_at: '2025-11-03T01:00:00.123456+02:00' }
    await here.put(JSON.stringify(closed))
    expect(closedAt(here, 'mi-1')).toBe('2025-11-02T23:00:00.123Z')
  })
})

describe('a dependency', () => {
  test('that is added has its own time and author', async () => {
    await using here = await openTransfer()
    const ada = here.caller((await here.session('ada')).id)
    const [a, b] = [await here.add({ title: 'a' }), await here.add({ title: 'b' })]
    await here.clock.advance(5000)
    await here.beads.depend(ada, a.id, { depends_on_id: b.id })
    expect(here.transfer.records({ ids: a.id }).items[0]?.dependencies).toEqual([
      {
        ...{ issue_id: a.id, depends_on_id: b.id, type: 'blocks', metadata: '{}', created_by: 'ada' },
        created_at: new Date(here.clock.now()).toISOString().replace('.000Z', 'Z'),
      },
    ])
  })

  test('stands for the parent in an export, and is not a dependency of its own when it comes back', async () => {
    await using here = await openTransfer()
    const epic = await here.add({ title: 'epic' })
    const part = await here.add({ title: 'part', parent: epic.id })
    const file = await here.file()
    expect(JSON.parse(file.split('\n')[1] ?? '')).toMatchObject({
      parent: epic.id,
      dependencies: [{ issue_id: part.id, depends_on_id: epic.id, type: 'parent-child' }],
    })
    expect(await here.put(file)).toMatchObject({ unchanged: 2 })
    await using there = await openTransfer()
    await there.put(file)
    expect(there.beadRepository.get(part.id)).toMatchObject({ parent: epic.id })
    expect(there.beadRepository.dependenciesOf(part.id)).toEqual([])
    expect(await there.file()).toBe(file)
  })
})

describe('a line about a bead that exists', () => {
  const NOTHING: BeadsImported = { created: 0, updated: 0, unchanged: 0, skipped: 0, skips: {}, skipped_lines: [] }

  test('is skipped when it is older than the bead, or would reopen it without being newer', async () => {
    await using here = await openTransfer()
    const { id } = await here.add({ title: 't' })
    const before = await here.file()
    await here.clock.advance(1000)
    await here.store.write((tx) => void here.beadRepository.close(tx, id, 'all good'))
    here.recorded()
    const older = { ...NOTHING, skipped: 1, skips: { older: 1 }, skipped_lines: [{ line: 1, kind: 'older', id }] }
    expect(await here.put(before)).toEqual(older)
    const line = JSON.parse(before)
    const { updated_at } = JSON.parse(await here.file())
    expect(await here.put(JSON.stringify({ ...line, updated_at }))).toEqual(older)
    const { updated_at: _, ...undated } = line
    expect(await here.put(JSON.stringify(undated))).toEqual(older)
    expect(here.recorded()).toEqual([])
    expect(here.beadRepository.get(id)).toMatchObject({ status: 'closed', metadata: { close_reason: 'all good' } })
    const newer = new Date(here.clock.now() + 1).toISOString()
    expect(await here.put(JSON.stringify({ ...line, updated_at: newer }))).toEqual({ ...NOTHING, updated: 1 })
    expect(here.beadRepository.get(id).status).toBe('open')
  })

  test('is skipped when it would take the bead from a session, except by force of a person', async () => {
    await using here = await openTransfer()
    const ada = here.caller((await here.session('ada')).id)
    const { id } = await here.add({ title: 't' })
    await here.claims.claim(ada, id)
    const [held = ''] = (await here.file()).split('\n').filter((text) => text.includes(`"id":"${id}"`))
    await here.clock.advance(1000)
    const line = { ...JSON.parse(held), updated_at: new Date(here.clock.now()).toISOString() }
    const taking = JSON.stringify({ ...line, status: 'closed' })
    const skip = { ...NOTHING, skipped: 1, skips: { held: 1 }, skipped_lines: [{ line: 1, kind: 'held', id }] }
    expect(await here.put(taking)).toEqual(skip)
    expect(await here.put(JSON.stringify({ ...line, assignee: 'bob' }))).toEqual(skip)
    expect(await here.put(JSON.stringify({ ...line, title: 'renamed' }))).toEqual({ ...NOTHING, updated: 1 })
    expect(here.beadRepository.get(id)).toMatchObject({ status: 'in_progress', title: 'renamed' })
    const bytes = () => new TextEncoder().encode(taking)
    const { signal } = new AbortController()
    await expect(here.transfer.import(ada, bytes(), signal, { force: true })).rejects.toMatchObject({ status: 403 })
    const script = { kind: 'process', city: 'mill', name: 'order x', may: ['maintain'] } as const
    await expect(here.transfer.import(script, bytes(), signal, { force: true })).rejects.toMatchObject({ status: 403 })
    here.recorded()
    expect(await here.transfer.import(human, bytes(), signal, { force: true })).toEqual({ ...NOTHING, updated: 1 })
    expect(here.recorded()).toEqual([`bead.updated ${id}`, `bead.closed ${id}`, `bead.claim_displaced ${id}`])
  })
})

describe('a line that is not a live bead', () => {
  const OTHERS: Readonly<Record<string, Line>> = {
    memory: { _type: 'memory', key: 'k', value: 'v' },
    header: { _type: 'header', version: 1 },
    other: { _type: 'a b' },
    config: { key: 'issue_prefix', value: 'pr' },
    event: { id: 1, issue_id: 'pr-1', event_type: 'closed', actor: 'a', created_at: BARE.created_at },
    interaction: { id: 'int-1', kind: 'llm_call', created_at: BARE.created_at },
    comment: { id: 1, issue_id: 'pr-1', author: 'a', text: 'x', created_at: BARE.created_at },
    dependency: { issue_id: 'pr-1', depends_on_id: 'pr-2', type: 'blocks' },
    label: { issue_id: 'pr-1', label: 'x' },
    route: { prefix: 'pr-', path: 'x' },
    deletion: { id: 'pr-1', ts: BARE.created_at, by: 'a' },
    session: { ...BARE, issue_type: 'session' },
    wait: { ...BARE, id: 'mi-5', labels: ['gc:wait'] },
    tombstone: { ...BARE, id: 'mi-6', status: 'tombstone', deleted_at: BARE.created_at },
  }
  const lines = Object.values(OTHERS).map((line) => JSON.stringify(line))

  test.each([0, 70])('is skipped by name and counted, beside %p long beads', async (many) => {
    await using here = await openTransfer()
    const beads = Array.from({ length: many + 1 }, (_, n) =>
      JSON.stringify({ ...BARE, id: `pr-${n + 10}`, description: 'x'.repeat(1000) }),
    )
    const result = await here.put([...lines, ...beads].join('\n'))
    expect(result).toMatchObject({ created: many + 1, skipped: lines.length })
    expect(result.skips).toEqual(Object.fromEntries(Object.keys(OTHERS).map((kind) => [kind, 1])))
    expect(result.skipped_lines.map(({ kind, line }) => [line, kind])).toEqual(
      Object.keys(OTHERS).map((kind, at) => [at + 1, kind]),
    )
    expect(here.beads.total()).toBe(many + 1)
  })

  test.each([0, 70])('blocks nothing when it is a deleted bead, beside %p long beads', async (many) => {
    await using here = await openTransfer()
    const waiting = await here.add({ title: 'before', needs: ['pr-t', 'tracks:pr-t'] })
    const beads = Array.from({ length: many }, (_, n) => ({
      ...BARE,
      id: `pr-${n + 10}`,
      description: 'x'.repeat(1000),
    }))
    const dependencies = [{ depends_on_id: 'pr-t' }, { depends_on_id: 'pr-9' }]
    const file = [{ ...BARE, id: 'mi-80', dependencies }, { ...BARE, id: 'pr-t', status: 'tombstone' }, ...beads]
    here.recorded()
    await here.put(file.map((line) => JSON.stringify(line)).join('\n'))
    expect(here.recorded().at(-1)).toBe(`bead.updated ${waiting.id}`)
    expect(here.beads.ready().value.items.map(({ id }) => id)).toContain(waiting.id)
    expect(here.beadRepository.dependenciesOf('mi-80')).toEqual([
      { issue_id: 'mi-80', depends_on_id: 'pr-9', type: 'blocks' },
    ])
    expect(here.beadRepository.find('pr-t')).toBeUndefined()
  })

  test('is closed when its status says that it is over', async () => {
    await using here = await openTransfer()
    const a = await here.add({ title: 'a' })
    const b = await here.add({ title: 'b', needs: [a.id] })
    here.recorded()
    await here.store.write((tx) => void here.beadRepository.change(tx, a.id, { status: 'tombstone' }))
    expect(here.recorded()).toEqual([`bead.updated ${a.id}`, `bead.closed ${a.id}`])
    expect(here.beadRepository.get(b.id).is_blocked).toBe(false)
    expect(here.beadRepository.get(a.id).status).toBe('closed')
  })
})

test('invalid lines are all named, and nothing is imported', async () => {
  await using here = await openTransfer()
  const good = JSON.stringify(BARE)
  const names = async (text: string) => {
    const error = await here.put(text).catch((thrown) => thrown)
    return error.fieldErrors.map(({ message }: { message: string }) => message)
  }
  const long = JSON.stringify({ ...BARE, id: 'mi-2', description: 'x'.repeat(70_000) })
  for (const file of [`x\n${good}\n{"id":1}`, `x\n${long}\n{"id":1}`]) {
    expect(await names(file)).toEqual(['line 1 is not JSON', 'line 3 is not a bead: title is required'])
  }
  expect(here.all()).toEqual([])
})
