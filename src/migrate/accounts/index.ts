export { fieldOf, revertAccount, rewriteAccount } from './rewrite.ts'
