import { expect, test } from 'bun:test'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { human } from '../../src/http/guard.ts'
import { commit, git, reviewWorld } from '../changes/review/world.ts'

const COMMITS = 10_000
const MB = 1024 * 1024

test(`a branch with ${COMMITS} commits is one change, which names the newest of them`, async () => {
  await using world = await reviewWorld()
  const worker = await world.claimed()
  const branch = git(worker.path, 'symbolic-ref', 'HEAD')
  const lines = [`reset ${branch}\nfrom ${git(worker.path, 'rev-parse', 'HEAD')}\n`]
  for (let at = 1; at <= COMMITS; at++) {
    const subject = `change ${at}`
    lines.push(`commit ${branch}\ncommitter a <a@b> ${at} +0000\ndata ${subject.length}\n${subject}\n`)
    lines.push(`M 100644 inline count\ndata ${String(at).length}\n${at}\n`)
  }
  const made = Bun.spawnSync(['git', '-C', worker.path, 'fast-import', '--quiet', '--force'], {
    stdin: Buffer.from(lines.join('')),
  })
  expect(made.exitCode).toBe(0)
  git(worker.path, 'reset', '-q', '--hard')
  await world.close(worker)
  const { changes } = world.city
  const [{ id } = { id: '' }] = changes.list({ limit: 1 }).items
  const { commits, commits_total: total, ...change } = await changes.show(human, id)
  expect(change).toMatchObject({ state: 'ready', files: 1, added: 1, removed: 0 })
  expect([commits.length, commits[0]?.subject, total]).toEqual([100, `change ${COMMITS}`, COMMITS])
  await world.city.reviews.ask(human, id, { text: 'Squash it.' })
  const head = commit(worker.path, 'count', 'one\n')
  await world.city.snapshots.take(worker.id, 'activity')
  const later = await changes.diff(id, { since: 1 })
  expect(later.head).toBe(head)
  expect(later.commits?.filter(({ state }) => state === 'new').map(({ subject }) => subject)).toEqual(['count'])
}, 120_000)

test('a line of 200 MB is named and can be commented on, and is never read whole', async () => {
  await using world = await reviewWorld()
  const worker = await world.claimed()
  const part = 'x'.repeat(MB)
  writeFileSync(join(worker.path, 'vast'), '')
  for (let at = 0; at < 200; at++) appendFileSync(join(worker.path, 'vast'), part)
  commit(worker.path, 'oil', 'oil\n')
  await world.close(worker)
  const { changes, reviews } = world.city
  const [{ id } = { id: '' }] = changes.list({ limit: 1 }).items
  Bun.gc(true)
  const before = process.memoryUsage().rss
  const { files } = await changes.diff(id, {})
  expect(files.map(({ path, folded, hunks }) => [path, folded, hunks.length])).toEqual([
    ['oil', undefined, 1],
    ['vast', 'large', 0],
  ])
  const { quoted } = await reviews.comment(human, id, { path: 'vast', line: 1, text: 'Why so long?' })
  expect(quoted).toBe(`${'x'.repeat(400)}…`)
  expect((process.memoryUsage().rss - before) / MB).toBeLessThan(150)
}, 120_000)
