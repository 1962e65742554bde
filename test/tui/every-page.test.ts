import { describe, expect, test } from 'bun:test'
import { type Location, type Page, pages, type Row } from '../../client/views/index.ts'
import { initialState, type State } from '../../tui/state/state.ts'
import { after, frame, row } from './state/world.ts'

const locationOf = ({ name, isGlobal, about }: Page): Location => ({
  page: name,
  city: isGlobal ? '' : 'alpha',
  subject: about === undefined ? '' : 'al-1',
})

const shown = (page: Page): State => {
  const start = initialState(0, 'alpha')
  return { ...start, path: [...start.path, locationOf(page)] }
}

/** A row with a word of its own in each column. */
const wordsIn = (columns: readonly unknown[]): Row => row('r', { cells: columns.map((_, at) => ({ text: `w${at}` })) })

describe('every page is drawn from its declaration', () => {
  test.each(pages.map((page) => [page.name, page] as const))('%s', (_, page) => {
    const location = locationOf(page)
    if (page.kind === 'table') {
      const columns = page.columns.flatMap((column, at) => (column.isExtra ? [] : [{ ...column, word: `w${at}` }]))
      const rows = [wordsIn(page.columns)]
      const lines = frame(
        after(shown(page), { type: 'rows', location, rows, total: 1, hasMore: false, now: 1 }),
        400,
        24,
      ).map((line) => line.slice(0, 238))
      expect(lines[1]).toContain(page.title)
      const [titles = '', words = ''] = [lines[2], lines[3]]
      expect([...words.matchAll(/\bw\d+\b/g)].map(([word]) => word)).toEqual(columns.map(({ word }) => word))
      for (const { title } of columns) expect(titles).toContain(title)
    } else if (page.kind === 'text') {
      const content = { head: [{ text: 'above it' }], lines: [{ text: 'what it says', tone: 'good' as const }] }
      const text = frame(after(shown(page), { type: 'text', location, content, now: 1 })).join('\n')
      for (const words of ['above it', 'what it says', page.title]) expect(text).toContain(words)
    } else {
      const panels = [...new Set(page.bands.flatMap((band) => (band.hidesWhenEmpty ? [] : band.panels)))]
      const text = frame(shown(page), 120, 40).join('\n')
      for (const name of panels) expect(text).toContain(pages.find((each) => each.name === name)?.title ?? name)
    }
  })

  test('has a name, a help and keys of its own', () => {
    const names = pages.flatMap(({ name, aliases = [] }) => [name, ...aliases])
    expect(names).toEqual([...new Set(names)])
    expect(pages.filter(({ title, help }) => title === '' || help === '')).toEqual([])
  })
})
