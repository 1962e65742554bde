import type { CityDeclarations } from '../declare/city-declarations.ts'
import { locationOf } from '../declare/declaration.ts'
import type { CityPack } from '../declare/pack.ts'
import type { SectionReader } from '../declare/section-reader.ts'
import type { Diagnostics } from '../diagnostics/diagnostics.ts'
import { isUnpacked } from '../packs/includes.ts'

/** Rejects what city.toml may not say beside a pack.toml of schema 2, which is the place for it. */
export function requirePackForm(
  reader: SectionReader,
  { rigs = [] }: Partial<CityDeclarations>,
  { schema }: CityPack,
  diagnostics: Diagnostics,
): void {
  if (reader.has('imports')) reader.warning('imports', 'still works here; its place is pack.toml')
  if (schema < 2) return
  if (reader.has('agent')) {
    reader.error('agent', 'beside a pack.toml of schema 2 an agent is a folder in agents/; move it there')
  }
  if (reader.has('packs')) reader.error('packs', 'beside a pack.toml of schema 2 packs are [imports] of pack.toml')
  const workspace = reader.child('workspace')
  const includes = workspace.strings('includes') ?? []
  if (!includes.every(isUnpacked)) {
    workspace.error('includes', 'beside a pack.toml of schema 2 packs are [imports] of pack.toml')
  }
  for (const rig of rigs) {
    if (rig.values.includes === undefined) continue
    diagnostics.error(locationOf(rig, 'includes'), 'beside a pack.toml of schema 2 packs of a rig are [rigs.imports]')
  }
  if (workspace.has('default_rig_includes')) {
    workspace.error('default_rig_includes', 'beside a pack.toml of schema 2 it is [defaults.rig.imports]')
  }
}
