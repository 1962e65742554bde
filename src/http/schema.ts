import { type Static, type TSchema, Type } from '@sinclair/typebox'

/** The URN that a problem's `type` carries for a code. */
export const problemType = (code: string): string => `urn:gascity:error:${code}`

export const ErrorDetail = Type.Object(
  {
    message: Type.Optional(Type.String({ description: 'Problem, as a sentence.' })),
    location: Type.Optional(
      Type.String({ description: 'Location of the error: `body.title`, `query.limit`, `path.cityName`.' }),
    ),
    value: Type.Optional(Type.Unknown({ description: 'Previous value; left out if it may be a secret.' })),
  },
  { $id: 'ErrorDetail', additionalProperties: false, description: 'One thing that is wrong with a request.' },
)
export type ErrorDetail = Static<typeof ErrorDetail>

export const ErrorModel = Type.Object(
  {
    type: Type.String({
      format: 'uri',
      description: 'Identifies the kind of error; ends with `code`.',
    }),
    code: Type.String({ description: 'The error code, for programs.' }),
    title: Type.String({ description: 'The kind of error, for people.' }),
    status: Type.Integer({ format: 'int64', description: 'The HTTP status.' }),
    detail: Type.String({ description: 'Problem and fix.' }),
    instance: Type.Optional(Type.String({ format: 'uri', description: 'Identifies this occurrence.' })),
    errors: Type.Optional(Type.Array(ErrorDetail, { description: 'Every invalid field, each with its location.' })),
  },
  { $id: 'ErrorModel', additionalProperties: false, description: 'Reason a request failed (RFC 9457).' },
)
export type ErrorModel = Static<typeof ErrorModel>

export const OKResponseBody = Type.Object(
  { status: Type.String({ description: 'Action, in one word.' }) },
  { $id: 'OKResponseBody', additionalProperties: false, description: 'The request was carried out.' },
)
export type OKResponseBody = Static<typeof OKResponseBody>

export const OKWithIDResponseBody = Type.Object(
  {
    status: Type.String({ description: 'Action, in one word.' }),
    id: Type.Optional(Type.String({ description: 'Target of the action.' })),
  },
  {
    $id: 'OKWithIDResponseBody',
    additionalProperties: false,
    description: 'The request was carried out, with the resource it changed.',
  },
)
export type OKWithIDResponseBody = Static<typeof OKWithIDResponseBody>

const accepted = {
  request_id: Type.String({ description: 'Names the work; the event that ends it carries the same id.' }),
  event_cursor: Type.String({
    description: 'Event number to follow from, so that the final event is not missed.',
  }),
}

export const AsyncAcceptedResponse = Type.Object(accepted, {
  $id: 'AsyncAcceptedResponse',
  additionalProperties: false,
  description: 'The work continues after this response; an event reports how it ended.',
})
export type AsyncAcceptedResponse = Static<typeof AsyncAcceptedResponse>

export const AsyncAcceptedBody = Type.Object(
  { status: Type.String({ description: '`accepted`.' }), ...accepted },
  {
    $id: 'AsyncAcceptedBody',
    additionalProperties: false,
    description: 'The work continues after this response; an event reports how it ended.',
  },
)
export type AsyncAcceptedBody = Static<typeof AsyncAcceptedBody>

export const HeartbeatEvent = Type.Object(
  { timestamp: Type.String({ format: 'date-time', description: 'Time of sending.' }) },
  { $id: 'HeartbeatEvent', additionalProperties: false, description: 'Shows that a quiet stream is still open.' },
)
export type HeartbeatEvent = Static<typeof HeartbeatEvent>

/** A page of a list: `listOf(Bead, 'ListBodyBead')`. */
export const listOf = <Item extends TSchema>(item: Item, $id: string) =>
  Type.Object(
    {
      items: Type.Array(item),
      total: Type.Integer({ format: 'int64', description: 'Total number over all pages.' }),
      next_cursor: Type.Optional(
        Type.String({ description: 'Sent as `cursor` it asks for the next page; absent on the last.' }),
      ),
      partial: Type.Optional(
        Type.Boolean({ description: 'Some source could not be read; the items are those of the others.' }),
      ),
      partial_errors: Type.Optional(
        Type.Array(Type.String(), { description: 'Sources that could not be read, with the reason.' }),
      ),
    },
    { $id, additionalProperties: false },
  )

/** A value or null: how the wire writes what may be undone. */
export const nullable = <Value extends TSchema>(value: Value) => Type.Union([value, Type.Null()])

/** The query fields of a paged list: spread them into its query object. */
export const paging = {
  cursor: Type.Optional(Type.String({ description: 'The `next_cursor` of the page before.' })),
  limit: Type.Optional(
    Type.Integer({
      format: 'int64',
      default: 100,
      minimum: 0,
      maximum: 1000,
      description: 'Items a page; 0 means the default.',
    }),
  ),
}

/** Number of items in a page of `limit`. */
export const pageSize = (limit: number | undefined): number => limit || 100
