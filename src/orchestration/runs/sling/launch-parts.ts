import type { AgentConfig } from '../../../config/agents/index.ts'
import { AppError } from '../../../core/errors.ts'
import type { Tx } from '../../../core/store/index.ts'
import type { Bead } from '../../../work/beads/index.ts'
import { WorkflowKey } from '../../../work/metadata.ts'
import type { SessionResolver } from '../../../work/sessions/index.ts'
import {
  type CompileResult,
  type Recipe,
  type RouteTarget,
  unknownVariables,
  validateVariables,
} from '../../formulas/index.ts'
import type { Instantiator } from '../instantiate/instantiator.ts'
import type { RunMembers } from '../members.ts'
import type { RunDraft, RunRepository } from '../repository.ts'
import type { Runs } from '../runs.ts'
import type { BeadRouterOptions } from './bead-router.ts'
import { compileSentence, listed } from './launch-recipe.ts'
import { injectedVariables, type Variables } from './launch-variables.ts'

/** Compiles the formulas of a city. */
export interface FormulaCompiler {
  compile(name: string, variables: Variables, rig?: string): Promise<CompileResult>
}

export interface LauncherOptions extends BeadRouterOptions {
  formulaLibrary: FormulaCompiler
  instantiator: Instantiator
  runRepository: RunRepository
  runMembers: RunMembers
  runs: Pick<Runs, 'continueCanceling'>
  resolver: SessionResolver
  /** Runs the command by which an agent takes beads; throws when it fails. */
  slingQuery(agent: AgentConfig, bead: string): Promise<void>
}

/** Formula to compile, with its recipient. */
interface CompileRequest {
  formula: string
  rig: string
  vars: Variables
  target?: RouteTarget | undefined
  /** True if a variable that the formula does not know is an error. */
  strict?: boolean
}

interface RunFields {
  recipe: Recipe
  rig: string
  scope?: { kind: string; ref: string } | undefined
  target: string
  origin?: RunDraft['origin'] | undefined
}

/** More steps than any molecule that somebody writes. */
const MAX_BURNED = 1000

/** Common parts of everything made from formulas. */
export class LaunchParts {
  constructor(private readonly options: LauncherOptions) {}

  /** Compiles a formula, for a bead if one is named; throws for variables that it does not take. */
  async compile(launch: CompileRequest, bead?: string): Promise<Recipe> {
    const { formulaLibrary, config } = this.options
    const context = { ...this.options, ...launch, config: config.current }
    const compile = async (variables: Variables) => {
      const result = await formulaLibrary.compile(launch.formula, variables, launch.rig || undefined)
      if ('recipe' in result) return result
      throw new AppError('invalid-request', compileSentence(launch.formula, result))
    }
    const ofRig = config.current.rigs.find(({ name }) => name === launch.rig)?.formulaVars
    const variables = { ...injectedVariables({ ...context, bead }), ...ofRig, ...launch.vars }
    const compiled = await compile(variables)
    // A graph gets the bead with its input, a molecule by name.
    const isNamed = compiled.recipe.contract === 'v1' && bead !== undefined
    const { recipe, known } = isNamed ? await compile({ issue: bead, ...variables }) : compiled
    const unknown = launch.strict ? unknownVariables(Object.keys(launch.vars), known) : []
    const problems = [...unknown, ...validateVariables(recipe)]
    if (problems.length > 0) throw new AppError('invalid-request', listed(launch.formula, problems))
    return recipe
  }

  /** Closes the molecule that an earlier launch hung on a bead; throws when somebody works on it. */
  burnAttached(tx: Tx, bead: Bead): void {
    const { beads, runMembers } = this.options
    const root = beads.find(bead.metadata?.[WorkflowKey.olderMoleculeId] ?? '')
    if (!root || root.status === 'closed') return
    if (bead.assignee) {
      throw new AppError(
        'conflict-wrong-state',
        `molecule ${root.id} is on bead ${bead.id}, which ${bead.assignee} works on: burn it first (bd mol burn ${root.id})`,
      )
    }
    for (const id of [...runMembers.open(root.id, MAX_BURNED), root.id])
      beads.close(tx, id, 'another formula was started')
  }

  /** Adds the row of a run; a wisp is not a run, only a bead. */
  addRun(tx: Tx, { recipe, scope, rig, target, origin = 'sling' }: RunFields, root: string): void {
    const { formula, contract, shape } = recipe
    if (shape === 'wisp') return
    const place = scope ?? { kind: rig === '' ? '' : 'rig', ref: rig }
    this.options.runRepository.add(tx, {
      ...{ root, formula, contract, origin, scope: place, target: target || 'workflow' },
      recipe: shape === 'graph' ? recipe : undefined,
    })
  }

  storeRef(rig: string): string {
    return rig === '' ? `city:${this.options.config.current.name}` : `rig:${rig}`
  }
}
