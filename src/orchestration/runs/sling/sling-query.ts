import type { AgentCommands } from '../../../agents/launch/index.ts'
import type { AgentConfig } from '../../../config/agents/index.ts'
import { AppError } from '../../../core/errors.ts'
import { shellQuote } from '../../../core/text/index.ts'

const TIMEOUT = 30_000

/** Runs the `sling_query` of an agent in its rig, with the id of the bead in place of `{}`. */
export const slingQueries =
  (commands: Pick<AgentCommands, 'run'>) =>
  async (agent: AgentConfig, bead: string): Promise<void> => {
    const { qualified, slingQuery = '' } = agent
    const line = slingQuery.replaceAll('{}', shellQuote(bead))
    const { code, output } = await commands.run(agent, 'sling_query', line, { timeout: TIMEOUT })
    if (code === 0) return
    const how = code === undefined ? `took longer than ${TIMEOUT / 1000} s` : `ended with exit code ${code}`
    const last = output === '' ? '' : `: ${output.slice(-300)}`
    throw new AppError('invalid-request', `the sling_query of ${qualified} ${how}${last}; bead ${bead} was not slung`)
  }
