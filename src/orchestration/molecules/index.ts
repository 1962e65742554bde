export { MoleculeAutoClose } from './auto-close.ts'
export { WispRetention } from './wisp-retention.ts'
