import { addBlock } from '../../core/toml/index.ts'
import { changeBlock, type Declaration, type EditBase, requireEditable, textOf } from '../declare/index.ts'
import { CITY_FILE, type Drafts } from '../files/index.ts'
import type { OrdersFields } from './fields.ts'
import { isFor } from './overrides.ts'

/** Files with the orders of a city. */
type OrdersBase = EditBase<{ readonly orders?: Declaration<OrdersFields> | undefined }, unknown>

/** An order of the city, or that of one of its rigs. */
export interface OrderSwitch {
  readonly name: string
  readonly rig: string | undefined
  readonly enabled: boolean
}

/** Enables or disables an order by its override, or by a new one when it has none or a later one says otherwise. */
export function switchOrder({ declarations, files }: OrdersBase, { enabled, ...instance }: OrderSwitch): Drafts {
  const { block: section, values } = declarations.orders ?? {}
  const overrides = (values?.overrides ?? []).filter((override) => isFor(override, instance))
  const own = overrides.findLastIndex((override) => override.values.rig === instance.rig)
  const isLast = !overrides.slice(own + 1).some((override) => override.values.enabled !== undefined)
  const override = isLast ? overrides[own] : undefined
  const subject = `order "${instance.name}"`
  if (override) {
    const { block } = override
    requireEditable(block, `the override of ${subject}`)
    return new Map([[block.file, changeBlock(textOf(files, block.file), block, { enabled })]])
  }
  if (section) requireEditable(section, `what switches ${subject}`)
  const file = section?.file ?? CITY_FILE
  const pairs = [
    ['name', instance.name],
    ['rig', instance.rig],
    ['enabled', enabled],
  ] as const
  return new Map([[file, addBlock(textOf(files, file), '[[orders.overrides]]', pairs)]])
}
