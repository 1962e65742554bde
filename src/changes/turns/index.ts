export { quoteData } from './quote.ts'
export {
  type Turn,
  type TurnContents,
  TurnDelivery,
  type TurnOptions,
  type TurnSource,
  type TurnState,
} from './turns.ts'
