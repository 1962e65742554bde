import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bead, register, STORE_TOKEN, startSession } from '../api/town.ts'
import { tempFolder } from '../support/folder.ts'
import { git } from '../support/landings.ts'
import { type TestCity, World } from '../support/world.ts'
import { KillOnSync } from './kill-on-sync.ts'
import { up } from './town.ts'

/** A rig that lands, with a remote and one commit. */
function makeRig(folder: string): string {
  const [rig, remote] = [join(folder, 'shop'), join(folder, 'remote.git')]
  git(folder, ['init', '-q', '--bare', '-b', 'main', remote])
  git(folder, ['init', '-q', '-b', 'main', rig])
  git(rig, ['commit', '-q', '--allow-empty', '-m', 'base'])
  git(rig, ['remote', 'add', 'origin', remote])
  git(rig, ['push', '-q', 'origin', 'main'])
  return rig
}

const tomlOf = (rig: string) => `[[rigs]]
name = "shop"
path = "${rig}"
[rigs.land]
mode = "push"
[[agent]]
name = "worker"
dir = "shop"
worktree = true
start_command = '${STORE_TOKEN}; exec sleep 600'
`

/** What is on disk of a close: whether the bead is closed, and the landings that have its commit. */
async function outcomeOf(city: TestCity, id: string, head: string): Promise<{ closed: boolean; submitted: number }> {
  const { status } = (await city.call(`GET ~/bead/${id}`)).body
  const { items } = (await city.call('GET ~/landings')).body
  return { closed: status === 'closed', submitted: items.filter((row: { head: string }) => row.head === head).length }
}

test('a close of a bead submits its commits, or does neither, wherever the supervisor is killed', async () => {
  using folder = tempFolder()
  const killer = new KillOnSync(folder)
  await using world = await World.with(killer.env)
  const city = await register(world, 'mill', tomlOf(makeRig(world.folder.path)))
  const { token } = await startSession(city, 'shop/worker')
  const worktree: string = (await city.call('GET ~/worktrees')).body.items[0].path
  const outcomes: { closed: boolean; submitted: number }[] = []
  /** Syncs of the database after which it dies; for 0 it is killed from outside while it answers. */
  for (const sync of [0, 1, 2]) {
    const id = await bead(city, 'work', { rig: 'shop' })
    await city.call(`POST ~/bead/${id}/claim`, { token })
    writeFileSync(join(worktree, `file-${outcomes.length}`), 'x\n')
    git(worktree, ['add', '-A'])
    git(worktree, ['commit', '-q', '-m', 'work'])
    const head = git(worktree, ['rev-parse', 'HEAD'])
    if (sync > 0) killer.arm(sync, 'mill/.gc/')
    const headers = { 'Idempotency-Key': Bun.randomUUIDv7() }
    const closing = city.call(`POST ~/bead/${id}/close`, { token, headers }).catch(() => undefined)
    if (sync === 0) await Bun.sleep(Math.random() * 8)
    else await closing
    killer.disarm()
    await world.kill()
    await closing
    await world.start()
    await up(city)
    const outcome = await outcomeOf(city, id, head)
    expect(outcome).toEqual({ closed: outcome.closed, submitted: outcome.closed ? 1 : 0 })
    outcomes.push(outcome)
    await city.call(`POST ~/bead/${id}/close`, { token, headers })
    expect(await outcomeOf(city, id, head)).toEqual({ closed: true, submitted: 1 })
  }
  expect(outcomes.some(({ closed }) => closed)).toBe(true)
}, 120_000)
