export type { AbsentOrder, Order, OrderAction, OrderPack, Orders, OrderTrigger } from '../../config/orders/order.ts'
export { scopedNameOf } from '../../config/orders/order.ts'
