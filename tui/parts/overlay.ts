import { padTo, sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import { wrap } from '../../src/client/wrap.ts'
import { shownHelp } from '../state/help.ts'
import { findEntries } from '../state/palette.ts'
import type { Overlay, State } from '../state/state.ts'
import { lineSpans } from './edit-line.ts'
import { formLines } from './form.ts'
import type { Line } from './lines.tsx'
import { drawBeside, drawBlock, drawLine, type Span } from './span.ts'
import type { Theme } from './theme.ts'

/** What lies over the page: the help, the palette, a question before something that hurts, or a form. */
export function drawOverlay(state: State, overlay: Overlay, theme: Theme): Line[] {
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
