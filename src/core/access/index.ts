export * from './decide-gate.ts'
