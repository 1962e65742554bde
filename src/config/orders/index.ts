export {
  type AbsentOrder,
  type Order,
  type OrderAction,
  type OrderPack,
  type Orders,
  type OrderTrigger,
  scopedNameOf,
} from './config.ts'
export { switchOrder } from './edit.ts'
export { ORDERS, type OrdersFields } from './fields.ts'
export { isOrderFile } from './files.ts'
export { resolveOrders } from './resolve.ts'
