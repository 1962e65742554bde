import { Kind, type TObject, type TSchema, type TUnion } from '@sinclair/typebox'

/** The least value that fits a schema: what it requires, each part empty, times `now`. */
export function emptyOf(schema: TSchema, now: string): unknown {
  if ('const' in schema) return schema.const
  switch (schema[Kind]) {
    case 'Object':
      return emptyObject(schema as TObject, now)
    case 'Union':
      return emptyUnion(schema as TUnion, now)
    case 'Array':
      return []
    case 'Record':
      return {}
    case 'Boolean':
      return false
    case 'Integer':
    case 'Number':
      return schema.minimum ?? 0
    case 'String':
      return schema.format === 'date-time' ? now : ''
    default:
      return null
  }
}

function emptyUnion({ anyOf: [first] }: TUnion, now: string): unknown {
  return first && emptyOf(first, now)
}

const emptyObject = ({ properties, required = [] }: TObject, now: string): Record<string, unknown> =>
  Object.fromEntries(
    required.flatMap((name) => {
      const property = properties[name]
      return property ? [[name, emptyOf(property, now)]] : []
    }),
  )
