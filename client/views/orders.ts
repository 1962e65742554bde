import type { Output } from '../../src/client/operations.ts'
import { formatTime } from '../../src/client/text.ts'
import { copy } from './copy.ts'
import { formatElapsed } from './figures.ts'
import { type Action, type FollowText, isOneOf, type Line, table, text, whole } from './page.ts'
import { textLines } from './sections.ts'

type Order = Output<'GET ~/order-files'>['orders'][number]
type Entry = Output<'GET ~/order-runs'>['entries'][number]

const HISTORY = 200
/** The label that names the order of a run. */
const RUN_OF = 'order-run:'

/** The orders of the city: what starts each, and whether it is due and why. */
export const ordersPage = table<Order>({
  name: 'orders',
  title: 'orders',
  help: 'work that starts automatically: on a schedule, after events, by webhooks',
  empty: 'none: put NAME.toml into the orders folder of the city',
  columns: [
    { title: 'order', width: 20, isName: true, cell: ({ scoped_name }) => scoped_name },
    { title: 'starts', width: 9, cell: ({ trigger }) => trigger },
    { title: 'when', width: 14, leaves: 1, cell: ({ interval, schedule, on }) => interval ?? schedule ?? on },
    {
      title: 'last',
      width: 8,
      cell: ({ last_run, last_run_outcome: outcome }) => ({
        text: last_run === undefined ? '' : (outcome ?? 'runs'),
        tone: outcome === 'failed' ? 'bad' : outcome === undefined ? 'busy' : 'good',
      }),
    },
    { title: 'ago', width: 4, leaves: 2, cell: ({ last_run: since = '' }) => ({ since, tone: 'quiet' }) },
    { title: 'due', width: 3, cell: ({ due }) => ({ text: due ? 'yes' : '', tone: 'busy' }) },
    {
      title: 'why',
      width: 16,
      grows: true,
      cell: ({ reason, enabled }) => (enabled ? reason : 'disabled: S enables it'),
    },
    {
      title: 'does',
      width: 16,
      grows: true,
      leaves: 3,
      yields: true,
      cell: (order) => ({ text: actionOf(order), tone: 'quiet' }),
    },
  ],
  idOf: ({ scoped_name }) => scoped_name,
  isChangedBy: isOneOf('order.', 'config.'),
  opens: ({ scoped_name }, city) => ({ page: 'order', city, subject: scoped_name }),
  load: async ({ city, signal }) => {
    const { orders, problems } = await city.call('GET ~/order-files', { ...(signal && { signal }) })
    return { ...whole(orders), head: problems.map((problem): Line => ({ text: problem, tone: 'bad' })) }
  },
  actionsOf: (order) => orderActions(order.scoped_name, order.enabled),
})

const actionOf = ({ formula, pool, exec }: Order): string =>
  formula === undefined ? (exec ?? '') : `${formula}${pool ? ` by ${pool}` : ''}`

/** Actions on an order. */
const orderActions = (name: string, enabled: boolean): Action[] => [
  runOrder(name),
  setEnabled(name, !enabled),
  copy('y', 'copy', 'its name', name),
]

const runOrder = (name: string): Action => ({
  key: 'n',
  name: 'run',
  help: 'run it now, due or not',
  confirm: `Run the order ${name} now?`,
  run: async ({ city }) => {
    await city.call('POST ~/order/{name}/run', { params: { name }, body: {} })
    return { text: `${name} is dispatched`, opens: { page: 'order', city: city.name, subject: name } }
  },
})

const setEnabled = (name: string, enables: boolean): Action => ({
  key: 'S',
  name: enables ? 'enable' : 'disable',
  help: enables ? 'start it automatically again' : 'stop starting it automatically',
  run: async ({ city }) => {
    await city.call(enables ? 'POST ~/order/{name}/enable' : 'POST ~/order/{name}/disable', { params: { name } })
    return { text: `${name} is ${enables ? 'enabled' : 'disabled'}`, undo: setEnabled(name, !enables) }
  },
})

/** The runs of one order, newest first. */
export const orderPage = table<Entry>({
  name: 'order',
  about: 'order',
  title: 'runs of the order',
  help: 'the runs of an order',
  empty: 'it never ran: :run runs it now',
  columns: [
    { title: 'run', width: 12, isName: true, cell: ({ bead_id }) => bead_id },
    { title: 'began', width: 12, isName: true, leaves: 1, cell: ({ wisp_root_id }) => wisp_root_id },
    {
      title: 'exit',
      width: 4,
      cell: ({ exit_code: code }) => ({ text: code ?? '', tone: code === '0' || !code ? 'plain' : 'bad' }),
    },
    { title: 'took', width: 9, cell: ({ duration_ms: ms }) => (ms === undefined ? 'runs' : formatElapsed(Number(ms))) },
    { title: 'error', width: 16, grows: true, cell: ({ error }) => ({ text: error ?? '', tone: 'bad' }) },
    { title: 'age', width: 4, cell: ({ created_at }) => ({ since: created_at, tone: 'quiet' }) },
  ],
  idOf: ({ bead_id }) => bead_id,
  isChangedBy: isOneOf('order.'),
  opens: ({ bead_id, wisp_root_id: run }, city) =>
    run === undefined ? { page: 'order-run', city, subject: bead_id } : { page: 'run', city, subject: run },
  load: async ({ city, subject: scoped_name, signal }, { cursor }) => {
    const query = { scoped_name, limit: HISTORY, ...(cursor && { cursor }) }
    const { entries, next_cursor } = await city.call('GET ~/order-runs', { query, ...(signal && { signal }) })
    return { items: entries, next: next_cursor }
  },
  actions: ({ subject }) => [runOrder(subject)],
})

/** Output of one run of an order, followed live. */
export const orderRunPage = text({
  name: 'order-run',
  about: 'run',
  title: 'run of the order',
  help: 'what a run of an order prints',
  isChangedBy: isOneOf('order.'),
  load: async ({ city, subject: bead_id, signal }) => {
    const { created_at, labels } = await city.call('GET ~/order/history/{bead_id}', {
      ...{ params: { bead_id }, ...(signal && { signal }) },
    })
    const name = labels?.find((label) => label.startsWith(RUN_OF))?.slice(RUN_OF.length)
    return { head: [{ text: [name, `since ${formatTime(created_at)}`].filter(Boolean).join(' · '), tone: 'strong' }] }
  },
  follow: async ({ city, subject: bead_id }, { show, following }) => {
    let output = ''
    const anew: FollowText['following'] = {
      ...following,
      onStateChange: (state) => {
        if (state === 'connected') output = ''
        following.onStateChange?.(state)
      },
    }
    // A stream that connects again begins with the first line.
    const stream = city.follow('GET ~/order/history/{bead_id}/stream', { params: { bead_id } }, anew)
    for await (const { event, data } of stream) {
      if (event === 'output') output += data.text
      const lines = output === '' ? [] : textLines(output.replace(/\n$/, ''))
      show(event === 'ended' ? [...lines, endLine(data.run)] : lines)
      if (event !== 'output') return
    }
  },
})

/** Outcome of an order's run. */
function endLine({ exit_code: code, duration_ms: ms, error, wisp_root_id: run }: Entry): Line {
  if (run !== undefined) return { text: `It began the run ${run}; :run ${run} shows it.`, tone: 'quiet' }
  const after = ms === undefined ? '' : ` after ${formatElapsed(Number(ms))}`
  if (code !== undefined)
    return { text: `Its command ended with ${code}${after}.`, tone: code === '0' ? 'good' : 'bad' }
  return { text: error ?? `It ended${after}.`, tone: error === undefined ? 'quiet' : 'bad' }
}
