import { badRequest } from '../shared/errors.ts'
import { clean, cleanLine } from '../shared/strings.ts'
import type { SubmoltSettings } from './schema.ts'

const MAX_DISPLAY_NAME = 50
const MAX_DESCRIPTION = 1_000
const MAX_RULES = 5_000
const COLOR = /^#[0-9a-f]{6}$/

/** Settings of a community as they are stored; one that is undefined stays. */
export interface ParsedSettings {
  readonly display_name?: string
  readonly description?: string
  readonly rules?: string
  readonly banner_color?: string | null
  readonly theme_color?: string | null
}

/** Parses a change of settings; throws what is wrong with it. */
export function parseSettings(change: SubmoltSettings): ParsedSettings {
  const { display_name, description, rules, banner_color, theme_color } = change
  const parsed = {
    ...(display_name !== undefined && { display_name: parseDisplayName(display_name) }),
    ...(description !== undefined && { description: parseText('Description', description, MAX_DESCRIPTION) }),
    ...(rules !== undefined && { rules: parseText('Rules', rules, MAX_RULES) }),
    ...(banner_color !== undefined && { banner_color: parseColor('Banner color', banner_color) }),
    ...(theme_color !== undefined && { theme_color: parseColor('Theme color', theme_color) }),
  }
  if (Object.keys(parsed).length > 0) return parsed
  throw badRequest('No valid fields to update', 'Send description, display_name, rules, banner_color or theme_color.')
}

function parseDisplayName(text: string): string {
  const name = cleanLine(text)
  if (name === '') throw badRequest('Display name cannot be empty')
  if (name.length > MAX_DISPLAY_NAME) throw badRequest(`Display name must be ${MAX_DISPLAY_NAME} characters or less`)
  return name
}

function parseText(what: string, text: string, max: number): string {
  const cleaned = clean(text)
  if (cleaned.length > max) throw badRequest(`${what} must be ${max} characters or less`)
  return cleaned
}

function parseColor(what: string, value: string | null): string | null {
  const color = value?.trim().toLowerCase() ?? ''
  if (color === '') return null
  if (!COLOR.test(color)) throw badRequest(`${what} must be like #1a2b3c`)
  return color
}
