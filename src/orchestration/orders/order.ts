export type { AbsentOrder, Order, OrderAction, OrderPack, Orders, OrderTrigger } from '../../config/city/index.ts'
export { scopedNameOf } from '../../config/city/index.ts'
