import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { register } from '../api/town.ts'
import { World } from '../support/world.ts'

type Fields = Readonly<Record<string, unknown>>

const TIME = '2025-11-02T01:00:00Z'

/** Fields that `bd create` and `bd update` write, each with its options and the value that is read back. */
const WRITTEN: Readonly<Record<string, readonly [options: readonly string[], value: unknown]>> = {
  title: [['--title', 't'], 't'],
  description: [['-d', 'what'], 'what'],
  issue_type: [['-t', 'bug'], 'bug'],
  priority: [['-p', '0'], 0],
  design: [['--design', 'd'], 'd'],
  acceptance_criteria: [['--acceptance', 'ac'], 'ac'],
  notes: [['--notes', '5'], '5'],
  external_ref: [['--external-ref', 'gh-9'], 'gh-9'],
  spec_id: [['--spec-id', 's-1'], 's-1'],
  estimated_minutes: [['--estimate', '90'], 90],
  due_at: [['--due', '2025-12-01T02:00:00+02:00'], '2025-12-01T00:00:00Z'],
  metadata: [['--set-metadata', 'a=x'], { a: 'x' }],
  ephemeral: [['--ephemeral'], true],
}

/** Fields that only a file gives, with the value that is read back. */
const GIVEN: Readonly<Record<string, readonly [given: unknown, value: unknown]>> = {
  status: ['closed', 'closed'],
  created_at: ['2025-11-02T02:30:00.25+01:30', '2025-11-02T01:00:00.25Z'],
  updated_at: ['2025-11-03T01:00:00Z', '2025-11-03T01:00:00Z'],
  closed_at: ['2025-11-03T01:00:00+02:00', '2025-11-02T23:00:00Z'],
  started_at: ['2025-11-02T03:00:00+01:00', '2025-11-02T02:00:00Z'],
  defer_until: ['2025-11-02T03:00:00.500000-01:00', '2025-11-02T04:00:00.5Z'],
  close_reason: ['done', 'done'],
  assignee: ['ada', 'ada'],
  owner: ['a@b.c', 'a@b.c'],
  created_by: ['ada', 'ada'],
  mol_type: ['swarm', 'swarm'],
  wisp_type: ['patrol', 'patrol'],
  labels: [
    ['b', 'a'],
    ['b', 'a'],
  ],
  sender: ['bob', 'bob'],
  later: [{ list: [1, null, '2'] }, { list: [1, null, '2'] }],
}

const pick = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, fields[name]]))

test('every field of a bead has one name and one value through bd create, update, show, list, export and import', async () => {
  await using world = await World.open()
  for (const name of ['here', 'there'])
    await register(world, name, '[[rigs]]\nname = "web"\npath = "web"\nprefix = "pr"\n')
  const run = async (program: string, city: string, ...args: string[]): Promise<string> => {
    const child = Bun.spawn([join(world.home, 'bin', program), '--city', city, ...args], {
      cwd: world.folder.path,
      env: { PATH: process.env.PATH, HOME: world.folder.at('user'), GC_HOME: world.home, GC_URL: world.url },
      ...({ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' } as const),
    })
    const [out, err, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${err}${out}`)
    return out
  }
  const json = async (city: string, ...args: string[]) => JSON.parse(await run('bd', city, ...args, '--json'))
  const exported = async (city: string, id: string): Promise<Fields> => {
    const lines = (await run('gc', city, 'bead', 'export')).trimEnd().split('\n')
    return lines.map((line) => JSON.parse(line)).find((line) => line.id === id)
  }
  const options = Object.values(WRITTEN).flatMap(([own]) => own)
  const written = Object.fromEntries(Object.entries(WRITTEN).map(([name, [, value]]) => [name, value]))
  const given = Object.fromEntries(Object.entries(GIVEN).map(([name, [value]]) => [name, value]))
  const file = world.folder.at('beads.jsonl')
  const line = {
    ...written,
    ...given,
    id: 'pr-1',
    dependencies: [{ depends_on_id: 'pr-9', created_at: TIME, created_by: 'me' }],
  }
  const memory = { _type: 'memory', key: 'k', value: 'v' }
  writeFileSync(
    file,
    [line, memory, { id: 'pr-2', title: 'old', created_at: TIME }].map((each) => JSON.stringify(each)).join('\n'),
  )

  const created = await json('here', 'create', 't', ...options)
  expect(await run('bd', 'here', 'import', file)).toBe(
    '2 created, 0 updated, 0 unchanged, 1 skipped.\n  1 memory: line 2\n',
  )
  const [updated] = await json('here', 'update', 'pr-2', ...options)
  const read = { ...written, ...Object.fromEntries(Object.entries(GIVEN).map(([name, [, value]]) => [name, value])) }
  const edge = {
    issue_id: 'pr-1',
    depends_on_id: 'pr-9',
    type: 'blocks',
    created_at: TIME,
    created_by: 'me',
    metadata: '{}',
  }
  for (const city of ['here', 'there']) {
    if (city === 'there') {
      await run('gc', 'here', 'bead', 'export', '-o', world.folder.at('moved.jsonl'))
      await run('gc', 'there', 'bead', 'import', world.folder.at('moved.jsonl'))
    }
    const list: Fields[] = await json(city, 'list', '--all')
    for (const id of [created.id, 'pr-1', 'pr-2']) {
      const expected: Fields = id === 'pr-1' ? read : written
      const names = Object.keys(expected)
      const [shown] = await json(city, 'show', id)
      expect([city, id, pick(shown, names)]).toEqual([city, id, expected])
      expect(pick(list.find((each) => each.id === id) ?? {}, names)).toEqual(expected)
      expect(pick(await exported(city, id), names)).toEqual(expected)
    }
    expect(list.find(({ id }) => id === 'pr-1')?.dependencies).toEqual([edge])
    expect((await exported(city, 'pr-1')).dependencies).toEqual([edge])
  }
  for (const each of [created, updated]) expect(pick(each, Object.keys(written))).toEqual(written)
  const same = (city: string) => run('gc', city, 'bead', 'export')
  expect(await same('there')).toBe(await same('here'))
}, 60_000)
