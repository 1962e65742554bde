import { displayWidth, formatDuration, padTo, sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import { wrap } from '../../src/client/wrap.ts'
import { pageOf } from '../pages/pages.ts'
import type { Tone } from '../pages/tones.ts'
import { rowActions } from '../state/actions.ts'
import { completions } from '../state/commands.ts'
import { HEADER, tabsOf } from '../state/header.ts'
import { shownHelp } from '../state/help.ts'
import { type Area, areasOf } from '../state/layout.ts'
import { focused, opensOf } from '../state/navigation.ts'
import { findEntries } from '../state/palette.ts'
import { textWindow } from '../state/scroll.ts'
import { here, type Overlay, type Prompt, type State, viewKey, viewOf } from '../state/state.ts'
import { waitingCount } from '../state/waiting.ts'
import type { Line } from '../terminal/lines.tsx'
import { shortenName } from './columns.ts'
import { lineSpans } from './edit-line.ts'
import { formLines } from './form.ts'
import { drawBeside, drawBlock, drawLine, type Span } from './span.ts'
import { drawTable } from './table.ts'
import { drawLines } from './text-lines.ts'
import type { Theme } from './theme.ts'

/** The whole screen, line by line: where this is, the page or what lies over it, and what can be done. */
export function drawFrame(state: State, theme: Theme): Line[] {
  const { width, height } = state
  const whole = (text: string): Line => [{ text, width }]
  const body = state.overlay ? drawOverlay(state, state.overlay, theme) : drawPanels(state, theme)
  const footer = drawFooter(state, theme)
  const room = height + 1 - footer.length
  const missing = Array.from({ length: Math.max(0, room - body.length) }, () => whole(''))
  return [whole(drawHeader(state, theme)), ...body.slice(0, room), ...missing, ...footer.map(whole)]
}

/** The panels of the page, band by band. */
function drawPanels(state: State, theme: Theme): Line[] {
  const bands = Map.groupBy(areasOf(state), ({ y }) => y)
  return [...bands.values()].flatMap((areas) =>
    drawBeside(areas.map((area) => ({ width: area.width, lines: drawPanel(state, area, theme) }))),
  )
}

function drawPanel(state: State, area: Area, theme: Theme): string[] {
  const page = pageOf(area.location)
  const isFocused = viewKey(focused(state)) === viewKey(area.location)
  if (page.kind === 'table') return drawTable(state, page, area, isFocused, theme)
  return page.kind === 'text' ? drawText(state, area, theme) : drawBlock([], area.width, area.height)
}

/** A text, from the line it is scrolled to. */
function drawText(state: State, area: Area, theme: Theme): string[] {
  const { head, lines, first, room } = textWindow(state, area)
  const shown = [...head, ...lines.slice(first, first + room)]
  return drawBlock(drawLines(shown, area.width, theme), area.width, area.height)
}

/** What lies over the page: the help, the palette, a question before something that hurts, or a form. */
function drawOverlay(state: State, overlay: Overlay, theme: Theme): Line[] {
  const { width, height } = state
  if (overlay.kind === 'help') return drawHelp(state, overlay, theme)
  const lines = linesOf(state, overlay)
  const drawn = lines.map(({ spans, isMarked }) => drawLine(spans, width, theme, isMarked))
  return drawBeside([{ width, lines: drawBlock(drawn, width, height) }])
}

interface OverlayLine {
  readonly spans: readonly Span[]
  readonly isMarked?: boolean
}

const EMPTY: OverlayLine = { spans: [] }

function linesOf(state: State, overlay: Exclude<Overlay, { kind: 'help' }>): readonly OverlayLine[] {
  switch (overlay.kind) {
    case 'confirm':
      return confirmLines(overlay, state.width)
    case 'form':
      return formLines(overlay, state.width, state.height)
    case 'wait':
      return waitLines(overlay)
    case 'palette':
      return paletteLines(state, overlay)
  }
}

/** The keys and commands of this page, from the tables that the dashboard itself uses. */
function drawHelp(state: State, { first }: Overlay & { kind: 'help' }, theme: Theme): Line[] {
  const { height } = state
  const { lines: all, columns } = shownHelp(state)
  const lines = columns === 2 ? all : all.slice(first, first + height)
  const perColumn = columns === 1 ? height : Math.ceil(lines.length / 2)
  const width = Math.floor(state.width / columns)
  const blocks = Array.from({ length: columns }, (_, at) => {
    const drawn = lines
      .slice(at * perColumn, (at + 1) * perColumn)
      .map((text) => drawLine([{ text: ` ${text}`, tone: text.startsWith(' ') ? 'plain' : 'strong' }], width, theme))
    return { width, lines: drawBlock(drawn, width, height) }
  })
  return drawBeside(blocks)
}

function confirmLines({ run: { chosen } }: Overlay & { kind: 'confirm' }, width: number): OverlayLine[] {
  const question = sanitizeLines(chosen.action.confirm ?? '').split('\n')
  return [
    EMPTY,
    ...question
      .flatMap((line) => wrap(line, width - 1, 0))
      .map((text): OverlayLine => ({ spans: [{ text: ` ${text}`, tone: 'warning' }] })),
    EMPTY,
    { spans: [{ text: ' y does it · any other key leaves everything as it is' }] },
  ]
}

/** An action reads what it asks for. */
const waitLines = ({ chosen }: Overlay & { kind: 'wait' }): OverlayLine[] => [
  EMPTY,
  { spans: [{ text: ` ${sanitizeLine(chosen.action.help)}`, tone: 'strong' }] },
  EMPTY,
  { spans: [{ text: ' reading … · esc leaves', tone: 'quiet' }] },
]

/** What was found for the typed text; the marked entry stays visible. */
function paletteLines(state: State, { edit, at }: Overlay & { kind: 'palette' }): OverlayLine[] {
  const found = findEntries(state, edit.text)
  const room = Math.max(1, state.height - 3)
  const first = Math.max(0, Math.min(at - Math.floor(room / 2), found.length - room))
  const entries = found.slice(first, first + room).map(
    ({ kind, text }, index): OverlayLine => ({
      spans: [{ text: ` ${padTo(kind, 9)}`, tone: 'quiet' }, { text: sanitizeLine(text) }],
      isMarked: first + index === at,
    }),
  )
  const nothing: OverlayLine = { spans: [{ text: ' nothing has this name', tone: 'quiet' }] }
  return [
    { spans: [{ text: ' ⌕ ' }, ...lineSpans(edit, state.width - 6)] },
    { spans: [{ text: ' enter opens · ↑ ↓ move · esc leaves', tone: 'quiet' }] },
    ...(entries.length === 0 ? [nothing] : entries),
  ]
}

/** The top line: where this is, the other cities that are open, how many things wait, and how old the data is. */
function drawHeader(state: State, theme: Theme): string {
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
function drawFooter(state: State, theme: Theme): string[] {
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
