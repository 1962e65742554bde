import type { CityClient } from '../../src/client/client.ts'
import type { SessionResponse } from '../../src/work/sessions/index.ts'
import { attachTo } from './attach.ts'
import { copy } from './copy.ts'
import type { Action, Outcome, Reach } from './page.ts'

/** Properties of a session that every list has. */
export interface SessionFacts {
  readonly id: string
  readonly state: string
  readonly title: string
  readonly isRunning: boolean
  readonly folder?: string | undefined
}

type Verb = 'stop' | 'kill' | 'wake' | 'suspend' | 'close'

const request =
  (id: string, verb: Verb, done: string, undo?: Outcome['undo']): Action['run'] =>
  async ({ city }: Reach) => {
    await city.call(`POST ~/session/{id}/${verb}`, { params: { id } })
    return { text: `${id} ${done}`, ...(undo && { undo }) }
  }

/** The actions on a session. */
export const sessionActions = (session: SessionFacts): Action[] => [
  attachTo(session.isRunning ? session.id : undefined, asleep(session)),
  ...messageActions(session),
  ...stateActions(session),
  ...viewActions(session.id),
  ...copyActions(session),
]

const asleep = ({ id }: SessionFacts): string => `${id} does not run; w wakes it`

/** Reasons why an action is not available now. */
const obstaclesOf = (session: SessionFacts) => ({
  notRunning: session.isRunning ? undefined : asleep(session),
  closed: session.state === '' ? `${session.id} is closed` : undefined,
})

const GO_ON = 'Continue your work.'

/** Sending a message, by when the session gets it. */
function messageActions(session: SessionFacts): Action[] {
  const { id } = session
  const { closed, notRunning } = obstaclesOf(session)
  return [
    {
      key: 's',
      name: 'send',
      help: 'send it a message',
      disabled: closed,
      fields: [{ name: 'message', title: `message to ${id}`, isLong: true }],
      many: { fields: [{ name: 'message', title: 'message to all of them', isLong: true }] },
      run: submit(id, undefined, `sent to ${id}`),
    },
    {
      key: 'u',
      name: 'nudge',
      help: 'send it a message for when its turn is over',
      disabled: closed,
      fields: [{ name: 'message', title: `message to ${id} after its turn`, initial: GO_ON, isLong: true }],
      many: {
        fields: [{ name: 'message', title: 'message to all of them after their turn', initial: GO_ON, isLong: true }],
      },
      run: submit(id, 'follow_up', `${id} gets it after its turn`),
    },
    {
      key: 'I',
      name: 'instead',
      hint: 'interrupt and send',
      help: 'interrupt its turn and send it a message instead',
      disabled: notRunning,
      fields: [{ name: 'message', title: `message to ${id} instead of its turn`, isLong: true }],
      run: submit(id, 'interrupt_now', `${id} was interrupted and gets the message`),
    },
  ]
}

const submit =
  (id: string, intent: 'follow_up' | 'interrupt_now' | undefined, text: string): Action['run'] =>
  async ({ city }, { message = '' }) => {
    await city.call('POST ~/session/{id}/submit', { params: { id }, body: { message, ...(intent && { intent }) } })
    return { text }
  }

/** Interrupting, ending, restarting and closing. */
function stateActions(session: SessionFacts): Action[] {
  const { id, title, isRunning } = session
  const name = title === '' ? id : `${id} (${title})`
  const { closed, notRunning } = obstaclesOf(session)
  return [
    {
      key: 'i',
      name: 'interrupt',
      help: 'interrupt its turn',
      disabled: notRunning,
      many: {},
      run: request(id, 'stop', 'was interrupted'),
    },
    { ...kill(id, name), disabled: notRunning, many: {} },
    {
      key: 'R',
      name: 'restart',
      help: 'restart its program; work and conversation continue',
      disabled: notRunning,
      many: {},
      confirm: `Restart ${name}? Its program stops immediately; its work and its conversation continue.`,
      run: async ({ city }) => {
        await city.call('POST ~/session/{id}/restart', { params: { id }, body: {} })
        return { text: `${id} is restarted` }
      },
    },
    {
      key: 'w',
      name: 'wake',
      help: 'start it when it sleeps or is suspended',
      disabled: isRunning ? `${id} runs already` : closed,
      many: {},
      run: request(id, 'wake', 'is woken'),
    },
    { ...suspend(id, name), disabled: closed, many: {} },
    {
      key: 'X',
      name: 'close',
      help: 'close it for good',
      disabled: closed,
      many: {},
      confirm: `Close ${name} for good? Its work is offered to others.`,
      run: request(id, 'close', 'is closed'),
    },
  ]
}

const kill = (id: string, name: string): Action => ({
  key: 'x',
  name: 'kill',
  help: 'end its program; it may be started again',
  confirm: `Kill ${name}? Its program stops immediately, in the middle of its work.`,
  run: async (reach) => {
    const { running } = await reach.city.call('GET ~/session/{id}', { params: { id } })
    if (!running) return { text: `${id} had already exited; nothing was killed` }
    return request(id, 'kill', 'was killed')(reach, {})
  },
})

const suspend = (id: string, name: string): Action => ({
  key: 'S',
  name: 'suspend',
  help: 'suspend it until it is woken',
  confirm: `Suspend ${name}? Its program ends; its work waits for it.`,
  run: request(id, 'suspend', 'is suspended; w wakes it', {
    name: 'wake',
    run: request(id, 'wake', 'is woken again'),
  }),
})

/** Pages about a session. */
const viewActions = (id: string): Action[] => [
  open(id, 't', 'transcript', 'its whole conversation'),
  open(id, 'v', 'watch', 'its screen beside its conversation'),
  open(id, 'D', 'diff', 'what it changed in its worktree'),
]

const open = (id: string, key: string, page: 'transcript' | 'watch' | 'diff', help: string): Action => ({
  ...{ key, name: page, help },
  run: async ({ city }) => ({ opens: { page, city: city.name, subject: id } }),
})

const copyActions = ({ id, folder }: SessionFacts): Action[] => [
  copy('y', 'copy', 'its id', id),
  copy('Y', 'copy-folder', 'its folder', folder),
  {
    key: 'b',
    name: 'copy-branch',
    help: 'copy the branch of its worktree',
    run: async ({ city }) => {
      const { items } = await city.call('GET ~/worktrees')
      const branch = items.find(({ session }) => session === id)?.branch
      if (branch === undefined) throw new Error(`${id} has no worktree, and so no branch of its own`)
      return { text: `copied its branch ${branch}`, copy: branch }
    },
  },
  {
    key: 'C',
    name: 'copy-answer',
    help: 'copy its last answer',
    run: async ({ city }) => ({ text: 'copied its last answer', copy: await lastAnswer(city, id) }),
  },
]

/** The whole text of the last answer of a session. */
async function lastAnswer(city: CityClient, id: string): Promise<string> {
  const query = { format: 'conversation' as const, tail: '1' }
  const transcript = await city.call('GET ~/session/{id}/transcript', { params: { id }, query })
  const turns = 'turns' in transcript ? (transcript.turns ?? []) : []
  const answer = turns.findLast(({ role }) => role === 'assistant')
  if (!answer) throw new Error(`${id} has not answered anything yet`)
  return answer.text
}

/** The actions on a session as the server lists it. */
export const actionsOfSession = (session: SessionResponse): Action[] =>
  sessionActions({ ...session, isRunning: session.running, folder: session.work_dir })
