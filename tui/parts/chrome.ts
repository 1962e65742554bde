import { displayWidth, formatDuration, sanitizeLine } from '../../src/client/text.ts'
import { wrap } from '../../src/client/wrap.ts'
import type { Tone } from '../pages/tones.ts'
import { rowActions } from '../state/actions.ts'
import { completions } from '../state/commands.ts'
import { HEADER, tabsOf } from '../state/header.ts'
import { focused, opensOf } from '../state/navigation.ts'
import { here, type Prompt, type State, viewOf } from '../state/state.ts'
import { waitingCount } from '../state/waiting.ts'
import { shortenName } from './columns.ts'
import { lineSpans } from './edit-line.ts'
import { drawLine, type Span } from './span.ts'
import type { Theme } from './theme.ts'

/** The top line: where this is, the other cities that are open, how many things wait, and how old the data is. */
export function drawHeader(state: State, theme: Theme): string {
  const right = statusSpans(state)
  const room = Math.max(0, state.width - widthOf(right) - 1)
  const left = tabsOf(state).flatMap(({ text, isShown, waiting }, at): Span[] => [
    { text: at === 0 ? '' : HEADER.between, tone: 'quiet' },
    { text, tone: isShown ? 'strong' : waiting > 0 ? 'warning' : 'quiet' },
  ])
  return (
    drawLine([{ text: HEADER.name, tone: 'strong' }, ...left], room, theme) +
    drawLine([{ text: ' ' }, ...right], state.width - room, theme)
  )
}

const widthOf = (spans: readonly Span[]): number => spans.reduce((sum, { text }) => sum + displayWidth(text), 0)

function statusSpans(state: State): Span[] {
  const waiting = waitingCount(state, here(state).city)
  const { text, tone } = connectionStatus(state)
  return [
    ...(waiting === 0 ? [] : [{ text: `! ${waiting} waiting · `, tone: 'warning' as const }]),
    ...(state.hasMouse ? [] : [{ text: 'selecting · ', tone: 'busy' as const }]),
    { text, tone },
  ]
}

/** The age of data older than this is shown, even while the stream is connected. */
const STALE_MS = 20_000

/** A supervisor that leaves a request without an answer for so long is said not to answer. */
const SLOW_MS = 2_000

function connectionStatus(state: State): { text: string; tone: Tone } {
  const { connection, now, unanswered = now } = state
  const { loadedAt } = viewOf(state, focused(state))
  const age = loadedAt === undefined ? '' : ` · data ${formatDuration(now - loadedAt)} old`
  const waited = now - unanswered
  if (connection.live && waited >= SLOW_MS)
    return { text: `no answer for ${formatDuration(waited)}${age}`, tone: 'warning' }
  if (connection.live) return { text: 'live', tone: 'good' }
  const away = now - connection.since
  if (away < 1000 && loadedAt === undefined) return { text: 'connecting', tone: 'busy' }
  return { text: `reconnecting for ${formatDuration(away)}${age}`, tone: away > STALE_MS ? 'bad' : 'warning' }
}

/** The bottom: what is typed, else a notice on as many lines as it needs, else the keys of what is selected; what lies over the page says its own. */
export function drawFooter(state: State, theme: Theme): string[] {
  return footerLines(state).map((spans) => drawLine(spans, state.width, theme))
}

function footerLines(state: State): Span[][] {
  if (state.prompt) return [promptSpans(state, state.prompt)]
  if (!state.notice) return [[{ text: state.overlay ? '' : ` ${hintsOf(state)}`, tone: 'quiet' }]]
  const { text, isBad } = state.notice
  const lines = wrap(sanitizeLine(text), Math.max(1, state.width - 1), 0).slice(0, state.height)
  return lines.map((line) => [{ text: ` ${line}`, tone: isBad ? 'bad' : 'good' }])
}

function promptSpans(state: State, { kind, edit }: Prompt): Span[] {
  const found = kind === 'command' ? completions(state, edit.text).slice(0, 12).join(' ') : ''
  const room = Math.max(20, state.width - 4 - Math.min(displayWidth(found), Math.floor(state.width / 2)))
  return [
    { text: kind === 'filter' ? ' /' : ' :' },
    ...lineSpans(edit, room),
    { text: `  ${sanitizeLine(found)}`, tone: 'quiet' },
  ]
}

/** The keys of what is selected, then those of every page: as many as there is room for, and always the help that has all. */
function hintsOf(state: State): string {
  const able = rowActions(state).filter(({ action }) => action.disabled === undefined)
  const own = able.map(({ action }) => `${action.key} ${shortenName(sanitizeLine(action.hint ?? action.name), HINT)}`)
  const open = opensOf(state, focused(state)) ? ['enter open'] : []
  const last = ['? help', 'q quit']
  const hints = [...open, ...own, '/ filter', ': command', 'esc back']
  while (hints.length > 0 && displayWidth([...hints, ...last].join(BETWEEN)) > state.width - 2) hints.pop()
  return [...hints, ...last].join(BETWEEN)
}

const BETWEEN = ' · '
/** The columns that what a key does has at the bottom. */
const HINT = 24
