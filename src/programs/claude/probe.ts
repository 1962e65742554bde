import { asString, isObject, parseJson } from '../entries/json.ts'
import { configured, type Inspector, invalid, needsAuth, type ProbeResult } from '../parts/probe.ts'

export async function claudeCheck(inspector: Inspector): Promise<ProbeResult> {
  const result = await inspector.run(['claude', 'auth', 'status', '--json'])
  if (result.timedOut) return { status: 'probe_error', detail: '`claude auth status` did not answer in time' }
  const status = parseJson(result.stdout)
  if (!isObject(status)) return { status: 'probe_error', detail: '`claude auth status --json` did not print JSON' }
  if (status.loggedIn !== true) return needsAuth('run `claude auth login`')
  if (status.apiProvider !== 'firstParty')
    return invalid(`it uses ${asString(status.apiProvider) ?? 'another provider'}`)
  if (status.authMethod === 'claude.ai' || status.authMethod === 'oauth_token') return configured
  return invalid(`it is logged in by ${asString(status.authMethod) ?? 'other means'}, not with a Claude account`)
}
