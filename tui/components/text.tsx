import { Text } from 'ink'
import { memo, type ReactNode } from 'react'
import { type Line, pageOf } from '../../client/views/index.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import { type Area, contentOf } from '../state/layout.ts'
import { textWindow } from '../state/scroll.ts'
import { type State, viewOf } from '../state/state.ts'
import { useLook } from './look.ts'
import { Panel } from './panel.tsx'
import { markedSpans, type Span, styled } from './styled.ts'
import type { Theme } from './theme.ts'

/** A line of a text. A picture has all of the width. */
export const TextLine = memo(function TextLine({ line }: { line: Line }): ReactNode {
  const { theme } = useLook()
  return <Text wrap="truncate">{styled([{ text: line.isPicture ? '' : ' ' }, ...spansOf(line, theme)], theme)}</Text>
})

const spansOf = (line: Line, theme: Theme): readonly Span[] =>
  line.parts?.map(
    ({ text, style }): Span => ({ text: sanitizeLine(text), tone: line.tone, style: theme.style(style) }),
  ) ?? markedSpans(sanitizeLine(line.text), line, theme)

/** Lines below each other. */
export const TextLines = ({ lines }: { lines: readonly Line[] }): ReactNode =>
  // biome-ignore lint/suspicious/noArrayIndexKey: a line is where it is
  lines.map((line, at) => <TextLine key={at} line={line} />)

interface TextPanelProps {
  readonly state: State
  readonly area: Area
  readonly isFocused: boolean
}

/** A text, from the line it is scrolled to. */
export function TextPanel({ state, area, isFocused }: TextPanelProps): ReactNode {
  const { head, lines, first, room } = textWindow(state, area)
  const shown = [...head, ...lines.slice(first, first + room)].slice(0, contentOf(area).lines)
  return (
    <Panel {...{ area, isFocused }} title={titleOf(state, area, isFocused, lines.length - first - room)}>
      <TextLines lines={shown} />
    </Panel>
  )
}

/** `bead al-1 · 12 more lines`. */
function titleOf(state: State, { location }: Area, isFocused: boolean, below: number): Span[] {
  const { subject } = location
  const { loadedAt } = viewOf(state, location)
  const name = [pageOf(location).title, subject].filter(Boolean).map(sanitizeLine).join(' ')
  const more = below > 0 && loadedAt !== undefined ? ` · ${below} more below` : ''
  return [
    { text: name, tone: isFocused ? 'strong' : 'quiet' },
    { text: more, tone: 'quiet' },
  ]
}
