import type { Output } from '../../src/client/operations.ts'
import { countOf, formatTime } from '../../src/client/text.ts'
import { isOneOf, type Line, text } from './page.ts'
import { fieldLines } from './sections.ts'
import { addressOf, type Service, serviceActions, whyNotReady } from './services.ts'
import { toneOf } from './tones.ts'

type Process = Output<'GET ~/service/{name}/process'>

/** Maximum lines of the log that are kept. */
const MAX_LINES = 5_000
const FIRST_LINES = 200

/** One service: how it is, what to do about it, and what it prints. */
export const servicePage = text({
  name: 'service',
  about: 'service',
  title: 'service',
  help: 'a service: its process, what it prints, and what to do about it',
  isChangedBy: isOneOf('service.', 'config.', 'attention.'),
  load: async ({ client, city, subject: name, signal }) => {
    const call = { params: { name }, ...(signal && { signal }) }
    const [service, process] = await Promise.all([
      city.call('GET ~/service/{name}', call),
      city.call('GET ~/service/{name}/process', call),
    ])
    return {
      head: headLines(service, process, addressOf(service, client, city.name)),
      actions: serviceActions(service),
    }
  },
  follow: async ({ city, subject: name, signal }, { show, following }) => {
    const params = { name }
    const process = await city.call('GET ~/service/{name}/process', { params, ...(signal && { signal }) })
    if (process.log === undefined) return show([{ text: 'gc itself answers it; there is no log', tone: 'quiet' }])
    const query = { lines: FIRST_LINES }
    const log = await city.call('GET ~/service/{name}/log', { params, query, ...(signal && { signal }) })
    let all = log.text
    show(logLines(all))
    const input = { params, query: { from: log.offset } }
    for await (const { data } of city.follow('GET ~/service/{name}/log/stream', input, following)) {
      if (!('text' in data)) continue
      all += data.text
      const lines = logLines(all)
      if (lines.length > 2 * MAX_LINES) all = all.split('\n').slice(-MAX_LINES).join('\n')
      show(lines.slice(-MAX_LINES))
    }
  },
})

function headLines(service: Service, process: Process, address: string): Line[] {
  const { service_name: name, kind = '', local_state: state, publication_state } = service
  const why = whyNotReady(service)
  return [
    { text: [name, kind, state].filter(Boolean).join(' · '), tone: toneOf(state) },
    ...(why === '' ? [] : [{ text: why, tone: 'warning' as const, hang: 2 }]),
    ...(process.to_do === undefined ? [] : [{ text: `→ ${process.to_do}`, hang: 2 }]),
    ...fieldLines([
      ['published', publication_state],
      ['address', address],
      ['declared', process.declared_at],
      ['command', process.command.join(' ')],
      ['process', process.pid === undefined ? undefined : `${process.pid}, after ${countOf(process.starts, 'start')}`],
      ['last exit', process.last_exit],
      ['next start', process.next_start_at && formatTime(process.next_start_at)],
    ]).map((line): Line => ({ ...line, tone: 'quiet' })),
  ]
}

const logLines = (log: string): Line[] =>
  log
    .replace(/\n$/, '')
    .split(/\r?\n/)
    .flatMap((text, at, all) => (text === '' && all.length === 1 && at === 0 ? [] : [{ text }]))
