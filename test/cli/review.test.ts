import { expect, test } from 'bun:test'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/until.ts'
import { openTown } from './town.ts'

const author = ['-c', 'user.name=a', '-c', 'user.email=a@b']

function git(cwd: string, ...words: string[]): void {
  const ran = Bun.spawnSync(['git', '-C', cwd, ...author, ...words])
  if (ran.exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${ran.stderr}`)
}

/** A session that claims, commits a file with a hostile name, closes its bead and stays. */
const WORK = `gc hook --claim --json > /dev/null
printf 'one\\n\\033[31mtwo\\n' > 'a\t\u001b[2Jb.txt'
git add -A && git -c user.name=a -c user.email=a@b commit -q -m 'say \u001b[31mred'
bd close $(bd list --status in_progress --json | sed -n 's/.*"id": *"\\([^"]*\\)".*/\\1/p' | head -1)
exec sleep 600`

test('a review goes from the list to a decision, and nothing in it reaches the terminal', async () => {
  await using town = await openTown()
  git(town.rig, 'init', '-q', '-b', 'main')
  git(town.rig, 'commit', '-q', '--allow-empty', '-m', 'first')
  writeFileSync(join(town.city, 'work.sh'), WORK)
  const agent = `dir = "shop"\nworktree = true\nmax_active_sessions = 1\nstart_command = "sh ${town.city}/work.sh"\n`
  appendFileSync(join(town.city, 'city.toml'), `[[agent]]\nname = "smith"\n${agent}`)
  await town.gc(['reload'])
  await town.gc(['sling', 'shop/smith', 'Write it'])
  const listed = () => town.json<{ items: { id: string; state: string; head: string }[] }>(['review', 'list', '--json'])
  const { items } = await eventually('it is ready', 60_000, listed, (all) => all.items[0]?.state === 'ready')
  const [{ id, head } = { id: '', head: '' }] = items
  const outputs = [
    await town.gc(['review']),
    await town.gc(['review', 'show', id]),
    await town.gc(['review', 'diff', id]),
  ]
  for (const { status, out } of outputs) expect([status, out.includes('\u001b')]).toEqual([0, false])
  expect(outputs[0]?.out).toContain(`${id}  ready`)
  expect(outputs[1]?.out).toContain('1 commit\n')
  expect(outputs[2]?.out).toContain('+one\n')
  expect((await town.gc(['review', 'comment', id, 'a\t\u001b[2Jb.txt:2', '--text', 'Why red?'])).status).toBe(0)
  expect((await town.gc(['review', 'comment', id, 'a', '--text', 'x'])).err).toContain('is not a file and line')
  expect((await town.gc(['review', 'diff', id, '--since-last'])).err).toContain('you looked at no earlier round')
  expect((await town.gc(['review', 'approve', id, '--head', '0000000'])).err).toContain(`${id} is at ${head} now`)
  expect((await town.gc(['review', 'approve', id])).out).toBe(`${id} is approved at ${head.slice(0, 12)}.\n`)
  expect((await town.gc(['review', 'discard', 'ch-nothere'])).err).toContain(
    'there is no change ch-nothere; see gc review',
  )
  const { out: usage } = await town.gc(['usage'])
  expect(usage).toMatch(/REVIEWER +ASKED/)
  expect(usage).toMatch(new RegExp(`${id} +approved +shop/smith +operator \\d+s +1 +0 +\\$0\\.00`))
}, 90_000)
