import { rejectMarkers } from '../../core/text/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { Config } from '../compose/index.ts'
import { FileSnapshot } from '../files/index.ts'
import {
  type DeclaredImport,
  findPackCommands,
  isCitys,
  PackManager,
  type PackManagerOptions,
  readCityImports,
  writeImports,
} from '../packs/index.ts'
import type { PackAdd, PackAdded, PackCommandList, PackList, PackRemoved } from './schema.ts'

export type PacksOptions = Omit<PackManagerOptions, 'policy' | 'signal' | 'progress' | 'write'> & {
  readonly config: Config
  readonly report: (message: string) => void
}

/** The packs that a city imports, as clients see and change them: from public hosts only. */
export class Packs {
  readonly #config: Config
  readonly #options: Omit<PacksOptions, 'config'>
  readonly #closing = new AbortController()

  constructor({ config, ...options }: PacksOptions) {
    this.#config = config
    this.#options = options
  }

  /** Direct imports of the city. In city.toml an import replaces one of the same name in pack.toml. */
  list(): PackList {
    const byName = new Map(this.#direct().map(({ binding, source, version }) => [binding, { source, version }]))
    const packs = [...byName].map(([name, { source, version }]) => ({ name, source, ...(version && { version }) }))
    return { packs: packs.sort((a, b) => (a.name < b.name ? -1 : 1)) }
  }

  /** The commands that the packs ship of which the city is made, for sessions that do not see its files. */
  commands(): PackCommandList {
    const { scripts, warnings } = findPackCommands(this.#config.current.packs, new Set())
    const items = scripts.map(({ help, pack: { name, folder }, ...command }) => ({
      ...{ ...command, words: [...command.words], pack: { name, folder } },
      ...(help !== undefined && { help }),
    }))
    return { items, warnings: [...warnings], total: items.length }
  }

  /** Fetches a pack, locks it and imports it. */
  async add(caller: Caller, { source, name, version }: PackAdd): Promise<PackAdded> {
    rejectMarkers({ source })
    const existing = caller.request?.isRetry ? this.#direct().find((each) => each.source === source.trim()) : undefined
    if (existing) return toAdded({ ...existing, name: existing.binding, isGit: true })
    await caller.request?.begin()
    return toAdded(await this.#manager(caller).add(source, { ...(name && { name }), ...(version && { version }) }))
  }

  async remove(caller: Caller, name: string): Promise<PackRemoved> {
    await this.#manager(caller).remove(name)
    return { name }
  }

  /** Ends what is being fetched. */
  stop(): void {
    this.#closing.abort(new Error('the city closes'))
  }

  /** Fetches and writes for a caller. */
  #manager(caller: Caller): PackManager {
    const [config, { report, ...options }] = [this.#config, this.#options]
    return new PackManager({
      ...options,
      policy: 'public',
      signal: this.#closing.signal,
      progress: report,
      write: writeImports({
        path: config.path,
        errorsOf: (drafts) => config.errorsOf(drafts),
        onWritten: () => config.applyWritten(actorOf(caller)),
      }),
    })
  }

  #direct(): DeclaredImport[] {
    return readCityImports(new FileSnapshot(this.#config.path).city).filter(isCitys)
  }
}

const toAdded = ({
  name,
  source,
  version,
  isGit,
}: {
  name: string
  source: string
  version?: string
  isGit: boolean
}) => ({
  ...{ name, source, git_backed: isGit },
  ...(version && { version }),
})
