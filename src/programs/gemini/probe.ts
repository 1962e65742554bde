import { join } from 'node:path'
import { asObject, asString, isObject } from '../entries/json.ts'
import { configured, type Inspector, invalid, needsAuth, type ProbeResult } from '../parts/probe.ts'

export function geminiCheck(inspector: Inspector): ProbeResult {
  const folder = join(inspector.env.GEMINI_CLI_HOME || inspector.home, '.gemini')
  const settings = inspector.readJson(join(folder, 'settings.json'))
  if (settings === undefined) return needsAuth('run `gemini` and log in')
  if (!isObject(settings)) return invalid('~/.gemini/settings.json is not JSON')
  const authType = asString(asObject(asObject(settings.security).auth).selectedType)
  if (authType === undefined) return needsAuth('run `gemini` and log in')
  if (authType !== 'oauth-personal') return invalid(`it logs in by ${authType}, not with a Google account`)
  const credentials = asObject(inspector.readJson(join(folder, 'oauth_creds.json')))
  return asString(credentials.refresh_token) ? configured : needsAuth('run `gemini` and log in again')
}
