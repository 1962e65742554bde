export type { AbsentOrder, Order, OrderAction, OrderPack, Orders, OrderTrigger } from '../../config/city/order.ts'
export { scopedNameOf } from '../../config/city/order.ts'
