import type { Provider } from '../../config/providers/index.ts'
import type { ProgramOnTerminal } from '../../host/protocol/index.ts'
import { profileOf } from '../../programs/screens.ts'
import type { TerminalProfile } from '../../programs/terminal-profile.ts'

/** Facts about a provider's program that the session host needs to read its screen. */
export const programOnTerminal = (
  provider: Pick<Provider, 'ancestor' | 'readyPromptPrefix' | 'readyDelayMs'>,
): ProgramOnTerminal => ({
  ...(provider.ancestor !== undefined && { name: provider.ancestor }),
  ...(provider.readyPromptPrefix !== undefined && { readyPrefix: provider.readyPromptPrefix }),
  ...(provider.readyDelayMs !== undefined && { readyDelay: provider.readyDelayMs }),
})

/** Terminal behaviour of a provider's program. */
export const terminalProfileOf = (provider?: Parameters<typeof programOnTerminal>[0]): TerminalProfile =>
  profileOf(provider ? programOnTerminal(provider) : {})
