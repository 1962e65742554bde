import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runGc } from '../support/run-gc.ts'
import { eventually } from '../support/until.ts'
import { confinedTown } from './confined-town.ts'

const WORKER = `[[agent]]
name = "worker"
dir = "demo"
worktree = true
start_command = '''ls "$GC_CITY_PATH/.gc/snapshots" > seen 2>&1; echo draft > draft; touch done; exec sleep 600'''
`

test('the worktree of a confined session is saved and restored, and the session cannot reach what is saved', async () => {
  await using town = await confinedTown(`[session]\nsnapshot_interval = "1s"\n${WORKER}`, (path) =>
    mkdirSync(join(path, '.gc/snapshots'), { recursive: true }),
  )
  const folder = await town.done('agent', 'demo/worker')
  expect(readFileSync(join(folder, 'seen'), 'utf8')).toContain('ermission denied')
  const list = async () => (await town.call('GET ~/worktrees/snapshots')).body.items
  const [snapshot] = await eventually('it is saved', 15_000, list, (items) => items.length > 0)
  const gc = (...args: string[]) => runGc(town.world, '--city', 'mill', 'worktree', ...args)
  expect((await gc('snapshots')).out).toContain(snapshot.id)
  expect((await gc('diff', snapshot.id)).out).toContain('+draft')
  const back = town.world.folder.at('back')
  expect(await gc('restore', snapshot.id, '--to', 'back')).toMatchObject({ out: `${snapshot.id} is in ${back}.\n` })
  expect(readFileSync(join(back, 'draft'), 'utf8')).toBe('draft\n')
  expect((await gc('restore', snapshot.id, '--to', 'back')).err).toContain('exists already')
  expect((await gc('restore', snapshot.id, '--branch', 'saved')).out).toContain('branch saved of rig demo')
})

const isRoot = process.getuid?.() === 0 && process.platform === 'linux'

test.skipIf(!isRoot)('no worktree is reset or removed while the disk is full', async () => {
  const size = (words: string) => Bun.spawnSync(['mount', ...words.split(' ')]).success
  let disk = ''
  await using town = await confinedTown(WORKER, (path) => {
    disk = join(path, '.gc/snapshots')
    mkdirSync(disk, { recursive: true })
  })
  expect(size(`-t tmpfs -o size=1m tmpfs ${disk}`)).toBe(true)
  await using _ = { [Symbol.asyncDispose]: async () => void Bun.spawnSync(['umount', '-l', disk]) }
  const folder = await town.done('agent', 'demo/worker')
  writeFileSync(join(folder, 'large'), crypto.getRandomValues(new Uint8Array(60_000)))
  for (let at = 0; at < 40; at++) {
    writeFileSync(join(folder, `large-${at}`), crypto.getRandomValues(new Uint8Array(60_000)))
  }
  const { id } = (await town.call('GET ~/sessions')).body.items[0]
  const reset = await town.call(`POST ~/session/${id}/restart`, { body: { fresh: true } })
  expect(reset).toMatchObject({ status: 503, body: { detail: expect.stringContaining('No space left') } })
  await town.call(`POST ~/session/${id}/close`)
  Bun.spawnSync(['git', 'checkout', '-q', '--detach'], { cwd: folder })
  const removal = async () => await town.call(`DELETE ~/worktree/${id}`)
  await eventually('it is over', 15_000, removal, ({ body }) => !String(body.detail).includes('not over'))
  expect(existsSync(join(folder, 'large'))).toBe(true)
  Bun.spawnSync(['mount', '-o', 'remount,size=50m', disk])
  // Now that there is room, the files so far may be saved at any time.
  writeFileSync(join(folder, 'last'), 'last\n')
  expect((await town.call(`DELETE ~/worktree/${id}?force=true`)).status).toBe(200)
  const { items } = (await town.call(`GET ~/worktree/${id}/snapshots`)).body
  expect(items.at(0)).toMatchObject({ reason: 'removal', left_out_total: 0 })
})
