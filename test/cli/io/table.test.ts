import { describe, expect, test } from 'bun:test'
import { type Column, fitWidths, printFields, printTable } from '../../../cli/io/table.ts'
import { displayWidth } from '../../../src/client/text.ts'
import { recorder } from '../shell.ts'

interface Row {
  id: string
  title: string
  note?: string
}

const columns: Column<Row>[] = [
  { header: 'ID', value: ({ id }) => id, colour: () => 'green' },
  { header: 'TITLE', value: ({ title }) => title, minWidth: 8 },
  { header: 'NOTE', value: ({ note }) => note, minWidth: 4 },
]

const rows: Row[] = [
  { id: 'mp-1', title: 'A title that goes on for quite a while', note: 'short' },
  { id: 'mp-22', title: '日本語の長い題名がここにあります', note: '' },
]

function printed(width: number | undefined, given = rows, colour = false): string[] {
  const { io, said } = recorder({ ...(width !== undefined && { width }), colour })
  printTable(io, given, columns, 'Nothing here.')
  return said.out.split('\n').slice(0, -1)
}

describe('a table', () => {
  test('is cut to the terminal, the wide columns first, and never wider than it', () => {
    for (const width of [120, 60, 40, 24, 12, 5, 1]) {
      for (const line of printed(width)) expect(displayWidth(line)).toBeLessThanOrEqual(width)
    }
    expect(printed(40)).toEqual([
      'ID     TITLE                       NOTE',
      'mp-1   A title that goes on for …  short',
      'mp-22  日本語の長い題名がここに…',
    ])
  })

  test('is whole when it is not written to a terminal', () => {
    expect(printed(undefined)[1]).toBe('mp-1   A title that goes on for quite a while  short')
  })

  test('leaves out a column in which nothing stands', () => {
    expect(printed(80, [{ id: 'mp-1', title: 'One' }])).toEqual(['ID    TITLE', 'mp-1  One'])
  })

  test('says so when there is nothing', () => {
    expect(printed(80, [])).toEqual(['Nothing here.'])
  })

  test('has colour only where it is wanted', () => {
    expect(printed(80).join('')).not.toContain('\u001b')
    expect(printed(80, rows, true)[1]).toStartWith('\u001b[32mmp-1 \u001b[0m')
  })

  test('keeps a cell on its line whatever its text holds', () => {
    expect(printed(80, [{ id: 'mp-1', title: 'two\nlines\u001b[2J' }])).toEqual(['ID    TITLE', 'mp-1  two lines'])
  })

  test('takes from the widest column that may give way', () => {
    expect(fitWidths([4, 30, 20], [undefined, 8, 8], 40)).toEqual([4, 16, 16])
    expect(fitWidths([4, 30, 20], [undefined, 8, 8], 10)).toEqual([4, 8, 8])
    expect(fitWidths([4, 30], [undefined, 8], undefined)).toEqual([4, 30])
  })
})

test('facts leave out what is not known and are cut to the terminal', () => {
  const { io, said } = recorder({ width: 20 })
  printFields(io, [
    ['name', 'worker'],
    ['why', undefined],
    ['folder', '/a/path/that/is/far/too/long'],
  ])
  expect(said.out).toBe('name    worker\nfolder  /a/path/tha…\n')
})
