import type { CityContext } from '../../../core/city-context.ts'
import { AppError, errorMessage } from '../../../core/errors.ts'
import type { Tx } from '../../../core/store/index.ts'
import { actorOf } from '../../../http/actor-of.ts'
import type { Caller } from '../../../http/caller.ts'
import { unknownOutcome } from '../../../http/idempotency.ts'
import type { Bead, BeadDraft } from '../../../work/beads/index.ts'
import { EngineKey, WorkflowKey } from '../../../work/metadata.ts'
import { type Recipe, resolveTarget, type Target, toDetail } from '../../formulas/index.ts'
import { beadCount, type GraphPlan, planGraph } from '../instantiate/graph-plan.ts'
import { BeadRouter, isRouted, type RouteFlags } from './bead-router.ts'
import { type LauncherOptions, LaunchParts } from './launch-parts.ts'
import { asMolecule, asPoured, asRootOnly, fill, requireNoInput } from './launch-recipe.ts'
import type { Variables } from './launch-variables.ts'
import { FormulaLauncher, type Launch, type Launched } from './launcher.ts'
import type {
  FormulaCook,
  FormulaCooked,
  SlingBatch,
  SlingCheck,
  SlingConvoy,
  SlingInputBody,
  SlingResponse,
  SlingText,
} from './schema.ts'

/** Gives work to an agent: beads, or the formulas that it is to run. */
export class Sling {
  readonly #router: BeadRouter
  readonly #launcher: FormulaLauncher
  readonly #cooker: FormulaCooker

  constructor(
    private readonly context: CityContext,
    private readonly options: LauncherOptions,
  ) {
    this.#router = new BeadRouter(options)
    this.#launcher = new FormulaLauncher(context, options, this.#router)
    this.#cooker = new FormulaCooker(options, this.#router)
  }

  /** Slings a bead or a formula: all of it happens, or nothing. */
  async sling(caller: Caller, body: SlingInputBody): Promise<SlingResponse> {
    const config = this.options.config.current
    const target = resolveTarget(config, body)
    const { bead, formula } = checkArguments(body, target, config.name)
    if (bead !== undefined && formula !== undefined) return this.#slingWithDefault(caller, bead, formula, target, body)
    if (bead !== undefined) return this.#slingBead(caller, bead, target, body)
    const launch = launchOf(formula ?? '', target, body)
    const attached = body.attached_bead_id
    const answer = (launched: Launched) =>
      formulaResponse(body, target, attached === undefined ? 'standalone' : 'attached', launched)
    const answered = { ...launch, answer }
    return answer(
      attached === undefined
        ? await this.#launcher.launch(caller, answered)
        : await this.#launcher.attach(caller, answered, attached),
    )
  }

  /** Checks what should be slung as {@link sling} does, and the names of its variables; nothing is written. */
  async check(body: SlingInputBody): Promise<SlingCheck> {
    const { current } = this.options.config
    const target = resolveTarget(current, body)
    const { bead, formula } = checkArguments(body, target, current.name)
    const work = bead ?? body.attached_bead_id
    const checked = { target: target.agent.qualified, ...(work !== undefined && { bead: work }) }
    if (formula === undefined) {
      if (bead !== undefined) this.#router.checkRoutable(this.#router.get(bead), target, body)
      return checked
    }
    const recipe = await this.#launcher.check(launchOf(formula, target, body), work)
    return { ...checked, formula, steps: toDetail(recipe).steps?.length ?? 0 }
  }

  /** Creates a bead and slings it: both happen, or nothing. An agent with a default formula then runs that for it. */
  async slingText(caller: Caller, { title, description, ...rest }: SlingText): Promise<SlingResponse> {
    const { store } = this.context
    const { beads, config } = this.options
    const { current } = config
    const target = resolveTarget(current, rest)
    const rig = target.agent.dir ?? rest.rig ?? ''
    if (rig && !current.rigs.some(({ name }) => name === rig)) {
      throw new AppError('invalid-request', `rig ${rig} does not exist in this city`)
    }
    const formula = rest.no_formula ? undefined : target.agent.defaultSlingFormula
    if (formula || target.agent.slingQuery !== undefined) {
      return this.#slingAdded(caller, { title, description, rig }, async (id) => {
        if (!formula) return this.#slingDirectly(caller, id, target, rest)
        const answer = ({ warnings }: Launched) => directResponse(id, target, warnings)
        return answer(await this.#launcher.attach(caller, { ...launchOf(formula, target, rest), answer }, id))
      })
    }
    return store.write((tx) => {
      const { id } = beads.add(tx, { title, description, rig })
      const body = { ...rest, bead: id }
      checkArguments(body, target, current.name)
      const warnings = this.#router.route(tx, caller, id, target, body)
      return directResponse(id, target, warnings)
    }, actorOf(caller))
  }

  /** Creates a bead and slings it; when that fails, the bead goes again. */
  async #slingAdded(caller: Caller, draft: BeadDraft, sling: (id: string) => Promise<SlingResponse>) {
    const { store } = this.context
    const { beads } = this.options
    if (caller.request?.isRetry) throw unknownOutcome(`look for a bead with the title ${JSON.stringify(draft.title)}`)
    const { id } = await store.write((tx) => {
      tx.answer(undefined)
      return beads.add(tx, draft)
    }, actorOf(caller))
    try {
      return await sling(id)
    } catch (error) {
      await store.write((tx) => {
        tx.answer(undefined)
        beads.remove(tx, id)
      }, actorOf(caller))
      throw error
    }
  }

  /** Makes the beads of a formula, for no one. */
  async cook(caller: Caller, formula: string, body: FormulaCook): Promise<FormulaCooked> {
    const { attach: bead, vars = {}, metadata = {}, rig = '', title, ephemeral, root_only: rootOnly } = body
    const cook = { formula, bead, vars, metadata, rig, title, ephemeral, rootOnly }
    const { root, isGraph, created, ids } = await this.#cooker.cook(caller, cook)
    return {
      ...{ formula, mode: bead ? 'attach' : 'cook', ...(bead && { attach_bead_id: bead }), root_id: root },
      ...(isGraph && { workflow_root_id: root }),
      ...{ created, id_mapping: ids },
    }
  }

  async #slingBead(caller: Caller, bead: string, target: Target, body: SlingInputBody): Promise<SlingResponse> {
    const { issue_type } = this.#router.get(bead)
    if (issue_type === 'convoy') return this.#slingConvoyBead(caller, bead, target, body)
    return this.#slingDirectly(caller, bead, target, body)
  }

  async #slingDirectly(caller: Caller, bead: string, target: Target, flags: RouteFlags): Promise<SlingResponse> {
    const answer = (warnings: readonly string[]) => directResponse(bead, target, warnings)
    return answer(await this.#route(caller, bead, target, flags, answer))
  }

  /** Gives a bead to a target: by the target's own command, if it has one. The request is answered with `answer`. */
  async #route(
    caller: Caller,
    bead: string,
    target: Target,
    flags: RouteFlags,
    answer: (warnings: readonly string[]) => unknown = () => undefined,
  ): Promise<string[]> {
    const { store } = this.context
    const { slingQuery } = this.options
    const { agent } = target
    if (agent.slingQuery !== undefined && !isRouted(this.#router.get(bead), target)) {
      this.#router.checkRoutable(this.#router.get(bead), target, flags)
      await slingQuery(agent, bead)
    }
    return store.write((tx) => {
      const warnings = this.#router.route(tx, caller, bead, target, flags)
      tx.answer(answer(warnings))
      return warnings
    }, actorOf(caller))
  }

  /** Slings the open beads of a convoy; a formula that is a graph is run once, with the convoy as its input. */
  async slingConvoy(caller: Caller, body: SlingConvoy): Promise<SlingBatch> {
    const { convoys, config } = this.options
    const target = resolveTarget(config.current, body)
    const { agent } = target
    const { issue_type: type } = this.#router.get(body.convoy)
    if (type !== 'convoy') throw new AppError('invalid-request', `bead ${body.convoy} is a ${type}, not a convoy`)
    const formula = body.formula ?? (body.no_formula ? undefined : agent.defaultSlingFormula)
    const launch = formula === undefined ? undefined : launchOf(formula, target, body)
    const children = convoys.get(body.convoy).children ?? []
    if (launch && (await this.#launcher.isGraph(launch, body.convoy))) {
      const counts = { total: children.length, routed: 0, failed: 0, skipped: 0, idempotent: 0, children: [] }
      const answer = ({ root }: Launched): SlingBatch => {
        const run = { run_id: root, kind: 'sling', status: 'pending' } as const
        return { convoy_id: body.convoy, target: agent.qualified, run, ...counts }
      }
      return answer(await this.#launcher.attach(caller, { ...launch, answer }, body.convoy))
    }
    const flags = { ...body, no_convoy: true }
    return slingChildren(body.convoy, agent.qualified, children, async (bead) => {
      if (isRouted(bead, target) && !body.reassign) return 'again'
      if (launch) await this.#launcher.attach(caller, { ...launch, flags }, bead.id)
      else await this.#route(caller, bead.id, target, flags)
      return 'routed'
    })
  }

  /** The same for a client that only knows beads. */
  async #slingConvoyBead(caller: Caller, convoy: string, target: Target, body: SlingInputBody): Promise<SlingResponse> {
    const { force, reassign, merge } = body
    const flags = { target: body.target, rig: body.rig, force, reassign, merge, no_formula: true }
    const { children } = await this.slingConvoy(caller, { convoy, ...flags })
    const failed = children
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ bead, reason }) => `${bead}: ${reason}`)
    if (failed.length > 0) throw new AppError('invalid-request', failed.join('; '))
    const left = children.filter(({ outcome }) => outcome === 'skipped').map(({ bead, reason }) => `${bead}: ${reason}`)
    return directResponse(convoy, target, left)
  }

  /** Runs the default formula of an agent for a bead; where that continues already, nothing changes. */
  async #slingWithDefault(
    caller: Caller,
    id: string,
    formula: string,
    target: Target,
    body: SlingInputBody,
  ): Promise<SlingResponse> {
    const bead = this.#router.get(id)
    const warnings = body.force ? [] : this.#skipReason(id, target)
    if (warnings.length > 0) return directResponse(id, target, warnings)
    const { vars = {}, title, scope_kind } = body
    const isShown = Object.keys(vars).length > 0 || Boolean(title || scope_kind)
    const answer = (launched: Launched) =>
      isShown
        ? formulaResponse({ ...body, formula, attached_bead_id: id }, target, 'attached', launched)
        : directResponse(id, target, launched.warnings)
    return answer(await this.#launcher.attach(caller, { ...launchOf(formula, target, body), answer }, bead.id))
  }

  /** Reason the default formula is not run for a bead. */
  #skipReason(id: string, { agent }: Target): string[] {
    const { assignee, status, metadata } = this.#router.get(id)
    const [live] = this.#launcher.liveRunsOf(id)
    if (live && metadata?.[EngineKey.executionRoutedTo] === agent.qualified) {
      return [`run ${live.root} is already active for bead ${id}; force starts another`]
    }
    if (status !== 'in_progress' || !assignee) return []
    return [`${assignee} works on bead ${id}, so that no formula was started for it; force starts one`]
  }
}

function launchOf(formula: string, target: Target, body: Omit<SlingInputBody, 'target'>): Launch {
  const { title, vars = {}, scope_kind: kind, scope_ref: ref } = body
  return {
    ...{ formula, target, title, vars, flags: body, rig: target.agent.dir ?? body.rig ?? '' },
    ...(kind && ref && { scope: { kind, ref } }),
  }
}

const directResponse = (bead: string, { agent }: Target, warnings: readonly string[]): SlingResponse => ({
  ...{ status: 'slung', target: agent.qualified, mode: 'direct', bead },
  ...(warnings.length > 0 && { warnings: [...warnings] }),
})

function formulaResponse(
  { formula, bead, attached_bead_id: attached }: SlingInputBody,
  { agent }: Target,
  mode: 'attached' | 'standalone',
  { root, isGraph, warnings }: Launched,
): SlingResponse {
  return {
    ...{ status: 'slung', target: agent.qualified, mode, ...(bead && { bead }), ...(formula && { formula }) },
    ...(isGraph && { workflow_id: root }),
    root_bead_id: isGraph ? root : (attached ?? root),
    ...(attached && { attached_bead_id: attached }),
    ...(warnings.length > 0 && { warnings }),
    ...(isGraph && { run: { run_id: root, kind: 'sling', status: 'pending' } }),
  }
}

type Child = SlingBatch['children'][number]

/** Sling of one bead of a convoy: `again` if it was slung before. */
type SlingChild = (bead: Bead) => Promise<'routed' | 'again'>

/** Slings the open beads of a convoy one by one; one that cannot be slung hinders no other. */
async function slingChildren(
  convoy: string,
  target: string,
  children: readonly Bead[],
  sling: SlingChild,
): Promise<SlingBatch> {
  if (!children.some(({ status }) => status === 'open')) {
    throw new AppError('invalid-request', `convoy ${convoy} has no open beads: there is nothing to sling`)
  }
  const results: Child[] = []
  for (const child of children) results.push(await slingChild(child, sling))
  const count = (...outcomes: Child['outcome'][]) => results.filter(({ outcome }) => outcomes.includes(outcome)).length
  return {
    ...{ convoy_id: convoy, target, total: results.length, routed: count('routed'), failed: count('failed') },
    ...{ skipped: count('skipped', 'again'), idempotent: count('again'), children: results },
  }
}

async function slingChild(child: Bead, sling: SlingChild): Promise<Child> {
  const { id: bead, status } = child
  if (status !== 'open') return { bead, outcome: 'skipped', reason: `it is ${status}` }
  try {
    return { bead, outcome: await sling(child) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { bead, outcome: 'failed', reason: errorMessage(error) }
  }
}

/** Subject of a sling request, once its arguments agree. */
interface SlingSubject {
  bead?: string | undefined
  formula?: string | undefined
}

/** Throws for arguments that do not go together, in a fixed order; returns what to sling. */
function checkArguments(body: SlingInputBody, { agent }: Target, city: string): SlingSubject {
  const { bead, formula, attached_bead_id: attached } = body
  const defaultFormula = bead && !body.no_formula ? agent.defaultSlingFormula : undefined
  if (!bead && !formula) reject('name a bead or a formula')
  if (bead && formula) reject('name a bead or a formula, not both; to launch a formula for a bead use attached_bead_id')
  if (bead && attached) reject('bead and attached_bead_id exclude each other')
  if (attached && !formula) reject('attached_bead_id needs a formula')
  const hasFormulaOptions =
    Object.keys(body.vars ?? {}).length > 0 || Boolean(body.title || body.scope_kind || body.scope_ref)
  if (hasFormulaOptions && !formula && !defaultFormula)
    reject('vars, title and scope belong to a formula, and there is none')
  if (!body.scope_kind !== !body.scope_ref) reject('scope_kind and scope_ref go together')
  if (body.scope_kind && !['city', 'rig'].includes(body.scope_kind)) reject('scope_kind is city or rig')
  if (body.owned && body.no_convoy) reject('owned is about the convoy, and no_convoy leaves it out')
  if (body.merge && !['direct', 'mr', 'local'].includes(body.merge)) reject('merge is direct, mr or local')
  if (body.no_formula && formula) reject('no_formula and formula exclude each other')
  checkScope(body, agent.dir, city)
  return bead ? { bead, formula: defaultFormula } : { formula }
}

function checkScope({ scope_kind, scope_ref, rig }: SlingInputBody, targetRig: string | undefined, city: string): void {
  if (scope_kind === 'city' && scope_ref !== city) {
    throw new AppError('scope-not-found', `scope_ref ${scope_ref} is not this city, which is ${city}`)
  }
  if (scope_kind !== 'rig') return
  if (targetRig === undefined) reject(`a scope of rig ${scope_ref} needs an agent of that rig`)
  if (targetRig !== scope_ref) reject(`the agent belongs to rig ${targetRig}, not to ${scope_ref}`)
  if (rig && rig !== scope_ref) reject('rig and scope_ref name different rigs')
}

function reject(message: string): never {
  throw new AppError('invalid-request', message)
}

/** A formula to make beads of, for no one. */
interface Cook {
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
interface Cooked {
  root: string
  isGraph: boolean
  created: number
  /** By their steps. */
  ids: Record<string, string>
}

/** Makes the beads of formulas, which no one is given. */
class FormulaCooker {
  readonly #parts: LaunchParts

  constructor(
    private readonly options: LauncherOptions,
    private readonly router: BeadRouter,
  ) {
    this.#parts = new LaunchParts(options)
  }

  /** Makes the beads of a formula for no one; for a bead, they hang on it. */
  async cook(caller: Caller, { formula, rig, bead, ...cook }: Cook): Promise<Cooked> {
    const { beads, config } = this.options
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
    return this.options.instantiator.write(draft, actorOf(caller))
  }
}

/** Shape of a recipe's beads. */
function shapeOf(recipe: Recipe, { rootOnly, ephemeral }: Pick<Cook, 'rootOnly' | 'ephemeral'>, isAttached: boolean) {
  if (rootOnly) return asRootOnly(recipe)
  if (isAttached) return asMolecule(recipe)
  return ephemeral === undefined ? recipe : asPoured(recipe)
}
