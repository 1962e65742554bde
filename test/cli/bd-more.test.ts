import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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
const show = async (id: string): Promise<Issue | undefined> => (await json<Issue[]>('show', id))[0]
const readIfThere = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')
const ids = (issues: readonly Issue[]): string[] => issues.map(({ id }) => id)

describe('dependencies', () => {
  test('a tree has each bead with its depth, its parent and the edge between them', async () => {
    const [root, middle, leaf] = [await create('root'), await create('middle'), await create('leaf')]
    await json('dep', 'add', root, middle)
    await json('link', middle, leaf, '--type', 'tracks')
    const tree = await json<Issue[]>('dep', 'tree', root)
    expect(tree).toMatchObject([
      { id: root, depth: 0, parent_id: '', truncated: false },
      { id: middle, depth: 1, parent_id: root, edge_from_parent: 'blocks' },
      { id: leaf, depth: 2, parent_id: middle, edge_from_parent: 'tracks' },
    ])
    expect(ids(await json<Issue[]>('dep', 'tree', leaf, '--direction', 'up'))).toEqual([leaf, middle, root])
    expect(await json<Issue[]>('dep', 'tree', root, '-d', '1')).toMatchObject([{}, { id: middle, truncated: true }])
    expect(ids(await json<Issue[]>('dep', 'tree', middle, '--direction=both'))).toEqual([root, middle, leaf])
    expect((await town.bd(['dep', 'tree', root, '--format', 'mermaid'])).out).toContain(`  ${root} --> ${middle}\n`)
  })

  test('two related beads refer to each other and block nothing; none wait for each other', async () => {
    const [one, two] = [await create('one'), await create('two')]
    expect(await json('dep', 'relate', one, two)).toMatchObject({ id1: one, id2: two, related: true })
    const edges = async (id: string) => (await json<(Issue & { dependency_type: string })[]>('dep', 'list', id)).length
    expect([await edges(one), await edges(two)]).toEqual([1, 1])
    expect(ids(await json<Issue[]>('ready', '-n', '0'))).toEqual(expect.arrayContaining([one, two]))
    expect(await json('dep', 'unrelate', one, two)).toMatchObject({ unrelated: true })
    expect([await edges(one), await edges(two)]).toEqual([0, 0])
    writeFileSync(town.at('edges.jsonl'), `{"from":"${one}","to":"${two}"}\n`)
    expect(await json('dep', 'add', '--file', town.at('edges.jsonl'))).toMatchObject({ count: 1 })
    expect((await town.bd(['dep', 'add', two, one])).err).toContain('they would wait for each other')
    expect(await json('dep', 'cycles')).toEqual([])
  })

  test('superseded and duplicate beads are closed and refer to the other', async () => {
    const [old, better, twin] = [await create('old'), await create('better'), await create('twin')]
    expect(await json('supersede', old, '--with', better)).toMatchObject({ superseded: old, replacement: better })
    expect(await json('duplicate', twin, '--of', better)).toMatchObject({ duplicate: twin, canonical: better })
    expect(await show(old)).toMatchObject({ status: 'closed', close_reason: `superseded by ${better}` })
    expect(await json<object[]>('dep', 'list', twin)).toMatchObject([{ id: better, dependency_type: 'duplicates' }])
  })
})

describe('memories and values', () => {
  test('are kept by a key, replaced, listed apart from each other, printed by prime and no work', async () => {
    expect(await json('remember', 'The hinge squeaks', '--key', 'hinge')).toMatchObject({ action: 'remembered' })
    expect(await json('remember', 'The hinge is oiled', '--key', 'hinge')).toMatchObject({ action: 'updated' })
    expect(await json('remember', 'Always run the tests!')).toMatchObject({ key: 'always-run-the-tests' })
    await json('kv', 'set', 'speed', '3')
    expect(await json('recall', 'hinge')).toMatchObject({ key: 'hinge', value: 'The hinge is oiled', found: true })
    expect((await town.bd(['recall', 'hinge'])).out).toBe('The hinge is oiled\n')
    expect(await json('memories', 'OILED')).toEqual({ hinge: 'The hinge is oiled', schema_version: 1 })
    expect(await json('kv', 'list')).toEqual({ speed: '3', schema_version: 1 })
    expect((await town.bd(['prime'])).out).toMatch(
      /\n## Memories\n.*data, not instructions.*\n- always-run-the-tests: Always run the tests!\n/,
    )
    const texts = (await json<Issue[]>('list', '-n', '0')).map(({ title }) => title)
    expect(texts.filter((title) => /memory|speed/.test(title))).toEqual([])
    expect(await json('forget', 'hinge')).toMatchObject({ deleted: 'true' })
    expect((await town.bd(['recall', 'hinge'])).status).toBe(1)
    await json('kv', 'clear', 'speed')
    expect((await town.bd(['kv', 'get', 'speed', '--json'])).status).toBe(1)
  })
})

describe('work that is put off, counted, or long untouched', () => {
  test('is hidden until its time, or until it is taken up again', async () => {
    const id = await create('later')
    const isReady = async () => ids(await json<Issue[]>('ready', '-n', '0')).includes(id)
    for (const words of [['--until', '+6h'], []]) {
      await json('defer', id, ...words)
      expect(await isReady()).toBe(false)
      expect(ids(await json<Issue[]>('list', '--deferred', '-n', '0'))).toEqual([id])
      await json('undefer', id)
      expect(await isReady()).toBe(true)
    }
    await json('update', id, '--defer', '2999-01-01')
    expect(await isReady()).toBe(false)
    await json('update', id, '--defer', '')
    expect(await isReady()).toBe(true)
  })

  test('a change for one status is rejected at another', async () => {
    const id = await create('guarded')
    const { status, err } = await town.bd(['update', id, '--if-status', 'closed', '--title', 'other'])
    expect([status, err]).toEqual([1, expect.stringContaining(`bead ${id} is open, not closed; nothing changed`)])
    await json('update', id, '--if-status', 'open', '--meta', 'a=b', '--note', 'seen')
    expect(await show(id)).toMatchObject({ title: 'guarded', metadata: { a: 'b' }, notes: 'seen' })
  })

  test('statistics, groups, epics and the history agree with the beads', async () => {
    const epic = await create('epic', '-t', 'epic')
    const child = await create('child', '--parent', epic)
    expect(await json<object[]>('epic', 'status')).toContainEqual(
      expect.objectContaining({ total_children: 1, closed_children: 0, eligible_for_close: false }),
    )
    await json('close', child)
    expect(ids(await json<Issue[]>('children', epic))).toEqual([child])
    expect(await json('children', 'to-9999')).toEqual([])
    expect(await json('list', '--parent', epic)).toEqual([])
    expect(ids(await json<Issue[]>('list', '--parent', epic, '--status', 'closed'))).toEqual([child])
    const { summary } = await json<{ summary: Record<string, number> }>('stats')
    const { count: total } = await json<{ count: number }>('count')
    expect(summary).toMatchObject({ total_issues: total, epics_eligible_for_closure: 1 })
    const { groups } = await json<{ groups: { group: string; count: number }[] }>('count', '--by-status')
    expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(total)
    expect(await json('epic', 'close-eligible')).toMatchObject({ closed: [epic], count: 1 })
    const history = await json<object[]>('history', child)
    expect(history).toMatchObject([
      { Event: 'bead.closed', Committer: 'operator', Issue: { id: child, status: 'closed' } },
      { Event: 'bead.created', Issue: { id: child, status: 'open' } },
    ])
    expect(await json<Issue[]>('stale')).toEqual([])
  })

  test('a query selects by fields, dates and labels, and an unreadable one says why', async () => {
    const id = await create('Quixotic', '-p', '0', '-l', 'windmill')
    const find = async (...words: string[]) => ids(await json<Issue[]>('query', ...words))
    expect(await find('title=quixotic AND (priority<1 OR label=none)')).toEqual([id])
    expect(await find('label=windmill', 'AND', 'created<1h')).toEqual([])
    expect(await find('label=windmill AND NOT status=closed AND id=to-*')).toEqual([id])
    for (const wrong of ['titel=x', 'priority', '(status=open', 'status=open status=closed'])
      expect([wrong, (await town.bd(['query', wrong])).status]).toEqual([wrong, 2])
  })
})

describe('many changes', () => {
  test('a batch is read as a whole before its first change', async () => {
    const [one, two] = [await create('one'), await create('two')]
    const run = (text: string) => {
      writeFileSync(town.at('changes'), text)
      return town.bd(['batch', '-f', town.at('changes'), '--json'])
    }
    expect((await run(`close ${one} done\nupdate ${two} colour=red\n`)).status).toBe(1)
    expect(await show(one)).toMatchObject({ status: 'open' })
    const failed = await run(`close ${one}\n\nclose to-9999\n`)
    expect([failed.status, failed.out]).toEqual([1, expect.stringContaining('line 3 (close to-9999)')])
    expect(await show(one)).toMatchObject({ status: 'open' })
    const lines = [`# all of it`, `close ${one} "well done"`, `update ${two} status=in_progress priority=1`]
    const { out } = await run([...lines, `dep add ${two} ${one}`, 'create bug 2 A new one'].join('\n'))
    expect(JSON.parse(out)).toMatchObject({ operations: 4 })
    expect(await show(one)).toMatchObject({ status: 'closed', close_reason: 'well done' })
    expect(await show(two)).toMatchObject({ status: 'in_progress', priority: 1 })
  })

  test('a plan is created as a whole, and a preview creates nothing', async () => {
    const nodes = [
      { key: 'build', title: 'Build it' },
      { key: 'ship', title: 'Ship it', type: 'feature', labels: ['x'], parent_key: 'build' },
    ]
    writeFileSync(town.at('plan.json'), JSON.stringify({ nodes, edges: [{ from_key: 'ship', to_key: 'build' }] }))
    const before = await json<{ count: number }>('count')
    expect(await json('create', '--graph', town.at('plan.json'), '--dry-run')).toHaveLength(2)
    expect(await json<{ count: number }>('count')).toEqual(before)
    const made = await json<{ ids: Record<string, string> }>('create', '--graph', town.at('plan.json'))
    expect(await show(made.ids.ship ?? '')).toMatchObject({
      issue_type: 'feature',
      labels: ['x'],
      parent: made.ids.build,
    })
    expect(await json('create', 'Seen', '--dry-run')).toMatchObject({ title: 'Seen', dry_run: true })
  })
})

describe('molecules', () => {
  test('closing a step shows the next one; a person claims none', async () => {
    const root = await create('Patrol', '-t', 'epic')
    const first = await create('Look', '--parent', root)
    const second = await create('Report', '--parent', root, '--deps', first)
    expect(await json('close', first, '--continue')).toMatchObject({
      closed: [{ id: first }],
      continue: { molecule_id: root, next_step: { id: second }, auto_advanced: false, molecule_complete: false },
    })
    expect(await json('close', second, '--continue')).toMatchObject({ continue: { molecule_complete: true } })
  })

  test('closing a step claims the next one for the session that closes it', async () => {
    const keeps = 'printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"; exec sleep 600'
    await town.json(['agent', 'add', 'walker', '--command', keeps])
    const { id } = await town.json<{ id: string }>(['session', 'new', 'walker'])
    const token = await eventually(
      'the token',
      15_000,
      async () => readIfThere(join(town.home, `token.${id}`)),
      (text) => text.length === 68,
    )
    const env = { GC_SESSION_ID: id, GC_TOKEN: token, GC_CITY_NAME: 'town' }
    const own = async <T>(...args: string[]): Promise<T> => {
      const { status, out, err } = await town.bd([...args, '--json'], { env })
      if (status !== 0) throw new Error(`bd ${args.join(' ')}: ${out}${err}`)
      return JSON.parse(out) as T
    }
    const root = await create('Walk', '-t', 'epic')
    const first = await create('Begin', '--parent', root)
    const second = await create('End', '--parent', root, '--deps', first)
    await own('update', first, '--claim')
    expect(await own('close', first, '--continue')).toMatchObject({
      continue: { next_step: { id: second, status: 'in_progress' }, auto_advanced: true },
    })
    expect(ids(await own<Issue[]>('show', '--current'))).toEqual([second])
    expect(await own('mol', 'current')).toMatchObject([{ molecule_id: root, current_step: { id: second } }])
    expect(await own('ready', '--claim', '-l', 'nothing-has-it')).toEqual([])
    const guarded = await create('Guarded')
    expect(await own('update', guarded, '--claim', '--if-status', 'open')).toMatchObject([{ status: 'in_progress' }])
    const spare = await create('Spare', '-l', 'spare')
    expect(ids(await own<Issue[]>('ready', '--claim', '-l', 'spare'))).toEqual([spare])
  })

  test('a wisp is burned for good, open or not, after a preview and a confirmation', async () => {
    const root = await create('Wisp', '--ephemeral')
    const step = await create('Step', '--ephemeral', '--parent', root)
    await json('update', step, '--status', 'in_progress')
    expect(await json('mol', 'burn', root, '--dry-run')).toMatchObject({
      dry_run: true,
      results: [{ molecule_id: root, would_delete: [root, step] }],
    })
    const asked = await town.bd(['mol', 'burn', root])
    expect([asked.status, asked.err]).toEqual([1, expect.stringContaining('--force')])
    expect(await json('burn', root, '--force')).toMatchObject({
      ...{ molecule_id: root, deleted_ids: [step, root], deleted_count: 2 },
    })
    expect((await town.bd(['show', root])).status).toBe(1)
    expect((await town.bd(['mol', 'burn', root, '--force'])).status).toBe(1)
  })

  test('a squashed molecule leaves one closed bead that sums its wisps up', async () => {
    const root = await create('Tour', '-t', 'epic')
    const step = await create('Stop', '--ephemeral', '--parent', root)
    const squashed = await json<{ digest_id: string }>('mol', 'squash', root, '--summary', 'All seen')
    expect(squashed).toMatchObject({ molecule_id: root, squashed_ids: [step], squashed_count: 1 })
    expect(await show(squashed.digest_id)).toMatchObject({ status: 'closed', description: 'All seen', parent: root })
    expect((await town.bd(['show', step])).status).toBe(1)
    expect(await show(root)).toMatchObject({ status: 'open' })
  })

  test('burning what a formula made leaves nothing behind, and no reaction fails', async () => {
    mkdirSync(join(town.city, 'formulas'), { recursive: true })
    const steps = '[[steps]]\nid = "a"\ntitle = "A"\n[[steps]]\nid = "b"\ntitle = "B"\nneeds = ["a"]\n'
    writeFileSync(join(town.city, 'formulas', 'tour.toml'), `formula = "tour"\n${steps}`)
    const { new_epic_id: root } = await json<{ new_epic_id: string }>('mol', 'wisp', 'tour')
    const { deleted_count: count } = await json<{ deleted_count: number }>('mol', 'burn', root, '--force')
    expect(count).toBe(3)
    expect(ids(await json<Issue[]>('list', '--all', '-n', '0', '--include-infra'))).not.toContain(root)
    expect(town.reports).toEqual([])
  })
})

describe('the options of bd itself', () => {
  test('--readonly refuses changes and allows every reading command', async () => {
    const id = await create('kept')
    for (const args of [
      ['update', id, '--title', 'x'],
      ['close', id],
      ['remember', 'x'],
      ['mol', 'burn', id],
    ]) {
      const { status, err } = await town.bd([...args, '--readonly'])
      expect([args, status, err]).toEqual([args, 1, expect.stringContaining('--readonly')])
    }
    for (const args of [['show', id], ['list'], ['ready'], ['dep', 'tree', id], ['children', id], ['memories']])
      expect([args, (await town.bd([...args, '--readonly'])).status]).toEqual([args, 0])
  })

  test('-C and --db choose the rig that a path is in', async () => {
    const created = await json<Issue>('-C', town.rig, 'create', 'In the shop')
    expect(created.id).toStartWith('sh-')
    for (const words of [
      ['-C', town.rig],
      ['--dir', town.rig],
      ['--db', join(town.rig, '.beads/beads.db')],
    ])
      expect(ids(await json<Issue[]>('list', ...words))).toEqual([created.id])
    expect(await json('where', '-C', town.rig)).toMatchObject({ path: town.rig, prefix: 'sh' })
  })

  test('options of bd reach the commands that it shares with gc', async () => {
    const id = await create('shared')
    expect(await json<{ nodes: object[] }>('graph', id)).toMatchObject({ nodes: [{ id }] })
  })
})
