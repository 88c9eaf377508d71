export { type California, createCalifornia } from './california.ts'
export { createDeadlines, type Deadline, type Deadlines } from './deadlines.ts'
export {
  createDeclarations,
  type Declaration,
  type DeclarationQuery,
  type Declarations,
} from './declarations.ts'
export { createDeclarationNumbers, shopLife } from './life.ts'
export { shopRouter } from './router.ts'
export { createUnusedMoney, type UnusedMoney } from './unused-money.ts'
