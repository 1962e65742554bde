import type { AttentionEntry, AttentionSource } from '../../core/attention.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Config } from '../compose/index.ts'
import { FileSnapshot } from '../files/index.ts'
import { flatten, importKey, type PackFolders, readImportTree, readLock } from '../packs/index.ts'

/** Packs that a city imports and that are not on this machine, so that its files are not active. */
export class MissingPacksAttention implements AttentionSource {
  readonly name = 'packs'
  /** Problem of the configuration when the list was made. */
  #listed: { problem: string; entries: AttentionEntry[] } | undefined

  constructor(
    private readonly config: Pick<Config, 'path' | 'problem' | 'onProblem'>,
    private readonly folders: PackFolders,
  ) {}

  items(): AttentionEntry[] {
    const { problem } = this.config
    if (problem === undefined) return []
    if (this.#listed?.problem !== problem) this.#listed = { problem, entries: this.#read() }
    return this.#listed.entries
  }

  onChange(listener: () => void): () => void {
    return this.config.onProblem(listener)
  }

  #read(): AttentionEntry[] {
    const files = new FileSnapshot(this.config.path)
    try {
      const tree = readImportTree({ files, lock: readLock(files), folders: this.folders })
      const missing = flatten(tree).flatMap(({ declared, parsed, location }) =>
        parsed.kind === 'git' && location.kind === 'missing' ? [toEntry(importKey(declared), location.reason)] : [],
      )
      return [...new Map(missing.map((entry) => [entry.asks, entry])).values()]
    } catch (error) {
      return [toEntry('packs.lock', errorMessage(error))]
    }
  }
}

function toEntry(name: string, reason: string): AttentionEntry {
  const [, command = 'gc import check'] = /run `([^`]+)`/.exec(reason) ?? []
  const asks = `A pack is missing, and the last good configuration stays active: ${reason}.`
  return { id: `pack:${name}`, kind: 'pack', asks, to_do: command }
}
