export {
  addBlock,
  addSubBlock,
  type ChildTable,
  childTable,
  removeBlock,
  removeChildren,
  renderPairs,
  renderValue,
  setInlineKey,
  setKey,
  type TomlPairs,
  type TomlValue,
  tableOffset,
} from './edit.ts'
export { emptyTable, parseToml, type TomlNode, TomlSyntaxError, type TomlTable, toPlainValue } from './parse.ts'
