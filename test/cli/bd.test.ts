import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import type { CountedIssue, Issue } from '../../cli/bd/issue.ts'
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

const create = (title: string, ...more: string[]) => json<Issue>('create', title, ...more)
const CREATED = ['created_at', 'description', 'id', 'issue_type', 'priority', 'schema_version', 'status', 'title']

describe('bd create', () => {
  test('prints the bead as an object with the schema version', async () => {
    const created = await create('Root', '--priority', '1', '--type', 'feature', '--description', 'the root')
    expect(Object.keys(created)).toEqual([...CREATED, 'updated_at'])
    expect(created).toMatchObject({ title: 'Root', priority: 1, issue_type: 'feature', status: 'open' })
  })

  test('accepts labels, metadata, a parent and dependencies', async () => {
    const root = await create('Above')
    const created = await create('Below', '-l', 'a,b', '--metadata', '{"n": 4}', '--parent', root.id, '--deps', root.id)
    expect(created).toMatchObject({ labels: ['a', 'b'], metadata: { n: '4' }, parent: root.id })
    expect(await json<Issue[]>('dep', 'list', created.id)).toMatchObject([{ id: root.id, dependency_type: 'blocks' }])
  })

  test('prints a sentence, and with --silent only the id', async () => {
    expect((await town.bd(['create', 'Told', '-p', 'P3'])).out).toMatch(
      /^✓ Created issue: to-\d+ — Told\n {2}Priority: P3\n {2}Status: open\n$/,
    )
    expect((await town.bd(['create', 'Quiet', '--silent'])).out).toMatch(/^to-\d+\n$/)
  })

  test('uses the rig of the current folder, or the one of --rig', async () => {
    const { out } = await town.bd(['create', 'In the shop', '--silent'], { cwd: town.rig })
    expect(out).toStartWith('sh-')
    expect((await town.bd(['--rig', 'shop', 'create', 'Too', '--silent'])).out).toStartWith('sh-')
  })

  test('rejects an id, a missing title and invalid metadata', async () => {
    for (const args of [['x', '--id', 'my-1'], [], ['x', '--metadata', '[]']]) {
      const { status, out } = await town.bd(['create', ...args, '--json'])
      expect(status).not.toBe(0)
      expect(Object.keys(JSON.parse(out))).toEqual(['error', 'schema_version'])
    }
  })
})

describe('bd show, list, ready, count', () => {
  test('a bead is shown as a list of one, with its dependencies and dependents', async () => {
    const wall = await create('Wall')
    const roof = await create('Roof')
    expect(await json('dep', 'add', roof.id, wall.id)).toEqual({
      depends_on_id: wall.id,
      issue_id: roof.id,
      schema_version: 1,
      status: 'added',
      type: 'blocks',
    })
    expect(await json<CountedIssue[]>('show', roof.id)).toMatchObject([
      {
        id: roof.id,
        dependency_count: 1,
        dependent_count: 0,
        dependencies: [{ id: wall.id, dependency_type: 'blocks' }],
      },
    ])
    expect(await json<CountedIssue[]>('show', wall.id)).toMatchObject([{ id: wall.id, dependent_count: 1 }])
    const { out } = await town.bd(['show', roof.id])
    expect(out).toContain(`${roof.id} · Roof   [P2 · OPEN]`)
    expect(out).toContain(`DEPENDS ON\n  ○ ${wall.id} P2 Wall`)
    const ready = await json<CountedIssue[]>('ready')
    expect(ready.map(({ id }) => id)).not.toContain(roof.id)
    expect(ready.find(({ id }) => id === wall.id)).toMatchObject({ comment_count: 0, dependent_count: 1 })
    const listed = (await json<CountedIssue[]>('list')).find(({ id }) => id === roof.id)
    expect(listed?.dependencies).toMatchObject([{ issue_id: roof.id, depends_on_id: wall.id, metadata: '{}' }])
  })

  test('lists accept the filters of bd', async () => {
    const { id } = await create('Find me', '-l', 'red,round', '-p', '0', '--set-metadata', 'colour=red')
    const findIds = async (...args: string[]) => (await json<Issue[]>('list', ...args)).map((each) => each.id)
    for (const args of [['-l', 'red,round'], ['-p', 'P0'], ['--metadata-field', 'colour=red'], ['--no-assignee']]) {
      expect(await findIds(...args)).toContain(id)
    }
    for (const args of [
      ['-l', 'red,square'],
      ['-p', '4'],
      ['-t', 'bug'],
      ['--exclude-type', 'task'],
      ['--exclude-label', 'blue,round'],
      ['-s', 'closed'],
    ]) {
      expect(await findIds(...args)).not.toContain(id)
    }
    expect(await findIds('-n', '1')).toHaveLength(1)
  })

  test('work assigned to a session is found by each of its names', async () => {
    await town.json(['agent', 'add', 'clerk', '--command', 'exec sleep 600'])
    const session = await town.json<{ id: string; session_name: string }>([
      'session',
      'new',
      'clerk',
      '--alias',
      'cleo',
    ])
    const [open, begun] = [await create('Open', '-a', session.id), await create('Begun', '-a', session.session_name)]
    expect([open.assignee, begun.assignee]).toEqual(['cleo', 'cleo'])
    await town.json(['bead', 'update', begun.id, '--status', 'in_progress'])
    for (const name of ['cleo', session.id, session.session_name]) {
      const findIds = async (...args: string[]) =>
        (await json<Issue[]>(...args, '--assignee', name)).map(({ id }) => id).toSorted()
      expect(await findIds('list')).toEqual([open.id, begun.id].toSorted())
      expect(await findIds('list', '-s', 'in_progress')).toEqual([begun.id])
      expect(await findIds('ready')).toEqual([open.id])
    }
    expect(await json<Issue[]>('ready', '--assignee', 'nobody-here')).toEqual([])
    expect((await json<Issue[]>('ready', '--no-assignee', '-n', '0')).map(({ id }) => id)).not.toContain(open.id)
  }, 15_000)

  test('ready work is sorted by urgency, or by age', async () => {
    const old = await create('Old', '-p', '4', '-l', 'sorted')
    const urgent = await create('Urgent', '-p', '0', '-l', 'sorted')
    const findIds = async (...args: string[]) =>
      (await json<Issue[]>('ready', '-l', 'sorted', ...args)).map(({ id }) => id)
    expect(await findIds()).toEqual([urgent.id, old.id])
    expect(await findIds('--sort', 'hybrid')).toEqual([urgent.id, old.id])
    expect(await findIds('--sort', 'oldest')).toEqual([old.id, urgent.id])
    expect((await town.bd(['ready', '--sort', 'title'])).status).not.toBe(0)
  })

  test('records of the city are not listed as work', async () => {
    await town.json(['agent', 'add', 'shop/idle', '--command', 'cat', '--suspended'])
    await town.json(['sling', 'shop/idle', 'Tracked by a convoy'])
    const types = (await json<Issue[]>('list', '--all', '-n', '0')).map(({ issue_type }) => issue_type)
    expect(types).not.toContain('convoy')
    expect(await json<object>('count')).toEqual({ count: types.length, schema_version: 1 })
    expect((await json<Issue[]>('list', '--include-infra')).map(({ issue_type }) => issue_type)).toContain('convoy')
  })

  test('a bead that does not exist is an error with status 1', async () => {
    expect(await town.bd(['show', 'to-99999', '--json'])).toEqual({
      status: 1,
      out: `${JSON.stringify({ error: 'no issues found matching the provided IDs', schema_version: 1 }, null, 2)}\n`,
      err: '',
    })
    expect(await town.bd(['show', 'to-99999'])).toEqual({
      status: 1,
      out: '',
      err: 'Error: no issues found matching the provided IDs\n',
    })
  })
})

describe('bd update, close, reopen', () => {
  test('change beads and print them as a list', async () => {
    const { id } = await create('Change me')
    const [updated] = await json<Issue[]>('update', id, '--title', 'Changed', '--add-label', 'x', '-p', '3')
    expect(updated).toMatchObject({ id, title: 'Changed', labels: ['x'], priority: 3 })
    const [closed] = await json<Issue[]>('close', id, '--reason', 'done well')
    expect(closed).toMatchObject({ id, status: 'closed', close_reason: 'done well', closed_at: expect.any(String) })
    const [open] = await json<Issue[]>('reopen', id)
    expect(open).toMatchObject({ id, status: 'open' })
  })

  test('continue when one of several beads does not exist, and report it', async () => {
    const { id } = await create('One of two')
    const { status, out, err } = await town.bd(['close', id, 'to-99999'])
    expect(status).toBe(1)
    expect(out).toContain(`✓ Closed ${id} — One of two`)
    expect(err).toContain('to-99999')
  })

  test('reject an update without changes, and a claim outside a session', async () => {
    const { id } = await create('Unchanged')
    expect((await town.bd(['update', id])).err).toBe('Error: no updates specified\n')
    const claim = await town.bd(['update', id, '--claim'])
    expect(claim.status).toBe(1)
    expect(await json<Issue[]>('show', id)).toMatchObject([{ status: 'open' }])
  })
})

test('bd search finds beads by words, also closed ones, in the chosen rig', async () => {
  const open = await create('Quokka pen', '-l', 'zoo')
  const { id } = await create('Quokka diet', '-d', 'leaves')
  await json('close', id)
  const findIds = async (...args: string[]) => (await json<CountedIssue[]>('search', ...args)).map((each) => each.id)
  expect(await findIds('quokka')).toEqual([id, open.id])
  expect(await findIds('--query', 'QUOKKA', '-s', 'all')).toEqual([id, open.id])
  expect(await findIds('quokka', 'leaves')).toEqual([id])
  expect(await findIds('quokka', '--status', 'open')).toEqual([open.id])
  expect(await findIds('quokka', '-l', 'zoo')).toEqual([open.id])
  expect(await findIds('quokka', '-n', '1')).toEqual([id])
  expect(await findIds('quokka', '-a', 'nobody')).toEqual([])
  expect((await town.bd(['search', 'quokka', '-s', 'open'])).out).toBe(
    `Found 1 issues matching 'quokka':\n${open.id} [P2] [task] open [zoo] - Quokka pen\n`,
  )
  expect((await town.bd(['search', 'quokka'], { cwd: town.rig })).out).toBe("No issues found matching 'quokka'\n")
  expect(await town.bd(['search'])).toMatchObject({ status: 2, err: 'Error: search query is required\n' })
})

describe('bd comment, comments', () => {
  test('add and list comments, in the wording that prompts expect', async () => {
    const { id } = await create('Discussed')
    expect((await town.bd(['comments', id])).out).toBe(`No comments on ${id}\n`)
    expect((await town.bd(['comment', id, 'Working on', 'this now'])).out).toBe(`✓ Comment added to ${id}\n`)
    const added = await json<object>('comments', 'add', id, 'half done')
    expect(added).toMatchObject({ issue_id: id, author: 'human', text: 'half done', schema_version: 1 })
    const piped = { stdin: 'from a pipe\nof two lines\n\n' }
    expect((await town.bd(['comment', id, '--stdin'], piped)).status).toBe(0)
    const listed = await json<{ text: string }[]>('comments', id)
    const texts = ['Working on this now', 'half done', 'from a pipe\nof two lines']
    expect(listed.map(({ text }) => text)).toEqual(texts)
    const { out } = await town.bd(['comments', id])
    expect(out).toStartWith(`\nComments on ${id}:\n\n[human] at `)
    expect(out).toContain('\n  from a pipe\n  of two lines\n')
    expect(await json<CountedIssue[]>('show', id)).toMatchObject([{ comment_count: 3, comments: listed }])
    expect((await json<CountedIssue[]>('list')).find((each) => each.id === id)).toMatchObject({ comment_count: 3 })
    expect((await town.bd(['show', id])).out).toContain('\nCOMMENTS\nhuman, ')
  })

  test('read text from a file, and reject a missing text or a subcommand as bead', async () => {
    const { id } = await create('Written')
    writeFileSync(town.at('note.txt'), 'as noted\n')
    expect((await town.bd(['comment', id, '-f', town.at('note.txt')])).status).toBe(0)
    expect(await json<object[]>('comments', id)).toMatchObject([{ text: 'as noted' }])
    for (const [args, message] of [
      [['comment', id], 'no text provided'],
      [['comment', 'list', id], 'list is not a bead'],
      [['comment', id, '--file', town.at('none')], 'cannot read'],
      [['comment', id, ' '], 'text must not be empty'],
      [['comments', 'to-99999'], 'does not exist'],
    ] as const) {
      const { status, err } = await town.bd(args)
      expect([args, status === 0, err]).toEqual([args, false, expect.stringContaining(message)])
    }
    expect(await json<object[]>('comments', id)).toHaveLength(1)
  })
})

test('with BD_JSON_ENVELOPE=1 every answer is in an envelope, also errors', async () => {
  const env = { BD_JSON_ENVELOPE: '1' }
  for (const args of [['ready'], ['list'], ['count'], ['show', 'to-99999'], ['create', 'Enveloped']]) {
    const { out } = await town.bd([...args, '--json'], { env })
    expect(Object.keys(JSON.parse(out))).toEqual(['data', 'schema_version'])
  }
})

test('the supervisor reported no unexpected errors', () => {
  expect(town.reports).toEqual([])
})
