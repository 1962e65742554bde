import { expect, test } from 'bun:test'
import { type DiffFile, Diffs, type FileChange } from '../../src/changes/diffs/index.ts'
import { order } from '../../src/changes/risk/index.ts'
import { DEFECTS } from './planted/defects.ts'
import { plantDefects } from './planted/repository.ts'

/** The lines that a reader sees of a file, its name among them. */
const linesOf = ({ path, hunks, folded }: DiffFile): string[] => [
  path,
  ...(folded ? [] : hunks.flatMap(({ lines }) => lines.map(({ kind, text }) => `${kind}${text}`))),
]

function toChange({ hunks, ...file }: DiffFile): FileChange {
  const lines = hunks.flatMap((hunk) => hunk.lines)
  const count = (kind: string) => lines.filter((line) => line.kind === kind).length
  return { ...file, added: count('+'), removed: count('-') }
}

/** The share of the lines of a change that come before its defect. */
async function placesOfDefects() {
  using repository = plantDefects()
  const diffs = new Diffs(repository.repository)
  return await Promise.all(
    DEFECTS.map(async ({ title, path, shownBy }, at) => {
      const [base, head] = [`d${at}~1`, `d${at}`]
      const page = await diffs.page(base, head, { unfold: true, maxBytes: 1_000_000 })
      expect(page.cursor).toBeUndefined()
      const ranked = order(page.files.map(toChange), [page])
      const files = new Map(page.files.map((file) => [file.path, file]))
      const shown = ranked.flatMap((file) => files.get(file.path) ?? [])
      const lines = shown.flatMap((file) => linesOf(file).map((line) => ({ path: file.path, line })))
      const place = lines.findIndex((each) => each.path === path && each.line === (shownBy ?? path))
      const { reasons, score } = ranked.find((file) => file.path === path) ?? {}
      return { title, share: place === -1 ? 1 : place / lines.length, lines: lines.length, score, reasons, ranked }
    }),
  )
}

test('at least 36 of 40 planted defects are within the first fifth of the lines shown', async () => {
  const places = await placesOfDefects()
  const missed = places.filter(({ share }) => share >= 0.2).map(({ title }) => title)
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(4)
})
