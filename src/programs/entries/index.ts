export { Block } from './block.ts'
export {
  imageBlock,
  lazy,
  plainText,
  textBlock,
  thinkingBlock,
  toolResultBlock,
  toolUseBlock,
  turnText,
} from './blocks.ts'
export { type Entry, type ModelFields, type ModelUsage, type Tokens, UNNAMED_MODEL } from './entry.ts'
export { closedObject, optional, optionalBoolean, optionalInteger, optionalString, optionalStrings } from './fields.ts'
export {
  asArray,
  asBoolean,
  asNumber,
  asObject,
  asString,
  asTimestamp,
  firstString,
  isObject,
  type JsonRecord,
  omitUndefined,
  parseJson,
  stringify,
} from './json.ts'
export { forEachInSteps, mapInSteps, runInSteps, runSync, type Steps } from './steps.ts'
export { kindOf, type ToolCall } from './tool-kinds.ts'
