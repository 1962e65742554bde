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
  const { io, output } = recorder({ ...(width !== undefined && { width }), colour })
  printTable(io, given, columns, 'Nothing here.')
  return output.out.split('\n').slice(0, -1)
}

describe('a table', () => {
  test('is truncated to the terminal, wide columns first, and never wider', () => {
    for (const width of [120, 60, 40, 24, 12, 5, 1]) {
      for (const line of printed(width)) expect(displayWidth(line)).toBeLessThanOrEqual(width)
    }
    expect(printed(40)).toEqual([
      'ID     TITLE                       NOTE',
      'mp-1   A title that goes on for …  short',
      'mp-22  日本語の長い題名がここに…',
    ])
  })

  test('is not truncated when it is not written to a terminal', () => {
    expect(printed(undefined)[1]).toBe('mp-1   A title that goes on for quite a while  short')
  })

  test('leaves out an empty column', () => {
    expect(printed(80, [{ id: 'mp-1', title: 'One' }])).toEqual(['ID    TITLE', 'mp-1  One'])
  })

  test('prints a sentence when it has no rows', () => {
    expect(printed(80, [])).toEqual(['Nothing here.'])
  })

  test('has colour only when enabled', () => {
    expect(printed(80).join('')).not.toContain('\u001b')
    expect(printed(80, rows, true)[1]).toStartWith('\u001b[32mmp-1 \u001b[0m')
  })

  test('keeps a cell on one line', () => {
    expect(printed(80, [{ id: 'mp-1', title: 'two\nlines\u001b[2J' }])).toEqual(['ID    TITLE', 'mp-1  two lines'])
  })

  test('narrows the widest column that may shrink', () => {
    expect(fitWidths([4, 30, 20], [undefined, 8, 8], 40)).toEqual([4, 16, 16])
    expect(fitWidths([4, 30, 20], [undefined, 8, 8], 10)).toEqual([4, 8, 8])
    expect(fitWidths([4, 30], [undefined, 8], undefined)).toEqual([4, 30])
  })
})

interface Duty {
  id: string
  todo?: string
}

test('a column that may not be cut stands below its row where the table has no room for it', () => {
  const columns = [
    { header: 'ID', value: ({ id }: Duty) => id },
    { header: 'TO DO', value: ({ todo }: Duty) => todo, below: '→ ' },
  ]
  const rows: Duty[] = [{ id: 'a', todo: 'install the program that is missing' }, { id: 'b' }]
  const printed = (width: number | undefined) => {
    const { io, output } = recorder({ ...(width !== undefined && { width }) })
    printTable(io, rows, columns, '')
    return output.out
  }
  const wide = 'ID  TO DO\na   install the program that is missing\nb\n'
  expect([printed(undefined), printed(40)]).toEqual([wide, wide])
  expect(printed(24)).toBe('ID\na\n  → install the program\n  that is missing\nb\n')
})

test('fields without a value are left out, and long ones continue below themselves', () => {
  const { io, output } = recorder({ width: 20 })
  printFields(io, [
    ['name', 'worker'],
    ['why', undefined],
    ['folder', '/a/path/that/is/far/too/long'],
  ])
  expect(output.out).toBe('name    worker\nfolder  /a/path/that\n        /is/far/too/\n        long\n')
})
