export type { AbsentOrder, Order, OrderAction, OrderPack, Orders, OrderTrigger } from '../../config/orders/index.ts'
export { scopedNameOf } from '../../config/orders/index.ts'
