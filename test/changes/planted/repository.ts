import { TestRepository } from '../repository.ts'
import { changeWith, type PlannedFile } from './changes.ts'
import { DEFECTS } from './defects.ts'

const USUAL = '100644'

function side(file: PlannedFile, which: 'before' | 'after'): string {
  const text = file[which]
  if (text === undefined) return ''
  const mode = (which === 'before' ? file.oldMode : file.mode) ?? USUAL
  return `M ${mode} inline ${file.path}\ndata ${Buffer.byteLength(text)}\n${text}\n`
}

const commit = (branch: string, subject: string) =>
  `commit refs/heads/${branch}\ncommitter a <a@b> 1 +0000\ndata ${subject.length}\n${subject}\n`

/** A repository with two commits of each defect: the change `d<number>` on its base `d<number>~1`. */
export function plantDefects(): TestRepository {
  const repository = new TestRepository()
  const text = DEFECTS.map((defect, seed) => {
    const files = changeWith(defect, seed)
    const before = files.map((file) => side(file, 'before')).join('')
    const after = files.map((file) => (file.after === undefined ? `D ${file.path}\n` : side(file, 'after'))).join('')
    return `${commit(`d${seed}`, 'base')}${before}\n${commit(`d${seed}`, 'change')}${after}\n`
  })
  const ran = Bun.spawnSync(['git', '-C', repository.path, 'fast-import', '--quiet'], {
    stdin: Buffer.from(text.join('')),
  })
  if (ran.exitCode !== 0) throw new Error(`git fast-import: ${ran.stderr}`)
  return repository
}
