import type { Static, TObject, TOptional, TSchema, TUint8Array } from '@sinclair/typebox'
import type { Media, Params, Route, Stream, Success, Upgrade } from '../http/route.ts'
import type { networkRoutes } from '../social/routes.ts'
import type { allRoutes } from '../supervisor/all-routes.ts'

type Declared = ReturnType<typeof allRoutes | typeof networkRoutes>[number]

/** Every operation of the server, by method and path as its route declares it; `~` is the city. */
export type Operations = { readonly [Each in Declared as Each['operation']]: Each }

export type Operation = keyof Operations
/** The operations of one city. */
export type CityOperation = Extract<Operation, `${string} ~${string}`>
/** The operations of the supervisor itself and of the agents' network. */
export type RootOperation = Exclude<Operation, CityOperation>

type QueryOf<Op extends Operation> =
  Operations[Op] extends Route<string, infer Query, TSchema | undefined, Success> ? Query : undefined
type BodyOf<Op extends Operation> =
  Operations[Op] extends Route<string, TObject | undefined, infer Body, Success> ? Body : undefined
type SuccessOf<Op extends Operation> =
  Operations[Op] extends Route<string, TObject | undefined, TSchema | undefined, infer Ok> ? Ok : never

type NotJson = Stream | Media | Upgrade

/** The operations that answer with server-sent events. */
export type StreamOperation = { [Op in Operation]: SuccessOf<Op> extends Stream ? Op : never }[Operation]
/** The operations that answer with JSON. */
export type JsonOperation = { [Op in Operation]: SuccessOf<Op> extends NotJson ? never : Op }[Operation]

type PathParams<Op extends Operation> = Omit<Params<Op>, 'cityName'>
type ParamsInput<Params> = keyof Params extends never ? unknown : { params: Params }
type QueryInput<Query> = Query extends TSchema
  ? Record<never, never> extends Static<Query>
    ? { query?: Static<Query> }
    : { query: Static<Query> }
  : unknown
type BodyInput<Body> = Body extends TUint8Array
  ? { bytes: string | Uint8Array<ArrayBuffer> }
  : Body extends TOptional<TSchema>
    ? { body?: Static<Body> }
    : Body extends TSchema
      ? { body: Static<Body> }
      : unknown

/** Input of a call. */
export type Input<Op extends Operation> = ParamsInput<PathParams<Op>> & QueryInput<QueryOf<Op>> & BodyInput<BodyOf<Op>>

type JsonOf<Ok> = Ok extends TSchema
  ? Static<Ok>
  : { [Status in keyof Ok]: Ok[Status] extends TSchema ? Static<Ok[Status]> : never }[keyof Ok]

/** Result of a call. */
export type Output<Op extends JsonOperation> = JsonOf<SuccessOf<Op>>

type FramesOf<Frames> = {
  [Event in keyof Frames & string]: Frames[Event] extends TSchema
    ? { id?: string; event: Event; data: Static<Frames[Event]> }
    : never
}[keyof Frames & string]

/** The frames of a stream; the client keeps its heartbeats to itself. */
export type FrameOf<Op extends StreamOperation> =
  SuccessOf<Op> extends { frames: infer Frames } ? FramesOf<Omit<Frames, 'heartbeat'>> : never

/** The text messages that a WebSocket sends to its client. */
export type MessageFrom<Op extends Operation> =
  SuccessOf<Op> extends Upgrade<infer Sends, TSchema> ? Static<Sends> : never
/** The text messages that a WebSocket takes from its client. */
export type MessageTo<Op extends Operation> =
  SuccessOf<Op> extends Upgrade<TSchema, infer Takes> ? Static<Takes> : never

/** An event of one city. */
export type CityEvent = Output<'GET ~/events'>['items'][number]
/** An event of any city, or of the supervisor itself. */
export type TaggedEvent = Output<'GET /v0/events'>['items'][number]
