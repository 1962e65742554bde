import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import type { BeadsCreated } from '../../src/work/beads/bulk-schema.ts'
import type { Bead, ListBodyBead } from '../../src/work/beads/schema.ts'
import type { BeadComment, BeadCommentList } from '../../src/work/comments/schema.ts'
import type { BeadsImported } from '../../src/work/transfer/schema.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

describe('gc bead comment, comments', () => {
  test('add and list comments, from arguments or a pipe', async () => {
    const { id } = await town.bead('Discussed')
    expect((await town.gc(['bead', 'comments', id])).out).toBe(`There are no comments on ${id}.\n`)
    expect((await town.gc(['bead', 'comment', id, 'half', 'done'])).out).toBe(`Added a comment to ${id}.\n`)
    const result = await town.json<BeadComment>(['bead', 'comment', id, '-'], { stdin: 'two\nlines\n' })
    expect(result).toMatchObject({ issue_id: id, author: 'human', text: 'two\nlines' })
    const { items, total } = await town.json<BeadCommentList>(['bead', 'comments', id])
    expect([items.map(({ text }) => text), total]).toEqual([['half done', 'two\nlines'], 2])
    const { out } = await town.gc(['bead', 'comments', id])
    expect(out).toMatch(/^human, \d+s ago\n {2}half done\n\nhuman, \d+s ago\n {2}two\n {2}lines\n$/)
    expect((await town.gc(['bead', 'show', id])).out).toContain('ago\n  half done\n')
    expect((await town.gc(['events', '--type', 'bead.commented'])).out).toContain(`${id}  “half done”  by operator\n`)
  })

  test('need a text', async () => {
    const { id } = await town.bead('Silent')
    const { status, err } = await town.gc(['bead', 'comment', id], { stdin: ' \n' })
    expect([status, err]).toEqual([
      2,
      expect.stringMatching(/^gc: standard input is empty; pipe in the text of the comment\n/),
    ])
  })
})

test('a list shows work; other records are shown with --type or --all', async () => {
  const { id } = await town.bead('Sweep', '--label', 'listed')
  const done = await town.bead('Swept', '--label', 'listed')
  await town.json(['bead', 'close', done.id])
  const { id: convoy } = await town.json<Bead>(['convoy', 'create', 'Listed'])
  await town.json(['bead', 'update', convoy, '--label', 'listed'])
  const listed = async (...options: string[]) => {
    const { items, total } = await town.json<ListBodyBead>(['bead', 'list', '--label', 'listed', ...options])
    return { ids: (items ?? []).map((bead) => bead.id), total }
  }
  expect(await listed()).toEqual({ ids: [id], total: 1 })
  expect(await listed('--status', 'closed')).toEqual({ ids: [done.id], total: 1 })
  expect(await listed('--type', 'convoy')).toEqual({ ids: [convoy], total: 1 })
  expect(await listed('--all')).toEqual({ ids: [convoy, done.id, id], total: 3 })
  const more = await town.bead('Sweep more', '--label', 'listed')
  expect(await listed('--limit', '1')).toEqual({ ids: [more.id], total: 2 })
  expect(await listed('--limit', '0')).toEqual({ ids: [more.id, id], total: 2 })
  const { out } = await town.gc(['bead', 'list', '--label', 'listed', '--limit', '1'])
  expect(out).toEndWith('\n1 of 2; --limit shows more.\n')
  const { out: help } = await town.gc(['bead', 'list', '--help'])
  expect(help).toContain('include closed beads')
})

test('a bead is created with its dependencies, and shown with them and its dependents', async () => {
  const [wall, door] = [await town.bead('Wall'), await town.bead('Door')]
  const roof = await town.bead('Roof', '--needs', `${wall.id},${door.id}`, '--defer-until', '2030-01-31T09:00:00Z')
  expect(roof).toMatchObject({ is_blocked: true, defer_until: '2030-01-31T09:00:00.000Z' })
  const rows = async (id: string) =>
    (await town.gc(['bead', 'dep', 'list', id])).out.split('\n').map((each) => each.replace(/ {2,}/g, '  '))
  const [head, ...edges] = await rows(roof.id)
  expect(head).toBe('RELATION  BEAD  TYPE  STATUS  TITLE')
  expect(edges.toSorted()).toEqual(
    ['', `depends on  ${wall.id}  blocks  open  Wall`, `depends on  ${door.id}  blocks  open  Door`].toSorted(),
  )
  expect((await rows(wall.id))[1]).toBe(`needed by  ${roof.id}  blocks  open  Roof`)
  const { id } = await town.bead('Alone')
  expect(await rows(id)).toEqual([`${id} depends on nothing, and nothing depends on it.`, ''])
  const shown = (await town.gc(['bead', 'show', roof.id])).out.replace(/ {2,}/g, '  ').split('\n')
  expect(shown).toContain('status  open, blocked')
  expect(shown).toContain('not before  2030-01-31T09:00:00.000Z')
  expect(shown.filter((each) => each.startsWith('needs')).toSorted()).toEqual(
    [`needs  ${wall.id}`, `needs  ${door.id}`].toSorted(),
  )
})

test('an error about a single bead with dependencies names no list index', async () => {
  const needs = ['--needs', 'to-99999']
  expect(await town.gc(['bead', 'create', 'x', ...needs])).toMatchObject({
    status: 1,
    err: 'gc: it needs to-99999: there is no such bead, and no entry of that name\n',
  })
  const { id } = await town.bead('There')
  const late = await town.gc(['bead', 'create', 'x', '--needs', id, '--defer-until', 'tomorrow'])
  expect(late.err).toBe('gc: validation failed (body.defer_until: must be a date-time such as 2030-01-31T09:00:00Z)\n')
  const before = await town.json<{ total: number }>(['bead', 'list', '--all'])
  expect((await town.bd(['create', 'y', '--deps', 'to-99999'])).status).toBe(1)
  expect(await town.json<{ total: number }>(['bead', 'list', '--all'])).toEqual(before)
})

test('a graph shows the descendants of a bead, each below its parent, and their dependencies', async () => {
  const plan = await town.bead('Plan', '--type', 'epic')
  const first = await town.bead('First', '--parent', plan.id)
  const part = await town.bead('Part', '--parent', first.id)
  const second = await town.bead('Second', '--parent', plan.id, '--needs', first.id)
  const { out } = await town.gc(['bead', 'graph', plan.id])
  expect(out.split('\n').map((each) => each.trimEnd().replace(/(\S) {2,}/g, '$1  '))).toEqual([
    'BEAD  STATUS  NEEDS  TITLE',
    `${plan.id}  open  Plan`,
    `  ${first.id}  open  First`,
    `    ${part.id}  open  Part`,
    `  ${second.id}  open, blocked  ${first.id}  Second`,
    '',
  ])
  const wire = await fetch(`${town.url}/v0/city/town/beads/graph/${plan.id}`)
  expect(await town.json<unknown>(['bead', 'graph', plan.id])).toEqual(await wire.json())
  expect((await town.gc(['bead', 'graph', 'to-99999'])).err).toStartWith('gc: bead to-99999 does not exist; ')
})

describe('many beads', () => {
  const LINES = [
    { name: 'ship', title: 'Ship it', needs: ['build'], parent: 'plan' },
    { name: 'build', title: 'Build it', parent: 'plan', priority: 0 },
    { name: 'plan', title: 'The plan', type: 'epic' },
  ]
  const text = (lines: readonly object[]) => `${lines.map((each) => JSON.stringify(each)).join('\n\n')}\n`

  test('are created from a file or a pipe, and may name each other', async () => {
    writeFileSync(town.at('plan.jsonl'), text(LINES))
    const result = await town.gc(['bead', 'create', '--file', town.at('plan.jsonl'), '--priority', '3'])
    const ids = [...result.out.matchAll(/^Created (\S+): /gm)].map(([, id = '']) => id)
    expect(result.out).toBe(LINES.map(({ title }, at) => `Created ${ids[at]}: ${title}\n`).join(''))
    const [ship, build, plan] = await Promise.all(ids.map((id) => town.json<Bead>(['bead', 'show', id])))
    expect(ship).toMatchObject({ parent: plan?.id, priority: 3, dependencies: [{ depends_on_id: build?.id }] })
    expect([build?.priority, plan?.issue_type]).toEqual([0, 'epic'])
    const piped = { stdin: text(LINES.slice(1)), cwd: town.rig }
    const { beads, names } = await town.json<BeadsCreated>(['bead', 'create', '--file', '-'], piped)
    expect(names).toEqual({ build: beads[0]?.id ?? '', plan: beads[1]?.id ?? '' })
    expect(beads[0]?.id).toStartWith('sh-')
  })

  test('are not created when one line is invalid', async () => {
    const { total } = await town.json<{ total: number }>(['bead', 'list', '--all'])
    for (const [stdin, message] of [
      [text([...LINES, { title: 'x', parent: 'nowhere' }]), 'gc: beads[3]: parent nowhere does not exist'],
      [`${text(LINES)}[]\n`, 'gc: line 6 is not a JSON object'],
      ['\n', 'gc: the file is empty'],
    ] as const) {
      const { status, err } = await town.gc(['bead', 'create', '--file', '-'], { stdin })
      expect([status > 0, err]).toEqual([true, expect.stringContaining(message)])
    }
    expect((await town.gc(['bead', 'create'])).status).toBe(2)
    expect((await town.gc(['bead', 'create', 'x', '--file', '-'], { stdin: text(LINES) })).status).toBe(2)
    expect(await town.json<{ total: number }>(['bead', 'list', '--all'])).toMatchObject({ total })
  })

  test('are changed together or not at all', async () => {
    const [one, two] = [(await town.bead('one')).id, (await town.bead('two')).id]
    const { out } = await town.gc(['bead', 'update', one, two, '--priority', '1', '--label', 'x'])
    expect(out).toBe(`Updated ${one}.\nUpdated ${two}.\n`)
    expect(await town.json<Bead>(['bead', 'show', two])).toMatchObject({ priority: 1, labels: ['x'] })
    const failed = await town.gc(['bead', 'update', one, 'to-99999', '--priority', '2'])
    expect([failed.status, failed.out]).toEqual([1, ''])
    expect(failed.err).toStartWith('gc: updates[1]: bead to-99999 does not exist; ')
    expect(await town.json<Bead>(['bead', 'show', one])).toMatchObject({ priority: 1 })
    expect((await town.gc(['bead', 'update', one])).status).toBe(2)
  })

  test('are closed and reopened one by one, skipping those that fail', async () => {
    const [one, two] = [(await town.bead('one')).id, (await town.bead('two')).id]
    const closed = await town.gc(['bead', 'close', one, 'to-99999', two, '--reason', 'all done'])
    expect([closed.status, closed.out]).toEqual([1, `Closed ${one}.\nClosed ${two}.\n`])
    expect(closed.err).toBe('gc: bead to-99999 does not exist\n')
    expect(await town.json<Bead>(['bead', 'show', two])).toMatchObject({
      status: 'closed',
      metadata: { close_reason: 'all done' },
    })
    expect((await town.gc(['bead', 'reopen', one, two])).out).toBe(`Reopened ${one}.\nReopened ${two}.\n`)
  })
})

test('gc bead search finds beads by their text and their comments', async () => {
  const [one, two] = [await town.bead('Numbat one', '--type', 'bug'), await town.bead('Two')]
  await town.json(['bead', 'comment', two.id, 'another numbat'])
  const findIds = async (...args: string[]) =>
    (await town.json<{ items: Bead[] }>(['bead', 'search', ...args])).items.map(({ id }) => id)
  expect(await findIds('numbat')).toEqual([two.id, one.id])
  expect(await findIds('NUMBAT', 'one')).toEqual([one.id])
  expect(await findIds('numbat', '--type', 'bug', '--status', 'open', '--rig', 'town')).toEqual([one.id])
  const { out } = await town.gc(['bead', 'search', 'numbat', '--limit', '1'])
  expect(out).toContain(two.id)
  expect(out).toEndWith('\nShowing the newest 1; --limit shows more.\n')
  expect((await town.gc(['bead', 'search', 'nosuchword'])).out).toBe('No beads match these words.\n')
})

test('gc bead history shows the changes, newest first', async () => {
  const { id } = await town.bead('Old name', '--label', 'a')
  await town.json(['bead', 'update', id, '--title', 'New name', '--label', 'b', '--metadata', 'k=v'])
  await town.json(['bead', 'comment', id, 'well done'])
  await town.json(['bead', 'close', id])
  const { out } = await town.gc(['bead', 'history', id])
  const lines = out
    .split('\n')
    .map((each) => each.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +/, '').replace(/ {2,}/, '  '))
  expect(lines).toEqual([
    'bead.closed  status open → closed, by operator',
    'bead.commented  human: well done, by operator',
    'bead.updated  title Old name → New name, labels a → a b, k none → v, by operator',
    'bead.created  “Old name”, status open, by operator',
    '',
  ])
  const { items } = await town.json<{ items: { type: string }[] }>(['bead', 'history', id, '--limit', '2'])
  expect(items.map(({ type }) => type)).toEqual(['bead.closed', 'bead.commented'])
  expect((await town.gc(['bead', 'history', id, '--limit', '2'])).out).toContain(
    'Showing the newest 2; --limit shows more.',
  )
  expect((await town.gc(['bead', 'history', 'to-99999'])).status).toBe(1)
})

test('an import may contain a bead with more comments than fit in one request', async () => {
  const file = town.at('long.jsonl')
  const comments = Array.from({ length: 15 }, (_, n) => ({
    id: `${n}`,
    author: 'ada',
    text: `${n}`.padEnd(65_536, 'é').slice(0, 32_000),
  }))
  const timestamp = '2025-01-01T00:00:00Z'
  const line = { id: 'far-1', title: 'far', description: 'd'.repeat(200_000), created_at: timestamp, comments }
  writeFileSync(file, `${JSON.stringify(line)}\n`)
  expect(readFileSync(file).length).toBeGreaterThan(1024 * 1024)
  expect(await town.json<BeadsImported>(['bead', 'import', file])).toMatchObject({ created: 1, updated: 0 })
  const { items } = await town.json<BeadCommentList>(['bead', 'comments', 'far-1'])
  expect(items.map(({ id, text }) => ({ id, author: 'ada', text }))).toEqual(comments)
  const out = town.at('out.jsonl')
  await town.gc(['bead', 'export', '-o', out])
  expect(await town.json<BeadsImported>(['bead', 'import', out])).toMatchObject({ created: 0, updated: 0 })
})

test('the supervisor reported no unexpected errors', () => {
  expect(town.reports).toEqual([])
})
