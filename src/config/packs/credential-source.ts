import type { Deadlines } from '../../core/deadlines.ts'
import { type Credential, findRule, loadRules, resolveCredential } from './credentials.ts'

export interface CredentialSourceOptions {
  /** The city's folder, and `GC_HOME`. */
  readonly path: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly deadlines: Deadlines
  readonly signal: AbortSignal
}

const HELPER_TIMEOUT_MS = 30_000

/** Finds the credential that is shown to a repository, by the rules of the city and of the machine. */
export const credentialSource =
  (options: CredentialSourceOptions) =>
  async (repository: string): Promise<Credential | undefined> => {
    const rule = findRule(loadRules(options.path, options.home), repository)
    const runHelper = (command: string) => run(command, options)
    return rule && resolveCredential(rule, { env: options.env, runHelper })
  }

/** Runs a person's own command that prints a secret. */
async function run(command: string, { env, deadlines, signal }: CredentialSourceOptions): Promise<string> {
  const { GC_TOKEN: _token, ...own } = env
  const child = Bun.spawn(['sh', '-c', command], { env: own, stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' })
  const kill = () => child.kill('SIGKILL')
  const deadline = deadlines.after(HELPER_TIMEOUT_MS, kill)
  signal.addEventListener('abort', kill, { once: true })
  try {
    const [exitCode, output] = await Promise.all([child.exited, new Response(child.stdout).text()])
    if (exitCode !== 0) throw new Error(`the helper ended with status ${exitCode}`)
    return output.split('\n')[0] ?? ''
  } finally {
    deadline.cancel()
    signal.removeEventListener('abort', kill)
  }
}
