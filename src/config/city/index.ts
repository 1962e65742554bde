export { agentNamed, type CityConfig } from './config.ts'
export {
  type BlockDeclarations,
  type CityDeclarations,
  type CityPack,
  type NamedDeclarations,
  NO_DECLARATIONS,
  type SectionDeclarations,
} from './declarations.ts'
export { agentPatchesOf, cityPatchesOf, joinPatches, type PatchDeclarations } from './patches.ts'
