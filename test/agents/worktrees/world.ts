import { afterEach } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../../src/core/errors.ts'
import { human } from '../../../src/http/guard.ts'
import { scriptedTown } from '../../support/city.ts'
import { env, git } from './git.ts'

const open: AsyncDisposable[] = []

/** Closes what the tests of a file open, after each of them. */
export function closeWorlds(): void {
  afterEach(async () => {
    for (const town of open.splice(0)) await town[Symbol.asyncDispose]()
  })
}

export function commit(folder: string, file: string, text: string): void {
  writeFileSync(join(folder, file), text)
  git(folder, 'add', '-A')
  git(folder, 'commit', '-q', '-m', file)
}

interface WorldOptions {
  /** Makes the repository of the rig; without it, one with a commit. */
  rig?: (folder: string) => void
  /** More of the environment of gc's git. */
  env?: Readonly<Record<string, string>>
}

function plainRig(rig: string): void {
  mkdirSync(rig)
  git(rig, 'init', '-q', '-b', 'main')
  writeFileSync(join(rig, '.gitignore'), 'build/\n')
  commit(rig, 'README', 'hello\n')
}

/** A city whose worker works in a worktree of the rig `shop`. */
export async function world(settings = '', { rig: makeRig = plainRig, env: more }: WorldOptions = {}) {
  const town = scriptedTown()
  open.push(town)
  const rig = town.folder.at('shop')
  makeRig(rig)
  town.declare(`[session]\n${settings}\n[[rigs]]\nname = "shop"\npath = "${rig}"
[[agent]]\nname = "worker"\ndir = "shop"\nstart_command = "true"\nworktree = true\n`)
  const city = await town.open({ env: { ...env, ...more } })
  const { store, log, beadRepository, sessionRepository, reconciler, sessions, snapshots } = city
  const draft = { title: 'work', rig: 'shop', metadata: { 'gc.routed_to': 'shop/worker' } }
  const bead = await store.write((tx) => beadRepository.add(tx, draft))
  await reconciler.settle()
  const row = sessionRepository.liveByTemplate('shop/worker').find(({ work }) => work === bead.id)
  if (!row) throw new Error('no worker was started')
  const { id, workDir: path } = row
  return {
    ...city,
    ...{ town, rig, id, path, clock: town.clock },
    /** The files of the newest snapshot. */
    async files(): Promise<string[]> {
      const [newest] = (await snapshots.list(id)).items
      const ref = `refs/gc/snapshots/${id}/${newest?.number}`
      const names = git(
        join(town.path, '.gc/snapshots/shop.git'),
        '-c',
        'core.quotePath=true',
        'ls-tree',
        '-r',
        '--name-only',
        ref,
      )
      return names.split('\n')
    },
    numbers: async () => (await snapshots.list(id)).items.map(({ number }) => number),
    async close() {
      await store.write((tx) => void beadRepository.close(tx, bead.id))
      await sessions.running.close(id, human)
    },
    recorded: () =>
      log
        .after(0, 1000)
        .filter(({ type }) => /worktree/.test(type))
        .map(({ type, payload }) => ({ type, ...Object(payload) })),
  }
}

export const errorOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error) => (error instanceof AppError ? `${error.code}: ${error.message}` : String(error)),
  )
