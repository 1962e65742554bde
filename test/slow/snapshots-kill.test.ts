import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSession } from '../api/town.ts'
import { SEED } from '../support/seed.ts'
import { eventually } from '../support/until.ts'
import type { TestCity } from '../support/world.ts'
import { dice, history, up, World } from './town.ts'

/** Minimum number of kills, resets, restarts and removals. */
const KILLS = Number(process.env.GC_KILLS ?? 15)
const WORKTREES = KILLS > 100 ? 8 : 3
/** A file that keeps the sum, from which a run that was ended continues. */
const SUM = process.env.GC_KILLS_FILE
/** Maximum age of unsaved work of a session. */
const SAVED_MS = 30_000

/** Programs that a clone names: gc must run none of them, and neither does this test. */
const TRAPS = ['filter.trap.clean', 'filter.trap.smudge', 'diff.trap.textconv', 'diff.external', 'core.fsmonitor']
const untrapped = TRAPS.flatMap((key, at) => [
  [`GIT_CONFIG_KEY_${at}`, key],
  [`GIT_CONFIG_VALUE_${at}`, key === 'core.fsmonitor' ? 'false' : ''],
])
const env = {
  ...process.env,
  ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_COUNT: String(TRAPS.length), ...Object.fromEntries(untrapped) },
  ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' },
}

function git(cwd: string, ...words: string[]): string {
  const ran = Bun.spawnSync(['git', '-C', cwd, '-c', 'core.hooksPath=/dev/null', ...words], { env })
  if (ran.exitCode !== 0) throw new Error(`git ${words.join(' ')} in ${cwd}: ${ran.stderr}`)
  return ran.stdout.toString().trim()
}

/** A session, its worktree, and everything that was written there. */
interface Worker {
  id: string
  path: string
  written: string[]
}

/** Ways in which a worktree ends or changes without gc. */
const ENDS: Readonly<Record<string, (world: World, city: TestCity, worker: Worker) => Promise<boolean>>> = {
  async reset(_, __, { path }) {
    git(path, 'reset', '-q', '--hard')
    git(path, 'clean', '-q', '-ffdx')
    return true
  },
  async 'rm -rf'(world, city, worker) {
    for (const name of readdirSync(worker.path)) rmSync(join(worker.path, name), { recursive: true })
    return remove(world, city, worker)
  },
  async 'kill of the supervisor'(world, city) {
    await kill(world, city, 0)
    return true
  },
  async restart(_, city, { id }) {
    await city.call(`POST ~/session/${id}/restart`, { body: { fresh: true } })
    return true
  },
  removal: remove,
}

async function kill(world: World, city: TestCity, after: number): Promise<void> {
  await Bun.sleep(after)
  await world.kill()
  await world.start()
  await up(city)
}

async function remove(_: World, city: TestCity, { id, path }: Worker): Promise<boolean> {
  await city.call(`POST ~/session/${id}/close`)
  const removed = async () => (await city.call(`DELETE ~/worktree/${id}?force=true`)).status
  await eventually('the worktree is removed', SAVED_MS, removed, (status) => status === 200)
  expect(existsSync(path)).toBe(false)
  return false
}

test(
  `nothing that is older than 30 s is lost over ${KILLS} kills, resets and removals`,
  async () => {
    const done: Record<string, number> =
      SUM !== undefined && existsSync(SUM) ? JSON.parse(readFileSync(SUM, 'utf8')) : {}
    const count = () => Object.values(done).reduce((sum, each) => sum + each, 0)
    const roll = dice(SEED + count())
    await using world = await World.open()
    const rig = world.rigFolder('shop', { git: true })
    writeFileSync(join(rig, '.gitignore'), 'build/\n')
    git(rig, 'add', '-A')
    git(rig, 'commit', '-q', '-m', 'first')
    const city = await world.city('town')
    const talks = 'printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"; while :; do echo tick; sleep 1; done'
    writeFileSync(
      join(city.path, 'city.toml'),
      `[workspace]\nname = "town"\n[session]\nsnapshot_interval = "1s"\nworktree_limit = 2000\n[[rigs]]\nname = "shop"\npath = "${rig}"
[[agent]]\nname = "worker"\ndir = "shop"\nworktree = true\nmax_active_sessions = 20\nstart_command = '''${talks}'''\n`,
    )
    await eventually(
      'the agent is known',
      15_000,
      () => city.call('GET ~/agents'),
      ({ body }) => body.total > 0,
    )
    const bare = join(city.path, '.gc/snapshots/shop.git')
    // Only git for snapshots can write there.
    const marker = join(bare, 'ran')
    const workers: Worker[] = []
    for (let round = 0; count() < KILLS; round++) {
      while (workers.length < WORKTREES) workers.push(await begin(city, marker))
      for (const worker of workers) write(worker, round, roll)
      if (roll() < 0.5) {
        await kill(world, city, roll() * 2000)
        done['kill while it saves'] = (done['kill while it saves'] ?? 0) + 1
      }
      for (const worker of workers) {
        await saved(bare, worker).catch(async (error) => {
          const failed = (await history(city)).filter(({ type }) => type === 'worktree.snapshot_failed')
          const { body } = await city.call(`GET ~/session/${worker.id}`)
          throw new Error(`${error} ${JSON.stringify(failed.at(-1)?.payload)} ${JSON.stringify(body)} ${world.log}`)
        })
      }
      const one = workers[Math.floor(roll() * workers.length)]
      for (const folder of [rig, ...(one ? [one.path] : [])]) collect(folder)
      for (const [at, worker] of [...workers.entries()].reverse()) {
        const names = Object.keys(ENDS)
        const name = names[Math.floor(roll() * names.length)] ?? 'reset'
        const goesOn = await ENDS[name]?.(world, city, worker)
        done[name] = (done[name] ?? 0) + 1
        expect({ name, missing: missing(bare, worker) }).toEqual({ name, missing: [] })
        if (goesOn) worker.written = []
        else workers.splice(at, 1)
      }
      for (const name of branches(rig)) git(rig, 'branch', '-q', '-D', name)
      if (SUM !== undefined) writeFileSync(SUM, JSON.stringify(done))
    }
    expect(existsSync(marker)).toBe(false)
    const far = world.folder.at('far.git')
    for (const folder of [rig, ...workers.map(({ path }) => path)]) {
      rmSync(far, { recursive: true, force: true })
      git(city.path, 'init', '-q', '--bare', far)
      git(folder, 'push', '-q', '--mirror', far)
      expect(git(far, 'for-each-ref', '--format=%(refname)')).not.toMatch(/^refs\/gc/m)
    }
    git(bare, 'fsck', '--connectivity-only')
  },
  Math.max(300_000, KILLS * 20_000),
)

/** A session whose clone names programs and hooks that leave a trace when they run. */
async function begin(city: TestCity, marker: string): Promise<Worker> {
  const { id } = await startSession(city, 'shop/worker')
  const path = String((await city.call(`GET ~/session/${id}`)).body.work_dir)
  const trap = `touch ${marker}; cat`
  for (const key of TRAPS) git(path, 'config', key, trap)
  git(path, 'config', 'core.hooksPath', '.git/traps')
  mkdirSync(join(path, '.git/traps'))
  for (const hook of ['post-index-change', 'reference-transaction', 'post-checkout', 'pre-push']) {
    writeFileSync(join(path, '.git/traps', hook), `#!/bin/sh\n${trap}\n`, { mode: 0o755 })
  }
  return { id, path, written: [] }
}

/** Writes what must not be lost: new files, changed ones, committed ones, those of a nested repository, stashed ones. */
function write(worker: Worker, round: number, roll: () => number): void {
  const { id, path } = worker
  const token = () => {
    const text = `token-${id}-${round}-${Math.floor(roll() * 1e9)}`
    worker.written.push(text)
    return `${text}\n`
  }
  writeFileSync(join(path, '.gitattributes'), '* filter=trap diff=trap text eol=crlf\n')
  writeFileSync(join(path, `new-${round}`), token())
  writeFileSync(join(path, '.gitignore'), `build/\n# ${token()}`)
  mkdirSync(join(path, 'nested'), { recursive: true })
  if (!existsSync(join(path, 'nested/.git'))) git(join(path, 'nested'), 'init', '-q')
  writeFileSync(join(path, 'nested/file'), token())
  if (roll() < 0.5) {
    writeFileSync(join(path, `committed-${round}`), token())
    git(path, 'add', `committed-${round}`)
    git(path, 'commit', '-q', '-m', `round ${round}`)
  }
}

const branches = (rig: string): string[] =>
  git(rig, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/gc').split('\n').filter(Boolean)

function collect(folder: string): void {
  git(folder, 'reflog', 'expire', '--expire=now', '--all')
  git(folder, 'gc', '-q', '--prune=now')
}

async function saved(bare: string, worker: Worker): Promise<void> {
  const end = performance.now() + SAVED_MS
  for (let left = missing(bare, worker); left.length > 0; left = missing(bare, worker)) {
    if (performance.now() > end) throw new Error(`${worker.id} is not saved: ${left.join(', ')}`)
    await Bun.sleep(500)
  }
}

/** Written content without a snapshot. */
function missing(bare: string, { id, written }: Worker): string[] {
  if (!existsSync(bare)) return written
  const refs = git(bare, 'for-each-ref', '--sort=-committerdate', '--format=%(refname)', `refs/gc/snapshots/${id}`)
  const newest = refs.split('\n').filter(Boolean)
  if (newest.length === 0) return written
  const found = Bun.spawnSync(['git', '-C', bare, 'grep', '-h', '-o', 'token-[a-z0-9-]*', ...newest], { env })
  const all = new Set(found.stdout.toString().split('\n'))
  return written.filter((token) => !all.has(token))
}
