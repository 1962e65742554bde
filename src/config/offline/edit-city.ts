import { type Composition, compose } from '../compose/index.ts'
import {
  type Drafts,
  EditLock,
  FileSnapshot,
  keepsChanging,
  toInvalidConfigError,
  writeDrafts,
} from '../files/index.ts'
import { openPackFolders } from '../packs/index.ts'

/** Changes files of a city without a supervisor; one that runs reads them again. Nothing is written that has errors. */
export async function editCity(
  { path, home }: { readonly path: string; readonly home: string },
  makeDrafts: (base: Composition) => Drafts,
): Promise<void> {
  using lock = await EditLock.acquire(path)
  const folders = openPackFolders(home)
  const base = compose(new FileSnapshot(path), { folders })
  const drafts = makeDrafts(base)
  const { errors } = compose(new FileSnapshot(path, drafts), { folders })
  if (errors.length > 0) throw toInvalidConfigError(errors, 'invalid-request')
  if (!(await writeDrafts(lock, drafts, (file) => base.files.city.text(file)))) throw keepsChanging()
}
