import { type Static, Type } from '@sinclair/typebox'
import { QuestionOption } from './question.ts'

const Text = Type.String()
const FromAgent = Type.Unknown({ description: 'As the agent sent it.' })

/** Numbered from 1 within one run of an agent, without gaps. */
const Numbered = { seq: Type.Integer({ minimum: 1 }), at: Type.String() }

/** A way an agent offers to work, such as planning only. */
export const AgentMode = Type.Object({ id: Text, name: Text, description: Type.Optional(Text) })
export type AgentMode = Static<typeof AgentMode>

/** An answer that a permission request offers. */
export const PermissionChoice = Type.Object({ id: Text, name: Text, kind: Text })
export type PermissionChoice = Static<typeof PermissionChoice>

/** The agent is there and has a conversation. */
export const Ready = Type.Object({
  type: Type.Literal('ready'),
  /** The agent's own name for the conversation. */
  conversation: Text,
  /** True if it continues with an earlier one. */
  resumed: Type.Boolean(),
  /** True if it can continue with this one after it has ended. */
  resumable: Type.Boolean(),
  model: Type.Optional(Text),
  mode: Type.Optional(Text),
  modes: Type.Array(AgentMode),
})

/** A turn began, with the prompt that the agent was given. */
export const TurnBegan = Type.Object({ type: Type.Literal('turn'), turn: Text, text: Text })

/** The turn is over: why, and what it cost, or why it failed. */
export const TurnEnded = Type.Object({
  type: Type.Literal('done'),
  turn: Text,
  reason: Text,
  usage: Type.Optional(FromAgent),
  error: Type.Optional(Text),
})

/** Report of the agent on its turn: text, thoughts, tool calls, plans, modes, usage. */
export const Update = Type.Object({ type: Type.Literal('update'), update: Type.Record(Text, Type.Unknown()) })

/** The agent waits for permission. */
export const PermissionAsked = Type.Object({
  type: Type.Literal('asked'),
  request: Text,
  tool: Type.Record(Text, Type.Unknown()),
  choices: Type.Array(PermissionChoice),
  /** The fields of a form that it wants filled, and what sends it, in place of choices. */
  options: Type.Optional(Type.Array(QuestionOption)),
})

/** It waits no more: one of the choices was taken, or none because the turn or the agent ended. */
export const PermissionAnswered = Type.Object({
  type: Type.Literal('answered'),
  request: Text,
  choice: Type.Optional(Text),
})

/** The agent violated the protocol, or was denied a path outside its folder. */
export const ProtocolError = Type.Object({ type: Type.Literal('error'), message: Text })

const all = [Ready, TurnBegan, TurnEnded, Update, PermissionAsked, PermissionAnswered, ProtocolError] as const
/** Event before it has a number. */
export const AgentRecordContent = Type.Union([...all])
export type AgentRecordContent = Static<typeof AgentRecordContent>

const numbered = <T extends (typeof all)[number]>(what: T) => Type.Composite([Type.Object(Numbered), what])
/** Event in the conversation with an agent. It is kept until a supervisor has kept it. */
export const AgentRecord = Type.Union([
  numbered(Ready),
  numbered(TurnBegan),
  numbered(TurnEnded),
  numbered(Update),
  numbered(PermissionAsked),
  numbered(PermissionAnswered),
  numbered(ProtocolError),
])
export type AgentRecord = Static<typeof AgentRecord>
