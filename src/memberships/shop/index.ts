export { createDeclarations, type Declaration, type Declarations } from './declarations.ts'
export { shopRouter } from './router.ts'
