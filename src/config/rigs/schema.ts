import { type Static, Type } from '@sinclair/typebox'
import { listOf } from '../../http/schema.ts'

const closed = { additionalProperties: false } as const

export const GitStatus = Type.Object(
  {
    branch: Type.String({ description: 'The branch that is checked out; empty when none is.' }),
    clean: Type.Boolean({ description: 'Whether nothing is changed.' }),
    changed_files: Type.Integer({ format: 'int64', description: 'Files changed, added or not known to git.' }),
    ahead: Type.Integer({ format: 'int64', description: 'Commits that the upstream branch does not have.' }),
    behind: Type.Integer({ format: 'int64', description: 'Commits that only the upstream branch has.' }),
  },
  { $id: 'GitStatus', ...closed },
)
export type GitStatus = Static<typeof GitStatus>

export const RigResponse = Type.Object(
  {
    name: Type.String(),
    path: Type.String({ description: 'Its folder on this machine.' }),
    suspended: Type.Boolean({ description: 'Whether it is suspended: its agents start no work.' }),
    prefix: Type.Optional(Type.String({ description: 'What the ids of its beads begin with.' })),
    default_branch: Type.Optional(Type.String({ description: 'The branch that work starts from.' })),
    agent_count: Type.Integer({ format: 'int64', description: 'Agents declared for it.' }),
    running_count: Type.Integer({ format: 'int64', description: 'Running sessions of these agents.' }),
    last_activity: Type.Optional(
      Type.String({ format: 'date-time', description: 'When one of its sessions last produced output.' }),
    ),
    git: Type.Optional(GitStatus),
    problems: Type.Optional(
      Type.Array(Type.String(), { description: 'What is wrong with its folder or repository, with what to do.' }),
    ),
  },
  { $id: 'RigResponse', ...closed },
)
export type RigResponse = Static<typeof RigResponse>

export const RigList = listOf(RigResponse, 'ListBodyRigResponse')
export type RigList = Static<typeof RigList>

/** Whether a rig is shown with the state of its git repository. */
export const RigQuery = Type.Object({
  git: Type.Optional(Type.Boolean({ description: 'With the state of its git repository, when it is one.' })),
})
export type RigQuery = Static<typeof RigQuery>

export const RigCreate = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'Letters, digits, `.`, `-` and `_`.' }),
    path: Type.Optional(
      Type.String({
        description: 'The folder: absolute, or from the city. With `git_url`, where in the city to clone to.',
      }),
    ),
    prefix: Type.Optional(
      Type.String({ description: 'What the ids of its beads begin with; derived from its name when absent.' }),
    ),
    default_branch: Type.Optional(Type.String({ description: 'The branch that work starts from.' })),
    git_url: Type.Optional(Type.String({ description: 'A repository to clone; the response is then 202.' })),
    request_id: Type.Optional(
      Type.String({ description: 'Identifies the clone, so that repeating the request does not clone again.' }),
    ),
  },
  { $id: 'RigCreateBody', ...closed },
)
export type RigCreate = Static<typeof RigCreate>

export const RigCreated = Type.Object(
  {
    status: Type.Union([Type.Literal('created'), Type.Literal('accepted'), Type.Literal('exists')]),
    rig: Type.Optional(Type.String({ description: 'Its name.' })),
    request_id: Type.Optional(Type.String({ description: 'The event that ends the clone carries it.' })),
    event_cursor: Type.Optional(
      Type.String({ description: 'The outcome of the clone is among the events after this one.' }),
    ),
    prefix: Type.Optional(Type.String()),
    default_branch: Type.Optional(Type.String()),
    warnings: Type.Optional(
      Type.Array(Type.String(), { description: 'What is wrong with its folder or repository, with what to do.' }),
    ),
  },
  { $id: 'RigCreateResponseBody', ...closed },
)
export type RigCreated = Static<typeof RigCreated>

export const RigUpdate = Type.Object(
  {
    path: Type.Optional(Type.String({ description: 'Its folder; empty leaves it.' })),
    prefix: Type.Optional(Type.String({ description: 'For new beads; empty leaves it.' })),
    default_branch: Type.Optional(Type.String({ description: 'Empty leaves it.' })),
    suspended: Type.Optional(
      Type.Boolean({ description: 'Whether it begins suspended. To suspend it now, use the action.' }),
    ),
  },
  { $id: 'RigUpdateInputBody', ...closed },
)
export type RigUpdate = Static<typeof RigUpdate>

export const RigActed = Type.Object(
  {
    status: Type.String({ description: '`ok`, or for a restart also `partial` and `failed`.' }),
    action: Type.String(),
    rig: Type.String(),
    killed: Type.Optional(Type.Array(Type.String(), { description: 'Sessions that were ended.' })),
    failed: Type.Optional(Type.Array(Type.String(), { description: 'Sessions that could not be ended.' })),
  },
  { $id: 'RigActionBody', ...closed },
)
export type RigActed = Static<typeof RigActed>
