import type { Location } from '../../client/views/index.ts'
import type { Run, State } from './state.ts'

/** Effect outside of the state after a step. */
export type Effect =
  | Run
  | { readonly type: 'quit' }
  | { readonly type: 'undo'; readonly undo: NonNullable<State['undo']> }
  | { readonly type: 'more'; readonly location: Location }
  | { readonly type: 'reload'; readonly location: Location }
  | { readonly type: 'attach'; readonly location: Location; readonly session: string }
  | { readonly type: 'copy'; readonly text: string }
  /** Something begins to wait for a person. */
  | { readonly type: 'alert'; readonly text: string }
  | { readonly type: 'find'; readonly city: string; readonly text: string }
  | { readonly type: 'mouse'; readonly on: boolean }
  | { readonly type: 'redraw' }
  | { readonly type: 'suspend' }

export type Step = readonly [State, Effect?]
