import type { SectionReader } from './section-reader.ts'

/** A field of a section: its key, how it is read, and how two layers share it. */
export interface FieldReader<Value> {
  readonly key: string
  /** Its value as it was written; undefined when it is missing or wrong. */
  read(section: SectionReader): Value | undefined
  /** Joins the values of two layers; without this, the higher layer's value replaces the lower's. */
  merge?(lower: Value, higher: Value): Value
}

export type FieldSet = Readonly<Record<string, FieldReader<unknown>>>

export type ValuesOf<Fields extends FieldSet> = {
  -readonly [Name in keyof Fields]: Fields[Name] extends FieldReader<infer Value> ? Value : never
}

export const string = (key: string): FieldReader<string> => ({ key, read: (section) => section.string(key) })

/** A string; an empty one takes away what a lower layer declares. */
export const removableString = (key: string): FieldReader<string> => ({ key, read: (section) => section.text(key) })

export const requiredString = (key: string): FieldReader<string> => ({
  key,
  read: (section) => section.requiredString(key),
})

export const boolean = (key: string): FieldReader<boolean> => ({ key, read: (section) => section.boolean(key) })

export const integer = (key: string, { min, max }: { min: number; max?: number }): FieldReader<number> => ({
  key,
  read: (section) => section.integer(key, min, max),
})

export const number = (key: string): FieldReader<number> => ({ key, read: (section) => section.number(key) })

/** A duration in milliseconds. */
export const duration = (key: string): FieldReader<number> => ({ key, read: (section) => section.duration(key) })

/** A duration in milliseconds, or null for `off`. */
export const durationOrOff = (key: string): FieldReader<number | null> => ({
  key,
  read: (section) => (section.string(key) === 'off' ? null : section.duration(key)),
})

export const strings = (key: string): FieldReader<string[]> => ({ key, read: (section) => section.strings(key) })

/** A table of strings, which layers merge by key. */
export const stringMap = (key: string): FieldReader<Record<string, string>> => ({
  key,
  read: (section) => section.stringMap(key),
  merge: (lower, higher) => ({ ...lower, ...higher }),
})

export const oneOf = <const Choice extends string>(key: string, choices: readonly Choice[]): FieldReader<Choice> => ({
  key,
  read: (section) => section.oneOf(key, choices),
})

/** A name that begins with a letter or digit; `signs` lists what else it may hold. */
export const identifier = (key: string, pattern: RegExp, signs: string): FieldReader<string> => ({
  key,
  read(section) {
    const value = section.string(key)
    if (value !== undefined && !pattern.test(value)) {
      section.error(key, `"${value}" must start with a letter or digit and contain only letters, digits, ${signs}`)
    }
    return value
  },
})

/** The backends of sessions that gc has, or is in for with its own terminals. */
const SESSION_BACKENDS = ['tmux', 'subprocess', 'acp']

/** A backend of sessions. Sessions must not run on this machine when its owner asked for another place. */
export const sessionBackend = (key: string): FieldReader<string> => ({
  key,
  read(section) {
    const name = section.string(key)
    if (name !== undefined && !SESSION_BACKENDS.includes(name)) section.error(key, unsupportedBackend(name))
    return name
  },
})

/** Reason the backend in `GC_SESSION` cannot be used; undefined when it can. */
export function findBackendProblem(name = ''): string | undefined {
  if (name === 'acp') return 'GC_SESSION has no effect: write provider = "acp" into [session] of the city, and unset it'
  const isKnown = name === '' || SESSION_BACKENDS.includes(name)
  return isKnown ? undefined : `GC_SESSION: ${unsupportedBackend(name)}`
}

const unsupportedBackend = (name: string): string =>
  `"${name}" is not supported: gc runs sessions in its own terminals, or by "acp". Remove it. To start programs elsewhere, use the command of a provider, such as "ssh -t host claude" or "docker run -it image"`

/** An IANA time zone. */
export const timeZone = (key: string): FieldReader<string> => ({
  key,
  read(section) {
    const zone = section.string(key)
    if (zone === undefined || isTimeZone(zone)) return zone
    section.error(key, `"${zone}" is not a time zone such as Europe/Paris or UTC`)
    return undefined
  },
})

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** The whole block by its keys, as it was written. */
export const written: FieldReader<Readonly<Record<string, unknown>>> = { key: '', read: (section) => section.plain() }
