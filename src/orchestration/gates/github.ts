import { asObject, asString, parseJson } from '../../agents/conversations/entries/json.ts'
import type { ProgramInspector } from '../../agents/readiness/inspector.ts'
import type { Gate } from './gate.ts'

/** What became of what a gate waits for. */
export type GateResult =
  | { is: 'passed'; reason: string }
  | { is: 'waiting' }
  /** It ended otherwise than was hoped for, or cannot be found out: a person has to look. */
  | { is: 'failed' | 'error'; reason: string }

const TIMEOUT_MS = 20_000

/** Looks at GitHub by `gh`, whose login is used, in a folder of the repository. */
export async function checkGitHub(gate: Gate, inspector: ProgramInspector, folder: string): Promise<GateResult> {
  const [what, fields] = gate.kind === 'gh:run' ? ['run', 'status,conclusion'] : ['pr', 'state']
  if (!isReference(gate.awaitId)) return error(`${gate.awaitId || 'nothing'} is no number and no address of GitHub`)
  const command = ['gh', what, 'view', gate.awaitId, '--json', fields]
  const { code, stdout, timedOut } = await inspector.run(command, {
    folder,
    timeout: TIMEOUT_MS,
    purpose: 'gate check',
  })
  if (timedOut) return error('`gh` did not answer in time')
  if (code === undefined) return error('`gh` is not installed')
  if (code !== 0) return error(`\`gh ${what} view ${gate.awaitId}\` failed with exit code ${code}`)
  return gate.kind === 'gh:run' ? judgeRun(gate, stdout) : judgePullRequest(gate, stdout)
}

const error = (reason: string): GateResult => ({ is: 'error', reason })

/** A number, or an address at a GitHub; never an option of `gh`. */
const isReference = (id: string): boolean =>
  /^#?\d{1,20}$/.test(id) || /^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+\/[\w/.-]+$/.test(id)

function judgeRun({ awaitId }: Gate, stdout: string): GateResult {
  const run = asObject(parseJson(stdout))
  const [status, conclusion] = [asString(run.status), asString(run.conclusion)]
  if (!status) return error('`gh` printed no status')
  if (status !== 'completed') return { is: 'waiting' }
  if (conclusion === 'success') return { is: 'passed', reason: `run ${awaitId} succeeded` }
  return { is: 'failed', reason: `run ${awaitId} ended with ${conclusion || 'no conclusion'}` }
}

function judgePullRequest({ awaitId }: Gate, stdout: string): GateResult {
  const state = asString(asObject(parseJson(stdout)).state)
  if (!state) return error('`gh` printed no state')
  if (state === 'MERGED') return { is: 'passed', reason: `pull request ${awaitId} is merged` }
  if (state === 'CLOSED') return { is: 'failed', reason: `pull request ${awaitId} was closed and not merged` }
  return { is: 'waiting' }
}
