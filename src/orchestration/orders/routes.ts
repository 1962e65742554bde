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
      summary: 'List enabled orders',
      description: 'An order is a command or a formula that gc runs automatically, on a schedule or on events.',
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
      description: 'Finds the order by its scoped name, or by its name if that is unique. Includes disabled orders.',
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
      description: 'Writes an override into city.toml. Active runs continue.',
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
        'Runs the order regardless of its trigger, even while it runs. This responds once the run is on disk, and the run continues. If several orders have the name, the first enabled one runs.',
      needs: 'work',
      body: OrderRunInputBody,
      ok: { 202: OrderRunOutputBody },
      errors: ['order-not-found', 'validation-failed', WEBHOOK_REJECTED, 'service-unavailable'],
      responseHeaders: { Location: 'Path of the list of formula runs.' },
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
      summary: 'Check which orders are due',
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
      summary: 'List the runs of an order, newest first',
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
      summary: 'Show a run of an order and its output',
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
      summary: 'List runs of orders and formulas, active ones first',
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
      summary: 'List order files and their orders',
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
      summary: 'List runs of orders, newest first',
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
      summary: "Stream the output and outcome of an order's command",
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
      summary: 'Close orphaned tracking beads',
      description: 'Closes beads of finished or unknown runs. Beads of active runs stay.',
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
      summary: 'Allow orders to start automatically',
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
