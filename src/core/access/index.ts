export * from './decide-gate.ts'
export * from './why-closed.ts'
