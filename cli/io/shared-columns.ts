import { type ColumnOf, shownText, type Tone, toCell } from '../../client/views/index.ts'
import type { Colour } from '../../src/client/text.ts'
import type { Column } from './table.ts'

const COLOURS: { readonly [Each in Tone]?: Colour } = {
  ...{ good: 'green', busy: 'cyan', warning: 'yellow', bad: 'red', quiet: 'dim' },
}

/** A text may be cut to this many columns where there is no room for it; what comes first names the row, and is not. */
const MIN_WIDTH = 8

/** The columns of a printed list: those that the dashboard shows as well, and others of its own. */
export const listColumns = <Item>(
  now: number,
  columns: readonly (ColumnOf<Item> | Column<Item>)[],
): readonly Column<Item>[] =>
  columns.map((column, at) => {
    if (!('cell' in column)) return column
    const { title, header = title.toUpperCase(), grows, isName, cell } = column
    return {
      header,
      value: (item) => shownText(toCell(cell(item)), now),
      colour: (item) => COLOURS[toCell(cell(item)).tone ?? 'plain'],
      ...(at > 0 && (grows || isName) && { minWidth: MIN_WIDTH }),
    }
  })
