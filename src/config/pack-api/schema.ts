import { type Static, Type } from '@sinclair/typebox'
import { nullable } from '../../http/schema.ts'

const closed = { additionalProperties: false } as const

export const PackResponse = Type.Object(
  {
    name: Type.String({ description: 'The name that it is imported under.' }),
    source: Type.Optional(Type.String({ description: 'Source, as written.' })),
    version: Type.Optional(Type.String({ description: 'The versions that are taken, or the commit.' })),
  },
  { $id: 'PackResponse', ...closed },
)
export type PackResponse = Static<typeof PackResponse>

export const PackList = Type.Object({ packs: nullable(Type.Array(PackResponse)) }, { $id: 'PackListBody', ...closed })
export type PackList = Static<typeof PackList>

/** Ours: a command that a pack ships, `gc <binding> <words…>`. */
export const PackCommandView = Type.Object(
  {
    binding: Type.String(),
    words: Type.Array(Type.String()),
    description: Type.String(),
    help: Type.Optional(Type.String({ description: 'The long help, if the pack has one.' })),
    script: Type.String({ description: 'The file that is run.' }),
    pack: Type.Object({ name: Type.String(), folder: Type.String() }, { $id: 'PackCommandPack', ...closed }),
  },
  { $id: 'PackCommand', ...closed },
)
export type PackCommandView = Static<typeof PackCommandView>

export const PackCommandList = Type.Object(
  {
    items: Type.Array(PackCommandView),
    warnings: Type.Array(Type.String(), { description: 'Items that are left out, with the reason.' }),
    total: Type.Integer(),
  },
  { $id: 'PackCommandList', ...closed },
)
export type PackCommandList = Static<typeof PackCommandList>

export const PackAdd = Type.Object(
  {
    source: Type.String({ minLength: 1, description: 'The address of a git repository on a public host.' }),
    name: Type.Optional(Type.String({ description: 'The last word of the source when absent.' })),
    version: Type.Optional(
      Type.String({ description: 'Such as `^1.2`, or `sha:<commit>`; the newest versions when absent.' }),
    ),
  },
  { $id: 'PackAddInputBody', ...closed },
)
export type PackAdd = Static<typeof PackAdd>

export const PackAdded = Type.Object(
  {
    name: Type.String(),
    source: Type.String(),
    version: Type.Optional(Type.String()),
    git_backed: Type.Boolean({ description: 'True if it comes from a repository.' }),
  },
  { $id: 'PackAddedOutputBody', ...closed },
)
export type PackAdded = Static<typeof PackAdded>

export const PackRemoved = Type.Object({ name: Type.String() }, { $id: 'PackRemovedOutputBody', ...closed })
export type PackRemoved = Static<typeof PackRemoved>
