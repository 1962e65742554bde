import { type Static, Type } from '@sinclair/typebox'

/** Resources that the events of this wing carry whole. All other shapes are in the room of their resource. */

const closed = { additionalProperties: false } as const
const strings = (description: string) => Type.Array(Type.String(), { description })
const metadata = (description: string) => Type.Record(Type.String(), Type.String(), { description })
const timestamp = (description: string) => Type.String({ format: 'date-time', description })

/** A dependency: `issue_id` waits for, tracks or relates to `depends_on_id`. */
export const Dep = Type.Object(
  {
    issue_id: Type.String({ description: 'The dependent bead.' }),
    depends_on_id: Type.String({ description: 'The prerequisite.' }),
    type: Type.String({ description: '`blocks`, `waits-for` and `conditional-blocks` keep a bead from being ready.' }),
  },
  { $id: 'Dep', additionalProperties: false },
)
export type Dep = Static<typeof Dep>

/** A record of a city: a task, a message, a session, a convoy. */
export const Bead = Type.Object(
  {
    id: Type.String({ description: 'Prefix of the city or rig, a hyphen and a number.' }),
    title: Type.String(),
    status: Type.String({ description: '`open`, `in_progress` or `closed`.' }),
    issue_type: Type.String({ description: '`task` by default.' }),
    created_at: timestamp('Creation time.'),
    updated_at: Type.Optional(timestamp('Time of the last change.')),
    priority: Type.Optional(Type.Integer({ description: '0 is the most urgent; unset counts as 2.' })),
    assignee: Type.Optional(Type.String({ description: 'Assignee; of a message, its recipient.' })),
    from: Type.Optional(Type.String({ description: 'The sender of a message.' })),
    parent: Type.Optional(Type.String({ description: 'The bead it is a part of.' })),
    ref: Type.Optional(Type.String({ description: 'The formula or formula step it was created from.' })),
    needs: Type.Optional(strings('Dependencies it was created with.')),
    description: Type.Optional(Type.String()),
    labels: Type.Optional(strings('In the order they were added.')),
    metadata: Type.Optional(metadata('Arbitrary keys and values; gc itself writes the `gc.` keys.')),
    dependencies: Type.Optional(Type.Array(Dep, { description: 'Dependencies.' })),
    ephemeral: Type.Optional(
      Type.Boolean({
        description: 'True if it is bookkeeping rather than work to keep: wisps, their steps, messages.',
      }),
    ),
    no_history: Type.Optional(
      Type.Boolean({ description: 'True if its changes are not kept, as for beads that track orders.' }),
    ),
    defer_until: Type.Optional(timestamp('It is not ready before this.')),
    is_blocked: Type.Optional(Type.Boolean({ description: 'True if a gating dependency is not closed.' })),
  },
  { $id: 'Bead', additionalProperties: false },
)
export type Bead = Static<typeof Bead>

export const BeadComment = Type.Object(
  {
    id: Type.String({ description: 'Unique among the comments of its bead.' }),
    issue_id: Type.String({ description: 'The bead.' }),
    author: Type.String({ description: 'Author: a name of the session, or `human`.' }),
    text: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'BeadComment', additionalProperties: false, description: 'A comment on a bead.' },
)
export type BeadComment = Static<typeof BeadComment>

/** A message from one session or person to another. */
export const Message = Type.Object(
  {
    id: Type.String({ description: 'The id of its bead.' }),
    from: Type.String({ description: 'The sender: a session by one of its names, or `human`.' }),
    to: Type.String({ description: 'The recipient: a session, an agent, or `human`.' }),
    subject: Type.String(),
    body: Type.String(),
    created_at: Type.String({ format: 'date-time', description: 'Time of sending.' }),
    read: Type.Boolean(),
    thread_id: Type.Optional(Type.String({ description: 'The thread it belongs to.' })),
    reply_to: Type.Optional(Type.String({ description: 'The message it replies to.' })),
    priority: Type.Optional(Type.Integer({ format: 'int64' })),
    cc: Type.Optional(Type.Array(Type.String(), { description: 'Further recipients that were named.' })),
    rig: Type.Optional(Type.String({ description: 'The `rig` of the request; else the name of the city.' })),
  },
  { $id: 'Message', additionalProperties: false },
)
export type Message = Static<typeof Message>

export const SubmissionCapabilities = Type.Object(
  {
    supports_follow_up: Type.Boolean({ description: 'True if messages can wait until the current turn is over.' }),
    supports_interrupt_now: Type.Boolean({ description: 'True if messages can interrupt the current turn.' }),
  },
  { $id: 'SubmissionCapabilities', ...closed },
)
export type SubmissionCapabilities = Static<typeof SubmissionCapabilities>

export const SessionResponse = Type.Object(
  {
    id: Type.String({ description: 'The id of the session, which is also the id of its bead.' }),
    kind: Type.Optional(
      Type.String({ description: '`agent` for a configured agent, `provider` for a program without one.' }),
    ),
    template: Type.String({ description: 'The agent it runs, or the provider for kind `provider`.' }),
    state: Type.String({
      description:
        'start-pending, creating, active, asleep, suspended, quarantined, draining, archived or failed-create; empty once closed.',
    }),
    reason: Type.Optional(Type.String({ description: 'Reason it is in that state, if there is a reason.' })),
    title: Type.String(),
    alias: Type.Optional(Type.String({ description: 'Its public name; unique among live sessions.' })),
    provider: Type.String(),
    display_name: Type.Optional(Type.String({ description: 'The display name of the provider.' })),
    session_name: Type.String({ description: 'Its run-time name; unique among live sessions.' }),
    work_dir: Type.Optional(Type.String({ description: 'The working folder of its program.' })),
    created_at: Type.String({ description: 'RFC 3339, whole seconds.' }),
    last_active: Type.Optional(Type.String({ description: "Time of its program's last output." })),
    last_nudge_delivered_at: Type.Optional(Type.String({ description: 'Time of the last delivery to it.' })),
    attached: Type.Boolean({ description: 'True if a person has its terminal open.' }),
    running: Type.Boolean({ description: 'True if its program is running.' }),
    rig: Type.Optional(Type.String()),
    pool: Type.Optional(Type.String({ description: 'The agent, if it is a pool.' })),
    agent_kind: Type.Optional(Type.String({ description: '`crew`, `pool` or `role`.' })),
    active_bead: Type.Optional(Type.String({ description: 'The bead it works on.' })),
    model: Type.Optional(Type.String()),
    context_pct: Type.Optional(Type.Integer({ description: 'Used share of its context, in percent.' })),
    context_window: Type.Optional(Type.Integer({ description: 'Size of its context in tokens.' })),
    last_output: Type.Optional(
      Type.String({
        description: 'The last lines of its screen, or those that its last run ended with; only with `peek`.',
      }),
    ),
    activity: Type.Optional(Type.String({ description: '`idle` or `in-turn`.' })),
    submission_capabilities: Type.Optional(SubmissionCapabilities),
    configured_named_session: Type.Optional(
      Type.Boolean({ description: 'True if its identity is declared in the configuration of the city.' }),
    ),
    options: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'The options of its next start.' }),
    ),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: '`end_reason` is the reason it was closed or its last run ended, while it does not run.',
      }),
    ),
  },
  { $id: 'SessionResponse', ...closed },
)
export type SessionResponse = Static<typeof SessionResponse>
