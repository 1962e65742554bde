export { quoteData } from './quote.ts'
export {
  TURN_STATES,
  type Turn,
  type TurnContents,
  TurnDelivery,
  type TurnOptions,
  type TurnSource,
  type TurnState,
} from './turns.ts'
