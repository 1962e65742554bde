import type { Question } from '../../src/host/protocol/question.ts'
import { human } from '../../src/http/guard.ts'
import { scriptedTown } from '../support/city.ts'
import { at, both, ms, Table } from './support/figures.ts'

/** Processor time of this process so far, in milliseconds. */
const spent = (): number => process.cpuUsage().user / 1_000

/**
 * A thousand sessions that ask immediately: what the list takes, an answer to one of them, and an answer to all that
 * are equal. Processor time in this process, on a host without programs. `npm run bench questions`.
 */

const QUESTIONS = 1_000
const ROUNDS = 30
const LIST_MS = 50
const ANSWER_MS = 100

const text = `Bash command\nRun the tests\n\nnpm test\n\nThis command requires approval`
const question = (n: number): Question => ({
  ...{ id: `screen-${n}`, kind: 'approval', prompt: 'Do you want to proceed?', text, cut: false },
  options: [
    { id: '1', label: 'Yes', role: 'allow-once' },
    { id: '2', label: 'No', role: 'deny' },
  ],
  picture: Array.from({ length: 40 }, (_, row) => `${row} `.padEnd(120, '─')),
  since: '2026-01-05T09:00:00.000Z',
})

await using town = scriptedTown(`
[providers.my-claude]
base = "builtin:claude"
command = "sh"
prompt_mode = "none"
[[agent]]
name = "worker"
provider = "my-claude"
max_active_sessions = 1
`)
const city = await town.open()
await city.beads.create(human, { title: 'work', metadata: { 'gc.routed_to': 'worker' } })
await city.reconciler.settle()
const worker = city.sessionRepository.live().find(({ template }) => template === 'worker')
if (!worker?.hostKey) throw new Error('no worker was started')
const { hostKey } = worker
const { questions } = city.sessionServices

await city.store.write((tx) => {
  for (let n = 1; n < QUESTIONS; n++) {
    const asking = {
      sessionId: `mi-9${n}`,
      hostKey: `mill/mi-9${n}`,
      by: 'screen',
      beadId: null,
      folder: '/w',
    } as const
    questions.raise(tx, asking, question(n))
  }
})
await city.attention.whenIdle()

const lists: number[] = []
const answers: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  town.host.ask(hostKey, question(QUESTIONS + round))
  while (questions.openOf(hostKey).length === 0) await Bun.sleep(1)
  await city.attention.whenIdle()
  let started = spent()
  const body = JSON.stringify(city.attention.list())
  lists.push(spent() - started)
  if (body.length < QUESTIONS * text.length) throw new Error('the list is not whole')
  const [row] = questions.openOf(hostKey)
  started = spent()
  await city.sessions.messaging.answer(`question:${row?.id}`, human, { answer: '1' })
  answers.push(spent() - started)
}

const { items } = city.attention.list()
const same = items.find((item) => item.same !== undefined)?.same ?? ''
const ids = items.filter((item) => item.same === same).map(({ id }) => id)
const started = spent()
const { left } = await city.sessions.messaging.answerGroup(human, { ids, same, answer: '1' })
const group = spent() - started

const table = new Table()
table.row(`list ${QUESTIONS} questions`, both(lists), `p50 < ${LIST_MS} ms`, at(lists, 0.5) < LIST_MS)
table.row('answer one of them', both(answers), `p50 < ${ANSWER_MS} ms`, at(answers, 0.5) < ANSWER_MS)
table.row(`reject an answer to ${left.length} that are over`, ms(group))
table.print('questions at once')
