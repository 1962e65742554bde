import type { Output } from '../../src/client/operations.ts'
import { copy } from './copy.ts'
import { type Action, isOneOf, type Reach, table, whole } from './page.ts'

type Rig = Output<'GET ~/rigs'>['items'][number]
type Worktree = Output<'GET ~/worktrees'>['items'][number]

/** The project folders that agents work on. */
export const rigsPage = table<Rig>({
  name: 'rigs',
  title: 'rigs',
  help: 'the project folders that agents work on',
  empty: 'none: gc rig add FOLDER',
  columns: [
    { title: 'rig', width: 16, isName: true, cell: ({ name }) => name },
    { title: 'state', width: 10, cell: ({ suspended }) => ({ text: suspended ? 'suspended' : '', tone: 'warning' }) },
    { title: 'agents', width: 6, cell: ({ agent_count: declared }) => String(declared) },
    { title: 'running', width: 7, cell: ({ running_count: sessions }) => String(sessions) },
    { title: 'prefix', width: 6, leaves: 2, cell: ({ prefix }) => prefix },
    { title: 'branch', width: 10, leaves: 1, cell: ({ default_branch }) => default_branch },
    { title: 'folder', width: 16, grows: true, isName: true, cell: ({ path }) => ({ text: path, tone: 'quiet' }) },
  ],
  idOf: ({ name }) => name,
  opens: ({ name }, city) => ({ page: 'rig', city, subject: name }),
  isChangedBy: isOneOf('rig.', 'config.', 'session.'),
  load: async ({ city, signal }) => whole((await city.call('GET ~/rigs', { ...(signal && { signal }) })).items),
  actionsOf: ({ name, suspended, path }) => [
    suspendRig(name, !suspended),
    copy('y', 'copy', 'its folder', path),
    copy('Y', 'copy-name', 'its name', name),
  ],
})

/** Suspends a rig, or resumes it. */
export const suspendRig = (name: string, suspends: boolean): Action => ({
  key: 'S',
  name: suspends ? 'suspend' : 'resume',
  help: suspends ? 'start no sessions in the rig until it is resumed' : 'let agents work in the rig again',
  ...(suspends && { confirm: `Suspend the rig ${name}? Its sessions stop.` }),
  run: async ({ city }: Reach) => {
    const action = suspends ? 'suspend' : 'resume'
    await city.call('POST ~/rig/{name}/{action}', { params: { name, action } })
    return {
      text: `${name} is ${suspends ? 'suspended' : 'resumed'}`,
      undo: suspendRig(name, !suspends),
    }
  },
})

/** The git worktrees of sessions. */
export const worktreesPage = table<Worktree>({
  name: 'worktrees',
  title: 'worktrees',
  help: 'the git worktrees of sessions',
  empty: 'none: worktree = true on an agent gives each of its sessions one',
  columns: [
    { title: 'session', width: 10, isName: true, cell: ({ session }) => session },
    { title: 'rig', width: 12, isName: true, cell: ({ rig }) => rig },
    { title: 'branch', width: 16, grows: true, isName: true, cell: ({ branch }) => branch },
    { title: 'bead', width: 10, leaves: 2, cell: ({ bead_id }) => bead_id },
    { title: 'use', width: 6, cell: ({ in_use }) => (in_use ? 'in use' : '') },
    { title: 'kept', width: 12, grows: true, leaves: 1, cell: ({ kept }) => ({ text: kept ?? '', tone: 'warning' }) },
    { title: 'age', width: 4, cell: ({ created_at }) => ({ since: created_at, tone: 'quiet' }) },
  ],
  idOf: ({ session }) => session,
  isChangedBy: isOneOf('session.', 'bead.worktree'),
  opens: ({ session }, city) => ({ page: 'diff', city, subject: session }),
  load: async ({ city, signal }) => whole((await city.call('GET ~/worktrees', { ...(signal && { signal }) })).items),
  actionsOf: (worktree) => worktreeActions(worktree),
})

const worktreeActions = ({ session, path, branch, in_use: inUse, kept }: Worktree): Action[] => [
  {
    key: 't',
    name: 'session',
    help: 'its session',
    run: async ({ city }) => ({ opens: { page: 'session', city: city.name, subject: session } }),
  },
  {
    key: 'x',
    name: 'remove',
    help: 'remove it; its branch is kept',
    disabled: inUse ? `${session} is not over; close it first` : undefined,
    confirm: `Remove ${path}?${kept ? ` These exist only there and are lost: ${kept}.` : ''} Its branch ${branch} is kept.`,
    run: async ({ city }) => {
      await city.call('DELETE ~/worktree/{session}', { params: { session }, query: { force: true } })
      return { text: `the worktree of ${session} is removed; its branch is ${branch}` }
    },
  },
  copy('y', 'copy', 'its folder', path),
  copy('b', 'copy-branch', 'its branch', branch),
]
