import type { AttentionEntry, AttentionSource } from '../../core/attention.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import { unsubscriber } from '../../core/signal.ts'
import type { Store } from '../../core/store/index.ts'
import type { Config } from '../compose/index.ts'
import type { RigClones } from './rig-clones.ts'
import { type RigClone, rigClones } from './table.ts'

/** Time a failed clone is listed when no one tries again. */
const LISTED_MS = 24 * 3_600_000

/** Repositories that could not be cloned, until there is a rig of that name, or it is tried again. */
export class FailedClonesAttention implements AttentionSource {
  readonly name = 'clones'
  #cache: readonly RigClone[] | undefined

  constructor(
    private readonly context: CityContext,
    private readonly store: Pick<Store, 'read'>,
    private readonly config: Pick<Config, 'current' | 'onChange'>,
    private readonly clones: Pick<RigClones, 'onChange'>,
  ) {}

  items(): AttentionEntry[] {
    const { clock } = this.context
    const { config } = this
    this.#cache ??= this.#latest()
    const rigs = new Set(config.current.rigs.map(({ name }) => name))
    const oldest = clock.now() - LISTED_MS
    return this.#cache.flatMap(({ rig, path, error, failedAt }) =>
      error !== null && failedAt !== null && failedAt > oldest && !rigs.has(rig)
        ? [toEntry(rig, path, error, failedAt)]
        : [],
    )
  }

  onChange(listener: () => void): () => void {
    const onClone = () => {
      this.#cache = undefined
      listener()
    }
    return unsubscriber(this.clones.onChange(onClone), this.config.onChange(listener))
  }

  /** The newest request for each rig. */
  #latest(): RigClone[] {
    const rows = this.store.read((orm) => orm.select().from(rigClones).all())
    const byAge = rows.toSorted((a, b) => a.acceptedAt - b.acceptedAt)
    return [...new Map(byAge.map((row) => [row.rig, row])).values()]
  }
}

const toEntry = (rig: string, path: string, error: string, failedAt: number): AttentionEntry => ({
  ...{ id: `clone:${rig}`, kind: 'clone', rig },
  since: toTimestamp(failedAt),
  until: toTimestamp(failedAt + LISTED_MS),
  asks: `The repository of rig ${rig} was not cloned into ${path}: ${error}`,
  to_do: `fix the cause and ask again: gc rig add ${path} --name ${rig} --git-url <address>; or clone it yourself, then gc rig add <folder> --name ${rig}`,
})
