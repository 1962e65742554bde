import { sanitizeLine } from '../../src/client/text.ts'
import type { Line, TextPage } from '../pages/page.ts'
import type { Area } from '../state/layout.ts'
import { type State, type View, viewOf } from '../state/state.ts'
import { drawHead } from './head.ts'
import { drawBlock, drawLine } from './span.ts'
import type { Theme } from './theme.ts'

/** A text, from the line it is scrolled to; one that is followed shows its end. */
export function drawText(state: State, page: TextPage, { location, width, height }: Area, theme: Theme): string[] {
  const view = viewOf(state, location)
  const draw = ({ text, tone }: Line, indent: string) =>
    drawLine([{ text: `${indent}${sanitizeLine(text)}`, tone }], width, theme)
  const waiting: Line = {
    text: view.error ?? (view.loadedAt === undefined ? 'reading …' : 'nothing yet'),
    tone: view.error ? 'bad' : 'quiet',
  }
  const top = [
    ...drawHead(view.head, width, theme),
    ...(view.lines.length === 0 || view.error !== undefined ? [draw(waiting, '  ')] : []),
  ]
  const lines = [...top, ...visibleLines(view, page, Math.max(1, height - top.length)).map((line) => draw(line, ' '))]
  return drawBlock(lines, width, height)
}

function visibleLines({ lines, scroll, filter }: View, page: TextPage, height: number): readonly Line[] {
  const needle = filter.toLowerCase()
  const found = needle === '' ? lines : lines.filter(({ text }) => text.toLowerCase().includes(needle))
  const end = Math.max(0, found.length - height)
  const first = Math.min(scroll ?? (page.follow ? end : 0), Math.max(0, found.length - 1))
  return found.slice(first, first + height)
}
