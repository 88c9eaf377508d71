export * from './decide-gate.ts'
export * from './limits.ts'
export * from './wall.ts'
export * from './why-closed.ts'
