import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../../src/client/json.ts'
import type { Io } from '../io/io.ts'
import { type Choice, hasPerson, Talk } from '../setup/talk.ts'
import { commandWords, type LandMode } from './land.ts'

/** The landing mode and check of a new rig. */
export interface Landing {
  readonly mode: LandMode
  readonly check?: string[]
}

interface NewRig {
  readonly name: string
  /** Its folder; undefined for a repository that is cloned first. */
  readonly folder: string | undefined
  readonly land?: LandMode
  readonly landCheck?: string
  readonly json?: true
}

const CHOICES: readonly Choice<LandMode>[] = [
  { value: 'off', word: 'off', about: 'branches stay until you merge them' },
  { value: 'push', word: 'push', about: 'gc checks them together and pushes them to the remote' },
  { value: 'pr', word: 'pr', about: 'gc opens pull requests and merges them' },
  { value: 'local', word: 'local', about: 'the repository has no remote' },
]

const MODE_HELP = `Agents with worktree = true leave their work on branches. gc can merge, check and land them for you.
Nothing lands that you have not approved, unless you declare rules. \`gc help landing\` explains the modes.`

const CHECK_HELP = `A branch lands only if this command exits with 0 on the merged result.
It runs in a folder of its own, without a shell and without your logins. Leave it empty to check nothing.`

/** True if a new rig is a repository: what is cloned is one. */
export const isRepository = (folder: string | undefined): boolean =>
  folder === undefined || existsSync(join(folder, '.git'))

/** The landing of a new rig from the options, or else from a person's answers; undefined without either. */
export async function chooseLanding(io: Io, rig: NewRig): Promise<Landing | undefined> {
  const { name, folder, land, landCheck: check } = rig
  if (land !== undefined || check !== undefined) {
    return { mode: land ?? 'push', ...(check !== undefined && { check: await commandWords(check) }) }
  }
  if (rig.json || !isRepository(folder) || !hasPerson(io)) return undefined
  const talk = new Talk(io, true)
  const mode = await talk.choose({ text: `How do finished branches of ${name} land?`, help: MODE_HELP }, CHOICES, 'off')
  if (mode === 'off') return undefined
  const usual = folder === undefined ? undefined : usualCheck(folder)
  const question = { text: 'Which command must pass first?', help: CHECK_HELP }
  const answer = await talk.ask(question, usual ?? '', usual ?? 'none', (text) => ({
    value: text === 'none' ? '' : text,
  }))
  return { mode, ...(answer !== '' && { check: await commandWords(answer) }) }
}

/** The command by which projects of a kind run their tests; undefined if the folder does not show it. */
function usualCheck(folder: string): string | undefined {
  const has = (file: string) => existsSync(join(folder, file))
  if (has('package.json') && hasTestScript(join(folder, 'package.json'))) return 'npm test'
  if (has('Cargo.toml')) return 'cargo test'
  return has('go.mod') ? 'go test ./...' : undefined
}

function hasTestScript(file: string): boolean {
  const { scripts } = Object(parseJson(readFileSync(file, 'utf8')))
  return typeof Object(scripts).test === 'string'
}
