import { dirname, join } from 'node:path'
import type { CityConfig } from '../../../config/city-config.ts'
import { AppError } from '../../../core/errors.ts'
import type { Order } from '../order.ts'

type OrderCity = Pick<CityConfig, 'path' | 'prefix' | 'rigs'>

/** What the arguments of a run are called in the environment of its command begin with. */
const ARGUMENT_PREFIX = 'GC_WEBHOOK_ARG_'

/** Where the command of an order, and the check of its condition, run: the folder of its rig, or the city's. */
export function storeRootOf(order: Order, { path, rigs }: OrderCity): string {
  if (order.rig === undefined) return path
  const rig = rigs.find(({ name }) => name === order.rig)
  if (rig?.path !== undefined) return rig.path
  throw new AppError(
    'invalid-request',
    rig
      ? `rig ${order.rig} is bound to no folder of this machine: gc rig add <folder> --name ${order.rig}`
      : `rig ${order.rig} is not declared any more`,
  )
}

/** What an order adds to the environment of its processes; its own variables come after what says where it is. */
export function orderVariables(
  order: Order,
  city: OrderCity,
  vars: Readonly<Record<string, string>>,
): Record<string, string> {
  const root = storeRootOf(order, city)
  const rig = city.rigs.find(({ name }) => name === order.rig)
  const pack = order.pack?.name ?? ''
  return {
    ORDER_DIR: dirname(order.file),
    PACK_DIR: order.layer,
    GC_PACK_DIR: order.pack?.folder ?? order.layer,
    ...(pack && { GC_PACK_NAME: pack, GC_PACK_STATE_DIR: join(city.path, '.gc', 'runtime', 'packs', pack) }),
    GC_STORE_ROOT: root,
    GC_STORE_SCOPE: rig ? 'rig' : 'city',
    GC_BEADS_PREFIX: rig?.prefix ?? city.prefix,
    ...(rig && { GC_RIG: rig.name, GC_RIG_ROOT: root }),
    BEADS_ACTOR: `order:${order.name}`,
    BEADS_DIR: join(root, '.beads'),
    ...(order.action.kind === 'exec' && order.action.env),
    ...argumentVariables(vars),
  }
}

/** Arguments as variables, never as text of a shell. */
const argumentVariables = (vars: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(vars).map(([name, value]) => [argumentVariable(name), value]))

/** The variable that an argument is: `ref` is `GC_WEBHOOK_ARG_REF`. */
export const argumentVariable = (name: string): string =>
  `${ARGUMENT_PREFIX}${name.toUpperCase().replaceAll(/[^A-Z0-9_]/g, '_')}`
