import type { TSchema } from '@sinclair/typebox'
import * as agentEvents from '../../agents/events.ts'
import * as changeEvents from '../../changes/events.ts'
import * as configEvents from '../../config/events.ts'
import * as connectEvents from '../../connect/events.ts'
import { type EventDefinition, EventsRotated } from '../../core/events/index.ts'
import { RequestFailed } from '../../core/requests/index.ts'
import * as orchestrationEvents from '../../orchestration/events.ts'
import * as workEvents from '../../work/events.ts'
import * as cityEvents from '../events.ts'
import { wireEvents } from './wire-types.ts'

/** Events that the API document leaves out: clients read them as events of types that they do not know. */
const UNLISTED: ReadonlySet<unknown> = new Set([
  configEvents.ConfigChanged,
  agentEvents.RigTrusted,
  agentEvents.RigDistrusted,
  agentEvents.ProcessesDetached,
  agentEvents.ProcessesEnded,
  orchestrationEvents.FormulaChanged,
])

const isEvent = (value: unknown): value is EventDefinition =>
  typeof value === 'object' && value !== null && 'payload' in value && 'summary' in value

/** Every event whose shape clients of the wire know, anyone who records it. */
export const knownEvents: readonly EventDefinition[] = [
  ...[agentEvents, changeEvents, cityEvents, configEvents, connectEvents, orchestrationEvents, workEvents]
    .flatMap((wing): unknown[] => Object.values(wing))
    .filter(isEvent)
    .filter((event) => !UNLISTED.has(event)),
  RequestFailed,
  EventsRotated,
  ...wireEvents,
]

/** The payloads of those, by type. */
export const knownPayloads: ReadonlyMap<string, TSchema> = new Map(
  knownEvents.map(({ type, payload }) => [type, payload]),
)
