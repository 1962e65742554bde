import type { ReactNode } from 'react'
import { type Line, pageOf, type Row, shownText } from '../../client/views/index.ts'
import { displayWidth, padTo, sanitizeLine } from '../../src/client/text.ts'
import { type Area, contentOf, textColumns } from '../state/layout.ts'
import { selectedRow } from '../state/selection.ts'
import type { State } from '../state/state.ts'
import { wrapLine } from '../state/text-lines.ts'
import { Panel } from './panel.tsx'
import { TextLines } from './text.tsx'

/** The selected row of a list, whole: what each column says, and what can be done. */
export function RowPanel({ state, area }: { state: State; area: Area }): ReactNode {
  const page = pageOf(area.location)
  const row = selectedRow(state, area.location)
  const lines = row && page.kind === 'table' ? [...fieldsOf(page.columns, row, state.now), ...actionsOf(row)] : []
  const wrapped = lines.flatMap((line) => wrapLine(line, textColumns(area)))
  const title = row ? sanitizeLine(row.id) : 'details'
  return (
    <Panel area={area} isFocused={false} title={[{ text: title, tone: 'quiet' }]}>
      <TextLines lines={wrapped.slice(0, contentOf(area).lines)} />
    </Panel>
  )
}

function fieldsOf(columns: readonly { readonly title: string }[], row: Row, now: number): Line[] {
  const width = Math.max(0, ...columns.map(({ title }) => displayWidth(title)))
  return columns.flatMap(({ title }, at): Line[] => {
    const text = shownText(row.cells[at] ?? {}, now)
    const tone = row.cells[at]?.tone ?? 'plain'
    return text === '' ? [] : [{ text: `${padTo(title, width)}  ${text}`, hang: width + 2, tone }]
  })
}

/** Keys that do something on the row now. */
function actionsOf(row: Row): Line[] {
  const able = row.actions().filter(({ disabled, key }) => disabled === undefined && key !== '')
  if (able.length === 0) return []
  return [
    { text: '' },
    ...able.map(
      ({ key, name, help }): Line => ({ text: `${padTo(key, 3)}${padTo(name, 12)} ${help}`, hang: 16, tone: 'quiet' }),
    ),
  ]
}
