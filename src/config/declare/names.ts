/** Valid names of agents and services. */
export const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/
/** Valid names of cities. */
export const CITY_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
/** Valid names of rigs: they are words in paths and in qualified names. */
export const RIG_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
/** Valid prefixes of ids. */
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

/** The name of an agent or session without the binding of its pack. */
export const localName = (name: string, binding: string | undefined): string =>
  binding !== undefined && name.startsWith(`${binding}.`) ? name.slice(binding.length + 1) : name
