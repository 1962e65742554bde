import { describe, expect, test } from 'bun:test'
import { renderToString, Text } from 'ink'
import { createElement } from 'react'
import { type Span, selectedLine, styled } from '../../tui/components/styled.ts'
import { createTheme } from '../../tui/components/theme.ts'
import { TONES } from '../../tui/pages/tones.ts'

const THEMES = [0, 16, 256, 16_777_216] as const

/** Every pair of tones, with blanks between them, inverse ones among them. */
const spans: Span[] = TONES.flatMap((one) =>
  TONES.flatMap((other): Span[] => [
    { text: 'a…', tone: one },
    { text: ' ' },
    { text: ' b', tone: other },
    { text: '宽', tone: other, isInverse: one === 'good' },
    { text: '  ', isInverse: other === 'bad' },
  ]),
)

describe('a styled line', () => {
  for (const colours of THEMES) {
    const theme = createTheme({ name: 'dark', colours, isLight: false })

    test(`is written as Ink writes it, so that Ink parses it once, with ${colours} colours`, () => {
      for (const line of [styled([...spans, { text: '|' }], theme), selectedLine(spans, 1_000, theme)]) {
        expect(renderToString(createElement(Text, { wrap: 'truncate' }, line), { columns: 2_000 })).toBe(line)
      }
    })
  }

  test('ends every style, changes none for a blank, and is never empty', () => {
    const theme = createTheme({ name: 'dark', colours: 256, isLight: false })
    const good = theme('good')
    expect(styled([{ text: 'a', tone: 'good' }, { text: ' ' }, { text: 'b', tone: 'good' }], theme)).toBe(
      `${good}a b\x1b[39m`,
    )
    expect(styled([{ text: '' }], theme)).toBe(' ')
  })
})
