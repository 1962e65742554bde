import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const
const Strings = Type.Record(Type.String(), Type.String())

const identity = {
  name: Type.String({ description: 'The name that agents refer to it by.' }),
  builtin: Type.Boolean({ description: 'True if gc has built-in support for this program.' }),
  city_level: Type.Boolean({ description: 'True if city.toml declares it.' }),
  display_name: Type.Optional(Type.String({ description: 'Its name for people.' })),
}

export const ProviderResponse = Type.Object(
  {
    ...identity,
    command: Type.Optional(Type.String({ description: 'The program, optionally with its first arguments.' })),
    args: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
    acp_command: Type.Optional(Type.String({ description: 'The command that speaks the agent protocol.' })),
    acp_args: Type.Optional(Type.Array(Type.String())),
    prompt_mode: Type.Optional(
      Type.String({ description: '`arg`, `flag` or `none`: as an argument, after `prompt_flag`, or typed.' }),
    ),
    prompt_flag: Type.Optional(Type.String()),
    ready_delay_ms: Type.Optional(
      Type.Integer({
        format: 'int64',
        description: 'After this long it counts as ready when its screen does not show it.',
      }),
    ),
    env: Type.Optional(Strings),
  },
  { $id: 'ProviderResponse', ...closed, description: 'An agent program as declared.' },
)
export type ProviderResponse = Static<typeof ProviderResponse>

export const ProviderList = Type.Object(
  {
    items: Type.Union([Type.Array(ProviderResponse), Type.Null()]),
    total: Type.Integer({ format: 'int64', description: 'Total number.' }),
    next_cursor: Type.Optional(Type.String({ description: 'Pass it as `cursor` for the next page.' })),
    partial: Type.Optional(Type.Boolean({ description: 'True if something could not be read.' })),
    partial_errors: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  },
  { $id: 'ListBodyProviderResponse', ...closed },
)
export type ProviderList = Static<typeof ProviderList>

export const OptionChoiceWire = Type.Object(
  { value: Type.String(), label: Type.String({ description: 'The value for people.' }) },
  { $id: 'OptionChoiceDTO', ...closed },
)

export const ProviderOptionWire = Type.Object(
  {
    key: Type.String(),
    label: Type.String({ description: 'The option for people.' }),
    type: Type.String({ description: 'Always `select`.' }),
    default: Type.String({ description: 'The value when none is chosen.' }),
    choices: Type.Union([Type.Array(OptionChoiceWire), Type.Null()]),
  },
  { $id: 'ProviderOptionDTO', ...closed, description: 'Something to choose when a session is started.' },
)

export const ProviderPublic = Type.Object(
  {
    ...identity,
    options_schema: Type.Optional(Type.Union([Type.Array(ProviderOptionWire), Type.Null()])),
    effective_defaults: Type.Optional(Strings),
  },
  {
    $id: 'ProviderPublicResponse',
    ...closed,
    description: 'Public part: without command and environment.',
  },
)
export type ProviderPublic = Static<typeof ProviderPublic>

export const ProviderPublicList = Type.Object(
  {
    items: Type.Union([Type.Array(ProviderPublic), Type.Null()]),
    total: Type.Integer({ format: 'int64', description: 'Total number.' }),
    next_cursor: Type.Optional(Type.String({ description: 'Pass it as `cursor` for the next page.' })),
  },
  { $id: 'ProviderPublicListBody', ...closed },
)
export type ProviderPublicList = Static<typeof ProviderPublicList>

const Nullable = Type.Union([Type.Array(Type.String()), Type.Null()])

const declaration = {
  display_name: Type.Optional(Type.String({ description: 'Its name for people.' })),
  base: Type.Optional(Type.String({ description: 'Base, such as `builtin:claude` or `provider:mine`.' })),
  command: Type.Optional(Type.String()),
  acp_command: Type.Optional(Type.String({ description: 'The command that speaks the agent protocol.' })),
  args: Type.Optional(Nullable),
  acp_args: Type.Optional(Nullable),
  args_append: Type.Optional(Nullable),
  prompt_mode: Type.Optional(Type.String({ description: '`arg`, `flag` or `none`.' })),
  prompt_flag: Type.Optional(Type.String()),
  ready_delay_ms: Type.Optional(Type.Integer({ format: 'int64' })),
  env: Type.Optional(Strings),
  options_schema_merge: Type.Optional(Type.String({ description: '`replace` or `by_key`.' })),
  option_defaults: Type.Optional(Strings),
}

export const ProviderCreate = Type.Object(
  { name: Type.String({ minLength: 1 }), ...declaration },
  { $id: 'ProviderCreateInputBody', ...closed },
)
export type ProviderCreate = Static<typeof ProviderCreate>

export const ProviderUpdate = Type.Object(declaration, { $id: 'ProviderUpdateInputBody', ...closed })
export type ProviderUpdate = Static<typeof ProviderUpdate>

export const ProviderCreated = Type.Object(
  { status: Type.String({ description: '`created`.' }), provider: Type.String({ description: 'Its name.' }) },
  { $id: 'ProviderCreatedOutputBody', ...closed },
)
export type ProviderCreated = Static<typeof ProviderCreated>
