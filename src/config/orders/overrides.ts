import type { Declaration } from '../declare/index.ts'
import type { OrderFields, OrderOverrideFields } from './fields.ts'

export type OrderOverride = Declaration<OrderOverrideFields>

/** Name of one instance of an order. */
export interface InstanceName {
  readonly name: string
  readonly rig?: string | undefined
}

/** An override without a rig is for the city's instance, one of the rig `*` for every instance. */
export const isFor = ({ values }: OrderOverride, { name, rig }: InstanceName): boolean =>
  values.name === name && (values.rig === '*' || values.rig === rig)

/** An order with what overrides say of it, each over the ones before; variables are added one by one. */
export const withOverrides = (
  order: Declaration<OrderFields>,
  overrides: readonly OrderOverride[],
): Declaration<OrderFields> => overrides.reduce(withOverride, order)

function withOverride(order: Declaration<OrderFields>, override: OrderOverride): Declaration<OrderFields> {
  const { name, rig, ...values } = override.values
  const env = values.env && { env: { ...order.values.env, ...values.env } }
  return {
    ...order,
    values: { ...order.values, ...values, ...env },
    origins: { ...order.origins, ...override.origins },
  }
}
