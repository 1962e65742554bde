import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesOf, writeFiles } from '../../support/example-city.ts'
import { gitServer, packRepository } from '../../support/pack-repository.ts'
import type { Script } from './model-server.ts'
import { claude } from './programs.ts'
import { eventually, openTown } from './town.ts'

setDefaultTimeout(120_000)

/** Runs what a message asks for after `Run:`, and then says nothing of note. */
const runsWhatIsAsked: Script = ({ user, results }) => {
  const [, command] = /Run: (.*)/.exec(user.at(-1) ?? '') ?? []
  return command !== undefined && results.length === 0 ? claude.shell(command) : { text: 'Done.' }
}

const openWithClaude = () => openTown(runsWhatIsAsked, '', claude)
type Town = Awaited<ReturnType<typeof openWithClaude>>

/** Gives the city the files of an example, beside its own provider. */
async function become(town: Town, files: Readonly<Record<string, string>>): Promise<void> {
  const file = join(town.city, 'city.toml')
  const declared = readFileSync(file, 'utf8').replace('[workspace]\nname = "town"\n', '')
  const named = (files['city.toml'] ?? '').replace(/(\[workspace\])(\nname = .*)?/, '$1\nname = "town"')
  writeFiles(town.city, { ...files, 'city.toml': `${named}\n${declared}` })
  await town.gc('reload')
}

const PROVIDER = 'provider = "claude"'

/** Starts a session and waits until the program has sent its prompt to the model. */
async function start(town: Town, agent: string, prompt: string): Promise<string> {
  const { id } = JSON.parse(await town.gc('session', 'new', agent, '--json'))
  await eventually(() => town.model.bodies.some((body) => body.includes(prompt)))
  return id
}

/** Has a session run a command in its shell, and waits until the model has read its output. */
async function runs(town: Town, id: string, command: string, output: RegExp): Promise<void> {
  await town.gc('session', 'send', id, `Run: ${command}`)
  await town.model.until(({ results }) => results.some((result) => output.test(result)))
}

test('agents of a derived pack have its fragment in their prompt, and the environment that its patches declare', async () => {
  await using town = await openWithClaude()
  mkdirSync(join(town.city, 'yard'))
  await become(town, filesOf('derived', { 'start_command = "exec cat"': PROVIDER }))
  const lead = await start(town, 'crew.lead', 'Good day from derived.')
  expect(town.model.bodies.join('\n')).not.toContain('Good day from base.')
  await runs(town, lead, 'echo "from the $FROM"', /from the patch/)
  const builder = JSON.parse(await town.gc('session', 'new', 'yard/crew.builder', '--json')).id
  await eventually(() => town.model.bodies.some((body) => body.includes('crew__builder-')))
  await runs(town, builder, `echo "$KEPT and \${DROPPED-nothing}"`, /1 and nothing/)
})

test('an agent of a versioned pack has the prompt of the version that was upgraded to, and a private pack brings its own', async () => {
  using packs = packRepository()
  packs.commit(filesOf('versions/packs/1.0.0'), 'v1.0.0')
  using archive = packRepository()
  archive.commit(filesOf('versions/private'), 'v2.0.0')
  await using server = gitServer(archive, { token: 'key-of-the-archive' })
  await using town = await openWithClaude()
  const files = filesOf('versions/city', { '<PACKS>': packs.url, 'start_command = "sleep 600"': PROVIDER })
  writeFiles(town.city, { 'pack.toml': files['pack.toml'] ?? '' })
  await town.gc('import', 'install')
  await become(town, files)
  const first = await start(town, 'crew.writer', 'Write short sentences.')
  await town.gc('session', 'close', first)

  packs.commit(filesOf('versions/packs/1.1.0'), 'v1.1.0')
  await town.gc('import', 'upgrade')
  await town.gc('reload')
  await start(town, 'crew.writer', 'Write short sentences, and check each of them.')

  const key = join(town.city, '../key')
  writeFileSync(key, 'key-of-the-archive\n', { mode: 0o600 })
  await town.gc('import', 'credential', 'add', server.host, '--token-file', key)
  await town.gc('import', 'add', server.url, '--name', 'archive')
  await town.gc('reload')
  await start(town, 'archive.keeper', 'lend nothing out of the archive')
  expect(town.model.bodies.join('\n')).not.toContain('key-of-the-archive')
})

test('a program runs the commands of a pack and has its check fix what is wrong', async () => {
  await using town = await openWithClaude()
  await become(town, { ...filesOf('tools'), 'agents/porter/agent.toml': `${PROVIDER}\n` })
  const porter = await start(town, 'porter', 'porter')
  await runs(town, porter, 'gc desk note add buy paper', /noted \S+/)
  expect(await town.gc('bead', 'list', '--label', 'note')).toContain('buy paper')
  await runs(town, porter, 'gc desk note list', /buy paper/)
  await runs(town, porter, 'gc doctor', /there is no shelf/)
  await runs(town, porter, 'gc doctor --fix; echo mended', /mended/)
  expect(existsSync(join(town.city, '.gc/runtime/packs/tools/shelf'))).toBe(true)
})
