import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const

/** Ours: a process that left the terminal session of the agent that started it, as daemons do. */
export const DetachedProcess = Type.Object(
  {
    id: Type.String({ description: 'Identifies this process for good, also when its pid is used again.' }),
    pid: Type.Integer(),
    command: Type.String({ description: 'Its command line, cut to 200 characters, without tokens.' }),
    session_id: Type.String({ description: 'The session that it was started in.' }),
    session_running: Type.Boolean({ description: 'True if that session has a program running.' }),
  },
  { $id: 'DetachedProcess', ...closed },
)
export type DetachedProcess = Static<typeof DetachedProcess>

/** Ours: what ends with a session. */
export const SessionEnding = Type.Object(
  {
    by: Type.Union([Type.Literal('cgroup'), Type.Literal('processes')], {
      description:
        '`cgroup`: everything that was ever started in it. `processes`: what is still in its terminal session, with all that descends from it; what left is listed here.',
    }),
    reason: Type.Optional(Type.String({ description: 'Reason there is no cgroup.' })),
  },
  { $id: 'SessionEnding', ...closed },
)
export type SessionEnding = Static<typeof SessionEnding>

export const DetachedProcessList = Type.Object(
  {
    items: Type.Array(DetachedProcess),
    total: Type.Integer(),
    ending: Type.Optional(SessionEnding),
  },
  { $id: 'DetachedProcessList', ...closed },
)
export type DetachedProcessList = Static<typeof DetachedProcessList>

/** Detached processes to stop. */
export const DetachedProcessSweep = Type.Object(
  {
    session: Type.Optional(Type.String({ description: 'Only those of this session: its id, alias or name.' })),
    ids: Type.Optional(Type.Array(Type.String(), { description: 'Only these; those that are gone are skipped.' })),
  },
  { $id: 'DetachedProcessSweep', ...closed },
)
export type DetachedProcessSweep = Static<typeof DetachedProcessSweep>

export const DetachedProcessSweepResult = Type.Object(
  {
    ended: Type.Array(DetachedProcess, { description: 'Those that were looked for and are gone.' }),
    remaining: Type.Array(DetachedProcess, { description: 'Those that are still there although KILL was sent.' }),
  },
  { $id: 'DetachedProcessSweepResult', ...closed },
)
export type DetachedProcessSweepResult = Static<typeof DetachedProcessSweepResult>
