import { sanitizeLine } from '../../src/client/text.ts'
import type { Line } from '../pages/page.ts'
import { drawLine } from './span.ts'
import type { Theme } from './theme.ts'

/** Lines of a text as they are on the screen; a picture has all of the width. */
export const drawLines = (lines: readonly Line[], width: number, theme: Theme): string[] =>
  lines.map(({ text, tone, isPicture }) =>
    drawLine([{ text: `${isPicture ? '' : ' '}${sanitizeLine(text)}`, tone }], width, theme),
  )
