import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import type { OrderHistory } from './history/history.ts'
import type { Orders } from './orders.ts'
import {
  OrderFiles,
  OrderHistoryDetailQuery,
  OrderHistoryDetailResponse,
  OrderHistoryListBody,
  OrderHistoryQuery,
  OrderListBody,
  OrderResponse,
  OrderRunsQuery,
  OrdersFeedBody,
  OrdersFeedQuery,
} from './schema.ts'

interface OrderServices {
  readonly orders: Orders
  readonly orderHistory: OrderHistory
}

const NAMED = ['order-not-found', 'ambiguous-reference'] as const
const SWITCHED = {
  needs: 'configure',
  ok: OKResponseBody,
  errors: [...NAMED, 'invalid-request', 'conflict-wrong-state', 'conflict-concurrent-modify', 'not-implemented'],
} as const

/** The operations on orders. */
export const orderRoutes = (city: CityOf<OrderServices>) => [
  route(
    'GET ~/orders',
    {
      id: 'get-v0-city-by-city-name-orders',
      summary: 'List the orders that are enabled',
      description: 'An order is a command or a formula that gc runs by itself, by the clock or by what happens.',
      ok: OrderListBody,
    },
    (x) => city(x).orders.list(),
  ),
  route(
    'GET ~/order/{name}',
    {
      id: 'get-v0-city-by-city-name-order-by-name',
      summary: 'Show an order',
      description: 'By its scoped name, or by its name when only one order has it. Disabled ones are shown too.',
      ok: OrderResponse,
      errors: NAMED,
    },
    (x) => city(x).orders.get(x.params.name),
  ),
  route(
    'POST ~/order/{name}/enable',
    {
      id: 'post-v0-city-by-city-name-order-by-name-enable',
      summary: 'Enable an order',
      description: 'Writes an override into city.toml. What its own file disables stays disabled.',
      ...SWITCHED,
    },
    (x) => city(x).orders.enable(x.caller, x.params.name),
  ),
  route(
    'POST ~/order/{name}/disable',
    {
      id: 'post-v0-city-by-city-name-order-by-name-disable',
      summary: 'Disable an order',
      description: 'Writes an override into city.toml. What runs already goes on.',
      ...SWITCHED,
    },
    (x) => city(x).orders.disable(x.caller, x.params.name),
  ),
  route(
    'GET ~/orders/history',
    {
      id: 'get-v0-city-by-city-name-orders-history',
      summary: 'List the runs of an order, the latest first',
      query: OrderHistoryQuery,
      ok: OrderHistoryListBody,
      errors: ['invalid-request', 'service-unavailable'],
      age: true,
    },
    (x) => city(x).orderHistory.list(x.query),
  ),
  route(
    'GET ~/order/history/{bead_id}',
    {
      id: 'get-v0-city-by-city-name-order-history-by-bead-id',
      summary: 'Show a run of an order with what it printed',
      query: OrderHistoryDetailQuery,
      ok: OrderHistoryDetailResponse,
      errors: ['bead-not-found', 'scope-not-found', 'service-unavailable'],
    },
    (x) => city(x).orderHistory.detail(x.params.bead_id, x.query),
  ),
  route(
    'GET ~/orders/feed',
    {
      id: 'get-v0-city-by-city-name-orders-feed',
      summary: 'List runs of orders and formulas, those that go on first',
      query: OrdersFeedQuery,
      ok: OrdersFeedBody,
      errors: ['invalid-request', 'scope-not-found'],
    },
    (x) => city(x).orderHistory.feed(x.query),
  ),
  route(
    'GET ~/order-files',
    {
      id: 'list-order-files',
      summary: 'List every order file with what is made of it',
      description: 'Those that are disabled, skipped or broken are among them.',
      ok: OrderFiles,
      extension: true,
    },
    (x) => city(x).orders.files(),
  ),
  route(
    'GET ~/order-runs',
    {
      id: 'list-order-runs',
      summary: 'List the runs of every order, the latest first',
      query: OrderRunsQuery,
      ok: OrderHistoryListBody,
      errors: ['invalid-request'],
      extension: true,
    },
    (x) => city(x).orderHistory.all(x.query),
  ),
]
