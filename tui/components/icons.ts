/** Signs of the dashboard, all of them one column wide. */
export interface Icons {
  readonly border: 'round' | 'classic'
  readonly pointer: string
  readonly mark: string
  readonly search: string
  readonly waiting: string
  /** Bars from low to high; the first stands for nothing. */
  readonly bars: string
  /** Done and open parts of a progress bar. */
  readonly progress: string
}

/** Sets of signs: for any font with Unicode, for fonts with the icons of Nerd Fonts, and for none of both. */
export const ICONS = {
  unicode: { border: 'round', pointer: '▸', mark: '●', search: '⌕', waiting: '!', bars: '·▁▂▃▄▅▆▇█', progress: '█░' },
  nerd: {
    border: 'round',
    pointer: '\uf054',
    mark: '\uf111',
    search: '\uf002',
    waiting: '\uf0f3',
    bars: '·▁▂▃▄▅▆▇█',
    progress: '█░',
  },
  ascii: { border: 'classic', pointer: '>', mark: '*', search: '?', waiting: '!', bars: '_.:-=+*#%@', progress: '#.' },
} as const satisfies Readonly<Record<string, Icons>>

export const ICON_SETS = ['unicode', 'nerd', 'ascii'] as const satisfies readonly (keyof typeof ICONS)[]
export type IconSet = (typeof ICON_SETS)[number]
