import { describe, expect, test } from 'bun:test'
import type { Bead } from '../../src/work/beads/schema.ts'
import type { ConvoyGetResponse } from '../../src/work/convoys/schema.ts'
import type { CommandResult } from './shell.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

const convoy = (title: string, ...more: string[]) => town.json<Bead>(['convoy', 'create', title, ...more])
const shown = (id: string) => town.json<ConvoyGetResponse>(['convoy', 'show', id])

interface Step {
  seen: string
  act?: () => Promise<unknown>
}

/**
 * Watches until `seen` has been written, does what should be done then, and so on; ends when the command does, or else
 * with the last.
 */
async function watched(args: string[], steps: Step[], width?: number): Promise<CommandResult> {
  const ended = new AbortController()
  const left = [...steps]
  const onOutput = (out: string) => {
    const [next] = left
    if (!next || !out.includes(next.seen)) return
    left.shift()
    if (next.act) void next.act()
    else ended.abort()
  }
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(10_000)])
  const result = await town.gc([...args, '--watch'], { signal, onOutput, ...(width && { width }) })
  expect(left).toEqual([])
  return result
}

describe('gc convoy', () => {
  test('create puts beads into a convoy of the current folder’s rig, and show prints their progress', async () => {
    const [door, wall] = [await town.bead('Door'), await town.bead('Wall')]
    const { id } = await convoy('House', door.id, wall.id)
    await town.json(['bead', 'close', door.id])
    const { out } = await town.gc(['convoy', 'show', id])
    expect(out).toContain('House')
    expect(out).toContain('1 of 2')
    expect(out).toContain('Wall')
    expect((await shown(id)).progress).toEqual({ total: 2, closed: 1 })
    const wire = await fetch(`${town.url}/v0/city/town/convoy/${id}`)
    expect(await shown(id)).toMatchObject((await wire.json()) as object)
    expect((await town.gc(['convoy', 'create', 'Roof'], { cwd: town.rig })).out).toMatch(/^Created sh-\d+: Roof\n$/)
  })

  test('the options of create are stored with the convoy; an owned one stays open for a person', async () => {
    const door = await town.bead('Door')
    const flags = ['--owned', '--owner', 'mayor', '--merge', 'mr', '--target', 'next']
    const { id, labels, metadata } = await convoy('Release', door.id, ...flags)
    expect(labels).toEqual(['owned'])
    expect(metadata).toEqual({ 'convoy.owner': 'mayor', 'convoy.merge': 'mr', target: 'next' })
    await town.json(['bead', 'close', door.id])
    expect((await town.gc(['convoy', 'check', id])).status).toBe(0)
    expect((await shown(id)).convoy?.status).toBe('open')
    expect((await town.gc(['convoy', 'check', id, '--close'])).out).toBe(`1 of 1 beads of ${id} are closed.\n`)
    expect((await shown(id)).convoy?.status).toBe('closed')
    const wrong = await town.gc(['convoy', 'create', 'x', '--merge', 'squash'])
    expect([wrong.status, wrong.err]).toEqual([
      2,
      expect.stringMatching(/^gc: --merge takes direct, mr, local, not squash\n/),
    ])
  })

  test('add and remove change its beads; a bead that does not exist is rejected', async () => {
    const [one, two] = [await town.bead('one'), await town.bead('two')]
    const { id } = await convoy('Pair')
    expect((await town.gc(['convoy', 'show', id])).out).toContain('gc convoy add')
    expect((await town.gc(['convoy', 'add', id, one.id, two.id])).out).toBe(`${one.id}, ${two.id} are in ${id}.\n`)
    expect((await town.gc(['convoy', 'remove', id, one.id])).out).toBe(`${one.id} is no longer in ${id}.\n`)
    expect(await town.json<object>(['convoy', 'add', id, two.id])).toEqual({
      ...{ schema_version: '1', ok: true, command: 'convoy.add', action: 'add' },
      ...{ convoy_id: id, issue_ids: [two.id], status: 'updated' },
    })
    expect((await shown(id)).children?.map((child) => child.id)).toEqual([two.id])
    const { status, err } = await town.gc(['convoy', 'remove', id, one.id])
    expect([status, err]).toEqual([1, `gc: bead ${one.id} is not in convoy ${id}\n`])
  })

  test('check ends with a status that says whether every bead is closed', async () => {
    const { id } = await convoy('Check', (await town.bead('x')).id)
    expect(await town.gc(['convoy', 'check', id])).toMatchObject({
      status: 1,
      out: `0 of 1 beads of ${id} are closed.\n`,
    })
    const { status, out } = await town.gc(['convoy', 'check', id, '--json'])
    expect(status).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ action: 'check', convoy_id: id, total: 1, closed: 0, complete: false })
    expect((await town.gc(['convoy', 'check', id, '--close'])).status).toBe(1)
    expect((await shown(id)).convoy?.status).toBe('open')
  })

  test('land closes an owned convoy once its beads are closed, and otherwise explains why not', async () => {
    const door = await town.bead('Door')
    const { id } = await convoy('Landed', door.id, '--owned')
    const land = async (...more: string[]) => {
      const { status, out, err } = await town.gc(['convoy', 'land', ...more])
      return [status, out || err]
    }
    expect(await land(id)).toEqual([1, `gc: ${id} has open beads: ${door.id}; --force closes it anyway\n`])
    await town.json(['bead', 'close', door.id])
    expect(await land(id, '--dry-run')).toEqual([0, `${id} can be landed.\n`])
    expect((await shown(id)).convoy?.status).toBe('open')
    expect(await land(id)).toEqual([0, `Landed ${id}.\n`])
    expect((await shown(id)).convoy?.status).toBe('closed')
    expect(await land(id)).toEqual([1, `gc: ${id} is already closed\n`])
    const { id: empty } = await convoy('Empty', '--owned')
    expect(await land(empty)).toEqual([1, `gc: ${empty} has no beads yet; --force closes it anyway\n`])
    const result = await town.json<object>(['convoy', 'land', empty, '--force'])
    expect(result).toMatchObject({ action: 'land', convoy_id: empty, landed: true, open_children: 0, forced: true })
    const { id: plain } = await convoy('Plain')
    const reason = `${plain} closes with its last bead; \`gc convoy close ${plain}\` closes it now`
    expect(await land(plain)).toEqual([1, `gc: ${reason}\n`])
  })

  test('target sets the branch of its work; only a convoy has one', async () => {
    const { id } = await convoy('Aimed')
    expect((await town.gc(['convoy', 'target', id, 'next'])).out).toBe(`The target branch of ${id} is next.\n`)
    expect((await shown(id)).convoy?.metadata).toEqual({ target: 'next' })
    const bead = await town.bead('no convoy')
    expect((await town.gc(['convoy', 'target', bead.id, 'next'])).status).toBe(1)
    expect((await town.json<Bead>(['bead', 'show', bead.id])).metadata).toBeUndefined()
  })

  test('stranded lists convoys with ready work and no one working', async () => {
    const [waits, taken, going] = [await town.bead('waits'), await town.bead('taken'), await town.bead('going')]
    await town.json(['bead', 'update', taken.id, '--status', 'in_progress'])
    await town.json(['bead', 'update', going.id, '--status', 'in_progress'])
    const left = await convoy('Left', waits.id)
    await convoy('Going', going.id, (await town.bead('next')).id)
    await convoy('Taken', taken.id)
    const { convoys } = await town.json<{ convoys: object[] }>(['convoy', 'stranded'])
    const { id, title, created_at } = left
    expect(convoys).toContainEqual({ id, title, created_at, ready: [waits.id] })
    const { out } = await town.gc(['convoy', 'stranded'])
    expect(out).toContain('Left')
    expect(out).not.toMatch(/Going|Taken/)
  })

  test('check without a convoy closes all that are done, except owned ones', async () => {
    const [one, two] = [await town.bead('one'), await town.bead('two')]
    for (const bead of [one, two]) await town.json(['bead', 'close', bead.id])
    const [done, owned] = [await convoy('Done', one.id), await convoy('Owned', two.id, '--owned')]
    const { closed_ids: closed } = await town.json<{ closed_ids: string[] }>(['convoy', 'check'])
    expect([closed.includes(done.id), closed.includes(owned.id)]).toEqual([true, false])
    expect((await town.gc(['convoy', 'check', '--close'])).out).toContain(owned.id)
    expect((await town.gc(['convoy', 'check'])).out).toBe('No open convoy is done.\n')
  })

  test('close and delete take it out of the list; --all still shows it', async () => {
    const [one, two] = [await convoy('First'), await convoy('Second')]
    expect((await town.gc(['convoy', 'list'])).out).toContain('Second')
    expect((await town.gc(['convoy', 'close', one.id])).out).toBe(`Closed ${one.id}.\n`)
    expect((await town.gc(['convoy', 'delete', two.id])).out).toBe(`Closed ${two.id}.\n`)
    const listed = async (...more: string[]) =>
      (await town.json<{ items: Bead[] }>(['convoy', 'list', ...more])).items.map(({ id }) => id)
    expect(await listed()).not.toContain(one.id)
    expect((await listed('--all')).slice(0, 2)).toEqual([two.id, one.id])
    expect((await town.gc(['convoy', 'list', '--all', '--limit', '1'])).out).toContain('--limit shows more.')
    const { status, err } = await town.gc(['convoy', 'show', 'to-999'])
    expect([status, err]).toEqual([1, 'gc: convoy to-999 does not exist; `gc convoy list` lists valid names\n'])
  })
})

describe('--watch', () => {
  test('show ends when the convoy is closed with the last of its beads', async () => {
    const [one, two] = [await town.bead('one'), await town.bead('two')]
    const { id } = await convoy('Watched', one.id, two.id)
    const close = (closed: Bead) => () => town.json(['bead', 'close', closed.id])
    const result = await watched(
      ['convoy', 'show', id],
      [
        { seen: '0 of 2', act: close(one) },
        { seen: '1 of 2', act: close(two) },
      ],
      100,
    )
    expect(result).toMatchObject({ status: 0, err: '' })
    const [, last] = result.out.split('\u001b[H\u001b[2J').slice(-2)
    expect(last).toContain('2 of 2')
    expect(result.out).toMatch(/status +closed/)
  })

  test('list and bead list show new entries until ctrl-c', async () => {
    const steps = [{ seen: 'TITLE', act: () => convoy('Appears') }, { seen: 'Appears' }]
    expect((await watched(['convoy', 'list', '--all'], steps)).status).toBe(0)
    const work = [{ seen: 'TITLE', act: () => town.bead('Comes') }, { seen: 'Comes' }]
    expect((await watched(['bead', 'list'], work)).status).toBe(0)
    const ready = [{ seen: '"items"', act: () => town.bead('Waits') }, { seen: 'Waits' }]
    const { out } = await watched(['bead', 'ready', '--json'], ready)
    for (const each of out.trimEnd().split('\n')) expect(JSON.parse(each)).toHaveProperty('items')
  })

  test('budget list and usage show changes', async () => {
    const set = () => town.json(['budget', 'set', '3usd', '--per', 'hour'])
    const budgets = [{ seen: 'There are no budgets', act: set }, { seen: '$3.00' }]
    expect((await watched(['budget', 'list'], budgets)).status).toBe(0)
    const { status, out } = await watched(['usage'], [{ seen: 'last 24 hours' }])
    expect([status, out]).toEqual([0, expect.stringContaining('PERIOD')])
    const { out: lines } = await watched(['usage', '--json'], [{ seen: 'updated_at' }])
    for (const each of lines.trimEnd().split('\n')) expect(JSON.parse(each)).toHaveProperty('today')
  })

  test('an error ends it immediately', async () => {
    const { status, err } = await town.gc(['convoy', 'show', 'to-999', '--watch'])
    expect([status, err]).toEqual([1, 'gc: convoy to-999 does not exist; `gc convoy list` lists valid names\n'])
  })
})
