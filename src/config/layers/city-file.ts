import { openFile } from '../declare/open-file.ts'
import { CITY_FILE } from '../files/file-names.ts'
import { declareCity } from './declare-city.ts'
import { mergeFragments } from './fragments.ts'
import type { Layer } from './layer.ts'
import { mergeCityFile } from './merge.ts'
import { requirePackForm } from './pack-form.ts'

/** What city.toml declares, with its fragments. */
export const cityFile: Layer = {
  name: 'city',
  isEditable: true,
  apply(lower, context) {
    const { files, diagnostics } = context
    const toml = files.city.toml(CITY_FILE)
    const reader = openFile({ layer: cityFile, diagnostics, file: CITY_FILE, toml, unknownKeys: 'warning', kind: '' })
    if (toml === undefined && files.city.unreadable.length === 0) {
      reader.error('', `there is no such file in ${files.city.path}; \`gc init\` makes a city`)
    }
    const declared = declareCity(reader)
    if (lower.pack) requirePackForm(reader, declared, lower.pack, diagnostics)
    const whole = mergeFragments(declared, { reader, layer: cityFile, pack: lower.pack, context })
    reader.finish()
    return mergeCityFile(lower, whole)
  },
}
