import { type Static, type TProperties, Type } from '@sinclair/typebox'
import { HostAnswer, HostPrompt, HostTraffic } from './proxy.ts'
import { ChoiceOutcome, Question } from './question.ts'
import {
  Activity,
  EndOptions,
  Exit,
  ForegroundSignal,
  HostedSession,
  HostStatus,
  ProcessRef,
  Screen,
  StartResult,
  StartSpec,
} from './session.ts'

/** The protocol this build speaks as a host. */
export const PROTOCOL = 1
/** The protocols this build speaks as a supervisor, and listens to as a host: its own and the one before. */
export const SUPPORTED_PROTOCOLS: readonly number[] = [PROTOCOL]

/**
 * The line a host says to anyone who launched it: it listens, or another one has this place. Anything else is why not.
 */
export const READY = 'ready'
export const BUSY = 'busy'

/** The first frame of either side. */
export const Hello = Type.Object({
  hello: Type.Object({ protocol: Type.Integer(), build: Type.String(), pid: Type.Integer() }),
})
export type Hello = Static<typeof Hello>

const request = <Op extends string, Fields extends TProperties>(op: Op, fields: Fields) =>
  Type.Object({ op: Type.Literal(op), id: Type.Integer(), ...fields })

const Key = { key: Type.String() }
const Stream = { stream: Type.Integer() }
const Empty = Type.Object({})

/** Requests of a supervisor to a host. */
export const REQUEST_SCHEMAS = {
  start: request('start', { spec: StartSpec }),
  list: request('list', {}),
  end: request('end', { ...Key, ...EndOptions.properties }),
  endDaemons: request('endDaemons', { daemons: Type.Array(ProcessRef), grace: EndOptions.properties.grace }),
  /** Daemons that left the running sessions. */
  listDaemons: request('listDaemons', {}),
  /** Traffic of a running session so far. */
  traffic: request('traffic', Key),
  /** Starts sending the hosts that people are asked about as they come and go; answers those that are open. */
  askedHosts: request('askedHosts', {}),
  /** Says of such a host whether its program may reach it. */
  answerHost: request('answerHost', { ...Key, host: Type.String(), port: Type.Integer(), answer: HostAnswer }),
  /** The bytes are the frame's payload. */
  write: request('write', Key),
  resize: request('resize', { ...Key, cols: Type.Integer(), rows: Type.Integer() }),
  signal: request('signal', { ...Key, signal: ForegroundSignal }),
  screen: request('screen', {
    ...Key,
    lines: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Whether the lines are wanted with their colours as well; an older host answers without them. */
    styles: Type.Optional(Type.Boolean()),
  }),
  /** The drawing is the answer's payload. */
  snapshot: request('snapshot', Key),
  /** Output comes as `output` and `gap` frames of this stream, never more bytes than were granted. */
  follow: request('follow', {
    ...Key,
    ...Stream,
    from: Type.Union([Type.Integer({ minimum: 0 }), Type.Literal('end')]),
    grant: Type.Integer({ minimum: 0 }),
  }),
  grant: request('grant', { ...Stream, bytes: Type.Integer({ minimum: 0 }) }),
  unfollow: request('unfollow', Stream),
  /** The supervisor has kept this exit; the host may forget it. */
  acknowledge: request('acknowledge', { run: Type.String() }),
  /** Ends what hosts that died left running. */
  reclaim: request('reclaim', {}),
  /** No more sessions are started here; the host ends with its last one. */
  retire: request('retire', {}),
  shutdown: request('shutdown', { grace: Type.Optional(Type.Number({ minimum: 0 })) }),
  status: request('status', {}),
  /** Starts sending agents' records, first those that are not acknowledged. */
  records: request('records', {}),
  /** The supervisor has kept a run's records up to this one; the host may forget them. */
  kept: request('kept', { run: Type.String(), seq: Type.Integer({ minimum: 1 }) }),
  /** Gives an agent a turn, once: asked again with the same name, it is not given again. */
  prompt: request('prompt', { ...Key, turn: Type.String({ minLength: 1 }), text: Type.String() }),
  cancel: request('cancel', Key),
  /** Has an agent work in another of the modes it offers. */
  mode: request('mode', { ...Key, mode: Type.String({ minLength: 1 }) }),
  answer: request('answer', {
    ...Key,
    request: Type.String(),
    choice: Type.String(),
    text: Type.Optional(Type.String()),
  }),
  /** Starts sending the questions on programs' screens as they come up and go; answers those that are open. */
  questions: request('questions', {}),
  /** Takes an option of such a question, or ticks several, once: asked again for the same question, the host answers as it did before. */
  choose: request('choose', {
    ...{ ...Key, question: Type.String(), option: Type.String() },
    /** Typed into the dialog with the option; only where the option takes a text. */
    text: Type.Optional(Type.String()),
  }),
}

/** Responses of the host. */
export const RESPONSE_SCHEMAS = {
  start: StartResult,
  list: Type.Object({ sessions: Type.Array(HostedSession) }),
  end: Exit,
  endDaemons: Type.Object({ survivors: Type.Array(ProcessRef) }),
  listDaemons: Type.Object({ sessions: Type.Array(Type.Object({ ...Key, daemons: Type.Array(ProcessRef) })) }),
  askedHosts: Type.Object({ open: Type.Array(Type.Object({ ...Key, asked: HostPrompt })) }),
  /** False when no one is asked about that host any more. */
  answerHost: Type.Object({ wasAsked: Type.Boolean() }),
  traffic: Type.Object({ hosts: Type.Array(HostTraffic) }),
  write: Empty,
  resize: Empty,
  signal: Empty,
  screen: Screen,
  snapshot: Type.Object({ offset: Type.Integer(), cols: Type.Integer(), rows: Type.Integer() }),
  follow: Type.Object({ from: Type.Integer() }),
  grant: Empty,
  unfollow: Empty,
  acknowledge: Empty,
  reclaim: Empty,
  retire: Empty,
  shutdown: Empty,
  status: HostStatus,
  records: Empty,
  kept: Empty,
  prompt: Empty,
  cancel: Type.Object({ ended: Type.Boolean() }),
  mode: Empty,
  answer: Empty,
  questions: Type.Object({ open: Type.Array(Type.Object({ ...Key, question: Question })) }),
  choose: ChoiceOutcome,
}

export type Operation = keyof typeof REQUEST_SCHEMAS
export type HostRequest<Op extends Operation = Operation> = Static<(typeof REQUEST_SCHEMAS)[Op]>
/** The fields of an operation, beside those of every request. */
export type RequestFields<Op extends Operation> = Omit<HostRequest<Op>, 'op' | 'id'>
export type HostResponse<Op extends Operation = Operation> = Static<(typeof RESPONSE_SCHEMAS)[Op]>

export const isOperation = (op: unknown): op is Operation =>
  typeof op === 'string' && Object.hasOwn(REQUEST_SCHEMAS, op)

/** The reply to a request: its result, or its error. */
export const ReplyFrame = Type.Object({
  re: Type.Integer(),
  ok: Type.Optional(Type.Unknown()),
  refusal: Type.Optional(Type.Object({ code: Type.String(), detail: Type.String() })),
})
export type ReplyFrame = Static<typeof ReplyFrame>

/** Frame that a host sends without a request. */
export const PushFrame = Type.Union([
  Type.Object({ push: Type.Literal('output'), ...Stream, offset: Type.Integer() }),
  Type.Object({ push: Type.Literal('gap'), ...Stream, from: Type.Integer(), to: Type.Integer() }),
  Type.Object({ push: Type.Literal('end'), ...Stream }),
  Type.Object({ push: Type.Literal('activity'), sessions: Type.Array(Activity) }),
  Type.Object({ push: Type.Literal('exit'), exit: Exit }),
  /** Records of an agent, oldest first: the payload is a line of JSON for each. */
  Type.Object({ push: Type.Literal('records'), ...Key, run: Type.String() }),
  /** Current screen question of a program; absent without one. */
  Type.Object({ push: Type.Literal('question'), ...Key, question: Type.Optional(Question) }),
  /** The host that a person is asked about now for a program; absent when no one is asked any more. */
  Type.Object({ push: Type.Literal('asked-host'), ...Key, asked: Type.Optional(HostPrompt) }),
  /** The host ends on request or because it has nothing left to do: that is no loss. */
  Type.Object({ push: Type.Literal('bye') }),
  Type.Object({ push: Type.Literal('refused'), code: Type.String(), detail: Type.String() }),
])
export type PushFrame = Static<typeof PushFrame>
