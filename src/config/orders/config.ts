import type { Diagnostic } from '../files/index.ts'
import type { OrderFields } from './fields.ts'

/** Action of an order when it runs. */
export type OrderAction =
  /** A shell command line, and variables for it. */
  | { readonly kind: 'exec'; readonly command: string; readonly env: Readonly<Record<string, string>> }
  /** A formula, and the agent or pool that its steps are routed to, as written. */
  | { readonly kind: 'formula'; readonly formula: string; readonly pool?: string }

/** Trigger of an order. Durations are milliseconds. */
export type OrderTrigger =
  | { readonly kind: 'cooldown'; readonly interval: number }
  /** Five cron fields, and the IANA zone that they are read in. */
  | { readonly kind: 'cron'; readonly schedule: string; readonly zone: string }
  /** A shell command line that exits with 0 when the order is due. */
  | { readonly kind: 'condition'; readonly check: string; readonly timeout: number }
  /** An event type. */
  | { readonly kind: 'event'; readonly on: string }
  | { readonly kind: 'manual' }
  | { readonly kind: 'webhook' }

/** A pack as the processes of its orders know it. */
export interface OrderPack {
  readonly name: string
  /** Absolute. */
  readonly folder: string
  /** The name by which the city or a rig imports it; absent for the city's own. */
  readonly binding?: string
}

/** An order for the city or for one of its rigs, as its file and the overrides declare it. */
export interface Order {
  /** The name of its file. */
  readonly name: string
  /** `name`, or `name:rig:<rig>` in a rig: unique in the city. */
  readonly scopedName: string
  readonly rig?: string
  readonly description: string
  readonly action: OrderAction
  readonly trigger: OrderTrigger
  /** Maximum time one run may take, in milliseconds: a command until it ends, a formula until its beads are there. */
  readonly timeout: number
  /** The arguments that it takes, and whether each is required. */
  readonly params: Readonly<Record<string, { readonly required: boolean }>>
  /** It is started even when no one can tell whether it runs already. */
  readonly idempotent: boolean
  /** It is started even while it runs. */
  readonly noWorkGate: boolean
  /** False when an override disables it. */
  readonly enabled: boolean
  /** The folder that its `orders` folder lies in, absolute. */
  readonly layer: string
  /** The pack it comes from; absent for one of the city's own in a city that is not a pack, and for a rig's own. */
  readonly pack?: OrderPack
  /** Its file: absolute. */
  readonly file: string
  /** Its values as they are written. */
  readonly declared: Partial<OrderFields>
}

/** An order file that is there and makes no order, since somebody said so. */
export interface AbsentOrder {
  readonly name: string
  readonly rig?: string
  readonly description: string
  /** Its file says `enabled = false`, or `[orders] skip` names it. */
  readonly reason: 'disabled' | 'skipped'
  /** Absolute. */
  readonly file: string
}

/** Orders of the `orders` folders of a city and its packs. */
export interface Orders {
  /** The city's, from the lowest layer to the highest, then those of each rig; with those that an override disables. */
  readonly all: readonly Order[]
  readonly absent: readonly AbsentOrder[]
  /** `broken`: what is wrong with files that are left out; `warning`: overrides and files without effect. */
  readonly problems: readonly Diagnostic[]
  /** Those of the problems that are overrides of orders that are not there. */
  readonly unmatchedOverrides: readonly Diagnostic[]
}

/** The name that identifies an instance of an order. */
export const scopedNameOf = (name: string, rig: string | undefined): string =>
  rig === undefined ? name : `${name}:rig:${rig}`
