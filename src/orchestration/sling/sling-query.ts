import type { AgentConfig, CityConfig } from '../../config/city-config.ts'
import { AppError } from '../../core/errors.ts'

interface QueryOptions {
  config: { readonly current: Pick<CityConfig, 'rigs'> }
  /** The city's folder, and the environment of its commands. */
  path: string
  env: Readonly<Record<string, string | undefined>>
  run(
    line: string,
    options: { name: string; cwd: string; env: Readonly<Record<string, string | undefined>>; timeout: number },
  ): Promise<{ code: number | undefined; output: string }>
}

const TIMEOUT = 30_000

/** Runs the `sling_query` of an agent in its rig, with the id of the bead in place of `{}`. */
export const slingQueries =
  ({ config, path, env, run }: QueryOptions) =>
  async ({ qualified, slingQuery = '', dir, env: own }: AgentConfig, bead: string): Promise<void> => {
    const cwd = config.current.rigs.find(({ name }) => name === dir)?.path ?? path
    const line = slingQuery.replaceAll('{}', `'${bead.replaceAll("'", "'\\''")}'`)
    const variables = { ...env, ...own, GC_AGENT: qualified, GC_TEMPLATE: qualified }
    const { code, output } = await run(line, {
      name: `sling_query of ${qualified}`,
      cwd,
      env: variables,
      timeout: TIMEOUT,
    })
    if (code === 0) return
    const how = code === undefined ? `took longer than ${TIMEOUT / 1000} s` : `ended with exit code ${code}`
    const last = output === '' ? '' : `: ${output.slice(-300)}`
    throw new AppError('invalid-request', `the sling_query of ${qualified} ${how}${last}; bead ${bead} was not slung`)
  }
