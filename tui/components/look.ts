import { createContext, useContext } from 'react'
import { ICONS, type Icons } from './icons.ts'
import { createTheme, type Theme } from './theme.ts'

/** Appearance of the dashboard for this user and terminal. */
export interface Look {
  readonly theme: Theme
  readonly icons: Icons
}

const PLAIN: Look = { theme: createTheme({ name: 'none', colours: 0, isLight: false }), icons: ICONS.unicode }

export const LookContext = createContext<Look>(PLAIN)

export const useLook = (): Look => useContext(LookContext)
