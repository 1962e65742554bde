import type { Output } from '../../src/client/operations.ts'
import { countOf } from '../../src/client/text.ts'
import { copy } from './copy.ts'
import type { Action } from './page.ts'

export type ChangeView = Output<'GET ~/change/{id}'>
export type ChangeComment = ChangeView['comments'][number]

/** The actions on a change. */
export function changeActions(change: ChangeView, since: number | undefined): Action[] {
  return [
    approve(change),
    ask(change),
    discard(change),
    since === undefined ? showNew(change) : showAll(change),
    openLanding(change),
    copy('y', 'copy', 'its id', change.id),
    copy('b', 'copy-branch', 'its branch', change.branch),
  ]
}

/** `"Fix the pump" by shop/worker`. */
const nameOf = ({ id, title, agent }: ChangeView): string => `${id}${title ? `, "${title}",` : ''} by ${agent}`

const approve = (change: ChangeView): Action => ({
  key: 'a',
  name: 'approve',
  help: 'approve it at the commit that is shown',
  disabled:
    change.state === 'ready' ? undefined : `only a change that is ready can be approved; this one is ${change.state}`,
  confirm: `Approve ${nameOf(change)}?\n${countOf(change.files, 'file')}, +${change.added} -${change.removed}, commit ${change.head.slice(0, 12)}`,
  run: async ({ city }) => {
    await city.call('POST ~/change/{id}/approve', { params: { id: change.id }, body: { head: change.head } })
    return { text: `${change.id} is approved; L shows how it lands` }
  },
})

const ask = (change: ChangeView): Action => {
  const drafts = change.comments.filter(({ state }) => state === 'draft').length
  const besides = drafts === 0 ? '' : ` besides your ${countOf(drafts, 'comment')} (may be empty)`
  return {
    key: 's',
    name: 'ask',
    hint: drafts === 0 ? 'ask for changes' : `send ${countOf(drafts, 'comment')}`,
    help: 'send your comments to its session, as one message',
    disabled: isDecided(change) ? `it is ${change.state}` : undefined,
    fields: [{ name: 'text', title: `what to change${besides}`, isLong: true, isOptional: drafts > 0 }],
    run: async ({ city }, { text = '' }) => {
      const body = text.trim() === '' ? {} : { text }
      await city.call('POST ~/change/{id}/ask', { params: { id: change.id }, body })
      return { text: `${change.agent} is asked for changes` }
    },
  }
}

const discard = (change: ChangeView): Action => ({
  key: 'D',
  name: 'discard',
  help: 'decide against it; its commits are kept for 30 days',
  disabled: isDecided(change) ? `it is ${change.state}` : undefined,
  confirm: `Discard ${nameOf(change)}?\nIts commits are kept for 30 days, and its branch stays.`,
  fields: [{ name: 'reason', title: 'why it is discarded', isOptional: true }],
  run: async ({ city }, { reason = '' }) => {
    const body = reason.trim() === '' ? {} : { reason }
    await city.call('POST ~/change/{id}/discard', { params: { id: change.id }, body })
    return { text: `${change.id} is discarded` }
  },
})

const isDecided = ({ state }: ChangeView): boolean => state === 'landed' || state === 'discarded'

/** Opens the landing of the change. */
const openLanding = ({ id, rig, branch, bead_id: bead }: ChangeView): Action => ({
  key: 'L',
  name: 'landing',
  help: 'how it lands: its place in the queue, and its checks',
  run: async ({ city }) => {
    const { items } = await city.call('GET ~/landings', { query: { rig } })
    const own = items.filter((landing) => landing.branch === branch)
    const found = own.find((landing) => landing.bead_id === bead) ?? own[0]
    if (!found) throw new Error(`${id} is not in the queue of ${rig} yet: approve it first`)
    return { opens: { page: 'landing', city: city.name, subject: found.id } }
  },
})

const showNew = ({ id, round }: ChangeView): Action => ({
  key: 'w',
  name: 'new',
  hint: 'what is new',
  help: 'show only what is new since the round before',
  disabled: round > 1 ? undefined : 'this is its first round',
  run: async ({ city }) => ({ opens: { page: 'change-new', city: city.name, subject: id } }),
})

const showAll = ({ id }: ChangeView): Action => ({
  key: 'w',
  name: 'whole',
  hint: 'the whole change',
  help: 'show the whole change',
  run: async ({ city }) => ({ opens: { page: 'change', city: city.name, subject: id } }),
})

/** Lines of a file that a comment can be about. */
export interface Commented {
  readonly path: string
  readonly side: 'old' | 'new'
  readonly line: number
  readonly commit: string
}

export const comment = (id: string, { path, side, line, commit }: Commented): Action => ({
  key: 'c',
  name: 'comment',
  help: 'comment on this line; s sends what you wrote',
  fields: [{ name: 'text', title: `comment on line ${line} of ${path}`, isLong: true }],
  run: async ({ city }, { text = '' }) => {
    await city.call('POST ~/change/{id}/comments', { params: { id }, body: { path, side, line, commit, text } })
    return { text: 'kept as a draft; s sends your drafts' }
  },
})

/** The actions on a comment that was not sent. */
export function draftActions(id: string, { n, text: initial, state }: ChangeComment): Action[] {
  if (state !== 'draft') return []
  const params = { id, n: String(n) }
  return [
    {
      ...{ key: 'e', name: 'edit', help: 'change your comment' },
      fields: [{ name: 'text', title: 'comment', initial, isLong: true }],
      run: async ({ city }, { text = '' }) => {
        await city.call('PATCH ~/change/{id}/comment/{n}', { params, body: { text } })
        return { text: 'changed' }
      },
    },
    {
      ...{ key: 'x', name: 'remove', help: 'remove your comment', confirm: `Remove your comment?\n${initial}` },
      run: async ({ city }) => {
        await city.call('DELETE ~/change/{id}/comment/{n}', { params })
        return { text: 'removed' }
      },
    },
  ]
}
