import { sanitizeLine } from '../../src/client/text.ts'
import type { Line } from '../pages/page.ts'
import { drawLine } from './span.ts'
import type { Theme } from './theme.ts'

/** The lines that stay above a table or text. */
export const drawHead = (lines: readonly Line[], width: number, theme: Theme): string[] =>
  lines.map(({ text, tone = 'quiet' }) => drawLine([{ text: ` ${sanitizeLine(text)}`, tone }], width, theme))
