import type { CityConfig } from '../../../config/city/index.ts'
import type { CityContext } from '../../../core/city-context.ts'
import { AppError } from '../../../core/errors.ts'
import type { BeadRepository } from '../../../work/beads/index.ts'
import type { RunRepository } from '../repository.ts'
import { LiveRuns } from './live-runs.ts'
import type { BeadRuns, DefaultTarget } from './schema.ts'

/** Runs of a bead as their source, and its default recipient. */
export class SlingSources {
  readonly #live: LiveRuns

  constructor(
    context: CityContext,
    private readonly beads: BeadRepository,
    private readonly runRepository: RunRepository,
    private readonly config: { readonly current: Pick<CityConfig, 'rigs'> },
  ) {
    this.#live = new LiveRuns(context.store)
  }

  /** The runs that continue for a bead. */
  runs(id: string): BeadRuns {
    const { beads, runRepository } = this
    beads.assertExists(id)
    const runs = this.#live.of(id).map(({ root }) => ({
      run_id: root,
      title: beads.titleOf(root),
      status: runRepository.find(root)?.state ?? ('active' as const),
    }))
    return { bead_id: id, runs }
  }

  /** One of those that the rig of a bead names for work that names none. */
  defaultTarget(id: string): DefaultTarget {
    const { beads, config } = this
    const rig = beads.rigOf(id)
    const declared = config.current.rigs.find(({ name }) => name === rig)
    const targets = declared?.defaultSlingTargets ?? []
    const target = targets[Math.floor(Math.random() * targets.length)]
    if (target !== undefined) return { bead_id: id, target, rig }
    const place = rig === '' ? 'it belongs to the city itself' : `rig ${rig} has no default_sling_target`
    throw new AppError('invalid-request', `bead ${id} has no recipient, and ${place}: gc sling <agent> ${id}`)
  }
}
