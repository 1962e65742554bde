import type { TSchema } from '@sinclair/typebox'
import * as attention from '../../agents/attention/events.ts'
import * as reconcile from '../../agents/lifecycle/events.ts'
import * as logins from '../../agents/limits/events.ts'
import * as network from '../../agents/network/events.ts'
import * as questions from '../../agents/questions/events.ts'
import * as budgets from '../../agents/usage/budgets/events.ts'
import * as worktrees from '../../agents/worktrees/events.ts'
import * as landing from '../../changes/landing/index.ts'
import { changeEvents } from '../../changes/review/index.ts'
import * as rigs from '../../config/rigs/events.ts'
import * as suspensions from '../../config/suspensions/events.ts'
import * as externalMessages from '../../connect/extmsg/events.ts'
import * as github from '../../connect/github/events.ts'
import * as services from '../../connect/services/events.ts'
import * as webhooks from '../../connect/webhooks/events.ts'
import { type EventDefinition, EventsRotated } from '../../core/events/index.ts'
import { RequestFailed } from '../../core/requests/index.ts'
import { MoleculeResolved } from '../../orchestration/molecules/index.ts'
import * as orders from '../../orchestration/orders/dispatch/events.ts'
import * as runs from '../../orchestration/runs/events.ts'
import * as beads from '../../work/beads/events.ts'
import * as claims from '../../work/claims/events.ts'
import * as comments from '../../work/comments/events.ts'
import * as convoys from '../../work/convoys/events.ts'
import * as mail from '../../work/mail/events.ts'
import * as sessions from '../../work/sessions/events.ts'
import * as maintenance from '../maintenance/events.ts'
import * as status from '../status/events.ts'
import { supervisorEvents } from './supervisor-events.ts'
import { wireEvents } from './wire-types.ts'

const isEvent = (value: unknown): value is EventDefinition =>
  typeof value === 'object' && value !== null && 'payload' in value && 'summary' in value

/** Every event that a city records itself. */
export const cityEvents: readonly EventDefinition[] = [
  ...[
    status,
    attention,
    beads,
    budgets,
    changeEvents,
    claims,
    comments,
    github,
    landing,
    convoys,
    externalMessages,
    logins,
    mail,
    maintenance,
    network,
    orders,
    questions,
    reconcile,
    rigs,
    runs,
    services,
    sessions,
    suspensions,
    webhooks,
    worktrees,
  ].flatMap((folder): unknown[] => Object.values(folder)),
  MoleculeResolved,
  RequestFailed,
  EventsRotated,
].filter(isEvent)

/** Every event whose shape clients of the wire know, anyone who records it. */
export const knownEvents: readonly EventDefinition[] = [...cityEvents, ...supervisorEvents, ...wireEvents]

/** The payloads of those, by type. */
export const knownPayloads: ReadonlyMap<string, TSchema> = new Map(
  knownEvents.map(({ type, payload }) => [type, payload]),
)
