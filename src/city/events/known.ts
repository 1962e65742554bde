import type { TSchema } from '@sinclair/typebox'
import { attentionEvents } from '../../agents/attention/index.ts'
import { lifecycleEvents } from '../../agents/lifecycle/index.ts'
import { limitEvents } from '../../agents/limits/index.ts'
import { networkEvents } from '../../agents/network/index.ts'
import { questionEvents } from '../../agents/questions/index.ts'
import { budgetEvents } from '../../agents/usage/index.ts'
import { worktreeEvents } from '../../agents/worktrees/index.ts'
import { landingEvents } from '../../changes/landing/index.ts'
import { changeEvents } from '../../changes/review/index.ts'
import { rigEvents } from '../../config/rig-api/index.ts'
import { suspensionEvents } from '../../config/suspensions/index.ts'
import { externalMessageEvents } from '../../connect/extmsg/index.ts'
import { githubEvents } from '../../connect/github/index.ts'
import { serviceEvents } from '../../connect/services/index.ts'
import { webhookEvents } from '../../connect/webhooks/index.ts'
import { type EventDefinition, EventsRotated } from '../../core/events/index.ts'
import { RequestFailed } from '../../core/requests/index.ts'
import { MoleculeResolved } from '../../orchestration/molecules/index.ts'
import { orderEvents } from '../../orchestration/orders/index.ts'
import { runEvents } from '../../orchestration/runs/index.ts'
import { beadEvents } from '../../work/beads/index.ts'
import { claimEvents } from '../../work/claims/index.ts'
import { commentEvents } from '../../work/comments/index.ts'
import { convoyEvents } from '../../work/convoys/index.ts'
import { mailEvents } from '../../work/mail/index.ts'
import { sessionEvents } from '../../work/sessions/index.ts'
import { maintenanceEvents } from '../maintenance/index.ts'
import { statusEvents } from '../status/index.ts'
import { supervisorEvents } from './supervisor-events.ts'
import { wireEvents } from './wire-types.ts'

const isEvent = (value: unknown): value is EventDefinition =>
  typeof value === 'object' && value !== null && 'payload' in value && 'summary' in value

/** Every event that a city records itself. */
export const cityEvents: readonly EventDefinition[] = [
  ...[
    attentionEvents,
    beadEvents,
    budgetEvents,
    changeEvents,
    claimEvents,
    commentEvents,
    convoyEvents,
    externalMessageEvents,
    githubEvents,
    landingEvents,
    lifecycleEvents,
    limitEvents,
    mailEvents,
    maintenanceEvents,
    networkEvents,
    orderEvents,
    questionEvents,
    rigEvents,
    runEvents,
    serviceEvents,
    sessionEvents,
    statusEvents,
    suspensionEvents,
    webhookEvents,
    worktreeEvents,
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
