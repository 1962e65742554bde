import type { Output } from '../../src/client/operations.ts'
import { countOf, formatTime } from '../../src/client/text.ts'
import { copy } from './copy.ts'
import { isOneOf, type Line, text } from './page.ts'
import { suspendRig } from './rigs.ts'
import { fieldLines, section } from './sections.ts'
import { toneOf } from './tones.ts'

type Rig = Output<'GET ~/rig/{name}'>
type Agent = Output<'GET ~/agents'>['items'][number]
type Worktree = Output<'GET ~/worktrees'>['items'][number]

/** One rig: how its folder is in git, its agents, and the worktrees of its sessions. */
export const rigPage = text({
  name: 'rig',
  about: 'rig',
  takes: 'the name of a rig',
  title: 'rig',
  help: 'a rig: the git state of its folder, its agents and the worktrees of its sessions',
  isChangedBy: isOneOf('rig.', 'config.', 'session.', 'bead.worktree'),
  load: async ({ city, subject: name, signal }) => {
    const call = signal ? { signal } : {}
    const [rig, agents, worktrees] = await Promise.all([
      city.call('GET ~/rig/{name}', { params: { name }, query: { git: true }, ...call }),
      city.call('GET ~/agents', { query: { rig: name }, ...call }),
      city.call('GET ~/worktrees', call),
    ])
    return {
      head: [{ text: `${name}${rig.suspended ? ' · suspended' : ''}`, tone: rig.suspended ? 'warning' : 'strong' }],
      lines: [
        ...fieldLines(rigFields(rig)),
        ...section('agents', agents.items.map(agentLine)),
        ...section('worktrees of its sessions', worktrees.items.filter((each) => each.rig === name).map(worktreeLine)),
      ],
      actions: [suspendRig(name, !rig.suspended), copy('y', 'copy', 'its folder', rig.path)],
    }
  },
})

const rigFields = ({ path, prefix, default_branch, git, last_activity: last, running_count }: Rig) =>
  [
    ['folder', path],
    ['prefix', prefix],
    ['work starts at', default_branch],
    ['git', git && gitText(git)],
    ['running', countOf(running_count, 'session')],
    ['last activity', last && formatTime(last)],
  ] as const

/** `main · 3 changed files · 2 ahead, 1 behind`. */
function gitText({ branch, changed_files: changed, ahead, behind, clean }: NonNullable<Rig['git']>): string {
  const apart = [ahead > 0 && `${ahead} ahead`, behind > 0 && `${behind} behind`].filter(Boolean).join(', ')
  return [branch, clean ? 'nothing to commit' : countOf(changed, 'changed file'), apart].filter(Boolean).join(' · ')
}

const agentLine = ({ name, state, active_bead: bead, unavailable_reason: why }: Agent): Line => ({
  text: [name.padEnd(24), state.padEnd(11), bead, why].filter(Boolean).join(' '),
  tone: toneOf(state),
})

const worktreeLine = ({ session, branch, in_use, kept }: Worktree): Line => ({
  text: `${session.padEnd(12)} ${[branch, in_use ? 'in use' : kept].filter(Boolean).join(' · ')}`,
})
