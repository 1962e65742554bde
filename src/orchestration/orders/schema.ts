import { type Static, Type } from '@sinclair/typebox'
import { nullable } from '../../http/schema.ts'
import { MonitorFeedItemResponse } from '../formulas/index.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))
const milliseconds = (description: string) => Type.Integer({ format: 'int64', description })
const limit = (description: string) => Type.Optional(Type.Integer({ format: 'int64', minimum: 0, description }))

const SCOPED_NAME = 'Its name, and in a rig `name:rig:<rig>`.'

const ORDER = {
  name: Type.String({ description: 'The name of its file.' }),
  scoped_name: Type.String({ description: SCOPED_NAME }),
  type: Type.String({ description: '`exec` for a command, `formula` for a formula.' }),
  timeout_ms: milliseconds('Maximum duration of a run, including the default.'),
  enabled: Type.Boolean({ description: 'False when an override disables it.' }),
  capture_output: Type.Boolean({ description: 'True if what it prints is kept.' }),
  description: text('Purpose.'),
  trigger: text('`cooldown`, `cron`, `condition`, `event`, `manual` or `webhook`.'),
  gate: Type.Optional(Type.String({ description: 'The same as `trigger`.', deprecated: true })),
  interval: text('Time between a run and the next one.'),
  schedule: text('Five cron fields.'),
  check: text('A command that exits with 0 when it is due.'),
  on: text('The type of event that makes it due.'),
  formula: text('The formula that it runs.'),
  exec: text('The command that it runs.'),
  pool: text('Recipient of the steps of its formula.'),
  timeout: text('Maximum duration of a run, as in its file.'),
  check_timeout: text('Maximum duration of its check, as in its file.'),
  check_timeout_ms: Type.Optional(milliseconds('Maximum duration of its check, including the default.')),
  rig: text('The rig that it belongs to; absent for one of the city.'),
  env: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Variables of its command.' })),
}

export const OrderResponse = Type.Object(ORDER, { $id: 'OrderResponse', additionalProperties: false })
export type OrderResponse = Static<typeof OrderResponse>

export const OrderListBody = Type.Object(
  { orders: nullable(Type.Array(OrderResponse)) },
  { $id: 'OrderListBody', additionalProperties: false },
)
export type OrderListBody = Static<typeof OrderListBody>

const OrderFileResponse = Type.Object(
  {
    ...ORDER,
    source: Type.String({ description: 'Its file.' }),
    formula_layer: Type.String({ description: 'The formula folder beside its own.' }),
    tz: text('The time zone of its schedule.'),
    due: Type.Boolean({ description: 'True if it is due, as far as that is known.' }),
    reason: Type.String({ description: 'Reason, for people.' }),
    params: Type.Record(Type.String(), Type.Object({ required: Type.Boolean() }), {
      description: 'The arguments that it takes.',
    }),
    last_run: text('Start of its latest run.'),
    last_run_outcome: text('Outcome of its latest run: `success`, `failed` or `canceled`; absent while it is active.'),
  },
  { $id: 'OrderFile', additionalProperties: false },
)
export type OrderFileResponse = Static<typeof OrderFileResponse>

const AbsentOrderFile = Type.Object(
  {
    name: Type.String(),
    rig: text('The rig that it would belong to.'),
    description: Type.String(),
    reason: Type.String({ description: '`disabled` in its file, or `skipped` by the city.' }),
    source: Type.String({ description: 'Its file.' }),
  },
  { $id: 'AbsentOrderFile', additionalProperties: false },
)

/** Ours: every order file with what is made of it. */
export const OrderFiles = Type.Object(
  {
    orders: Type.Array(OrderFileResponse, { description: 'Disabled ones are among them.' }),
    absent: Type.Array(AbsentOrderFile, { description: 'Files that make no order since somebody said so.' }),
    problems: Type.Array(Type.String(), { description: 'Errors, each with file and line.' }),
    unmatched_overrides: Type.Array(Type.String(), {
      description: 'Those of the problems that are overrides of orders that are not there.',
    }),
  },
  { $id: 'OrderFiles', additionalProperties: false },
)
export type OrderFiles = Static<typeof OrderFiles>

const OrderHistoryEntry = Type.Object(
  {
    bead_id: Type.String({ description: 'The tracking bead of the run.' }),
    store_ref: Type.String({ description: 'Store of the bead: `city:name` or `rig:name`.' }),
    name: Type.String(),
    scoped_name: Type.String({ description: SCOPED_NAME }),
    created_at: Type.String({ description: 'Start of the run.' }),
    labels: nullable(Type.Array(Type.String(), { description: 'Those of the bead; they tell how the run ended.' })),
    capture_output: Type.Boolean({ description: 'True if what it prints is kept.' }),
    has_output: Type.Boolean({ description: 'True if it printed anything; the detail has it.' }),
    rig: text('The rig of the order; absent for one of the city.'),
    duration_ms: text('Duration, a number in quotes.'),
    exit_code: text('The exit status of its command, a number in quotes.'),
    signal: text('The signal that ended its command.'),
    error: text('Reason it failed.'),
    wisp_root_id: text('The root of what its formula made.'),
  },
  { $id: 'OrderHistoryEntry', additionalProperties: false },
)
export type OrderHistoryEntry = Static<typeof OrderHistoryEntry>

export const OrderHistoryListBody = Type.Object(
  { entries: nullable(Type.Array(OrderHistoryEntry)) },
  { $id: 'OrderHistoryListBody', additionalProperties: false },
)
export type OrderHistoryListBody = Static<typeof OrderHistoryListBody>

export const OrderHistoryQuery = Type.Object({
  scoped_name: Type.String({ minLength: 1, description: SCOPED_NAME }),
  limit: limit(
    'Maximum rows: 0 means 20, up to 500. Runs that began in the same millisecond as the last one are added.',
  ),
  before: text('Only runs that began before this RFC 3339 time, such as the `created_at` of the last one of a page.'),
})
export type OrderHistoryQuery = Static<typeof OrderHistoryQuery>

/** Ours: runs of one order or of all, page by page. */
export const OrderRunsQuery = Type.Object({
  scoped_name: text(`Only the runs of this order. ${SCOPED_NAME}`),
  limit: limit('Maximum rows: 0 means 20, up to 500.'),
  cursor: text('The `next_cursor` of the page before.'),
})
export type OrderRunsQuery = Static<typeof OrderRunsQuery>

export const OrderRunsPage = Type.Object(
  {
    entries: Type.Array(OrderHistoryEntry),
    next_cursor: text('Pass it as `cursor` for the next page.'),
  },
  { $id: 'OrderRunsPage', additionalProperties: false },
)
export type OrderRunsPage = Static<typeof OrderRunsPage>

export const OrderHistoryDetailQuery = Type.Object({
  store_ref: text('Store of the bead: `city:name` or `rig:name`.'),
})
export type OrderHistoryDetailQuery = Static<typeof OrderHistoryDetailQuery>

export const OrderHistoryDetailResponse = Type.Object(
  {
    bead_id: Type.String(),
    store_ref: Type.String({ description: 'Store of the bead: `city:name` or `rig:name`.' }),
    created_at: Type.String({ description: 'Start of the run.' }),
    labels: nullable(Type.Array(Type.String())),
    output: Type.String({ description: 'Last output of its command: standard output, then standard error.' }),
  },
  { $id: 'OrderHistoryDetailResponse', additionalProperties: false },
)
export type OrderHistoryDetailResponse = Static<typeof OrderHistoryDetailResponse>

export const OrdersFeedQuery = Type.Object({
  scope_kind: text('`city` or `rig`; goes with `scope_ref`.'),
  scope_ref: text('The name of that city or rig.'),
  limit: limit('Maximum rows: 0 means 50, up to 500.'),
})
export type OrdersFeedQuery = Static<typeof OrdersFeedQuery>

export const OrdersFeedBody = Type.Object(
  {
    items: nullable(Type.Array(MonitorFeedItemResponse)),
    partial: Type.Boolean(),
    partial_errors: Type.Optional(nullable(Type.Array(Type.String()))),
  },
  { $id: 'OrdersFeedBody', additionalProperties: false },
)
export type OrdersFeedBody = Static<typeof OrdersFeedBody>

const OrderCheckResponse = Type.Object(
  {
    name: Type.String(),
    scoped_name: Type.String({ description: SCOPED_NAME }),
    due: Type.Boolean({ description: 'True if it is due.' }),
    reason: Type.String({ description: 'Reason, for people.' }),
    rig: text('The rig that it belongs to; absent for one of the city.'),
    last_run: text('Start of its latest run, if its trigger depends on that.'),
    last_run_outcome: text('Outcome of its latest run: `success`, `failed` or `canceled`.'),
  },
  { $id: 'OrderCheckResponse', additionalProperties: false },
)
export type OrderCheckResponse = Static<typeof OrderCheckResponse>

export const OrderCheckListBody = Type.Object(
  { checks: nullable(Type.Array(OrderCheckResponse)) },
  { $id: 'OrderCheckListBody', additionalProperties: false },
)
export type OrderCheckListBody = Static<typeof OrderCheckListBody>

export const OrderCheckQuery = Type.Object({
  fresh: Type.Optional(Type.Boolean({ description: 'Has no effect: every answer is fresh.' })),
})

export const OrderRunInputBody = Type.Object(
  { vars: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Its arguments.' })) },
  { $id: 'OrderRunInputBody', additionalProperties: false },
)
export type OrderRunInputBody = Static<typeof OrderRunInputBody>

export const OrderRunOutputBody = Type.Object(
  {
    status: Type.String({ description: '`dispatched`.' }),
    scoped_name: text(SCOPED_NAME),
    tracking_id: text('The tracking bead of the run.'),
  },
  { $id: 'OrderRunOutputBody', additionalProperties: false },
)
export type OrderRunOutputBody = Static<typeof OrderRunOutputBody>

/** Ours: a part of what the command of a run prints. */
export const OrderOutputFrame = Type.Object(
  { type: Type.Literal('output'), text: Type.String() },
  { $id: 'OrderOutputFrame', additionalProperties: false },
)

/** Ours: how a run ended; the last frame. */
export const OrderEndedFrame = Type.Object(
  { type: Type.Literal('ended'), run: OrderHistoryEntry },
  { $id: 'OrderEndedFrame', additionalProperties: false },
)

export const OrderTrackingSweep = Type.Object(
  { older_than_s: Type.Optional(Type.Integer({ minimum: 0, description: 'Seconds; 600 when absent.' })) },
  { $id: 'OrderTrackingSweep', additionalProperties: false },
)
export type OrderTrackingSweep = Static<typeof OrderTrackingSweep>

export const OrderTrackingSwept = Type.Object(
  { closed: Type.Array(Type.String(), { description: 'The beads that were closed.' }) },
  { $id: 'OrderTrackingSwept', additionalProperties: false },
)
export type OrderTrackingSwept = Static<typeof OrderTrackingSwept>

export const OrderApprove = Type.Object(
  { all: Type.Boolean({ description: 'Must be true.' }) },
  { $id: 'OrderApprove', additionalProperties: false },
)
export type OrderApprove = Static<typeof OrderApprove>

export const OrdersApproved = Type.Object(
  { approved: Type.Integer({ description: 'Number that waited.' }) },
  { $id: 'OrdersApproved', additionalProperties: false },
)
export type OrdersApproved = Static<typeof OrdersApproved>
