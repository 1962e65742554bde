import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EditLock } from '../../../src/config/files/edit-lock.ts'
import { FileSnapshot } from '../../../src/config/files/file-snapshot.ts'
import { writeDrafts } from '../../../src/config/files/write-files.ts'
import { GitRunner } from '../../../src/config/git/git-runner.ts'
import type { HostLookup } from '../../../src/config/git/remote.ts'
import { openPackFolders } from '../../../src/config/packs/builtin-folders.ts'
import { PackManager } from '../../../src/config/packs/pack-manager.ts'
import { PackRemotes, type SourcePolicy } from '../../../src/config/packs/remotes.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { tempFolder } from '../../support/folder.ts'

export interface MachineOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly policy?: SourcePolicy
  readonly hosts?: HostLookup
}

/** A city on a machine of its own, whose packs are fetched by real git. */
export function packMachine({ files = {}, env = {}, policy = 'any', hosts }: MachineOptions = {}) {
  const folder = tempFolder()
  const path = folder.at('city')
  const home = folder.at('home')
  const write = (file: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(join(folder.path, file)), { recursive: true })
    writeFileSync(join(folder.path, file), text, { mode })
  }
  write('city/city.toml', '')
  for (const [file, text] of Object.entries(files)) write(`city/${file}`, text)
  const deadlines = new Deadlines()
  const environment = { ...process.env, HOME: folder.path, ...env }
  const progress: string[] = []
  const abort = new AbortController()
  const folders = openPackFolders(home)
  const packs = new PackManager({
    ...{ path, home, folders, deadlines, policy, env: environment, clock: systemClock, signal: abort.signal },
    ...(hosts && { hosts }),
    git: new GitRunner({ deadlines, env: environment }),
    progress: (message) => progress.push(message),
    async write(makeDrafts) {
      const snapshot = new FileSnapshot(path)
      using lock = await EditLock.acquire(path)
      await writeDrafts(lock, await makeDrafts(snapshot), (file) => snapshot.city.text(file))
    },
  })
  const git = new GitRunner({ deadlines, env: environment })
  const { signal } = abort
  const remotes = new PackRemotes({ git, policy, signal, credential: async () => undefined })
  return {
    ...{ path, home, folders, packs, progress, write },
    /** Parts of the manager, for tests of single parts. */
    parts: { remotes, deadlines, clock: systemClock },
    abort: () => abort.abort(new Error('the command was ended')),
    read: (file: string) => readFileSync(join(path, file), 'utf8'),
    /** Contents of the cache: checkouts, records and unexpected files. */
    cached: () => (existsSync(folders.checkouts) ? readdirSync(folders.checkouts).sort() : []),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}
