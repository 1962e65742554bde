import { AppError } from '../../core/errors.ts'
import type { Tx } from '../../core/store.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { WorkflowKey } from '../../work/metadata.ts'
import type { Recipe } from '../formulas/recipe.ts'
import { beadCount, type GraphPlan, planGraph } from '../instantiate/graph-plan.ts'
import type { BeadRouter } from './bead-router.ts'
import { type LauncherOptions, LaunchParts } from './launch-parts.ts'
import { asMolecule, asPoured, asRootOnly, fill, requireNoInput } from './launch-recipe.ts'
import type { Variables } from './launch-variables.ts'

/** A formula to make beads of, for nobody. */
export interface Cook {
  formula: string
  rig: string
  title?: string | undefined
  vars: Variables
  /** The bead that they are for. */
  bead?: string | undefined
  metadata: Readonly<Record<string, string>>
  /** Set by `bd mol`: whether the beads are bookkeeping. They are made with their steps. */
  ephemeral?: boolean | undefined
  rootOnly?: boolean | undefined
}

/** The beads that were made of a formula. */
export interface Cooked {
  root: string
  isGraph: boolean
  created: number
  /** By their steps. */
  ids: Record<string, string>
}

/** Makes the beads of formulas, which nobody is given. */
export class FormulaCooker {
  readonly #options: LauncherOptions
  readonly #parts: LaunchParts

  constructor(
    options: LauncherOptions,
    private readonly router: BeadRouter,
  ) {
    this.#options = options
    this.#parts = new LaunchParts(options)
  }

  /** Makes the beads of a formula for nobody; for a bead, they hang on it. */
  async cook(caller: Caller, { formula, rig, bead, ...cook }: Cook): Promise<Cooked> {
    const { beads, config } = this.#options
    if (rig && !config.current.rigs.some(({ name }) => name === rig)) {
      throw new AppError('invalid-request', `rig ${rig} does not exist in this city`)
    }
    const attached = bead === undefined ? undefined : this.router.get(bead)
    const place = attached ? beads.rigOf(attached.id) : rig
    const compiled = await this.#parts.compile({ ...cook, formula, rig: place, strict: true }, bead)
    if (attached && compiled.shape === 'graph') {
      throw new AppError(
        'invalid-request',
        `formula ${formula} is a graph, which is slung for a bead: gc sling <agent> ${bead} --on ${formula}`,
      )
    }
    if (compiled.shape === 'graph') requireNoInput(compiled)
    const recipe = shapeOf(compiled, cook, attached !== undefined)
    const { title, ephemeral, metadata: rootMetadata } = cook
    const draft = {
      ...{ rig: place, count: beadCount(recipe) },
      plan: (ids: readonly string[]) =>
        planGraph(fill(recipe, {}), ids, {
          rig: place,
          title,
          ephemeral,
          rootMetadata,
          storeRef: this.#parts.storeRef(place),
        }),
      begin: (tx: Tx) => attached && this.#parts.burnAttached(tx, this.router.get(attached.id)),
      finish: (tx: Tx, { root, size, ids, recipe: filled }: GraphPlan): Cooked => {
        const molecule = { [WorkflowKey.olderMoleculeId]: root }
        if (attached) beads.change(tx, attached.id, { metadata: molecule })
        this.#parts.addRun(tx, { recipe: filled, rig: place, target: '' }, root)
        return { root, isGraph: recipe.shape === 'graph', created: size, ids: Object.fromEntries(ids) }
      },
    }
    return this.#options.instantiator.write(draft, actorOf(caller))
  }
}

/** What is made of a recipe. */
function shapeOf(recipe: Recipe, { rootOnly, ephemeral }: Pick<Cook, 'rootOnly' | 'ephemeral'>, isAttached: boolean) {
  if (rootOnly) return asRootOnly(recipe)
  if (isAttached) return asMolecule(recipe)
  return ephemeral === undefined ? recipe : asPoured(recipe)
}
