import { copy } from './copy.ts'
import type { Action, Reach } from './page.ts'

/** What is known of a session wherever it is listed. */
export interface SessionFacts {
  readonly id: string
  readonly state: string
  readonly title: string
  readonly isRunning: boolean
}

type Verb = 'stop' | 'kill' | 'wake' | 'suspend' | 'close'

const request =
  (id: string, verb: Verb, done: string, undo?: Verb): Action['run'] =>
  async ({ city }: Reach) => {
    await city.call(`POST ~/session/{id}/${verb}`, { params: { id } })
    return { text: `${id} ${done}`, ...(undo && { undo: { name: undo, run: request(id, undo, `is taken back`) } }) }
  }

/** Everything that can be done to a session. */
export function sessionActions({ id, state, title, isRunning }: SessionFacts): Action[] {
  const name = title === '' ? id : `${id} (${title})`
  const notRunning = isRunning ? undefined : `${id} does not run; w wakes it`
  const isClosed = state === ''
  return [
    {
      key: 'a',
      name: 'attach',
      help: 'open its terminal here; ctrl-] leaves it running',
      disabled: notRunning,
      run: async () => ({ attach: id }),
    },
    {
      key: 's',
      name: 'send',
      help: 'send it a message',
      disabled: isClosed ? `${id} is closed` : undefined,
      fields: [{ name: 'message', title: `message to ${id}` }],
      run: async ({ city }, { message = '' }) => {
        await city.call('POST ~/session/{id}/submit', { params: { id }, body: { message } })
        return { text: `sent to ${id}` }
      },
    },
    {
      key: 'i',
      name: 'interrupt',
      help: 'interrupt its turn',
      disabled: notRunning,
      run: request(id, 'stop', 'was interrupted'),
    },
    {
      key: 'x',
      name: 'kill',
      help: 'end its program; it may be started again',
      disabled: notRunning,
      confirm: `Kill ${name}? Its program ends at once, whatever it is doing.`,
      run: request(id, 'kill', 'was killed'),
    },
    {
      key: 'w',
      name: 'wake',
      help: 'start it when it sleeps or is suspended',
      disabled: isRunning ? `${id} runs already` : isClosed ? `${id} is closed` : undefined,
      run: request(id, 'wake', 'is woken'),
    },
    {
      key: 'S',
      name: 'suspend',
      help: 'suspend it until it is woken',
      disabled: isClosed ? `${id} is closed` : undefined,
      confirm: `Suspend ${name}? Its program ends; its work waits for it.`,
      run: request(id, 'suspend', 'is suspended; w wakes it', 'wake'),
    },
    {
      key: 'X',
      name: 'close',
      help: 'close it for good',
      disabled: isClosed ? `${id} is closed` : undefined,
      confirm: `Close ${name} for good? Its work is offered to others.`,
      run: request(id, 'close', 'is closed'),
    },
    {
      key: 't',
      name: 'transcript',
      help: 'its whole conversation',
      run: async ({ city }) => ({ opens: { page: 'transcript', city: city.name, subject: id } }),
    },
    copy('y', 'copy', 'its id', id),
  ]
}
