export * from './decide-gate.ts'
export * from './limits.ts'
export * from './why-closed.ts'
