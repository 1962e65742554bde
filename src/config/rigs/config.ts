import type { ConfineFields, Declaration, DeclaredBlock, FieldOrigins } from '../declare/index.ts'
import type { LandConfig, LandFields } from '../land/index.ts'
import type { SessionSleepConfig } from '../settings/index.ts'
import type { RigFields } from './fields.ts'

/** `[[rigs]]`: a folder that agents work on. */
export interface RigConfig {
  readonly name: string
  /** Undefined when it is not bound to a folder of this machine. */
  readonly path: string | undefined
  /** Prefix of its bead ids: declared, else derived from its name. */
  readonly prefix: string
  readonly declaredPrefix?: string
  readonly defaultBranch?: string
  /** Its own formulas; absolute. */
  readonly formulasDir?: string
  /** Values of variables of the formulas that are run here, unless a launch gives others. */
  readonly formulaVars?: Readonly<Record<string, string>>
  /** The agents that get beads of the rig which are slung without one: any of them. */
  readonly defaultSlingTargets: readonly string[]
  readonly suspendedOnStart: boolean
  readonly maxActive: number | undefined
  readonly sleep: SessionSleepConfig
  readonly confine?: Declaration<ConfineFields>
  /** The landing settings; absent if none are declared. `landTable` is the table as written. */
  readonly land?: LandConfig
  readonly landTable?: Declaration<LandFields>
  readonly block: DeclaredBlock
  readonly origins: FieldOrigins<RigFields>
}
