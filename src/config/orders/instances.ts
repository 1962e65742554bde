import { dirname } from 'node:path'
import type { FileSnapshot } from '../files/index.ts'
import type { PackConfig } from '../packs/index.ts'
import type { RigConfig } from '../rigs/index.ts'
import type { OrderPack } from './config.ts'
import { type OrderFile, readOrderFiles } from './files.ts'

/** An order file for the city, or for one of its rigs. */
export interface OrderInstance extends OrderFile {
  readonly rig?: string
  readonly pack?: OrderPack
}

interface Layers {
  readonly files: FileSnapshot
  readonly packs: readonly PackConfig[]
  readonly rigs: readonly RigConfig[]
}

/** A file whose scope its place does not have. */
export interface DroppedOrder {
  readonly file: OrderFile
  readonly reason: string
}

/**
 * The order files of a city: those of its own layers, and for each of its rigs those of the rig's. In each of these passes
 * the highest layer's file of a name stands alone. An order of a rig whose scope is the city is one order of the city,
 * unless that has one of its name.
 */
export function findInstances({ files, packs, rigs }: Layers): { instances: OrderInstance[]; dropped: DroppedOrder[] } {
  const { path } = files.city
  const read = (folder: string) => readOrderFiles(files.root(folder), path)
  const ofCity = packs.filter(({ rig }) => rig === undefined)
  const cityFiles = highest([...unique(ofCity), path], read)
  const dropped = cityFiles.flatMap((file) => (scopeOf(file) === 'rig' ? [{ file, reason: OUTSIDE_RIG }] : []))
  const instances: OrderInstance[] = cityFiles
    .filter((file) => scopeOf(file) !== 'rig')
    .map((file) => withPack(file, ofCity))
  for (const { name: rig, formulasDir, path: bound } of rigs) {
    if (bound === undefined) continue
    const ofRig = packs.filter((pack) => pack.rig === rig)
    const folders = [...unique(ofRig), ...(formulasDir === undefined ? [] : [dirname(formulasDir)])]
    for (const file of highest(folders, read)) {
      const isOfCity = scopeOf(file) === 'city'
      if (!isOfCity) instances.push({ ...withPack(file, ofRig), rig })
      else if (!instances.some((each) => each.name === file.name && each.rig === undefined)) {
        instances.push(withPack(file, ofRig))
      }
    }
  }
  return { instances, dropped }
}

const OUTSIDE_RIG = 'scope = "rig" makes no order of the city: import its pack in a rig'

const scopeOf = ({ declaration }: OrderFile): 'city' | 'rig' | undefined => declaration?.values.scope

const unique = (packs: readonly PackConfig[]): string[] => [...new Set(packs.map(({ folder }) => folder))]

/** File of the last folder for each name. */
function highest(folders: readonly string[], read: (folder: string) => OrderFile[]): OrderFile[] {
  const byName = new Map<string, OrderFile>()
  for (const file of folders.flatMap(read)) byName.set(file.name, file)
  return [...byName.values()]
}

function withPack(file: OrderFile, packs: readonly PackConfig[]): OrderInstance {
  const pack = packs.find(({ folder }) => folder === file.layer)
  if (!pack) return file
  const { name, folder, binding } = pack
  return { ...file, pack: { name, folder, ...(binding !== undefined && { binding }) } }
}
