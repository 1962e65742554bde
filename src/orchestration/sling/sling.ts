import { AppError } from '../../core/errors.ts'
import { withoutReplay } from '../../core/replays/replays.ts'
import type { Tx } from '../../core/store.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { BeadDraft } from '../../work/beads/draft.ts'
import { EngineKey } from '../../work/metadata.ts'
import { toDetail } from '../formulas/detail.ts'
import { resolveTarget, type Target } from '../routing/target.ts'
import { checkArguments } from './arguments.ts'
import { BeadRouter, isRouted, type RouteFlags } from './bead-router.ts'
import { slingChildren } from './convoy-sling.ts'
import { FormulaCooker } from './cooker.ts'
import type { LauncherOptions } from './launch-parts.ts'
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
  readonly #options: LauncherOptions
  readonly #router: BeadRouter
  readonly #launcher: FormulaLauncher
  readonly #cooker: FormulaCooker

  constructor(options: LauncherOptions) {
    this.#options = options
    this.#router = new BeadRouter(options)
    this.#launcher = new FormulaLauncher(options, this.#router)
    this.#cooker = new FormulaCooker(options, this.#router)
  }

  /** Slings a bead or a formula: all of it happens, or nothing. */
  async sling(caller: Caller, body: SlingInputBody): Promise<SlingResponse> {
    const config = this.#options.config.current
    const target = resolveTarget(config, body)
    const { bead, formula } = checkArguments(body, target, config.name)
    if (bead !== undefined && formula !== undefined) return this.#slingWithDefault(caller, bead, formula, target, body)
    if (bead !== undefined) return this.#slingBead(caller, bead, target, body)
    const launch = launchOf(formula ?? '', target, body)
    const attached = body.attached_bead_id
    if (attached === undefined) {
      return formulaResponse(body, target, 'standalone', await this.#launcher.launch(caller, launch))
    }
    return formulaResponse(body, target, 'attached', await this.#launcher.attach(caller, launch, attached))
  }

  /** Checks what is to be slung as {@link sling} does, and the names of its variables; nothing is written. */
  async check(body: SlingInputBody): Promise<SlingCheck> {
    const { current } = this.#options.config
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
  async slingText(
    caller: Caller,
    { title, description, ...rest }: SlingText,
    saveResponse = withoutReplay,
  ): Promise<SlingResponse> {
    const { store, beads, config } = this.#options
    const { current } = config
    const target = resolveTarget(current, rest)
    const rig = target.agent.dir ?? rest.rig ?? ''
    if (rig && !current.rigs.some(({ name }) => name === rig)) {
      throw new AppError('invalid-request', `rig ${rig} does not exist in this city`)
    }
    const formula = rest.no_formula ? undefined : target.agent.defaultSlingFormula
    if (formula || target.agent.slingQuery !== undefined) {
      return this.#slingAdded(caller, { title, description, rig }, async (id) => {
        const respond = (warnings: readonly string[]) => directResponse(id, target, warnings)
        const save = (tx: Tx, warnings: readonly string[]) => void saveResponse(tx, respond(warnings))
        if (!formula) return respond(await this.#route(caller, id, target, rest, save))
        const launch = { ...launchOf(formula, target, rest), save }
        return respond((await this.#launcher.attach(caller, launch, id)).warnings)
      })
    }
    return store.write((tx) => {
      const { id } = beads.add(tx, { title, description, rig })
      const body = { ...rest, bead: id }
      checkArguments(body, target, current.name)
      const warnings = this.#router.route(tx, caller, id, target, body)
      return saveResponse(tx, directResponse(id, target, warnings))
    }, actorOf(caller))
  }

  /** Creates a bead and slings it; when that fails, the bead goes again. */
  async #slingAdded(caller: Caller, draft: BeadDraft, sling: (id: string) => Promise<SlingResponse>) {
    const { store, beads } = this.#options
    const { id } = await store.write((tx) => beads.add(tx, draft), actorOf(caller))
    try {
      return await sling(id)
    } catch (error) {
      await store.write((tx) => beads.remove(tx, id), actorOf(caller))
      throw error
    }
  }

  /** Makes the beads of a formula, for nobody. */
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
    return directResponse(bead, target, await this.#route(caller, bead, target, body))
  }

  /** Gives a bead to a target: by the target's own command, if it has one. `save` runs in the write that gives it. */
  async #route(
    caller: Caller,
    bead: string,
    target: Target,
    flags: RouteFlags,
    save: (tx: Tx, warnings: readonly string[]) => void = () => {},
  ): Promise<string[]> {
    const { store, slingQuery } = this.#options
    const { agent } = target
    if (agent.slingQuery !== undefined && !isRouted(this.#router.get(bead), target)) {
      this.#router.checkRoutable(this.#router.get(bead), target, flags)
      await slingQuery(agent, bead)
    }
    return store.write((tx) => {
      const warnings = this.#router.route(tx, caller, bead, target, flags)
      save(tx, warnings)
      return warnings
    }, actorOf(caller))
  }

  /** Slings the open beads of a convoy; a formula that is a graph is run once, with the convoy as its input. */
  async slingConvoy(caller: Caller, body: SlingConvoy): Promise<SlingBatch> {
    const { convoys, config } = this.#options
    const target = resolveTarget(config.current, body)
    const { agent } = target
    const { issue_type: type } = this.#router.get(body.convoy)
    if (type !== 'convoy') throw new AppError('invalid-request', `bead ${body.convoy} is a ${type}, not a convoy`)
    const formula = body.formula ?? (body.no_formula ? undefined : agent.defaultSlingFormula)
    const launch = formula === undefined ? undefined : launchOf(formula, target, body)
    const children = convoys.get(body.convoy).children ?? []
    if (launch && (await this.#launcher.isGraph(launch, body.convoy))) {
      const { root } = await this.#launcher.attach(caller, launch, body.convoy)
      const counts = { total: children.length, routed: 0, failed: 0, skipped: 0, idempotent: 0, children: [] }
      const run = { run_id: root, kind: 'sling', status: 'pending' } as const
      return { convoy_id: body.convoy, target: agent.qualified, run, ...counts }
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

  /** Runs the default formula of an agent for a bead; where that goes on already, nothing changes. */
  async #slingWithDefault(
    caller: Caller,
    id: string,
    formula: string,
    target: Target,
    body: SlingInputBody,
  ): Promise<SlingResponse> {
    const bead = this.#router.get(id)
    const warnings = body.force ? [] : this.#whyNot(id, target)
    if (warnings.length > 0) return directResponse(id, target, warnings)
    const launched = await this.#launcher.attach(caller, launchOf(formula, target, body), bead.id)
    const { vars = {}, title, scope_kind } = body
    const isShown = Object.keys(vars).length > 0 || Boolean(title || scope_kind)
    return isShown
      ? formulaResponse({ ...body, formula, attached_bead_id: id }, target, 'attached', launched)
      : directResponse(id, target, launched.warnings)
  }

  /** Why the default formula is not run for a bead. */
  #whyNot(id: string, { agent }: Target): string[] {
    const { assignee, status, metadata } = this.#router.get(id)
    const [live] = this.#launcher.liveRunsOf(id)
    if (live && metadata?.[EngineKey.executionRoutedTo] === agent.qualified) {
      return [`run ${live.root} goes on for bead ${id} already; force starts another`]
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
