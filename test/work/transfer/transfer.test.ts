import { describe, expect, test } from 'bun:test'
import { GC } from '../../../src/core/actor.ts'
import { errorMessage } from '../../../src/core/errors.ts'
import { query } from '../../../src/core/store/index.ts'
import type { Bead } from '../../../src/work/schema.ts'
import { runImport } from '../../../src/work/transfer/bulk/run-import.ts'
import type { BeadsImported } from '../../../src/work/transfer/schema.ts'
import { SEED } from '../../support/seed.ts'
import { SeededRandom } from '../model/random.ts'
import { human, type Work } from '../world.ts'
import { openTransfer } from './world.ts'

type Transfer = Awaited<ReturnType<typeof openTransfer>>

const NOTHING: BeadsImported = { created: 0, updated: 0, unchanged: 0, skipped: 0, skips: {}, skipped_lines: [] }

/** Makes a file of lines so long that it is imported in a thread of its own. */
const LONG = 'What has to be done, and how one sees that it is done. '.repeat(20)

/** Lines of beads that wait for later ones and track others; some ids come twice. */
function randomLines(count: number, description = ''): string[] {
  const random = new SeededRandom(SEED)
  const below = (limit: number) => Math.floor(random.next() * limit)
  return Array.from({ length: count }, (_, index) => {
    const number = random.oneIn(8) ? below(count) : index
    const awaited = { depends_on_id: `mi-${number + 1 + below(30)}`, type: 'blocks' }
    const tracked = { depends_on_id: `mi-${number - 1 - below(30)}`, type: 'tracks' }
    return JSON.stringify({
      id: `mi-${number}`,
      title: `bead ${index}`,
      status: random.pick(['open', 'in_progress', 'closed', 'closed']),
      created_at: new Date(1.7e12 + index * 1000).toISOString(),
      dependencies: random.sample([awaited, tracked], 2),
      issue_type: random.pick(['task', 'bug', 'gate']),
      labels: random.sample(['a', 'b', 'c'], 3),
      assignee: random.pick(['', 'ada', 'bob']),
      ...(description !== '' && { description }),
    })
  })
}

/** Stored rows of beads, without version fields. */
function keptRows({ store }: Pick<Work, 'store'>): unknown[] {
  const beads = 'SELECT n, id, status, labels, assignee, blockers, edges, ready FROM beads ORDER BY n'
  const others = ['bead_counts', 'bead_labels', 'bead_label_counts', 'bead_assignee_counts', 'bead_edges', 'bead_bulk']
  return [beads, ...others.map((table) => `SELECT * FROM ${table}`)].map((sql) => store.all(query<unknown>(sql)))
}

const DAY = '2025-11-08T12:00:00Z'
const COMMENT = { id: 'c1', author: 'ada', text: 'begun', created_at: DAY }
const idOf = (line: string): string => JSON.parse(line).id

/** Lines of new beads, numbered from 1. */
const largeFile = (count: number, prefix = 'mi'): string[] =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      id: `${prefix}-${index + 1}`,
      title: `bead ${index}`,
      created_at: DAY,
      description: LONG,
      labels: ['a'],
    }),
  )

/** The same with beads in the order of their ids: lines that change beads are imported last in a large file. */
const withoutNumbers = ([beads, ...others]: unknown[]) => [
  (beads as { id: string }[])
    .map(({ id, ...bead }) => ({ ...bead, n: 0, id }))
    .toSorted((a, b) => a.id.localeCompare(b.id)),
  ...others,
]

describe('beads that are exported and imported', () => {
  test('are the same in another city: ids, times, labels, edges, parents, metadata, mail', async () => {
    await using from = await openTransfer()
    const ada = from.caller((await from.session('ada')).id)
    const epic = await from.add({ title: 'Epic – “ä”', type: 'epic', labels: ['b', 'a'], priority: 0, rig: 'press' })
    await from.clock.advance(1000)
    const part = await from.add({
      title: 'part',
      parent: epic.id,
      description: 'line\nline',
      metadata: { x: '1', 'gc.routed_to': 'press/hand' },
      needs: [epic.id, 'tracks:mi-99'],
      deferUntil: Date.parse('2030-01-01T00:00:00Z'),
      assignee: 'ada',
    })
    const done = await from.add({ title: 'done', needs: [part.id] })
    await from.store.write((tx) => void from.beadRepository.close(tx, done.id, 'all good'))
    const mail = await from.mail.send(human, { to: 'clerk', subject: 'Hi', from: 'boss' })
    const reply = await from.mail.reply(human, mail.id, { body: 'x' })
    await from.mail.read(human, mail.id)
    await from.mail.archive(human, reply.id)
    await from.comments.create(ada, part.id, { text: 'begun\n“ä”' })
    await from.clock.advance(1000)
    await from.comments.create(human, part.id, { text: 'and?' })
    await from.sessions.running.close('ada', human, { remove: true })
    const file = await from.file()
    expect(file.split('\n')).toHaveLength(6)

    await using to = await openTransfer()
    expect(await to.put(file)).toEqual({ ...NOTHING, created: 5 })
    expect(to.recorded().map((line) => line.split(' ')[0])).toEqual([
      ...Array(5).fill('bead.created'),
      ...Array(2).fill('bead.commented'),
    ])
    expect(to.all()).toEqual(from.all().map((bead) => ({ ...bead, priority: bead.priority ?? 2 })))
    expect(to.comments.list(part.id, {})).toEqual(from.comments.list(part.id, {}))
    expect(to.comments.list(part.id, {}).items).toMatchObject([
      { issue_id: part.id, author: 'ada', text: 'begun\n“ä”', created_at: expect.any(String) },
      { author: 'human', text: 'and?' },
    ])
    expect(await to.file()).toBe(file)
    expect(to.beads.counts()).toEqual(from.beads.counts())
    expect(to.beads.list({ label: 'a' }).value).toEqual(from.beads.list({ label: 'a' }).value)
    expect(to.mail.list({ status: 'all' })).toEqual(from.mail.list({ status: 'all' }))
    expect(to.mail.count({})).toEqual({ total: 1, unread: 0 })
    expect(await to.put(file)).toEqual({ ...NOTHING, unchanged: 5 })
    expect(to.recorded()).toEqual([])
    expect((await to.add({ title: 'new' })).id).toBe('mi-6')
    await to.store.write((tx) => void to.beadRepository.close(tx, epic.id))
    expect(to.beadRepository.get(part.id).is_blocked).toBe(false)
  })

  test('are counted, labelled and blocked as if each was imported alone', async () => {
    const lines = randomLines(150)
    await using together = await openTransfer()
    await using alone = await openTransfer()
    await together.put(lines.join('\n'))
    for (const line of lines) await alone.put(line)
    const [is, expected] = [keptRows(together), keptRows(alone)]
    expect(is).toEqual(expected)
  })

  test('are counted, labelled and blocked in a large file as if they were imported a few at a time', async () => {
    const lines = randomLines(150, LONG)
    await using together = await openTransfer()
    await using few = await openTransfer()
    const waiting = { title: 'waits for what is not there yet', needs: ['mi-140', 'waits-for:mi-141', 'mi-142'] }
    for (const world of [together, few]) await world.add({ ...waiting, rig: 'press' })
    expect(await together.put(lines.join('\n'))).toMatchObject({ created: new Set(lines.map(idOf)).size })
    for (let start = 0; start < lines.length; start += 15) await few.put(lines.slice(start, start + 15).join('\n'))
    expect(withoutNumbers(keptRows(together))).toEqual(withoutNumbers(keptRows(few)))
    expect(together.all()).toEqual(few.all())
    const created = (world: Transfer) => world.recorded().filter((event) => event.startsWith('bead.created'))
    expect(created(together).toSorted()).toEqual(created(few).toSorted())
    const found = async ({ search }: Transfer) => (await search.find({ q: 'bead', limit: 1000 })).items
    expect(await found(together)).toEqual(await found(few))
    expect(await found(together)).not.toBeEmpty()
  })

  test('are written together in a large file, with their comments, and are followed in order', async () => {
    await using world = await openTransfer()
    const lines = largeFile(200)
    const comments = [
      { id: 'a', author: 'ada', text: 'begun' },
      { id: 'a', author: 'ada', text: 'begun again' },
      { id: 'b', author: 'bob', text: 'done' },
    ]
    lines[7] = JSON.stringify({ ...JSON.parse(lines[7] ?? ''), comments })
    const followed: number[] = []
    world.log.subscribe(({ seq }) => void followed.push(seq))
    const before = world.log.head
    expect(await world.put(lines.join('\n'))).toEqual({ ...NOTHING, created: 200 })
    expect(followed).toEqual(Array.from({ length: 202 }, (_, index) => before + 1 + index))
    expect(world.recorded().toSorted()).toEqual(
      [...lines.map((line) => `bead.created ${idOf(line)}`), ...Array(2).fill('bead.commented mi-8')].toSorted(),
    )
    expect(world.comments.listAll('mi-8')).toMatchObject([{ id: 'a', text: 'begun again' }, { id: 'b' }])
    const [event] = world.log.page({ type: 'bead.created', limit: 1 }).items
    expect(event).toMatchObject({
      actor: 'human',
      subject: 'mi-200',
      payload: { bead: world.beadRepository.get('mi-200') },
    })
    const file = await world.file()
    expect(await world.put(file)).toEqual({ ...NOTHING, unchanged: 200 })
    expect(world.recorded()).toEqual([])
    expect((await world.add({ title: 'new' })).id).toBe('mi-201')
    await using copy = await openTransfer()
    await copy.put(file)
    expect(await copy.file()).toBe(file)
  })

  test('are all left out when a line of a large file cannot be imported', async () => {
    await using world = await openTransfer()
    const session = await world.session('ada')
    const before = keptRows(world)
    world.recorded()
    const lines = largeFile(200, 'sa')
    const failure = (...more: object[]) =>
      world
        .put([...lines, ...more.map((line) => JSON.stringify({ title: 't', created_at: DAY, ...line }))].join('\n'))
        .then(() => 'imported', errorMessage)
    const waiting = (id: string, target: string) => ({ id, dependencies: [{ depends_on_id: target }] })
    expect(await failure({ id: 'mi-x', title: 1 })).toBe('line 201 is not a bead: title must be a string')
    expect(await failure({ id: session.id })).toContain('is a session of this city')
    expect(await failure(waiting('mi-x', 'mi-x'))).toBe('line 201 makes bead mi-x depend on itself')
    expect(await failure(waiting('mi-x', 'mi-y'), waiting('mi-y', 'mi-z'), waiting('mi-z', 'mi-x'))).toBe(
      'bead mi-x cannot wait for mi-y: they would wait for each other, mi-x → mi-y → mi-z → mi-x',
    )
    const controller = new AbortController()
    controller.abort()
    expect(await world.put(lines.join('\n'), controller).catch(errorMessage)).toContain('was stopped and rolled back')
    expect(keptRows(world)).toEqual(before)
    expect(world.recorded()).toEqual([])
    expect(await world.put(lines.join('\n'))).toEqual({ ...NOTHING, created: 200 })
    expect((await world.add({ title: 'new', labels: ['x'], rig: 'saw' })).id).toBe('sa-201')
    expect(world.beads.list({ label: 'x' }).value.total).toBe(1)
  })

  test('are all left out when a line of a small file cannot be imported', async () => {
    await using world = await openTransfer()
    const session = await world.session('ada')
    const old = await world.add({ title: 'old' })
    const before = keptRows(world)
    world.recorded()
    const lines = [
      ...Array.from({ length: 60 }, (_, index) => ({ id: `mi-x${index}`, title: 't', comments: [COMMENT] })),
      { id: old.id, title: 'new' },
      { id: session.id, title: 't' },
    ].map((line) => JSON.stringify({ ...line, created_at: DAY }))
    expect(await world.put(lines.join('\n')).catch(errorMessage)).toContain('is a session of this city')
    expect(keptRows(world)).toEqual(before)
    expect(world.beadRepository.get(old.id).title).toBe('old')
    expect(world.recorded()).toEqual([])
  })

  test('of a large file that took too long are all left out, and of one that ends between, the next import does the rest', async () => {
    await using world = await openTransfer()
    const old = await Promise.all(Array.from({ length: 250 }, (_, index) => world.add({ title: `old ${index}` })))
    const changed = old.map(({ id, updated_at }) =>
      JSON.stringify({ id, title: 'changed', created_at: DAY, updated_at }),
    )
    const file = [...largeFile(200, 'sa'), ...changed].join('\n')
    const rows = keptRows(world)
    const job = {
      ...{ path: world.store.path, bytes: new TextEncoder().encode(file), actor: GC, now: 0 },
      ...{ rigs: [], separateTypes: [], isAbandoned: new SharedArrayBuffer(4) },
    }
    expect(() => runImport(job, () => {}, -1)).toThrow('took longer than 60 s and was rolled back')
    expect(keptRows(world)).toEqual(rows)

    const client = new AbortController()
    const isChanged = ({ id }: Bead) => world.beadRepository.get(id).title === 'changed'
    const stopping = world.log.subscribe(({ type }) => {
      if (type === 'bead.updated') client.abort()
    })
    expect(await world.put(file, client).catch(errorMessage)).toContain('aborted')
    stopping()
    expect(world.beadRepository.find('sa-200')).toBeDefined()
    expect(old.filter(isChanged)).toHaveLength(200)
    expect(await world.put(file)).toEqual({ ...NOTHING, updated: 50, unchanged: 400 })
    expect(old.every(isChanged)).toBe(true)
  })

  test('that wait for beads of before make no cycle in a large file', async () => {
    await using world = await openTransfer()
    const old = await world.add({ title: 'old', needs: ['mi-900'] })
    const lines = largeFile(200)
    const line = { id: 'mi-900', title: 't', created_at: DAY, dependencies: [{ depends_on_id: old.id }] }
    expect(await world.put([...lines.slice(1), JSON.stringify(line)].join('\n')).catch(errorMessage)).toContain(
      'mi-900 → mi-1 → mi-900',
    )
    expect(world.all()).toHaveLength(1)
  })

  test('change beads of before in a large file as well', async () => {
    await using world = await openTransfer()
    const a = await world.add({ title: 'a', labels: ['x'] })
    const b = await world.add({ title: 'b', needs: [a.id] })
    const mail = await world.mail.send(human, { to: 'clerk', subject: 'Hi', from: 'boss' })
    const file = (await world.file()).trimEnd().split('\n')
    world.recorded()
    const changed = file.map((line) => line.replace('"title":"a"', '"title":"A"').replace('"open"', '"closed"'))
    const lines = [...changed.slice(0, 2), ...file.slice(2), ...largeFile(203).slice(3)]
    expect(await world.put(lines.join('\n'))).toEqual({ ...NOTHING, created: 200, updated: 2, unchanged: 1 })
    const others = world.recorded().filter((event) => !event.startsWith('bead.created'))
    expect(others).toEqual([
      `bead.updated ${a.id}`,
      `bead.closed ${a.id}`,
      `bead.updated ${b.id}`,
      `bead.closed ${b.id}`,
    ])
    expect(world.beadRepository.get(a.id).title).toBe('A')
    expect(world.mail.get(mail.id)).toMatchObject({ id: mail.id })
  })

  test('change existing beads, and record each change once', async () => {
    await using world = await openTransfer()
    const a = await world.add({ title: 'a', labels: ['x'] })
    const b = await world.add({ title: 'b', needs: [a.id] })
    const [one = ''] = (await world.file()).split('\n')
    world.recorded()
    const changed = {
      ...JSON.parse(one),
      title: 'A',
      status: 'closed',
      labels: ['y'],
      created_at: '2020-01-01T00:00:00Z',
    }
    expect(await world.put(JSON.stringify(changed))).toEqual({ ...NOTHING, updated: 1 })
    expect(world.recorded()).toEqual([`bead.updated ${a.id}`, `bead.closed ${a.id}`])
    expect(world.beadRepository.get(a.id)).toMatchObject({
      title: 'A',
      labels: ['y'],
      created_at: '2020-01-01T00:00:00.000Z',
    })
    expect(world.beads.list({ label: 'x', all: true }).value.total).toBe(0)
    expect(world.beads.list({ label: 'y', status: 'closed' }).value.items.map(({ id }) => id)).toEqual([a.id])
    expect(world.beads.ready().value.items.map(({ id }) => id)).toEqual([b.id])
  })

  test('from bd keep fields that a bead has not as metadata, and leave out sessions', async () => {
    const ONE_SESSION = {
      ...{ skipped: 1, skips: { session: 1 } },
      skipped_lines: [{ line: 3, kind: 'session', id: 'mi-8' }],
    }
    await using world = await openTransfer()
    const lines = [
      {
        id: 'pr-a3f.1',
        title: 't',
        created_at: '2025-11-08T12:00:00.123456-08:00',
        design: 'd',
        estimated_minutes: 5,
        later: [1],
      },
      {
        id: 'mi-7',
        title: 'child',
        created_at: '2025-11-08T12:00:00Z',
        dependencies: [{ issue_id: 'mi-7', depends_on_id: 'pr-a3f.1', type: 'parent-child', created_by: 'me' }],
        comments: [
          { text: 'c' },
          { id: 3, issue_id: 'mi-7', author: 'me', text: 'd', created_at: '2025-11-07T12:00:00Z' },
        ],
      },
      { id: 'mi-8', title: 's', issue_type: 'session', created_at: '2025-11-08T12:00:00Z' },
    ]
    const text = lines.map((line) => JSON.stringify(line)).join('\n')
    expect(await world.put(text)).toEqual({ ...NOTHING, created: 2, ...ONE_SESSION })
    expect(world.beadRepository.rigOf('pr-a3f.1')).toBe('press')
    expect(world.beadRepository.get('pr-a3f.1')).toMatchObject({
      created_at: '2025-11-08T20:00:00.123Z',
      metadata: { design: 'd', estimated_minutes: '5', 'bd.later': '[1]' },
    })
    expect(world.beadRepository.get('mi-7')).toMatchObject({ parent: 'pr-a3f.1' })
    expect(world.comments.list('mi-7', {}).items).toMatchObject([
      { id: '3', author: 'me', text: 'd', created_at: '2025-11-07T12:00:00.000Z' },
      { id: expect.stringMatching(/^bd-/), author: '', text: 'c', created_at: '2025-11-08T12:00:00.000Z' },
    ])
    expect(await world.put(text)).toEqual({ ...NOTHING, unchanged: 2, ...ONE_SESSION })
  })

  test('add missing comments, change existing ones, and remove none', async () => {
    await using world = await openTransfer()
    const { id } = await world.add({ title: 'a' })
    const own = await world.comments.create(human, id, { text: 'here' })
    const [line = ''] = (await world.file()).split('\n')
    const put = (comments: object[]) => world.put(JSON.stringify({ ...JSON.parse(line), comments }))
    const there = { id: 'far', author: 'bo', text: 'there', created_at: '2025-01-01T00:00:00Z' }
    world.recorded()
    expect(await put([there])).toEqual({ ...NOTHING, updated: 1 })
    expect(await put([{ ...there, text: 'THERE' }])).toEqual({ ...NOTHING, updated: 1 })
    expect(world.recorded()).toEqual([`bead.commented ${id}`, `bead.commented ${id}`])
    expect(await put([{ ...there, text: 'THERE' }])).toEqual({ ...NOTHING, unchanged: 1 })
    expect(await put([])).toEqual({ ...NOTHING, unchanged: 1 })
    expect(world.recorded()).toEqual([])
    expect(world.comments.listAll(id).map(({ text }) => text)).toEqual(['THERE', own.text])
    expect(world.comments.count(`${id},mi-9`)).toEqual({ counts: { [id]: 2 } })
    await world.store.write((tx) => void world.beadRepository.remove(tx, id))
    expect(world.comments.count(id)).toEqual({ counts: {} })
    expect((await world.add({ title: 'b' })).id).toBe('mi-2')
    expect(world.comments.listAll('mi-2')).toEqual([])
  })

  test('may have a limited number of comments, of a limited length', async () => {
    await using world = await openTransfer()
    const line = (comments: object[]) =>
      JSON.stringify({ id: 'mi-1', title: 'a', created_at: '2025-11-08T12:00:00Z', comments })
    const exported = (text: string, more = {}) => ({ id: text.slice(0, 9), text, ...more })
    const few = Array.from({ length: 1000 }, (_, n) => exported(`n${n}`))
    await expect(world.put(line([...few, exported('x')]))).rejects.toThrow('line 1 has more than 1,000 comments')
    const long = Array.from({ length: 17 }, (_, n) => exported(`${n}`.padEnd(64 * 1024, 'x')))
    await expect(world.put(line(long))).rejects.toThrow('line 1 has more than 1,000 comments or 1 MB of them')
    await expect(world.put(line([exported('x'.repeat(64 * 1024 + 1))]))).rejects.toThrow('a comment of more than 64 KB')
    await expect(world.put(line([exported('x', { author: 'a'.repeat(257) })]))).rejects.toThrow(
      /author of more than 256/,
    )
    expect(world.all()).toEqual([])
    expect(await world.put(line(few))).toEqual({ ...NOTHING, created: 1 })
    await expect(world.comments.create(human, 'mi-1', { text: 'one more' })).rejects.toThrow(
      'bead mi-1 has all the comments it may have',
    )
    await expect(world.put(line([exported('one more')]))).rejects.toMatchObject({ code: 'conflict-wrong-state' })
    const file = await world.file()
    expect(JSON.parse(file).comments).toHaveLength(1000)
    expect(await world.put(file)).toEqual({ ...NOTHING, unchanged: 1 })
  })

  test('are rejected at the first invalid line, before anything is written', async () => {
    await using world = await openTransfer()
    const good = JSON.stringify({ id: 'mi-1', title: 'a', created_at: '2025-11-08T12:00:00Z' })
    const rejected = async (line: string) => expect(world.put(`${good}\n\n${line}`)).rejects
    await (await rejected('{')).toThrow('line 3 is not JSON')
    await (await rejected('{"id":"mi-2","created_at":"x"}')).toThrow('line 3 is not a bead: title is required')
    const typed = good.replace('"title"', '"priority":"high","title"')
    await (await rejected(typed)).toThrow('line 3 is not a bead: priority must be an integer')
    const far = good.replace('"title"', '"priority":1e300,"title"')
    await (await rejected(far)).toThrow('line 3 is not a bead: priority must be at most 9007199254740991')
    await (await rejected('[]')).toThrow('line 3 is not a bead: it must be an object')
    await (await rejected('{"id":"mi-2","title":"x","created_at":"soon"}')).toThrow(
      'line 3 has an invalid timestamp in created_at',
    )
    await (await rejected(good.replace('"a"', `"${'x'.repeat(1025)}"`))).toThrow(/line 3 has a title/)
    expect(world.all()).toEqual([])
    expect(world.recorded()).toEqual([])
  })
})
