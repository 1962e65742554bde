import type { SectionReader } from './section-reader.ts'

/** A field of a section: its key, how it is read, and how two layers share it. */
export interface Field<Value> {
  readonly key: string
  /** Its value as it was written; undefined when it is missing or wrong. */
  read(section: SectionReader): Value | undefined
  /** Joins the values of two layers; without this, the higher layer's value replaces the lower's. */
  merge?(lower: Value, higher: Value): Value
}

export type FieldSet = Readonly<Record<string, Field<unknown>>>

export type ValuesOf<Fields extends FieldSet> = {
  -readonly [Name in keyof Fields]: Fields[Name] extends Field<infer Value> ? Value : never
}

export const string = (key: string): Field<string> => ({ key, read: (section) => section.string(key) })

export const requiredString = (key: string): Field<string> => ({ key, read: (section) => section.requiredString(key) })

export const boolean = (key: string): Field<boolean> => ({ key, read: (section) => section.boolean(key) })

export const integer = (key: string, { min, max }: { min: number; max?: number }): Field<number> => ({
  key,
  read: (section) => section.integer(key, min, max),
})

export const number = (key: string): Field<number> => ({ key, read: (section) => section.number(key) })

/** A duration in milliseconds. */
export const duration = (key: string): Field<number> => ({ key, read: (section) => section.duration(key) })

/** A duration in milliseconds, or null for `off`. */
export const durationOrOff = (key: string): Field<number | null> => ({
  key,
  read: (section) => (section.string(key) === 'off' ? null : section.duration(key)),
})

export const strings = (key: string): Field<string[]> => ({ key, read: (section) => section.strings(key) })

/** A table of strings, which layers merge by key. */
export const stringMap = (key: string): Field<Record<string, string>> => ({
  key,
  read: (section) => section.stringMap(key),
  merge: (lower, higher) => ({ ...lower, ...higher }),
})

export const oneOf = <const Choice extends string>(key: string, choices: readonly Choice[]): Field<Choice> => ({
  key,
  read: (section) => section.oneOf(key, choices),
})

/** A name that begins with a letter or digit; `signs` lists what else it may hold. */
export const name = (key: string, pattern: RegExp, signs: string): Field<string> => ({
  key,
  read(section) {
    const value = section.string(key)
    if (value !== undefined && !pattern.test(value)) {
      section.error(key, `"${value}" must begin with a letter or digit and go on with those, ${signs}`)
    }
    return value
  },
})
