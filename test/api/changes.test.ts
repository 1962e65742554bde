import { expect, test } from 'bun:test'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../agents/worktrees/git.ts'
import { OperationCoverage, ofChanges } from '../support/coverage.ts'
import { eventually } from '../support/until.ts'
import { bead, errorOf, STORE_TOKEN, startSession, towns } from './town.ts'

const coverage = new OperationCoverage(({ path }) => ofChanges(path))
const openTown = towns(coverage)
const MISSING = 'f'.repeat(40)

/** A session in a rig that lands, but is paused; its change is ready. `clerk` works in the folder of the rig. */
async function readyChange(agent: 'worker' | 'clerk' = 'worker') {
  const town = await openTown('')
  const { city, world } = town
  const rig = world.rigFolder(`${city.name}-shop`, { git: true })
  writeFileSync(join(rig, 'README'), 'hello\n')
  git(rig, 'add', '-A')
  git(rig, 'commit', '-q', '-m', 'first')
  git(rig, 'init', '-q', '--bare', `${rig}.git`)
  git(rig, 'remote', 'add', 'origin', `${rig}.git`)
  git(rig, 'push', '-q', 'origin', 'main')
  git(rig, 'branch', 'topic')
  writeFileSync(
    join(city.path, 'city.toml'),
    `[workspace]\nname = "${city.name}"\n[session]\nsnapshot_interval = "1s"
[[rigs]]\nname = "shop"\npath = "${rig}"\n[rigs.land]\nmode = "push"\n[[rigs]]\nname = "plain"\npath = "${world.rigFolder('plain')}"
[[agent]]\nname = "worker"\ndir = "shop"\nworktree = true\nstart_command = '''${STORE_TOKEN}; exec sleep 600'''
[[agent]]\nname = "clerk"\ndir = "shop"\nstart_command = '''${STORE_TOKEN}; exec sleep 600'''\n`,
  )
  const isKnown = () => city.call('GET ~/agents')
  await eventually('the agent is known', 15_000, isKnown, ({ body }) => body.total === 2)
  expect((await city.call('POST ~/rig/shop/land/pause')).body).toMatchObject({ rig: 'shop', paused: { by: 'human' } })
  const { id: session, token } = await startSession(city, `shop/${agent}`)
  const path: string = (await city.call(`GET ~/session/${session}`)).body.work_dir
  if (agent === 'clerk') writeFileSync(join(path, 'README'), 'edited by a person\n')
  const work = await bead(city, 'oil', { rig: 'shop' })
  await city.call(`POST ~/bead/${work}/claim`, { token })
  writeFileSync(join(path, 'oil'), 'one\ntwo\n')
  git(path, 'add', 'oil')
  git(path, 'commit', '-q', '-m', 'oil')
  await city.call(`POST ~/bead/${work}/close`, { token })
  const list = () => city.call('GET ~/changes?state=ready')
  const { body } = await eventually('the change is ready', 15_000, list, (all) => all.body.items.length === 1)
  return { ...town, session, token, path, change: body.items[0] }
}

test('a change is listed, shown, commented on, answered and decided, once, by those who may', async () => {
  await using town = await readyChange()
  const { city, token, change } = town
  const { id, head } = change
  const at = `~/change/${id}`
  const fails = async (operation: string, body?: unknown, by?: string) =>
    (await errorOf(city, operation, { ...(body !== undefined && { body }), ...(by && { token: by }) })).split(':')[0]
  const reads = { 'GET ~/changes?state=x': '400 invalid-request', 'GET ~/changes?cursor=x': '400 invalid-cursor' }
  for (const [operation, error] of Object.entries(reads)) expect(await fails(operation)).toBe(error)
  const gone = '~/change/ch-gone'
  const comment = { path: 'oil', line: 2, text: 'Why two?' }
  const before = await city.head()
  const bodies: [string, unknown?][] = [
    ...([['GET '], ['GET /diff'], ['POST /look'], ['POST /comments', comment]] as [string, unknown?][]),
    ...([['PATCH /comment/1', { text: 'x' }], ['DELETE /comment/1']] as [string, unknown?][]),
    ...([
      ['POST /comment/1/reply', { text: 'x' }],
      ['POST /ask', {}],
    ] as [string, unknown?][]),
    ...([
      ['POST /approve', { head }],
      ['POST /discard', {}],
    ] as [string, unknown?][]),
  ]
  for (const [operation, body] of bodies) {
    const [method, rest = ''] = operation.split(' ')
    expect([operation, await fails(`${method} ${gone}${rest}`, body)]).toEqual([operation, '404 change-not-found'])
    if (method === 'GET' || rest.endsWith('reply')) continue
    expect([operation, await fails(`${method} ${at}${rest}`, body, token)]).toEqual([operation, '403 forbidden'])
  }
  expect((await city.call(`GET ${at}`)).body).toMatchObject({ id, changed_files: [{ path: 'oil', kind: 'added' }] })
  expect((await city.call(`GET ${at}/diff`)).body).toMatchObject({ head, files: [{ path: 'oil' }] })
  expect(await fails(`GET ${at}/diff?cursor=x`)).toBe('400 invalid-cursor')
  expect(await fails(`GET ${at}/diff?since=9`)).toBe('422 validation-failed')
  expect((await city.call(`POST ${at}/look`)).body).toMatchObject({ id, head })
  for (let n = 1; n <= 2; n++)
    expect((await city.call(`POST ${at}/comments`, { body: comment })).body).toMatchObject({ n })
  expect((await city.call(`PATCH ${at}/comment/1`, { body: { text: 'Why?' } })).body).toMatchObject({ text: 'Why?' })
  expect((await city.call(`DELETE ${at}/comment/2`)).status).toBe(200)
  for (const operation of ['PATCH', 'DELETE']) {
    expect(await fails(`${operation} ${at}/comment/2`, operation === 'PATCH' ? { text: 'x' } : undefined)).toBe(
      '404 comment-not-found',
    )
  }
  expect((await city.call(`POST ${at}/ask`, { body: {} })).body).toMatchObject({ state: 'asked' })
  expect(await fails(`PATCH ${at}/comment/1`, { text: 'x' })).toBe('409 conflict-wrong-state')
  expect(await fails(`DELETE ${at}/comment/1`)).toBe('409 conflict-wrong-state')
  expect(await fails(`POST ${at}/comment/9/reply`, { text: 'x' })).toBe('404 comment-not-found')
  const other = await startSession(city, 'shop/worker')
  expect(await fails(`POST ${at}/comment/1/reply`, { text: 'x' }, other.token)).toBe('403 forbidden')
  const reply = await city.call(`POST ${at}/comment/1/reply`, { body: { text: 'Because.' }, token })
  expect(reply.body).toMatchObject({ n: 1, state: 'answered', reply: 'Because.' })
  await city.event(before, ({ type }) => type === 'change.ready')
  expect(await fails(`POST ${at}/approve`, { head: MISSING })).toBe('409 conflict-concurrent-modify')
  const bare = join(city.path, '.gc/snapshots/shop.git')
  renameSync(join(bare, 'objects'), join(bare, 'away'))
  for (const operation of [`GET ${at}`, `GET ${at}/diff?file=oil`, `POST ${at}/comments`]) {
    const body = operation.startsWith('POST') ? comment : undefined
    expect([operation, await fails(operation, body)]).toEqual([operation, '503 service-unavailable'])
  }
  renameSync(join(bare, 'away'), join(bare, 'objects'))
  renameSync(bare, `${bare}.away`)
  expect(await fails(`GET ${at}/diff`)).toBe('409 conflict-wrong-state')
  renameSync(`${bare}.away`, bare)
  expect((await city.call(`POST ${at}/approve`, { body: { head } })).body).toMatchObject({ state: 'approved' })
  const late: [string, unknown][] = [
    ['comments', comment],
    ['ask', { text: 'x' }],
    ['approve', { head }],
  ]
  for (const [verb, body] of late) expect(await fails(`POST ${at}/${verb}`, body)).toBe('409 conflict-wrong-state')
  expect((await city.call(`POST ${at}/discard`, { body: {} })).body).toMatchObject({ state: 'discarded' })
  expect(await fails(`POST ${at}/discard`, {})).toBe('409 conflict-wrong-state')
  expect((await city.call('GET ~/changes/reviewers')).body).toMatchObject({
    items: [{ person: 'human', asked: 1, approved: 1, discarded: 1 }],
    changes: [{ id, state: 'discarded' }],
  })
  const events = (await city.recorded(before)).map(({ type }) => type).filter((type) => type.startsWith('change.'))
  expect(events).toEqual(
    ['looked', 'asked', 'replied', 'ready', 'approved', 'discarded'].map((name) => `change.${name}`),
  )
})

test('a branch is submitted, held, released, tried again, cancelled and given up, and each only where it can be', async () => {
  await using town = await readyChange()
  const { city, session, path, token } = town
  const land = '~/rig/shop/land'
  const fails = async (operation: string, body?: unknown) => (await errorOf(city, operation, { body })).split(':')[0]
  const submitted = (await city.call(`POST ${land}`, { body: { branch: 'topic' } })).body
  expect(submitted).toMatchObject({ rig: 'shop', branch: 'topic', state: 'submitted' })
  const at = `~/landing/${submitted.id}`
  const verb = async (name: string) => (await city.call(`POST ${at}/${name}`, { body: {} })).body.state
  for (const [name, state] of [
    ...[
      ['hold', 'held'],
      ['release', 'submitted'],
      ['hold', 'held'],
      ['retry', 'submitted'],
      ['cancel', 'cancelled'],
    ],
  ]) {
    expect([name, await verb(name ?? '')]).toEqual([name, state])
  }
  for (const name of ['retry', 'cancel', 'hold', 'release', 'give-up']) {
    expect([name, await fails(`POST ${at}/${name}`, {})]).toEqual([name, '409 conflict-wrong-state'])
    expect([name, await fails(`POST ~/landing/ld-gone/${name}`, {})]).toEqual([name, '404 landing-not-found'])
  }
  const own = (await city.call(`POST ${land}`, { body: { session } })).body
  // Closing its bead had submitted what the session committed.
  const listed = (await city.call('GET ~/landings?rig=shop')).body.items
  expect(listed.map((each: { id: string }) => each.id)).toEqual([submitted.id, own.id])
  const given = await city.call(`POST ~/landing/${own.id}/give-up`, { body: { reason: 'no' }, token })
  expect(given.body).toMatchObject({ state: 'given_up', reason: 'no' })
  expect((await city.call(`GET ${at}`)).body).toMatchObject({ id: submitted.id })
  expect((await city.call(`GET ${at}/log`)).body).toMatchObject({ landing: { id: submitted.id }, batches: [] })
  for (const read of ['GET ~/landing/ld-gone', 'GET ~/landing/ld-gone/log']) {
    expect(await fails(read)).toBe('404 landing-not-found')
  }
  expect(await fails('GET ~/landings?cursor=x')).toBe('400 invalid-cursor')
  expect((await city.call(`GET ${land}`)).body).toMatchObject({ rig: 'shop', mode: 'push', queue: [] })
  const refused: [unknown, string][] = [
    [{}, '400 invalid-request'],
    [{ branch: 'topic', bead_id: 'tw-none' }, '404 bead-not-found'],
    [{ session: 'ghost' }, '404 session-not-found'],
  ]
  for (const [body, error] of refused) expect(await fails(`POST ${land}`, body)).toBe(error)
  renameSync(join(path, '.git'), join(path, 'git'))
  writeFileSync(join(path, '.git'), 'no repository')
  expect(await fails(`POST ${land}`, { session })).toBe('503 service-unavailable')
  rmSync(join(path, '.git'))
  renameSync(join(path, 'git'), join(path, '.git'))
  for (const [operation, body] of [
    ...([['POST '], ['POST /pause'], ['POST /resume']] as [string][]).map(
      ([each]) => [each, each === 'POST ' ? {} : undefined] as const,
    ),
  ]) {
    const [method, rest = ''] = operation.split(' ')
    expect(await fails(`${method} ~/rig/plain/land${rest}`, body)).toBe('409 conflict-wrong-state')
    expect(await fails(`${method} ~/rig/gone/land${rest}`, body)).toBe('404 rig-not-found')
  }
  expect(await fails('GET ~/rig/gone/land')).toBe('404 rig-not-found')
  expect((await city.call(`POST ${land}/resume`)).body).not.toHaveProperty('paused')
})

test('a session in the folder of its rig has a change since its claim, without the edits of a person there', async () => {
  await using town = await readyChange('clerk')
  const { city, change, path } = town
  expect(path).toEndWith('-shop')
  expect(change).toMatchObject({ agent: 'shop/clerk', base: git(path, 'rev-parse', 'HEAD^'), files: 1, added: 2 })
  const { files } = (await city.call(`GET ~/change/${change.id}/diff`)).body
  expect(files.map((file: { path: string }) => file.path)).toEqual(['oil'])
  expect(git(path, 'status', '--short')).toBe('M README')
})

test('the operations on changes and landings are covered with success and every declared error', () => {
  expect(coverage.uncovered()).toEqual([])
})
