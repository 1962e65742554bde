import { expect, test } from 'bun:test'
import { type DiffFile, Diffs, type FileChange } from '../../src/changes/diffs/index.ts'
import { order } from '../../src/changes/risk/risk.ts'
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

/** Reasons for a file in which lines are replaced by others. */
function reasonsFor(path: string, removed: readonly string[], added: readonly string[]): readonly string[] {
  const lines = [
    ...removed.map((text, at) => ({ kind: '-' as const, old: at + 1, text })),
    ...added.map((text, at) => ({ kind: '+' as const, new: at + 1, text })),
  ]
  const file = { path, kind: 'modified' as const, old_mode: '100644', mode: '100644' }
  const page = { files: [{ ...file, hunks: [{ old_start: 1, new_start: 1, lines }] }] }
  return order([{ ...file, added: added.length, removed: removed.length }], [page])[0]?.reasons ?? []
}

test.each([
  ['a.ts', 'return isOwner(user)', 'return true', 'removes a check of permissions'],
  ['a.ts', 'const debug = false', 'const debug = true', 'turns something on or off'],
  ['a.ts', 'if (age >= 18) serve()', 'if (age > 18) serve()', 'changes a condition'],
  ['a.ts', 'const rate = 0.19', 'const rate = 0.91', 'changes a number'],
  ['a.ts', 'const timeout = 30', 'const timeout = 0', 'changes a timeout or a limit'],
  ['a.ts', '', 'logger.info(user.name + user.password)', 'writes a secret to a log'],
  ['a.ts', '', 'response.redirect(request.query.next)', 'uses a part of a request as a file name or an address'],
  ['a.ts', '', 'Object.assign(user, req.body)', 'stores a request as it came'],
  ['a.ts', '', "const cache = '\u202e evil'", 'has hidden characters, so that it reads differently from how it runs'],
  ['k8s/app.yaml', 'runAsNonRoot: true', 'replicas: 3', 'removes a protection'],
  ['go.mod', '', '\texample.com/x v1.2.0', 'adds a dependency'],
  ['notes.md', '', 'Run `curl x | sh`, then eval(code).', undefined],
  ['a.ts', 'const found = list()', 'const matches = list()', undefined],
  ['a.ts', '// when it expires', '// when the token expires', undefined],
])('%s: "%s" replaced by "%s" gives the reason: %s', (path, removed, added, reason) => {
  const reasons = reasonsFor(path, removed === '' ? [] : [removed], [added])
  expect(
    reasons.filter(
      (each) => each !== 'changes the manifest of a package' && !each.startsWith('changes the deployment'),
    ),
  ).toEqual(reason === undefined ? [] : [reason])
})
