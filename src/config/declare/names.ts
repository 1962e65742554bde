/** What an agent or a service may be called. */
export const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/
/** What a city may be called. */
export const CITY_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
/** What a rig may be called: it is a word in paths and in qualified names. */
export const RIG_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
/** What ids may begin with. */
export const PREFIX = /^[A-Za-z0-9][A-Za-z0-9_-]*$/

/**
 * The prefix a name gives its ids: the initials of its words (`my-project` → `mp`), or its first two letters. A name
 * of up to three letters stands whole.
 */
export function prefixOf(name: string): string {
  const bare = name.replace(/-(py|go)$/, '')
  const parts = bare.split(/[-_]/).filter(Boolean)
  const words = parts.length > 1 ? parts : bare.split(/(?<=[a-z])(?=[A-Z])/)
  const initials = words.map((word) => word.charAt(0)).join('')
  const whole = parts[0] ?? ''
  const prefix = words.length > 1 ? initials : whole.length <= 3 ? whole : whole.slice(0, 2)
  return prefix.toLowerCase().replace(/[^a-z0-9]/g, '') || 'c'
}

/** `rig/name`, or `name` alone. */
export const qualify = (dir: string | undefined, name: string): string => (dir ? `${dir}/${name}` : name)
