import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { listOf, nullable } from '../../http/schema.ts'

const closed = { additionalProperties: false } as const

export const GitStatus = Type.Object(
  {
    branch: Type.String({ description: 'The branch that is checked out; empty when none is.' }),
    clean: Type.Boolean({ description: 'True if nothing is changed.' }),
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
    suspended: Type.Boolean({ description: 'True if it is suspended: its agents start no work.' }),
    prefix: Type.Optional(Type.String({ description: 'Prefix of its bead ids.' })),
    default_branch: Type.Optional(Type.String({ description: 'The branch that work starts from.' })),
    agent_count: Type.Integer({ format: 'int64', description: 'Agents declared for it.' }),
    running_count: Type.Integer({ format: 'int64', description: 'Running sessions of these agents.' }),
    last_activity: Type.Optional(
      Type.String({ format: 'date-time', description: 'Time of the last output of its sessions.' }),
    ),
    git: Type.Optional(GitStatus),
    problems: Type.Optional(
      Type.Array(Type.String(), { description: 'Problem with its folder or repository, and the fix.' }),
    ),
  },
  { $id: 'RigResponse', ...closed },
)
export type RigResponse = Static<typeof RigResponse>

export const RigList = listOf(RigResponse, 'ListBodyRigResponse')
export type RigList = Static<typeof RigList>

/** True if a rig is shown with the state of its git repository. */
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
    prefix: Type.Optional(Type.String({ description: 'Prefix of its bead ids; derived from its name if absent.' })),
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
      Type.Array(Type.String(), { description: 'Problem with its folder or repository, and the fix.' }),
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
      Type.Boolean({ description: 'True if it begins suspended. To suspend it now, use the action.' }),
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
    killed: Type.Optional(Type.Array(Type.String(), { description: 'Sessions that were stopped.' })),
    failed: Type.Optional(Type.Array(Type.String(), { description: 'Sessions that could not be stopped.' })),
  },
  { $id: 'RigActionBody', ...closed },
)
export type RigActed = Static<typeof RigActed>

const Duration = (description: string) => Type.String({ maxLength: 40, description })
const Texts = (description: string) => Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 1000, description })
const Lines = Type.Integer({ format: 'int64', description: 'Maximum lines that it adds and removes.' })

const Generated = Type.Object(
  { glob: Type.String({ description: 'The files.' }), command: Texts('Command that regenerates them.') },
  { $id: 'RigLandGenerated', ...closed },
)

const PullRequests = Type.Object(
  { labels: Type.Optional(Texts('Labels of a new one.')), draft: Type.Optional(Type.Boolean()) },
  { $id: 'RigLandPullRequests', ...closed },
)

const Auto = Type.Object(
  {
    check: Type.Literal('green'),
    max_lines: Type.Optional(Lines),
    paths: Type.Optional(Texts('The only paths that it touches.')),
  },
  { $id: 'RigLandAuto', ...closed },
)

const Forge = Type.Object(
  {
    kind: Type.Union([Type.Literal('github'), Type.Literal('gitea'), Type.Literal('forgejo')]),
    url: Type.String({ description: 'The address of its pages.' }),
    repository: Type.String({ description: '`owner/name`.' }),
  },
  { $id: 'RigLandForge', ...closed },
)

const MODE = Type.Union([Type.Literal('off'), Type.Literal('push'), Type.Literal('pr'), Type.Literal('local')], {
  description:
    '`push`: gc pushes what it checked. `pr`: a pull request is merged. `local`: there is no remote. `off`: nothing lands.',
})

const land = {
  mode: MODE,
  target: Type.String({ description: 'The branch that changes end up in; the default branch when absent.' }),
  remote: Type.String({ description: 'The name of the remote.' }),
  check: Texts('The command that must pass; nothing is checked when absent.'),
  check_timeout: Duration('Time limit of a check.'),
  batch: Type.Integer({ format: 'int64', description: 'Maximum branches that are checked together.' }),
  check_early: Type.Boolean({ description: 'True if branches are checked while they wait for approval.' }),
  confirm_red: Type.Boolean({ description: 'True if a failed check is repeated before a branch is blamed.' }),
  strategy: Type.Union([Type.Literal('squash'), Type.Literal('merge')]),
  parallel: Type.Integer({ format: 'int64', description: 'Maximum simultaneous checks.' }),
  generated: Type.Array(Generated, { maxItems: 1000, description: 'Files that a command makes again on a conflict.' }),
  protected_paths: Texts('Paths whose change waits for a person.'),
  hold: Texts('Further reasons for approval: `large:<lines>`.'),
  tries: Type.Integer({ format: 'int64', description: 'Maximum attempts of an owner.' }),
  turn_timeout: Duration('Maximum time for an owner to resolve a conflict.'),
  delete_branch: Type.Boolean({ description: 'True if landed branches are deleted at the remote.' }),
  sign: Type.Boolean({ description: 'True if landed commits are signed.' }),
  pr: PullRequests,
}

export const RigLand = Type.Object(
  {
    rig: Type.String(),
    declared: Type.Boolean({ description: 'True if the configuration says anything about it.' }),
    ...land,
    target: Type.Optional(land.target),
    check: Type.Optional(land.check),
    auto: Type.Optional(Auto),
    forge: Type.Optional(Forge),
  },
  { $id: 'RigLand', ...closed },
)
export type RigLand = Static<typeof RigLand>

const change = <Values extends TSchema>(schema: Values) => Type.Optional(nullable(schema))

export const RigLandUpdate = Type.Object(
  {
    mode: Type.Optional(MODE),
    target: change(land.target),
    remote: change(land.remote),
    check: change(land.check),
    check_timeout: change(land.check_timeout),
    batch: change(land.batch),
    check_early: change(land.check_early),
    confirm_red: change(land.confirm_red),
    strategy: change(land.strategy),
    parallel: change(land.parallel),
    generated: change(land.generated),
    protected_paths: change(land.protected_paths),
    hold: change(land.hold),
    tries: change(land.tries),
    turn_timeout: change(land.turn_timeout),
    delete_branch: change(land.delete_branch),
    sign: change(land.sign),
    pr: change(PullRequests),
    auto: change(Auto),
    forge: change(Forge),
  },
  { $id: 'RigLandUpdateBody', ...closed, description: 'Absent keys do not change; null removes a key.' },
)
export type RigLandUpdate = Static<typeof RigLandUpdate>
