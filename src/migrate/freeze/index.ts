export { type Freeze, freezeSite, unfreezeSite } from './freeze.ts'
