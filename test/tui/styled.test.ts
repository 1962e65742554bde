import { describe, expect, test } from 'bun:test'
import { renderToString, Text } from 'ink'
import { createElement } from 'react'
import { TONES } from '../../client/views/tones.ts'
import { type Span, selectedLine, styled } from '../../tui/components/styled.ts'
import { createTheme } from '../../tui/components/theme.ts'

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

  test('has the colours of somebody else as far as the terminal has them, and none without colours', () => {
    const style = (colours: (typeof THEMES)[number], codes: string) =>
      createTheme({ name: 'dark', colours, isLight: false }).style(codes)
    expect(style(16_777_216, '1;38;2;200;20;20;48;5;17')).toBe('\x1b[1m\x1b[38;2;200;20;20m\x1b[48;5;17m')
    expect(style(256, '38;2;200;20;20;48;2;200;20;20')).toBe('\x1b[38;5;160m\x1b[48;5;160m')
    expect(style(16, '31;48;5;196;38;5;250')).toBe('\x1b[31m\x1b[101m\x1b[97m')
    expect(style(0, '1;31')).toBe('')
  })

  test('keeps blanks that are seen', () => {
    const theme = createTheme({ name: 'dark', colours: 256, isLight: false })
    const line = styled([{ text: 'a', tone: 'good' }, { text: '  ', style: theme.style('44') }, { text: 'b' }], theme)
    expect(line).toBe(`${theme('good')}a\x1b[39m\x1b[44m  \x1b[49mb`)
  })

  test('ends every style, changes none for a blank, and is never empty', () => {
    const theme = createTheme({ name: 'dark', colours: 256, isLight: false })
    const good = theme('good')
    expect(styled([{ text: 'a', tone: 'good' }, { text: ' ' }, { text: 'b', tone: 'good' }], theme)).toBe(
      `${good}a b\x1b[39m`,
    )
    expect(styled([{ text: '' }], theme)).toBe(' ')
  })
})
