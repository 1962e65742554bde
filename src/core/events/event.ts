import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import type { Actor } from '../actor.ts'

/** An event that can be recorded: its name in the past tense, the schema of its payload, a summary. */
export interface EventDefinition<Payload extends TSchema = TSchema> {
  readonly type: string
  readonly payload: Payload
  readonly summary: string
}

export const defineEvent = <Payload extends TSchema>(
  type: string,
  payload: Payload,
  summary: string,
): EventDefinition<Payload> => ({
  type,
  payload,
  summary,
})

/** The shape of a payload, by the name that the wire gives it. */
export const payload = <Properties extends TProperties>($id: string, properties: Properties) =>
  Type.Object(properties, { $id, additionalProperties: false })

/** The payload of an event whose envelope says everything. */
export const NoPayload = payload('NoPayload', {})

/** Attributes of an event from its emitter; the log adds number and time. */
export interface EventAttributes {
  /** Absent: that of the write. */
  actor?: Actor | string
  subject?: string
  message?: string
  run_id?: string
  session_id?: string
  step_id?: string
  /** Absent: not known. Empty: known to depend on nothing. */
  depends_on_step_ids?: string[]
}

/** Marks an event that a caller emitted, of whatever type: nothing that gc does follows from it. Not on the wire. */
export const Emitted: unique symbol = Symbol('emitted')

/** Facts about an event's actor besides its name. Not on the wire of events. */
export const By: unique symbol = Symbol('by')

/** An event as it is in the log and on the wire. */
export interface RecordedEvent extends Omit<EventAttributes, 'actor'> {
  seq: number
  type: string
  ts: string
  actor: string
  payload: unknown
  [Emitted]?: true
  [By]?: Omit<Actor, 'name'>
}

export type PayloadOf<D> = D extends EventDefinition<infer P> ? Static<P> : never

/** The payload of an event of this kind that gc recorded; undefined for any other. What gc records of a kind has its shape. */
export const payloadOf = <D extends EventDefinition>(
  def: D,
  { type, payload, [Emitted]: emitted }: RecordedEvent,
): PayloadOf<D> | undefined => (type === def.type && !emitted ? (payload as PayloadOf<D>) : undefined)
