import { join } from 'node:path'
import { type Declaration, declareFields, type LayerInfo, openFile } from '../declare/index.ts'
import { type Diagnostic, Diagnostics, type ParsedFile, type RootSnapshot } from '../files/index.ts'
import { displayPath } from '../packs/index.ts'
import { ORDER, type OrderFields } from './fields.ts'

/** The folder of a layer that its orders lie in. */
export const ORDERS_FOLDER = 'orders'

const SUFFIX = '.toml'
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
const ORDER_FILES: LayerInfo = { name: 'orders', isEditable: false }

/** An order file, whose name is the order's. */
export interface OrderFile {
  readonly name: string
  /** The folder that its `orders` folder lies in, absolute. */
  readonly layer: string
  /** Absent when the file cannot be read; then there are errors. */
  readonly declaration?: Declaration<OrderFields>
  readonly diagnostics: readonly Diagnostic[]
}

/** True if a file of a layer is there for orders: what is wrong with it is no reason to leave anything else out. */
export const isOrderFile = (file: string): boolean => file === ORDERS_FOLDER || file.startsWith(`${ORDERS_FOLDER}/`)

/** Older locations of orders, each in a folder of its own. */
const OLDER_FOLDERS = [ORDERS_FOLDER, join('formulas', ORDERS_FOLDER)]

/** The order files of a layer, in the order of their names. */
export function readOrderFiles(root: RootSnapshot, city: string): OrderFile[] {
  const older = OLDER_FOLDERS.flatMap((parent) =>
    root.folders(parent).flatMap((folder) => {
      const path = join(parent, folder, 'order.toml')
      return root.text(path) === undefined ? [] : [olderLayout(folder, join(displayPath(city, root.path), path), root)]
    }),
  )
  const names = root.fileNames(ORDERS_FOLDER).filter((name) => name.endsWith(SUFFIX))
  return [...names.map((name) => readOrderFile(name, root, city)), ...older]
}

/** Parsed results by file, kept while the file does not change: a city may have a thousand. */
const known = new WeakMap<ParsedFile, { readonly file: string; readonly order: OrderFile }>()

function readOrderFile(fileName: string, root: RootSnapshot, city: string): OrderFile {
  const path = join(ORDERS_FOLDER, fileName)
  const file = join(displayPath(city, root.path), path)
  const toml = root.toml(path)
  const earlier = toml && known.get(toml)
  if (earlier?.file === file && earlier.order.layer === root.path) return earlier.order
  const order = declareOrderFile(fileName, file, root, toml)
  if (toml) known.set(toml, { file, order })
  return order
}

function declareOrderFile(fileName: string, file: string, root: RootSnapshot, toml: ParsedFile | undefined): OrderFile {
  const name = fileName.slice(0, -SUFFIX.length)
  const diagnostics = new Diagnostics()
  const reader = openFile({ layer: ORDER_FILES, diagnostics, file, toml, unknownKeys: 'lint', kind: 'order-file' })
  if (toml === undefined) reader.error('', root.problemOf(join(ORDERS_FOLDER, fileName)) ?? 'no longer exists')
  else if ('table' in toml && !reader.has('order')) reader.error('', 'has no [order] table')
  if (!NAME.test(name)) {
    reader.error(
      '',
      'the name of an order must start with a letter or digit and contain only letters, digits, ".", "-" or "_"',
    )
  }
  const declaration = declareFields(reader.child('order'), ORDER)
  reader.finish()
  const isBroken = diagnostics.list('error').length > 0
  return {
    ...{ name, layer: root.path, diagnostics: diagnostics.list('error', 'warning', 'lint') },
    ...(!isBroken && { declaration }),
  }
}

function olderLayout(name: string, file: string, { path: layer }: RootSnapshot): OrderFile {
  const message = `is an older place of an order, which is not read: move it to ${ORDERS_FOLDER}/${name}${SUFFIX}`
  return { name, layer, diagnostics: [{ severity: 'error', file, line: 1, key: '', message }] }
}
