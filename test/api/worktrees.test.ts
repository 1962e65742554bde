import { describe, expect, test } from 'bun:test'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperationCoverage } from '../support/coverage.ts'
import { eventually, until } from '../support/until.ts'
import { errorOf, startSession, towns } from './town.ts'

const coverage = new OperationCoverage(({ id }) => /worktree/.test(id))
const openTown = towns(coverage)

const git = (cwd: string, ...words: string[]) => {
  const named = ['-c', 'user.name=a', '-c', 'user.email=a@b']
  const ran = Bun.spawnSync(['git', '-C', cwd, ...named, ...words])
  if (ran.exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${ran.stderr}`)
}

/** A running session's worktree is saved after it printed something, and restored without changing it. */
async function restores(
  { city }: Awaited<ReturnType<typeof openTown>>,
  { id, path, rig, token }: { id: string; path: string; rig: string; token: string },
): Promise<void> {
  const list = `GET ~/worktree/${id}/snapshots`
  const listed = await eventually(
    'the worktree is saved',
    30_000,
    () => city.call(list),
    ({ body }) => body.total > 0,
  )
  const [newest] = listed.body.items
  expect(newest).toMatchObject({ id: `${id}@1`, session: id, number: 1, rig: 'shop', reason: 'activity', left_out: [] })
  expect((await city.call('GET ~/worktrees/snapshots')).body).toEqual(listed.body)
  const at = `~/worktree/${id}/snapshot/1`
  expect((await city.call(`GET ${at}/diff`)).body).toMatchObject({ to: `${id}@1`, files: [{ path: 'where' }] })
  writeFileSync(join(path, 'later'), 'x')
  const since = (await city.call(`GET ${at}/diff?other=worktree`)).body
  expect(since).toMatchObject({ from: `${id}@1`, to: 'worktree', files: [{ path: 'later' }] })
  rmSync(join(path, 'later'))
  const seq = await city.head()
  const body = { branch: 'saved' }
  const { commit } = (await city.call(`POST ${at}/restore`, { body, token })).body
  expect((await city.event(seq, ({ type }) => type === 'worktree.restored')).payload).toEqual({
    ...{ snapshot: `${id}@1`, rig: 'shop', branch: 'saved', commit },
  })
  const shown = Bun.spawnSync(['git', '-C', rig, 'show', '--name-only', '--format=', 'saved']).stdout.toString()
  expect(shown.trim()).toBe('where')
  const folder = `${path}.saved`
  expect(await errorOf(city, `POST ${at}/restore`, { body: { folder }, token })).toStartWith('403 forbidden: ')
  expect(await errorOf(city, `POST ${at}/restore`, { body: { ...body, folder } })).toStartWith('400 invalid-request: ')
  expect(await errorOf(city, `POST ${at}/restore`, { body })).toStartWith('409 conflict-wrong-state: ')
  for (const [method, verb] of [
    ['POST', 'restore'],
    ['GET', 'diff'],
  ]) {
    const call = (session: string, number: number) =>
      errorOf(city, `${method} ~/worktree/${session}/snapshot/${number}/${verb}`)
    expect(await call(id, 9)).toStartWith('404 snapshot-not-found: ')
    expect(await call('-', 1)).toStartWith('404 session-not-found: ')
  }
  expect(await errorOf(city, 'GET ~/worktree/ghost/snapshots')).toStartWith('404 session-not-found: ')
  renameSync(path, `${path}.away`)
  expect(await errorOf(city, `GET ${at}/diff?other=worktree`)).toStartWith('409 conflict-wrong-state: ')
  renameSync(`${path}.away`, path)
}

describe('an agent with worktree = true', () => {
  test('works in its own worktree, which is removed with its session unless it contains unsaved work', async () => {
    await using town = await openTown('')
    const { city, world } = town
    const rig = world.rigFolder('shop', { git: true })
    writeFileSync(join(rig, 'README'), 'hello')
    git(rig, 'add', '-A')
    git(rig, 'commit', '-q', '-m', 'first')
    const keeps = 'printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"; pwd > where; exec sleep 600'
    writeFileSync(
      join(city.path, 'city.toml'),
      `[workspace]\nname = "${city.name}"\n[[rigs]]\nname = "shop"\npath = "${rig}"
[[agent]]\nname = "worker"\ndir = "shop"\nworktree = true\nstart_command = '''${keeps}'''\n`,
    )
    await eventually(
      'the agent is known',
      15_000,
      () => city.call('GET ~/agents'),
      ({ body }) => body.total === 1,
    )
    const { id, token } = await startSession(city, 'shop/worker')
    const { items, limit } = (await city.call('GET ~/worktrees')).body
    expect(limit).toBe(50)
    expect(items).toEqual([
      {
        session: id,
        rig: 'shop',
        path: expect.stringContaining(join(city.path, '.gc/worktrees/shop')),
        branch: expect.stringMatching(/^gc\//),
        created_at: expect.any(String),
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
        in_use: true,
      },
    ])
    const [{ path }] = items
    expect((await city.call(`GET ~/session/${id}`)).body.work_dir).toBe(path)
    await until(() => existsSync(join(path, 'where')))
    const changes = await city.call(`GET ~/worktree/${id}/diff`)
    expect(changes.body).toMatchObject({
      ...{ session: id, base: 'main', path, commits: [], files_total: 1, cut: false },
      files: [{ path: 'where', is_new: true }],
      patch: expect.stringContaining('+++ b/where'),
    })
    await restores(town, { id, path, rig, token })
    git(path, 'commit', '-q', '--allow-empty', '-m', 'half')
    let seq = await city.head()
    const fetched = (await city.call(`POST ~/worktree/${id}/fetch`)).body
    expect(fetched).toMatchObject({ session: id, in_use: true, commit: expect.not.stringMatching(items[0].commit) })
    const { payload } = await city.event(seq, ({ type }) => type === 'bead.worktree.fetched')
    expect(payload).toEqual({ bead_id: id, path, rig: 'shop', branch: fetched.branch, commit: fetched.commit })
    expect(await errorOf(city, 'POST ~/worktree/ghost/fetch')).toStartWith('404 session-not-found: ')
    expect(await errorOf(city, 'GET ~/worktree/ghost/diff')).toStartWith('404 session-not-found: ')
    expect(await errorOf(city, `GET ~/worktree/${id}/diff?max_bytes=0`)).toStartWith('422 ')
    renameSync(join(path, '.git'), join(path, 'git'))
    writeFileSync(join(path, '.git'), 'no repository')
    for (const call of [`GET ~/worktree/${id}/diff`, `POST ~/worktree/${id}/fetch`]) {
      expect(await errorOf(city, call)).toMatch(/^503 .*invalid gitfile/)
    }
    rmSync(join(path, '.git'))
    renameSync(join(path, 'git'), join(path, '.git'))
    renameSync(path, `${path}.away`)
    for (const call of [`GET ~/worktree/${id}/diff`, `POST ~/worktree/${id}/fetch`]) {
      expect(await errorOf(city, call)).toStartWith('409 conflict-wrong-state: ')
    }
    renameSync(`${path}.away`, path)
    const at = `DELETE ~/worktree/${id}`
    expect(await errorOf(city, at)).toStartWith('409 conflict-wrong-state: ')
    expect(await errorOf(city, at, { token })).toStartWith('403 forbidden: ')
    expect(await errorOf(city, 'DELETE ~/worktree/ghost')).toStartWith('404 session-not-found: ')
    seq = await city.head()
    await city.call(`POST ~/session/${id}/close`)
    const skipped = await city.event(seq, ({ type }) => type === 'bead.worktree.reap_skipped')
    expect(skipped.payload).toEqual({ bead_id: id, path, rig: 'shop', reason: '1 file is changed and not committed' })
    expect((await city.call('GET ~/worktrees')).body.items[0]).toMatchObject({
      in_use: false,
      kept: expect.any(String),
    })
    seq = await city.head()
    expect((await city.call(`${at}?force=true`)).body).toEqual({ status: 'removed' })
    await city.event(seq, ({ type }) => type === 'bead.worktree.reaped')
    expect(existsSync(path)).toBe(false)
  })
})

test('the worktree operations are covered with success and every declared error', () => {
  expect(coverage.uncovered()).toEqual([
    'remove-worktree service-unavailable',
    'diff-worktree-snapshot service-unavailable',
    'restore-worktree-snapshot service-unavailable',
    'list-worktree-snapshots service-unavailable',
  ])
})
