import type { CityContext } from '../../../core/city-context.ts'
import { AppError } from '../../../core/errors.ts'
import type { Tx } from '../../../core/store/index.ts'
import { actorOf } from '../../../http/actor-of.ts'
import type { Caller } from '../../../http/caller.ts'
import type { Bead } from '../../../work/beads/index.ts'
import { EngineKey, LaunchKey, ResultKey, WorkflowKey, WorkKey } from '../../../work/metadata.ts'
import { assigneeOf, isPool, type Recipe, type Target } from '../../formulas/index.ts'
import { cancelSlice } from '../cancel.ts'
import { beadCount, type GraphPlan, planGraph } from '../instantiate/graph-plan.ts'
import type { Instantiator } from '../instantiate/instantiator.ts'
import { routeGraph, routeMolecule } from '../instantiate/step-route.ts'
import type { BeadRouter, RouteFlags } from './bead-router.ts'
import { type LauncherOptions, LaunchParts } from './launch-parts.ts'
import { asMolecule, fill, requireNoInput, requireWork } from './launch-recipe.ts'
import { rootKey, type Variables, variablesJson } from './launch-variables.ts'
import { type LiveRun, LiveRuns, workflowConflict } from './live-runs.ts'

/** A formula to run. */
export interface Launch {
  formula: string
  target: Target
  /** The rig of the run when no bead says it; '' is the city itself. */
  rig: string
  title?: string | undefined
  vars: Variables
  scope?: { kind: string; ref: string } | undefined
  flags: RouteFlags
  /** Makes the answer to its request, in the write that completes the launch. */
  answer?: (launched: Launched) => unknown
}

/** Result of a launch. */
export interface Launched {
  /** The root of what was made. */
  root: string
  isGraph: boolean
  warnings: string[]
}

/** A launch whose formula is compiled. */
interface Compiled extends Launch {
  recipe: Recipe
}

/** Notice for the runner of a molecule: none of it runs automatically. */
const onlyListed = ({ formula }: Recipe): string =>
  `formula ${formula} is a molecule: gc lists its steps and starts no session for them, its agent does them when it is ` +
  'told to (gc session nudge); with [requires] formula_compiler = ">=2.0.0" gc offers each step automatically'

/** Runs formulas: on their own, or for a bead. */
export class FormulaLauncher {
  readonly #live: LiveRuns
  readonly #parts: LaunchParts

  constructor(
    context: CityContext,
    private readonly options: LauncherOptions,
    private readonly router: BeadRouter,
  ) {
    this.#live = new LiveRuns(context.store)
    this.#parts = new LaunchParts(options)
  }

  /** Does all that a launch does before it writes, and rejects unknown variables; for a bead if one is named. */
  async check(launch: Launch, bead?: string): Promise<Recipe> {
    if (bead !== undefined) this.router.checkRoutable(this.router.get(bead), launch.target, launch.flags)
    const rig = bead === undefined ? launch.rig : this.options.beads.rigOf(bead)
    const recipe = await this.#parts.compile({ ...launch, rig, strict: true }, bead)
    const compiled = { ...launch, rig, recipe }
    if (bead === undefined) requireLaunchable(compiled)
    const isAttached = bead !== undefined && recipe.shape !== 'graph'
    const ids = Array.from({ length: beadCount(recipe) }, (_, index) => `new-${index}`)
    if (isAttached) fill(asMolecule(recipe), {})
    else this.#plan(compiled, ids, {}, bead === undefined ? {} : { convoy_id: 'new', issue: bead })
    return recipe
  }

  /** Runs a formula that is for no bead. */
  async launch(caller: Caller, launch: Launch): Promise<Launched> {
    const compiled = { ...launch, recipe: await this.#parts.compile(launch) }
    const { recipe, target } = compiled
    requireLaunchable(compiled)
    const ofAgent = launch.flags.force ? [] : this.router.agentWarnings(target.agent)
    const warnings = recipe.shape === 'molecule' ? [...ofAgent, onlyListed(recipe)] : ofAgent
    return this.#write(caller, compiled, {
      count: beadCount(recipe),
      plan: (ids) => this.#plan(compiled, ids, {}),
      finish: (tx, plan) => this.#launched(tx, compiled, plan, warnings),
    })
  }

  /** Runs a formula for a bead: a molecule is hung on it and the bead is routed, a graph has it as its input. */
  async attach(caller: Caller, launch: Launch, id: string): Promise<Launched> {
    const bead = this.router.get(id)
    this.router.checkRoutable(bead, launch.target, launch.flags)
    const rig = this.options.beads.rigOf(id)
    const recipe = await this.#parts.compile({ ...launch, rig }, id)
    const compiled = { ...launch, rig, recipe }
    return recipe.shape === 'graph'
      ? this.#attachGraph(caller, compiled, bead)
      : this.#attachMolecule(caller, compiled, bead)
  }

  /** True if a formula that is run for a bead is a graph. */
  async isGraph(launch: Launch, id: string): Promise<boolean> {
    return (await this.#parts.compile({ ...launch, rig: this.options.beads.rigOf(id) }, id)).shape === 'graph'
  }

  /** The graphs that continue for a bead. */
  liveRunsOf(bead: string): LiveRun[] {
    return this.#live.of(bead)
  }

  #attachMolecule(caller: Caller, launch: Compiled, bead: Bead): Promise<Launched> {
    const { beads } = this.options
    const recipe = asMolecule(launch.recipe)
    return this.#write(caller, launch, {
      count: beadCount(recipe),
      plan: (ids) =>
        planGraph(fill(recipe, {}), ids, { ...this.#fields(launch), priority: bead.priority, rootMetadata: {} }),
      begin: (tx) => this.#parts.burnAttached(tx, this.router.get(bead.id)),
      finish: (tx, plan) => {
        beads.change(tx, bead.id, { metadata: { [WorkflowKey.olderMoleculeId]: plan.root } })
        const warnings = this.router.route(tx, caller, bead.id, launch.target, launch.flags)
        return this.#launched(tx, launch, plan, warnings)
      },
    })
  }

  async #attachGraph(caller: Caller, launch: Compiled, bead: Bead): Promise<Launched> {
    const { beads, runs } = this.options
    const isConvoy = bead.issue_type === 'convoy'
    const storeRef = this.#parts.storeRef(launch.rig)
    let replaced: LiveRun[] = []
    const launched = await this.#write(caller, launch, {
      count: beadCount(launch.recipe) + (isConvoy ? 0 : 1),
      plan: (ids) => {
        const [convoy = '', ...others] = isConvoy ? [bead.id, ...ids] : ids
        return this.#plan(launch, others, this.#inputMetadata(launch, convoy), { convoy_id: convoy, issue: bead.id })
      },
      begin: (tx, plan) => {
        const live = this.#live.of(bead.id)
        if (live.length > 0 && !launch.flags.force) throw workflowConflict(bead.id, live, storeRef)
        const { metadata = {} } = plan.bead(0)
        const convoy = metadata[EngineKey.inputConvoyId] ?? ''
        replaced = live.filter(({ key }) => isSameLaunch(key, metadata[LaunchKey.rootKey] ?? ''))
        if (!isConvoy) this.#addInput(tx, convoy, bead, launch.rig)
      },
      finish: (tx, plan) => {
        this.router.checkRoutable(this.router.get(bead.id), launch.target, launch.flags)
        const route = { [WorkKey.routedTo]: null, [EngineKey.executionRoutedTo]: launch.target.agent.qualified }
        beads.change(tx, bead.id, { metadata: route })
        if (isConvoy) this.#clearRoutes(tx, bead)
        for (const { root } of replaced) this.#replace(tx, root)
        const warnings = launch.flags.force ? [] : this.router.agentWarnings(launch.target.agent)
        return this.#launched(tx, launch, plan, warnings)
      },
    })
    if (replaced.length > 0) await runs.continueCanceling()
    return launched
  }

  /** The convoy that stands for a single bead as the input of a graph. */
  #addInput(tx: Tx, id: string, bead: Bead, rig: string): void {
    const { convoys } = this.options
    const metadata = { [LaunchKey.synthetic]: 'true' }
    const { priority } = bead
    convoys.add(tx, { id, title: `input convoy for ${bead.id}`, rig, items: [bead.id], metadata, priority })
  }

  #clearRoutes(tx: Tx, convoy: Bead): void {
    const { beads, convoys } = this.options
    for (const { id, metadata } of convoys.get(convoy.id).children ?? []) {
      if (metadata?.[WorkKey.routedTo]) beads.change(tx, id, { metadata: { [WorkKey.routedTo]: null } })
    }
  }

  /** Ends the same run that was started before; the rest of a large one follows. */
  #replace(tx: Tx, root: string): void {
    const { beads, runRepository, runMembers } = this.options
    beads.change(tx, root, { metadata: { [ResultKey.failureReason]: 'graphv2_force_replaced' } })
    const run = runRepository.find(root)
    if (run) cancelSlice({ beads, runs: runRepository, members: runMembers }, tx, run)
    else beads.closeWith(tx, root, { [ResultKey.outcome]: 'canceled' })
  }

  #inputMetadata({ recipe, scope }: Compiled, convoy: string): Record<string, string> {
    const variables = variablesJson(recipe)
    return {
      [EngineKey.inputConvoyId]: convoy,
      [LaunchKey.variables]: variables,
      [LaunchKey.rootKey]: rootKey({ convoy, formula: recipe.formula, variables, scope }),
    }
  }

  /** Plans what a launch automatically, or a graph, is made of; each step goes to somebody. */
  #plan(launch: Compiled, ids: readonly string[], input: Variables, extra: Variables = {}): GraphPlan {
    const { config, resolver } = this.options
    const { target, rig, scope } = launch
    const recipe = fill(launch.recipe, extra)
    const context = { config: config.current, rig, target, resolver }
    const isGraph = recipe.shape === 'graph'
    if (isGraph) requireWork(recipe)
    const session = isGraph ? assigneeOf(config.current, target) : undefined
    return planGraph(recipe, ids, {
      ...this.#fields(launch),
      ...(isGraph && { status: 'in_progress' }),
      routes: isGraph ? routeGraph(recipe, context) : routeMolecule(recipe, context),
      rootMetadata: {
        [WorkKey.routedTo]: target.agent.qualified,
        ...(session !== undefined && { [WorkKey.sessionName]: session }),
        ...(scope && { [WorkflowKey.scopeKind]: scope.kind, [WorkflowKey.scopeRef]: scope.ref }),
        ...input,
      },
    })
  }

  #fields = ({ rig, title }: Compiled) => ({ rig, title, storeRef: this.#parts.storeRef(rig) })

  #write(
    caller: Caller,
    { rig }: Compiled,
    draft: Omit<Parameters<Instantiator['write']>[0], 'rig'>,
  ): Promise<Launched> {
    return this.options.instantiator.write({ rig, ...draft }, actorOf(caller)) as Promise<Launched>
  }

  #launched(tx: Tx, launch: Compiled, { root, recipe }: GraphPlan, warnings: string[]): Launched {
    this.#parts.addRun(tx, { ...launch, recipe, target: launch.target.agent.qualified }, root)
    const launched = { root, isGraph: launch.recipe.shape === 'graph', warnings }
    if (launch.answer) tx.answer(launch.answer(launched))
    return launched
  }
}

/** Throws for a formula that no one would do without a bead that it is for. */
function requireLaunchable({ recipe, target }: Compiled): void {
  if (recipe.shape === 'graph') requireNoInput(recipe)
  if (recipe.shape !== 'molecule' || !isPool(target.agent)) return
  throw new AppError(
    'invalid-request',
    `the root of formula ${recipe.formula} is a molecule, which no session of the pool ${target.agent.qualified} is ` +
      'offered: give the formula phase = "vapor" or [requires] formula_compiler = ">=2.0.0", or name an agent with one session',
  )
}

/** True if two launches are the same but for the convoys that gc made for each. */
const isSameLaunch = (a: string, b: string): boolean => withoutConvoy(a) === withoutConvoy(b)
const withoutConvoy = (key: string): string => key.split(':').slice(2).join(':')
