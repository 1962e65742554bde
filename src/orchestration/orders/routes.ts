import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import type { OrderControl } from './control.ts'
import { WEBHOOK_REJECTED } from './errors.ts'
import type { OrderHistory } from './history/history.ts'
import type { Orders } from './orders.ts'
import {
  OrderApprove,
  OrderCheckListBody,
  OrderCheckQuery,
  OrderEndedFrame,
  OrderFiles,
  OrderHistoryDetailQuery,
  OrderHistoryDetailResponse,
  OrderHistoryListBody,
  OrderHistoryQuery,
  OrderListBody,
  OrderOutputFrame,
  OrderResponse,
  OrderRunInputBody,
  OrderRunOutputBody,
  OrderRunsPage,
  OrderRunsQuery,
  OrdersApproved,
  OrdersFeedBody,
  OrdersFeedQuery,
  OrderTrackingSweep,
  OrderTrackingSwept,
} from './schema.ts'

interface OrderServices {
  readonly orders: Orders
  readonly orderControl: OrderControl
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
      configuration: true,
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
      configuration: true,
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
    'POST ~/order/{name}/run',
    {
      id: 'post-v0-city-by-city-name-order-by-name-run',
      summary: 'Run an order now',
      description:
        'Whatever its trigger says, and also while it runs. The answer comes once the run is on disk; the run goes on. Where several orders have the name, the first enabled one is run.',
      needs: 'work',
      body: OrderRunInputBody,
      ok: { 202: OrderRunOutputBody },
      errors: ['order-not-found', 'validation-failed', WEBHOOK_REJECTED, 'service-unavailable'],
      responseHeaders: { Location: 'Where runs of formulas are listed.' },
    },
    (x) => {
      x.response.headers.Location = `/v0/city/${encodeURIComponent(x.params.cityName)}/runs`
      return city(x).orderControl.run(x.caller, x.params.name, x.body)
    },
  ),
  route(
    'GET ~/orders/check',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-orders-check',
      summary: 'Say of each enabled order whether it is due, and why',
      description: 'Runs the checks of conditions, as for a run of their orders.',
      query: OrderCheckQuery,
      ok: OrderCheckListBody,
      longRunning: true,
    },
    (x) => city(x).orderControl.check(),
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
      configuration: true,
      id: 'list-order-files',
      summary: 'List every order file with what is made of it',
      description: 'Those that are disabled, skipped or broken are among them.',
      ok: OrderFiles,
      extension: true,
    },
    (x) => city(x).orderControl.files(),
  ),
  route(
    'GET ~/order-runs',
    {
      id: 'list-order-runs',
      summary: 'List the runs of one order or of all, the latest first',
      query: OrderRunsQuery,
      ok: OrderRunsPage,
      errors: ['invalid-cursor'],
      extension: true,
    },
    (x) => city(x).orderHistory.page(x.query),
  ),
  route(
    'GET ~/order/history/{bead_id}/stream',
    {
      id: 'stream-order-run',
      summary: 'Stream what the command of a run prints, then how it ended',
      needs: 'watch',
      ok: { frames: { output: OrderOutputFrame, ended: OrderEndedFrame } },
      errors: ['bead-not-found'],
      extension: true,
    },
    (x) => city(x).orderControl.follow(x.params.bead_id, x.signal),
  ),
  route(
    'POST ~/orders/sweep-tracking',
    {
      id: 'sweep-order-tracking',
      summary: 'Close tracking beads that no run will close',
      description: 'Those of runs that are over or that nobody knows; beads of runs that go on stay.',
      needs: 'work',
      body: OrderTrackingSweep,
      ok: OrderTrackingSwept,
      extension: true,
    },
    (x) => city(x).orderControl.sweep(x.caller, x.body),
  ),
  route(
    'POST ~/orders/approve',
    {
      id: 'approve-orders',
      summary: 'Let orders start by themselves',
      description: 'In a city that an earlier gc had open they wait for this, since that gc ran none.',
      needs: 'operator',
      body: OrderApprove,
      ok: OrdersApproved,
      errors: ['invalid-request'],
      extension: true,
    },
    (x) => city(x).orderControl.approve(x.caller, x.body),
  ),
]
