import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const

const GateKind = Type.Union(
  [Type.Literal('human'), Type.Literal('timer'), Type.Literal('gh:run'), Type.Literal('gh:pr')],
  { description: 'Resolver: a person, a time, or a run or pull request on GitHub.' },
)
export type GateKind = Static<typeof GateKind>

/** Ours: a gate to create. */
export const GateCreate = Type.Object(
  {
    blocks: Type.String({ minLength: 1, description: 'The bead that waits for it.' }),
    type: Type.Optional(GateKind),
    await_id: Type.Optional(Type.String({ description: 'The number or address of the run or pull request.' })),
    timeout_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Due time of a timer from now, polling time of GitHub, or deadline of a person.',
      }),
    ),
    reason: Type.Optional(Type.String({ description: 'Question in a line: the title of the gate.' })),
    description: Type.Optional(Type.String({ description: 'Question in detail.' })),
  },
  { $id: 'GateCreateBody', ...closed },
)
export type GateCreate = Static<typeof GateCreate>

/** Ours: which gates to check. */
export const GateCheck = Type.Object(
  {
    type: Type.Optional(
      Type.String({ description: '`human`, `timer`, `gh:run`, `gh:pr`, `gh` for both; all when absent.' }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: 'Resolve none.' })),
  },
  { $id: 'GateCheckBody', ...closed },
)
export type GateCheck = Static<typeof GateCheck>

/** Ours: the outcome of gates that were checked. */
export const GateCheckResponse = Type.Object(
  {
    checked: Type.Integer({ description: 'Number checked.' }),
    resolved: Type.Array(
      Type.Object({ id: Type.String(), reason: Type.String() }, { ...closed, description: 'Cause of its resolution.' }),
      { description: 'The event they waited for has happened.' },
    ),
    failed: Type.Array(Type.Object({ id: Type.String(), reason: Type.String() }, closed), {
      description: 'The event they waited for cannot happen or cannot be determined; a person must check.',
    }),
    waiting: Type.Array(Type.String(), { description: 'The others.' }),
  },
  { $id: 'GateCheckResponse', ...closed },
)
export type GateCheckResponse = Static<typeof GateCheckResponse>
