export { boundResponse } from './bound-response.ts'
export {
  type Boundary,
  cursorAfter,
  cursorAfterKey,
  cursorAfterSeq,
  invalidCursor,
  parseBoundaryCursor,
  parseKeyCursor,
  parseSeqCursor,
} from './cursor.ts'
export { addVary, compressFor, StaticText } from './encoding.ts'
export { tagResponse } from './etag.ts'
export { describeJsonError } from './json-error.ts'
export { getObject, getObjects, getString } from './json-object.ts'
export { lateText } from './late-text.ts'
export { fillPage, inBatches, jsonSize, MAX_PAGE_BYTES, type PageItems } from './page.ts'
export { noUpgrade, type ProblemFormat, problemDetails, toAppError, validationFailed } from './problem.ts'
export {
  assertFits,
  isRendered,
  type JsonReplacer,
  JsonRows,
  joined,
  type List,
  listRows,
  MAX_RESPONSE_BYTES,
  RenderedJson,
  responseTooLarge,
  textRows,
  toText,
} from './rendered.ts'
export { ResponseBody } from './response-body.ts'
export { type ResponseContent, ResponseWriter } from './response-writer.ts'
export { ROWS_TOGETHER, RowBlock, type RowWriter } from './row-block.ts'
export { Turns } from './turns.ts'
