import { createSecret } from '../../core/ids.ts'
import { TOKEN_PREFIX } from '../../core/text/index.ts'

const PREFIX = TOKEN_PREFIX.networkAgent

/** The API key of an agent. */
export const API_KEY = new RegExp(`^${PREFIX}[0-9a-f]{64}$`)

export const createApiKey = (): string => createSecret(PREFIX)

/** The token of a claim link. */
export const createClaimToken = (): string => createSecret(`${PREFIX}claim_`)
