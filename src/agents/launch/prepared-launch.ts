import type { Transport } from '../../config/providers/index.ts'
import type { Confinement, ToolServer } from '../../host/protocol/index.ts'
import type { TerminalProgram } from '../../host/terminal/index.ts'
import type { SessionRow } from '../../work/sessions/index.ts'
import { modeOfStart } from '../confinement/index.ts'
import type { Fingerprint } from './fingerprint.ts'

/** The program to start for a session, and how to talk to it. */
export interface PreparedLaunch {
  argv: string[]
  cwd: string
  env: Record<string, string>
  /** Sandbox of the program; undefined without one. */
  confine: Confinement | undefined
  /** The prompt, if it must be typed once the program is ready. */
  typedPrompt: string | undefined
  program: TerminalProgram
  transport: Transport
  /** The conversation that an ACP program is asked to resume. */
  resume: string | undefined
  /** The model that an ACP program is asked to use. */
  model: string | undefined
  /** The MCP servers that an ACP program is given. */
  servers: ToolServer[]
  /** The prompt to type if the conversation could not be resumed. */
  freshPrompt: string | undefined
  /** True if it resumes an earlier conversation. */
  resumed: boolean
  /** The fingerprint of the declaration it is started from. */
  fingerprint: Fingerprint
}

/** Parts of its start that a session keeps while it runs. */
export const keptOf = ({
  resumed,
  fingerprint,
  confine,
}: PreparedLaunch): Pick<SessionRow, 'resumed' | 'fingerprint' | 'confined'> => ({
  ...{ resumed, fingerprint: { ...fingerprint } },
  confined: modeOfStart(confine),
})
