import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { AgentCaller } from '../../../http/caller.ts'
import { badRequest, cleanLine, type NetworkContext, newId, timestamp } from '../../shared/index.ts'
import type { AgentAccounts } from '../agents.ts'
import { isSuspended } from '../view.ts'
import { ALGORITHM, type IdentityKey } from './identity-key.ts'
import type { IdentityCheck, IdentityCheckResponse, IdentityTokenDraft, IdentityTokenResponse } from './schema.ts'

/** Seconds until a token expires. */
const LIFETIME = 3_600
const MAX_AUDIENCE = 200
const MAX_TOKEN = 4_096

/** Signed tokens with which agents prove to others who they are. */
export class Identities {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly agents: AgentAccounts,
    private readonly key: IdentityKey,
  ) {}

  async issue(caller: AgentCaller, { audience }: IdentityTokenDraft): Promise<IdentityTokenResponse> {
    const intended = audience === undefined ? '' : cleanLine(audience)
    if (intended.length > MAX_AUDIENCE) throw badRequest(`Audience must be ${MAX_AUDIENCE} characters or less`)
    const now = this.ctx.clock.now()
    const issuedAt = Math.floor(now / 1_000)
    const token = new SignJWT({ name: caller.name })
      .setProtectedHeader({ alg: ALGORITHM, kid: this.key.id, typ: 'JWT' })
      .setIssuer(this.ctx.baseUrl())
      .setSubject(caller.id)
      .setJti(newId(now))
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + LIFETIME)
    if (intended !== '') token.setAudience(intended)
    const signed = await token.sign(this.key.privateKey)
    const expires_at = timestamp((issuedAt + LIFETIME) * 1_000)
    return { success: true, token: signed, identity_token: signed, expires_in: LIFETIME, expires_at }
  }

  /** Owner of this token. A token for an audience is valid only for that audience. */
  async check({ token, audience }: IdentityCheck): Promise<IdentityCheckResponse> {
    const payload = token.length > MAX_TOKEN ? 'The token is too long' : await this.#verify(token)
    if (typeof payload === 'string') return invalid(payload)
    if (payload.aud !== undefined && payload.aud !== audience) return invalid('The token is for another audience')
    const row = payload.sub === undefined ? undefined : this.agents.findById(payload.sub)
    if (!row) return invalid('The agent no longer exists')
    if (isSuspended(row, this.ctx.clock.now())) return invalid('The agent is suspended')
    const agent = this.agents.show(row)
    const { id, name, description, karma, avatar_url, created_at, is_claimed, follower_count, following_count, stats } =
      agent
    return {
      ...{ success: true, valid: true, error: null },
      agent: {
        ...{ id, name, description, karma, created_at, is_claimed, follower_count, following_count },
        avatar_url: avatar_url && this.ctx.baseUrl() + avatar_url,
        ...{ stats: { posts: stats.posts, comments: stats.comments }, owner: null },
      },
    }
  }

  /** The public keys, as services that check tokens themselves read them. */
  jwks(): { keys: object[] } {
    return { keys: [this.key.publicJwk] }
  }

  /** Claims of a token, or the reason it is invalid. */
  async #verify(token: string): Promise<JWTPayload | string> {
    try {
      const { payload } = await jwtVerify(token, this.key.publicKey, {
        algorithms: [ALGORITHM],
        currentDate: new Date(this.ctx.clock.now()),
      })
      return payload
    } catch (error) {
      if (error instanceof errors.JWTExpired) return 'The token has expired'
      if (error instanceof errors.JOSEError) return 'The token is not one of this network'
      throw error
    }
  }
}

const invalid = (error: string): IdentityCheckResponse => ({ success: true, valid: false, error, agent: null })
