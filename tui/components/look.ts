import { createContext, useContext } from 'react'
import { createTheme, type Theme } from './theme.ts'

/** Signs of the dashboard, all of them one column wide. */
export interface Icons {
  readonly border: 'round' | 'classic'
  readonly pointer: string
  readonly search: string
  /** Bars from low to high; the first stands for nothing. */
  readonly bars: string
}

/** How the dashboard looks to this person on this terminal. */
export interface Look {
  readonly theme: Theme
  readonly icons: Icons
}

export const ICONS = {
  unicode: { border: 'round', pointer: '▸', search: '⌕', bars: '·▁▂▃▄▅▆▇█' },
} as const satisfies Readonly<Record<string, Icons>>

const PLAIN: Look = { theme: createTheme({ name: 'none', colours: 0, isLight: false }), icons: ICONS.unicode }

export const LookContext = createContext<Look>(PLAIN)

export const useLook = (): Look => useContext(LookContext)
