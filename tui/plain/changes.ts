import { sanitizeLine } from '../../src/client/text.ts'
import type { Line, Row, TablePage } from '../pages/page.ts'

/** More changes than this are counted instead of said one by one. */
const MAX_SENTENCES = 10

/** What is other in the rows of a table, each as a sentence. Ages are left out: they change by themselves. */
export function changedRows(page: TablePage, before: readonly Row[], after: readonly Row[]): string[] {
  const old = new Map(before.map((row) => [row.id, row]))
  const kept = new Set(after.map(({ id }) => id))
  const sentences = [
    ...after.filter(({ isSystem }) => !isSystem).flatMap((row) => sentenceOf(page, old.get(row.id), row)),
    ...before
      .filter(({ id, isSystem }) => !kept.has(id) && !isSystem)
      .map((row) => `${nameOf(row)} is gone from ${page.title}.`),
  ]
  if (sentences.length <= MAX_SENTENCES) return sentences
  return [
    ...sentences.slice(0, MAX_SENTENCES),
    `And ${sentences.length - MAX_SENTENCES} more changes of ${page.title}; list reads them.`,
  ]
}

function sentenceOf(page: TablePage, old: Row | undefined, row: Row): string[] {
  const differing = page.columns.flatMap(({ title }, at) => {
    const text = sanitizeLine(row.cells[at]?.text ?? '')
    return text === '' || text === sanitizeLine(old?.cells[at]?.text ?? '') ? [] : [`${title} ${text}`]
  })
  if (!old) return [`New in ${page.title}: ${differing.join(', ')}.`]
  return differing.length === 0 ? [] : [`${nameOf(row)}: ${differing.join(', ')}.`]
}

const nameOf = ({ id }: Row): string => sanitizeLine(id)

/** The lines that came after those that were read; all of them where the text is another one. */
export function addedLines(before: readonly Line[], after: readonly Line[]): readonly Line[] {
  const old = new Set(before.map(({ text }) => text))
  return after.filter(({ text }) => !old.has(text))
}
