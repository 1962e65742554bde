import type { Static, TObject, TOptional, TSchema } from '@sinclair/typebox'
import type { ServerWebSocket } from 'bun'
import type { ApiCode } from '../core/error-catalogue.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { Caller } from './caller.ts'
import type { Need } from './needs.ts'
import type { JsonRows, RenderedJson } from './respond/index.ts'
import type { SseFrames } from './sse.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type CityName<Path extends string> = Path extends `${Method} ~${string}` ? 'cityName' : never

/** The parameters of a contract path: `~/bead/{id}` has `cityName` and `id`, decoded. */
export type Params<Path extends string> = { readonly [Name in Names<Path> | CityName<Path>]: string }

type Of<Schema extends TSchema | undefined> =
  Schema extends TOptional<TSchema> ? Static<Schema> | undefined : Schema extends TSchema ? Static<Schema> : undefined

/** One request, validated, on its way through an operation. */
export interface Exchange<
  Path extends string = string,
  Query extends TObject | undefined = undefined,
  Body extends TSchema | undefined = undefined,
> {
  readonly params: Params<Path>
  readonly query: Of<Query>
  readonly body: Of<Body>
  readonly caller: Caller
  /** As it came; its body is already read. */
  readonly request: Request
  /** Aborts when the client goes away or the server stops. */
  readonly signal: AbortSignal
  /** Value of `X-GC-Request-Id`. */
  readonly id: string
  /** Head of the response besides its body; the status is the operation's own unless set here. */
  readonly response: { status?: number; headers: Record<string, string> }
}

/** Marks an operation that answers with server-sent events; the frames' shapes by event name. */
export interface Stream {
  readonly frames: Readonly<Record<string, TSchema>>
}

/** Marks an operation that answers with something other than JSON: a page, a metrics text, a backup. */
export interface Media {
  readonly media: string
  /** The shape for a caller that accepts only JSON; the handler sets the content type then. */
  readonly json?: TSchema
}

/** Body of such an operation. */
export type MediaBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

/** Marks an operation that turns into a WebSocket; the shapes of its text messages, for the document. */
export interface Upgrade<Sends extends TSchema = TSchema, Takes extends TSchema = TSchema> {
  readonly upgrade: { readonly sends?: Sends | undefined; readonly takes?: Takes | undefined }
}

/** The far end of a WebSocket. */
export type Socket = ServerWebSocket<unknown>

/** Handlers of one open WebSocket. */
export interface Connection {
  /** The longest message it takes, in bytes: 16 MB at most, 1 MB when absent. */
  readonly maxMessageBytes?: number
  open?(socket: Socket): void
  message?(socket: Socket, data: string | Uint8Array): void
  /** The socket takes bytes again after it was full. */
  drain?(socket: Socket): void
  close?(socket: Socket, code: number, reason: string): void
}

export type Success = TSchema | Readonly<Record<number, TSchema>> | Stream | Media | Upgrade
type Answer<Ok> = Ok extends TSchema
  ? Static<Ok> | RenderedJson<Static<Ok>> | JsonRows<Static<Ok>>
  : Ok extends Stream
    ? SseFrames
    : Ok extends Media
      ? MediaBody
      : Ok extends Upgrade
        ? Connection
        : { [Status in keyof Ok]: Ok[Status] extends TSchema ? Static<Ok[Status]> : never }[keyof Ok]

/** The path to the id of the resource in an answer: `agent.name`. */
type IdPath = string

/** A request whose answer is read again. */
interface RepeatedRequest {
  readonly params: { readonly cityName: string; readonly id?: string }
  readonly query: unknown
  readonly body: unknown
  readonly caller: Caller
}

/** The treatment of a repeated `Idempotency-Key` where the answer cannot simply be kept. */
export type Repeat =
  /** Doing it again is the same as doing it once, or it changes nothing: it takes no key. */
  | 'again'
  /** Its effect is not a write of the database: after a crash it is unknown. The sentence says where to look. */
  | { readonly outside: string }
  /** Its answer holds a secret and is not kept. The sentence says what to revoke; `{id}` stands for the resource. */
  | { readonly secret: string; readonly id: IdPath }
  /**
   * A large answer is kept with the id of its resource, or resources, in place of them, and they are read again: the
   * answer itself, or the `part` of it with this name.
   */
  | { readonly part?: string; read(from: RepeatedRequest, id: string): unknown }

/** Specification of an operation, for the document and for the server. */
export interface Spec<Query extends TObject | undefined, Body extends TSchema | undefined, Ok extends Success> {
  /** The operationId. */
  readonly id: string
  /** A short title for people who have never seen this system. */
  readonly summary: string
  readonly description?: string
  readonly query?: Query
  /** A JSON body's shape; `Type.Uint8Array()` takes the bytes as they come, `Type.Optional(…)` may be left out. */
  readonly body?: Body
  /** Header parameters, for the document: name → what it does. `Idempotency-Key` is none of them. */
  readonly headers?: Readonly<Record<string, string>>
  /** The success: one schema for 200, or schemas by status (the first is the usual one), a stream, bytes, or a socket. */
  readonly ok: Ok
  /** What it can answer with beside a success and the errors that every operation shares. */
  readonly errors?: readonly (ApiCode | ErrorCode)[]
  /** Answers with `X-GC-Index`, the number of the city's last durable event. */
  readonly index?: true
  /** Answers with `X-GC-Cache-Age-S` without an index; `index` includes it. */
  readonly age?: true
  /** Other headers of the success, for the document: name → what it says. */
  readonly responseHeaders?: Readonly<Record<string, string>>
  /**
   * Takes `index` and `wait`: answers once an event newer than `index` is recorded, or after `wait`. The answer is the
   * same anyone who asks, and those who wait for it are sent one, unless it is `by-caller`.
   */
  readonly blocking?: true | 'by-caller'
  /** The treatment of a repeated `Idempotency-Key`; when absent, the answer is kept. */
  readonly repeat?: Repeat
  /** Changes the registry of cities, where its answer is kept. */
  readonly registry?: true
  /** Maximum size of its body in bytes, where it exceeds the usual one. */
  readonly maxBodyBytes?: number
  /** May work for minutes before it answers: the connection is kept. */
  readonly longRunning?: true
  /** Marks an operation without authentication on a plane that requires it elsewhere. */
  readonly open?: true
  /** Changes nothing, and may be open to everyone: whether it is, is a setting of the plane. */
  readonly publicRead?: true
  /** Requirement on sessions and other programs of gc; a mutation without it is for the operator alone. */
  readonly needs?: Need
  /** Shows what files declare: programs that gc started are shown no secret of it. */
  readonly configuration?: true
  /** Ours; not in the contract. */
  readonly extension?: true
}

/** An exchange as the plane hands it to any operation: validated, its types known to the operation alone. */
export interface UntypedExchange extends Omit<Exchange, 'params' | 'query' | 'body'> {
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body: unknown
}

/** An operation with its handler, ready to be mounted on a plane; its type carries what a caller sends and gets. */
export interface Route<
  Operation extends string = string,
  Query extends TObject | undefined = TObject | undefined,
  Body extends TSchema | undefined = TSchema | undefined,
  Ok extends Success = Success,
> {
  /** As it was declared, and as a client calls it: `GET ~/bead/{id}`. */
  readonly operation: Operation
  readonly method: Method
  /** As the contract writes it, `~` spelled out: `/v0/city/{cityName}/bead/{id}`. */
  readonly path: string
  readonly spec: Spec<Query, Body, Ok>
  handle(exchange: UntypedExchange): unknown
}

/** Declares one operation: `route('GET ~/bead/{id}', { … }, (x) => city(x).beads.get(x.params.id))`. */
export function route<
  const Operation extends `${Method} ${string}`,
  Ok extends Success,
  Query extends TObject | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(
  operation: Operation,
  spec: Spec<Query, Body, Ok>,
  handle: (exchange: Exchange<Operation, Query, Body>) => Answer<Ok> | Promise<Answer<Ok>>,
): Route<Operation, Query, Body, Ok> {
  return declare(operation, spec, handle)
}

/**
 * Declares a WebSocket: `connect` throws when the caller may not open it, or returns what happens on the socket.
 * Browsers cannot send a token with it, so `connect` asks for a ticket in the query.
 */
export const socket = <
  const Operation extends `GET ${string}`,
  Query extends TObject | undefined = undefined,
  Sends extends TSchema = TSchema,
  Takes extends TSchema = TSchema,
>(
  operation: Operation,
  { sends, takes, ...spec }: Omit<Spec<Query, undefined, Upgrade>, 'ok' | 'body'> & Upgrade<Sends, Takes>['upgrade'],
  connect: (exchange: Exchange<Operation, Query>) => Connection | Promise<Connection>,
): Route<Operation, Query, undefined, Upgrade<Sends, Takes>> =>
  declare(operation, { ...spec, ok: { upgrade: { sends, takes } } }, connect)

function declare<
  Operation extends `${Method} ${string}`,
  Query extends TObject | undefined,
  Body extends TSchema | undefined,
  Ok extends Success,
>(
  operation: Operation,
  spec: Spec<Query, Body, Ok>,
  handle: (exchange: Exchange<Operation, Query, Body>) => unknown,
): Route<Operation, Query, Body, Ok> {
  const [method, path] = operation.split(' ', 2) as [Method, string]
  const spelledOut = path.replace(/^~/, '/v0/city/{cityName}')
  return { operation, method, path: spelledOut, spec, handle: handle as Route['handle'] }
}
