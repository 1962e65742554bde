import { join } from 'node:path'
import { asObject, asString, isObject } from '../entries/json.ts'
import { configured, type Inspector, invalid, needsAuth, type ProbeResult } from '../parts/probe.ts'

export function codexCheck(inspector: Inspector): ProbeResult {
  const auth = inspector.readJson(join(inspector.env.CODEX_HOME || join(inspector.home, '.codex'), 'auth.json'))
  if (auth === undefined) return needsAuth('run `codex login`')
  if (!isObject(auth)) return invalid('~/.codex/auth.json is not JSON')
  if (auth.auth_mode !== 'chatgpt') return invalid('it is not logged in with a ChatGPT account')
  const tokens = asObject(auth.tokens)
  return asString(tokens.refresh_token) || asString(tokens.access_token) ? configured : needsAuth('run `codex login`')
}
