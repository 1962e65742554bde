import { expect, test } from 'bun:test'
import { query } from '../../src/core/store/index.ts'
import { tempFolder } from '../support/folder.ts'
import { reacting } from './children/reacting.ts'

const RUNS = Number(process.env.GC_KILLS ?? 100)

/** Runs one child until SIGKILL: at a random moment, or automatically between a commit and its publication. */
async function life(path: string, run: number): Promise<void> {
  const commits = run % 2 === 0 ? 0 : 1 + Math.floor(Math.random() * 30)
  const program = `${import.meta.dir}/children/reacting.ts`
  const child = Bun.spawn([process.execPath, program, path, String(commits)], { stdout: 'pipe', stderr: 'pipe' })
  const errors = child.stderr.text()
  const late = setTimeout(() => child.kill('SIGKILL'), commits > 0 ? 10_000 : 20 + Math.random() * 120)
  await child.exited
  clearTimeout(late)
  expect({ run, signal: child.signalCode, errors: await errors }).toEqual({ run, signal: 'SIGKILL', errors: '' })
}

test(`after ${RUNS} kills every event, including those recorded by a reaction, has been reacted to once`, async () => {
  using folder = tempFolder()
  for (let run = 0; run < RUNS; run++) await life(folder.at('a.db'), run)
  const reports: string[] = []
  const { store, log, reactions, deadlines } = reacting(folder.at('a.db'), (message) => reports.push(message))
  reactions.start()
  await reactions.whenIdle()
  const all = (sql: string) => store.all(query<{ seq: number }>(sql)).map(({ seq }) => seq)
  const written = all("SELECT seq FROM events WHERE type = 'note.written' ORDER BY seq")
  const read = all("SELECT seq FROM events WHERE type = 'note.read' ORDER BY seq")
  expect(written.length).toBeGreaterThan(RUNS * 5)
  expect(all("SELECT seq FROM done WHERE consumer = 'reader' ORDER BY rowid")).toEqual(written)
  expect(all("SELECT CAST(subject AS INTEGER) AS seq FROM events WHERE type = 'note.read' ORDER BY seq")).toEqual(
    written,
  )
  expect(all("SELECT seq FROM done WHERE consumer = 'keeper' ORDER BY rowid")).toEqual(read)
  expect(written.length + read.length).toBe(log.head)
  expect(reports).toEqual([])
  await reactions.stop()
  await store.close()
  deadlines.close()
}, 300_000)
